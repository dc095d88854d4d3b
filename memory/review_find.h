/* Finding what is worth a question. */
#ifndef ENGRAM_REVIEW_FIND_H
#define ENGRAM_REVIEW_FIND_H

#include "memory/memory_state.h"

/* Entities on a large part of the memories, which draw walkers without telling anything apart, and
 * that nobody was asked about: questions to put. Cheap; inside a read, with the snapshot. */
bool review_find_hubs(struct memory *m, struct arena *a, struct question_row **out, size_t *count,
                      struct err *e);

/* Names that one memory alone says, stored a day before `ms` and behind those of the last such
 * question that was answered with no; with fewer than MIN_ONCE nobody is asked. */
enum { MIN_ONCE = 5, MAX_ONCE = 1000 };
bool review_named_once(struct memory *m, struct arena *a, int64_t ms, int64_t **out, size_t *count,
                       struct err *e);

/* Do all worktrees that are indexed whole, one at least, say that the code which a memory speaks of
 * is gone? Inside a read. */
bool review_code_is_gone(struct memory *m, struct arena *a, int64_t memory, bool *gone, str *note,
                         struct err *e);

#endif
