/* remember in two steps, for who stores many memories in one transaction. */
#ifndef ENGRAM_REMEMBER_H
#define ENGRAM_REMEMBER_H

#include "memory/memory.h"

struct remembering; /* in the arena that prepared it */

/* Redaction and what is found by rule; outside of a write. `out` is filled by both steps. */
bool remember_prepare(struct memory *m, struct arena *a, const struct remember_input *in,
                      struct remember_result *out, struct remembering **r, struct err *e);

/* Inside a write. ERR_CONFLICT where an automatic input was forgotten: then nothing was written.
 * Any other error leaves part of it written: the write is to be rolled back. */
bool remember_put(struct remembering *r, struct err *e);

#endif
