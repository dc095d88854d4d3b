/* The late-interaction leg: among the passages that words, walk and vectors brought, which one
 * answers the query piece by piece. Only where the local encoder's vectors stand. */
#ifndef ENGRAM_LATE_LEG_H
#define ENGRAM_LATE_LEG_H

#include "memory/late_interaction.h"
#include "memory/rank.h"

enum { MAX_LATE_PASSAGES = 100 }; /* of the candidates, in their order */

/* rank_input.late for these candidates, in `a`; NULL where no passage among them has tokens of this
 * model. Inside a read. */
bool late_leg_score(struct store *s, struct arena *a, const struct snapshot *snap, str model,
                    const struct encoder_tokens *query, const struct candidate *candidates,
                    size_t count, const float **out, struct err *e);

#endif
