/* Contradictions that nobody declared: found when a memory is stored, shown side by side in recall,
 * and asked in review until a person says yes (the newer supersedes the older) or no (both are
 * true). One is open while both memories are current: superseding, archiving or forgetting either
 * closes it, and taking that back opens it again. */
#ifndef ENGRAM_CONTRADICTIONS_H
#define ENGRAM_CONTRADICTIONS_H

#include "memory/memory_state.h"

enum {
    MAX_COMPARED = 12,      /* older memories that a new one is compared with, by shared words */
    MAX_CONTRADICTIONS = 3, /* filed for one new memory, and told of one recalled */
};

/* Two memories that may contradict; the newer by at, then id. */
struct dispute {
    int64_t older, newer;
    int64_t older_at_ms, newer_at_ms;
    str older_value, newer_value; /* short; empty where the rules see none (any more) */
};

/* Compares a new memory with `others` (the best first; score: its share of what the new text scores
 * against itself), and with what was said by the same relations; only the ids of the disputes are
 * filled in. Inside a read. */
bool contradictions_find(struct memory *m, struct arena *a, int64_t self,
                         const struct scored *others, size_t count, struct dispute **out,
                         size_t *found, struct err *e);

/* Files a question about each, once for ever; in a transaction of its own. */
bool contradictions_file(struct memory *m, const struct dispute *disputes, size_t count,
                         int64_t now_ms, struct err *e);

/* The open ones of a memory. Inside a read. */
bool contradictions_of(struct memory *m, struct arena *a, int64_t id, struct dispute **out,
                       size_t *count, struct err *e);

/* The dispute of two memories, whatever became of it; *found is false where one is gone. */
bool contradiction_between(struct memory *m, struct arena *a, int64_t x, int64_t y,
                           struct dispute *out, bool *found, struct err *e);

/* Puts memories that contradict one of the first `most` candidates beside it, the newest first,
 * with its score; none of which covers less than half of what the candidate does of the query.
 * Inside a read. */
bool contradictions_gather(struct memory *m, struct arena *a, struct candidate **candidates,
                           size_t *count, size_t most, struct err *e);

#endif
