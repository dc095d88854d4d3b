/* What commits say of why: sentences of their messages as memories of origin commit, which a
 * person's word outweighs. */
#ifndef ENGRAM_HISTORY_REASONS_H
#define ENGRAM_HISTORY_REASONS_H

#include "memory/history.h"
#include "memory/remember.h"

enum {
    MAX_REASON_COMMITS = 200, /* of a history read for the first time: the newest so many */
    MAX_REASONS = 2,          /* of a commit */
    MIN_REASON_BYTES = 40,    /* a shorter sentence is no reason that stands alone */
};

/* What one commit tells, ready to be stored. */
struct commit_told {
    struct told_reason {
        struct remembering *prepared;
        struct remember_result stored;
        str text;
        int64_t at_ms;
        bool is_stored;
    } reasons[MAX_REASONS];
    size_t count;
};

/* All that takes time; outside of a write. */
bool history_reasons_prepare(struct memory *m, struct arena *a, const struct commit_record *c,
                             int64_t now_ms, struct commit_told *out, struct err *e);

/* Stores them, tied to the commit, inside the write that stores the commit: a killed process leaves
 * both or neither. What was forgotten doesn't come back. */
bool history_reasons_put(struct memory *m, struct commit_told *told, int64_t commit, struct err *e);

/* Looks, behind the write, for memories that they contradict; trouble costs only that. */
void history_reasons_compare(struct memory *m, struct arena *a, struct commit_told *told,
                             int64_t now_ms);

#endif
