/* What the branches and tags of a repository say, all of them together. */
#ifndef ENGRAM_PARSERS_REFERENCES_H
#define ENGRAM_PARSERS_REFERENCES_H

#include "memory/base/arena.h"

#include <git2.h>

enum { MAX_DIGESTED_REFERENCES = 100000 };

/* Changes with each of the first 100,000 branches and tags that comes, moves or goes, and with the
 * depth of a shallow clone. No object is read for it. */
str references_digest(struct arena *a, git_repository *r);

#endif
