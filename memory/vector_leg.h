/* The vector leg: cosines of the query with every encoded memory and passage, by one pass over int8
 * rows. The vectors are centred on their mean, since a sentence encoder's vectors share a direction
 * that tells nothing; cosines are told as z-scores, so that they mean the same in every store. Both
 * among memories and among passages, each for themselves. */
#ifndef ENGRAM_VECTOR_LEG_H
#define ENGRAM_VECTOR_LEG_H

#include "memory/best.h"
#include "memory/store_vector.h"

struct vector_leg; /* heap; the rows of one model, kept up with the store */
struct vector_leg *vector_leg_new(void);
void vector_leg_free(struct vector_leg *v);

/* Takes in the vectors that came since; those of another model than before in the place of all.
 * Inside a read, after store_refresh. */
bool vector_leg_sync(struct vector_leg *v, struct store *s, const struct snapshot *snap, str model,
                     struct err *e);

/* Of the model's vectors; 0: none is known yet. */
size_t vector_leg_dimensions(const struct vector_leg *v);

struct vector_scores {
    const float
        *turn; /* per node: z-score of its text's best window; NO_VECTOR where it has none */
    const float *context; /* per node: of its text behind the end of the turn before; the same as
                             turn where there is none */
    struct scored *best;  /* by turn, best first */
    size_t best_count;
};

#define NO_VECTOR (-1000.0f)

/* Scores of a unit-length query vector of the leg's dimensions; arrays in `a`. false where the leg
 * has too few rows to tell a mean (the leg is off for this query). */
bool vector_leg_score(const struct vector_leg *v, struct arena *a, const struct snapshot *snap,
                      const float *query, struct vector_scores *out);

#endif
