/* The vector of a query: by the local encoder, or asked of a provider before recall's read begins.
 *
 * What somebody says of themselves says "I": where the query names who spoke, its vector is halfway
 * between the query as asked and with "I" and "my" in place of the name. */
#ifndef ENGRAM_QUERY_VECTOR_H
#define ENGRAM_QUERY_VECTOR_H

#include "memory/models.h"
#include "memory/provider/encoder.h"
#include "memory/resolve.h"

/* Whose vectors the leg compares with. At a change of model the old one serves until the new one is
 * whole, if it can still be asked: not where the local encoder itself is a new one, of whose
 * vectors as many serve as are there. */
struct leg_model {
    str name;                          /* empty: there is no leg */
    bool is_local;                     /* m->encoder, open */
    struct provider_settings settings; /* else: whom to ask */
};

/* Inside a read. */
bool leg_model_choose(struct memory *m, struct arena *a, struct leg_model *out, struct err *e);

/* The query as a speaker whom it names would put it; empty where it names none. */
str query_as_said(struct memory *m, struct arena *a, str query, const struct resolved *resolved,
                  size_t resolved_count);

/* Of unit length, halfway between both. */
void query_vector_between(float *vector, const float *other, size_t dimensions);

/* By the local encoder, of its dimensions, and the tokens of the query as asked; NULL where it has
 * nothing to say. In `a`. */
float *query_vector_local(struct memory *m, struct arena *a, str query,
                          const struct resolved *resolved, size_t resolved_count,
                          struct encoder_tokens *tokens);

#endif
