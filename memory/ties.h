/* Names that texts use and what they mean in the sources and in the history: a tie (SAME_AS) from
 * the entity to the symbol, file or commit. So a passage or memory leads to what it speaks of, and
 * that leads to the text, whichever of them came first. */
#ifndef ENGRAM_TIES_H
#define ENGRAM_TIES_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

struct store;

enum {
    MAX_CALLED_SO = 400, /* a name of so many symbols or files says nothing */
    TIES_AT_ONCE = 256,  /* names, or lost ties, between two pauses */
};

/* Ties the name where it means one thing only; words of prose are left alone. `type` is the one of
 * the entity, as the rules on text gave it (memory/extract.h). Inside a write. */
bool ties_put(struct store *s, struct arena *a, int64_t entity, str name, str type, int64_t now_ms,
              struct err *e);

/* The same for every name that is tied to nothing yet. Ties to what is gone are taken off before:
 * the name then means the only symbol with the same body, or with the same body but for its name,
 * or what else is called so. Inside a write, at the end of an index; `pause` is called behind every
 * TIES_AT_ONCE of them, and may end that write and begin another: what others did to the store
 * meanwhile is heeded. */
typedef bool ties_pause(void *ctx, struct err *e);
bool ties_put_all(struct store *s, struct arena *a, int64_t now_ms, ties_pause *pause, void *ctx,
                  struct err *e);

#endif
