/* What recall asks of models before its read begins, each within its budget: what a language model
 * reads out of the query, its vector of a provider, and the order of the first candidates of a
 * reranker. A leg that doesn't answer in time is off for this query, which then says so.
 *
 * Nothing is held and no thread of the memory's waits while a model is asked: recall leaves what is
 * to be asked here (`call`), ends, and is called again when it was (memory/models.h). */
#ifndef ENGRAM_MODEL_QUERY_H
#define ENGRAM_MODEL_QUERY_H

#include "memory/query_vector.h"
#include "memory/rank.h"

enum { MAX_LEGS_OFF = 3, MAX_RERANKED_BYTES = 2000 /* of a candidate */ };

/* One question, from who prepares it to who takes its answer. */
struct model_call {
    enum { CALL_NONE, CALL_WAITS, CALL_MADE } state;
    enum model_purpose purpose;
    struct provider_settings settings;
    int64_t budget_ms;
    struct embed_ask embed; /* of MODEL_QUERY */
    struct embeddings vectors;
    struct rerank_ask rerank; /* of MODEL_RERANK */
    const int64_t *ids;       /* of its texts */
    struct reranked reranked;
    struct llm_ask llm; /* of MODEL_READ */
    struct llm_answer said;
    str query, hash; /* what is read; of what was asked */
    struct counting counting;
    struct err why; /* ERR_NONE: it was answered */
};

struct model_query {
    struct arena *a; /* of all of it */
    enum { QUERY_READ, QUERY_VECTOR, QUERY_RERANK, QUERY_NOTHING } next;
    struct model_call call;

    struct query_reading reading;

    const float *vector; /* NULL: the provider said none */
    size_t dimensions;
    str model; /* of the vector */

    int64_t *order; /* node ids, the best first; NULL: the candidates stay in their order */
    size_t order_count;

    str off[MAX_LEGS_OFF]; /* which leg didn't answer, and why */
    size_t off_count;
};

/* A candidate as the reranker reads it. */
struct reranking {
    int64_t id;
    str text; /* with who said it or its heading */
};

/* model_query_read, _vector and _rerank leave a call that waits, where one is to be made. Not
 * inside a read. */

/* What a language model reads out of the query. */
bool model_query_read(struct memory *m, struct model_query *q, str query, int64_t now_ms,
                      struct err *e);

/* The query's vector, where the leg's model is a provider's. */
bool model_query_vector(struct memory *m, struct model_query *q, str query, struct err *e);

/* The vector has not as many dimensions as those that are stored: it is none. */
void model_query_misfits(struct model_query *q, size_t stored_dimensions);

/* How many candidates a reranker wants; 0: there is none, it was away just now, or it was asked. */
size_t model_query_wants(struct memory *m, struct model_query *q);
bool model_query_rerank(struct memory *m, struct model_query *q, str query,
                        const struct reranking *texts, size_t count, struct err *e);

/* What came of the call that was made: the answer, or the leg that is off. */
void model_query_take(struct memory *m, struct model_query *q);

/* Inside a read: the first `most` of the candidates that `wanted` says may come out. */
bool model_query_gather(struct memory *m, struct arena *a, const struct candidate *candidates,
                        size_t count, bool (*wanted)(void *ctx, node at), void *ctx, size_t most,
                        struct reranking **out, size_t *out_count, struct err *e);

/* Puts the reranked candidates into their order, in the places and with the scores that they have
 * together. */
void model_query_reorder(struct memory *m, struct arena *a, const struct model_query *q,
                         struct candidate *candidates, size_t count);

#endif
