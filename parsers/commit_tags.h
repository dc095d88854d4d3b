/* The tags of a repository, with the commits behind them. */
#ifndef ENGRAM_PARSERS_COMMIT_TAGS_H
#define ENGRAM_PARSERS_COMMIT_TAGS_H

#include "memory/facts_commit.h"

#include <git2.h>

/* Sets out->tags: by name, at most MAX_HISTORY_TAGS of them, the youngest commits where there are
 * more. What leads to no commit is left out, as is a name that is too long or not UTF-8. */
void commit_tags_read(struct arena *a, git_repository *r, struct commit_history *out);

#endif
