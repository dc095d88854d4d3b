/* What follows from all commits together: reverts, lineage of heads, files that
 * change together. */
#ifndef ENGRAM_HISTORY_FOLLOW_H
#define ENGRAM_HISTORY_FOLLOW_H

#include "memory/store_history.h"

/* In short writes of its own. worktree 0: no lineage. Not has_grown: no commit is new since the
 * last time, and the lineage alone may be another. */
bool history_follow(struct store *s, int64_t worktree, str head, bool has_grown, int64_t now_ms,
                    struct err *e);

#endif
