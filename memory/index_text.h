/* A text in the words that the full-text index takes, made ahead of its storing: taking a text
 * apart needs no store, so any thread can do it, and for passages nobody waits for it under the
 * write lock. A new entity's name is short: it is taken apart where the entity is made, inside the
 * write. Pure. */
#ifndef ENGRAM_INDEX_TEXT_H
#define ENGRAM_INDEX_TEXT_H

#include "memory/text.h"

struct index_text {
    str text;               /* borrowed */
    str tokens;             /* what text_tokens gives, in a form of our own; index_text_each */
    int64_t words, telling; /* without what shares a place; those that are no stop words */
};

struct index_text index_text_of(struct arena *a, str text);

/* Hands over each token's text and whether it shares the place of the one before, in order; a code
 * other than 0 ends it and is given back. */
int index_text_each(const struct index_text *t, int (*visit)(void *ctx, str token, bool colocated),
                    void *ctx);

#endif
