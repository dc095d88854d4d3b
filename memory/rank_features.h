/* What the ranker knows of a query's candidates: fills the rows of the table in rank.h. For rank.c
 * alone. Pure. */
#ifndef ENGRAM_RANK_FEATURES_H
#define ENGRAM_RANK_FEATURES_H

#include "memory/rank.h"

static inline node before(const struct snapshot *snap, node n)
{
    return n == NO_NODE ? NO_NODE : snap->meta[n].before;
}

static inline node after(const struct snapshot *snap, node n)
{
    return n == NO_NODE ? NO_NODE : snap->meta[n].after;
}

static inline float at(const float *values, node n)
{
    return n == NO_NODE ? 0 : values[n];
}

static inline float share(float part, float whole)
{
    float s = whole > 0 ? part / whole : 0;
    return s > 1 ? 1 : s;
}

/* What the features of one query share; in `a`, borrows `in`. */
struct rank_context;
struct rank_context *rank_context_build(struct arena *a, const struct rank_input *in);

void rank_fill_features(const struct rank_context *c, node n, float out[FEATURE_COUNT]);

/* Confidence times pull of the surest specific name in the query. */
float rank_most_named(const struct rank_context *c);

/* The greatest mass of anything that can be shown: seeds that are entities would drown the rest. */
float rank_best_mass(const struct rank_input *in);

#endif
