/* What the makers of vectors share, the local encoder (vectors.c) and a provider
 * (model_vectors.c). */
#ifndef ENGRAM_VECTORS_H
#define ENGRAM_VECTORS_H

#include "memory/memory_state.h"
#include "memory/memory_vectors.h"

/* The next texts without a vector of this model, by id, at most MAX_BATCH_TEXTS, without those that
 * are to be tried again only behind now_ms. Brings a change of model forward first, in short
 * transactions (store_vector.h); dimensions 0: not known yet. */
bool vectors_pending(struct memory *m, struct arena *a, str model, size_t dimensions,
                     int64_t now_ms, struct text_batch *out, struct err *e);

/* A byte for each dimension: the largest one takes all of it, so the error is at most half a scale.
 * false for what no vector is. */
bool vectors_quantize(struct arena *a, const float *vector, size_t dimensions, int part,
                      struct text_vector *out);

/* What is encoded of a text: behind the end of the one before (empty: there is none), and alone. */
str vectors_in_context(struct arena *a, const struct pending_text *t);
str vectors_whole_text(struct arena *a, const struct pending_text *t);

/* Takes the next part off, up to the last space of what fits. */
str vectors_next_window(str *rest, size_t max_bytes);

#endif
