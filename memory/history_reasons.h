/* What commits say of why: sentences of their messages as memories of origin commit, which a
 * person's word outweighs. */
#ifndef ENGRAM_HISTORY_REASONS_H
#define ENGRAM_HISTORY_REASONS_H

#include "memory/history.h"

enum {
    MAX_REASON_COMMITS = 200, /* of a history read for the first time: the newest so many */
    MAX_REASONS = 2,          /* of a commit */
    MIN_REASON_BYTES = 40,    /* a shorter sentence is no reason that stands alone */
};

/* Stores the reasons of a commit that stands already, each tied to it; writes of its own. What was
 * forgotten doesn't come back. */
bool history_put_reasons(struct memory *m, struct arena *a, const struct commit_record *c,
                         int64_t now_ms, struct err *e);

#endif
