/* Token vectors of passages in the store (late_interaction.h), beside the vectors of the same
 * model: they are put and go with these. */
#ifndef ENGRAM_STORE_TOKENS_H
#define ENGRAM_STORE_TOKENS_H

#include "memory/store.h"

/* Inside a write. */
bool store_put_tokens(struct store *s, int64_t passage, int64_t model, str rows, struct err *e);
bool store_drop_tokens(struct store *s, int64_t passage, struct err *e);

/* Inside a write: at most `most` of outdated models. *left: there are more. */
bool store_drop_outdated_tokens(struct store *s, size_t most, bool *left, struct err *e);

/* Inside a read, in `a`. Empty: it has none of this model, or more than `most` bytes. */
bool store_get_tokens(struct store *s, struct arena *a, int64_t passage, str model, size_t most,
                      str *rows, struct err *e);

#endif
