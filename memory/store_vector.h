/* Vectors of texts in the store: which memories and passages still lack them, putting them, and
 * loading them for a matrix in memory. A text may have several: one for each window of it, and one
 * in its context. */
#ifndef ENGRAM_STORE_VECTOR_H
#define ENGRAM_STORE_VECTOR_H

#include "memory/memory_vectors.h"
#include "memory/store.h"

/* Everything that is to be encoded, in order of node id, but for what is to be tried again only
 * behind now_ms; stops at `most` texts, or where they have MAX_PENDING_BYTES together. */
bool store_pending_texts(struct store *s, struct arena *a, size_t most, int64_t now_ms,
                         struct pending_text **out, size_t *count, struct err *e);

/* Is there no text that waits? */
bool store_nothing_pending(struct store *s, bool *out, struct err *e);

/* The number of a model, put where it is new; inside a write. Dimensions 0: not known yet.
 * ERR_CONFLICT where vectors of it are stored that have another number of them. */
bool store_put_vector_model(struct store *s, str name, size_t dimensions, int64_t *model,
                            struct err *e);

/* Replaces the vectors of one text (none: it gets none), which then isn't pending any more; inside
 * a write. Does nothing where the text was forgotten, is no longer what was encoded, or isn't
 * pending: *put tells. */
bool store_put_vectors(struct store *s, struct arena *a, int64_t model,
                       const struct text_vectors *vectors, bool *put, struct err *e);

/* ---- a change of model ----
 *
 * A text has the vectors of the old model until those of the new one are whole, so that a query can
 * be compared with either:
 *
 *     gathering -> encoding -> whole -> outdated (another one became whole) -> its vectors go
 */
enum vector_state { VECTORS_GATHERING, VECTORS_ENCODING, VECTORS_WHOLE, VECTORS_OUTDATED };

/* Inside a write, by a model's number. */
bool store_set_vector_state(struct store *s, int64_t model, enum vector_state state, struct err *e);
/* The others become outdated: all, or those that aren't whole. */
bool store_outdate_models(struct store *s, int64_t but, bool whole_too, struct err *e);

/* Inside a write: makes texts without a vector of the model pending, the next `most` behind the
 * node *last, which moves on. *left: there are more. */
bool store_gather_texts(struct store *s, int64_t model, size_t most, int64_t *last, bool *left,
                        struct err *e);

/* Inside a write: takes at most `most` vectors of outdated models away, then tokens, at the end the
 * models.
 * *left: there are more. */
bool store_drop_outdated_models(struct store *s, size_t most, bool *left, struct err *e);

struct vector_standing {
    bool is_known;
    enum vector_state state;           /* of the model that was asked for */
    bool has_others;                   /* there are other models, */
    bool has_unfinished, has_outdated; /* some of them neither whole nor outdated; outdated */
};
bool store_vector_standing(struct store *s, str model, struct vector_standing *out, struct err *e);

/* The model that is whole; empty: none is. */
bool store_whole_model(struct store *s, struct arena *a, str *out, struct err *e);

/* Inside a write, around what makes vectors wrong: a text that is put in the place of another (call
 * it before), a new one, and a memory that goes (it stands in the context of the next one). */
bool store_drop_outdated_vectors(struct store *s, int64_t id, str text, struct err *e);
bool store_add_pending(struct store *s, int64_t id, struct err *e);
bool store_drop_context_of_next(struct store *s, int64_t id, struct err *e);
bool store_add_all_pending(struct store *s, struct err *e); /* after an import */

struct vector_row {
    int64_t seq, node;
    int part; /* VECTOR_IN_CONTEXT or a window's number */
    float scale;
    const int8_t *data; /* element i is scale * data[i]; valid during the visit */
    size_t dimensions;  /* as the model's; the same in all rows */
};
typedef bool vector_visit(void *ctx, const struct vector_row *row); /* false ends the visit */

/* Vectors of `model` with a number above `since`, by number; call it inside a read. All rows of a
 * node come one after the other, by part; nodes come by id but for those that were encoded again. A
 * node that comes again gets other vectors in the place of all that it had; vectors are void, too,
 * from the change on that says that their node's text changed (`change.body`) or that it is gone.
 */
bool store_vectors_since(struct store *s, str model, int64_t since, vector_visit *visit, void *ctx,
                         struct err *e);

/* Are there so many vectors at most, of all models? By their numbers, of which few are missing. */
bool store_vectors_within(struct store *s, size_t most, bool *out, struct err *e);

bool store_vector_counts(struct store *s, struct arena *a, struct vector_counts *out,
                         struct err *e);

#endif
