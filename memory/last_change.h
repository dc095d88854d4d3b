/* Which commit changed a file or symbol last, in words. Private to memory/. */
#ifndef ENGRAM_LAST_CHANGE_H
#define ENGRAM_LAST_CHANGE_H

#include "memory/store.h"

/* "c12 (0a1b2c3d4e5f, 2026-03-01): its subject"; *out empty where no commit behind since_ms is
 * known to have touched it. Inside a read. */
bool last_change(struct store *s, struct arena *a, int64_t target, int64_t since_ms, str *out,
                 struct err *e);

/* How a place that a memory is bound to (a symbol, or a file) came to be other than it was then:
 * "changed by c12 (...): ...", or of a symbol whose changes aren't told apart which commit touched
 * its file last; *out empty where none did. Inside a read. */
bool last_change_of_place(struct store *s, struct arena *a, int64_t memory, int64_t target,
                          str path, str *out, struct err *e);

#endif
