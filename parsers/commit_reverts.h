/* What a commit's message says that the commit takes back. */
#ifndef ENGRAM_PARSERS_COMMIT_REVERTS_H
#define ENGRAM_PARSERS_COMMIT_REVERTS_H

#include "memory/facts_commit.h"

/* Fills reverts and reverts_subject of a record whose subject was read. What takes back a part of a
 * commit takes back none, nor does a merge, whose message tells of what others did. */
void commit_reverts_read(struct arena *a, str body, struct commit_record *out);

#endif
