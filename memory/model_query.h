/* What recall asks of models before its read begins, each within its budget: the query's vector of
 * a provider, and the order of the first candidates of a reranker. A leg that doesn't answer in
 * time is off for this query, which then says so; nothing is held while the network is waited for.
 */
#ifndef ENGRAM_MODEL_QUERY_H
#define ENGRAM_MODEL_QUERY_H

#include "memory/query_vector.h"
#include "memory/rank.h"

enum { MAX_LEGS_OFF = 2, MAX_RERANKED_BYTES = 2000 /* of a candidate */ };

struct model_query {
    const float *vector; /* NULL: the provider said none */
    size_t dimensions;
    str model; /* of the vector */

    int64_t *order; /* node ids, the best first; NULL: the candidates stay in their order */
    size_t order_count;

    str off[MAX_LEGS_OFF]; /* which leg didn't answer, and why */
    size_t off_count;
};

/* The vector, where the leg's model is a provider's. Not inside a read. */
bool model_query_vector(struct memory *m, struct arena *a, str query, struct model_query *out,
                        struct err *e);

/* How many candidates a reranker wants; 0: there is none, or it was away just now. */
size_t model_query_wants(struct memory *m, struct arena *a, struct model_query *out);

/* A candidate as the reranker reads it. */
struct reranking {
    int64_t id;
    str text; /* with who said it or its heading */
};

/* Inside a read: the first `most` of the candidates that `wanted` says may come out. */
bool model_query_gather(struct memory *m, struct arena *a, const struct candidate *candidates,
                        size_t count, bool (*wanted)(void *ctx, node at), void *ctx, size_t most,
                        struct reranking **out, size_t *out_count, struct err *e);

/* Fills in the order. Not inside a read. */
bool model_query_rerank(struct memory *m, struct arena *a, str query, const struct reranking *texts,
                        size_t count, struct model_query *out, struct err *e);

/* Puts the reranked candidates into their order, in the places and with the scores that they have
 * together. */
void model_query_reorder(struct memory *m, struct arena *a, const struct model_query *q,
                         struct candidate *candidates, size_t count);

#endif
