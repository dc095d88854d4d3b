/* The vector of a query, from the local encoder. */
#ifndef ENGRAM_QUERY_VECTOR_H
#define ENGRAM_QUERY_VECTOR_H

#include "memory/provider/encoder.h"
#include "memory/resolve.h"

/* What somebody says of themselves says "I": where the query names who spoke, its vector is halfway
 * between the query as asked and with "I" and "my" in place of the name. false where the encoder is
 * switched off, not installed, or has nothing to say. Scratch in `a`. */
bool query_vector(struct memory *m, struct arena *a, str query, const struct resolved *resolved,
                  size_t resolved_count, float out[ENCODER_DIMENSIONS]);

#endif
