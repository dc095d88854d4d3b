/* The models that the user set up, as the engine is told of them: where each is, how to send, how
 * long to wait; and the work that waits for them. Without any, nothing here is used. */
#ifndef ENGRAM_MODELS_H
#define ENGRAM_MODELS_H

#include "memory/memory.h"
#include "memory/provider/provider.h"

enum {
    MAX_CLIENT_MS = 10 * 60000, /* for the client's own model: a person may be asked first */
    MIN_RERANK_TEXTS = 2,
};

struct models {
    struct provider_settings of[PROVIDER_PURPOSES]; /* row NULL: none of this purpose */
    int64_t query_ms, rerank_ms; /* for a query's vector; for the order of a recall's candidates */
    size_t rerank_texts;         /* MIN_RERANK_TEXTS to MAX_RERANK_TEXTS */
    bool extracts, summarises, contradicts; /* what the LLM is asked */
    bool reads_queries;                     /* and so in recall, */
    int64_t read_ms;                        /* within this */
    int64_t daily_tokens;                   /* of all purposes that nobody waits for; 0: no cap */
    int64_t client_daily;                   /* questions to the client's own model */
    int64_t batch_ms;                       /* for an answer that nobody waits for */
    int64_t retry_ms; /* how long an endpoint is left alone behind its first failure */
};

/* The settings of a purpose; NULL where nothing is set up for it. */
const struct provider_settings *models_settings(const struct models *m,
                                                enum provider_purpose purpose);

/* What stored values are named by: "openai/text-embedding-3-small". The same wherever it runs. */
str models_name(struct arena *a, const struct provider_settings *s, enum provider_purpose purpose);

/* Who is left alone behind a failure: "https://host model". A host that doesn't know one model may
 * well answer with another. */
str models_endpoint(struct arena *a, const struct provider_settings *s,
                    enum provider_purpose purpose);

/* ---- what recall asks ----
 *
 * A query's vector, then the order of its candidates: one question at a time, in steps, so that
 * nothing is held while the network is waited for:
 *
 *     memory_recall (says: waits) -> ask (any thread, no memory) -> memory_recall (answers)
 *
 * It is called with the same input each time; all that models said is in its model_query. */

struct model_query;

/* It and all that it ever holds live in `a`, which nobody else uses while a model is asked. */
struct model_query *model_query_new(struct arena *a);

/* A question waits to be asked; within how long. */
bool model_query_waits(const struct model_query *q);
int64_t model_query_budget_ms(const struct model_query *q);

/* Asks it: budget_ms is what is left of its budget; where that is nothing, nobody is asked. */
void model_query_ask(struct model_query *q, const struct transport *t, int64_t budget_ms);

/* ---- what is asked in the background ----
 *
 * Texts to embed, and what a language model is asked about memories and passages. Jobs go in three
 * steps, so that nothing is held while the network is waited for:
 *
 *     next (takes leases, reads) -> ask (any thread, no memory) -> finish (short transactions)
 *
 * Several may be on their way at the same time, but one of embedding alone: its texts have no
 * lease. A job that is killed anywhere leaves its items pending; an answer is stored, with all that
 * it changes, in the transaction that takes its item out of the queue. */

struct model_job; /* heap */

struct model_clock {
    int64_t now_ms; /* ours, of the wall */
    int64_t owner;  /* of leases: a number that no other worker has; above 0, below it for who asks
                       its client */
    bool is_embedding; /* a job of embedding is on its way */
};

/* The next job; NULL: nothing is due. Puts some of what is new into the queue first: *more, there
 * is more of it, call again even where there is no job. What the client's own model is asked is
 * left to who serves the client. ERR_BUSY: again later. */
bool model_queue_next(struct memory *m, const struct model_clock *c, struct model_job **out,
                      bool *more, struct err *e);
bool model_job_embeds(const struct model_job *j);

/* Waits for the network, as long as the models' budgets say. Touches no memory. */
void model_job_ask(struct model_job *j, const struct transport *t);

/* Stores what came back, or that it failed. *done: items that are out of the queue. ERR_BUSY: some
 * was not stored, and it may be called again. */
bool model_queue_finish(struct memory *m, const struct model_clock *c, struct model_job *j,
                        size_t *done, struct err *e);
void model_job_free(struct model_job *j); /* NULL is fine */

/* ---- what the client's own model is asked ----
 *
 * Where the language model's row is the client's (provider_sampling.c) a server takes the items,
 * one at a time, while the client answers:
 *
 *     next_for_client -> model_job_params, which it sends -> model_job_answer -> finish */

/* One question; NULL: nothing is due, or as many were asked today as may be. Gathers nothing: the
 * background does. Never waits long for the write lock: ERR_BUSY. */
bool model_queue_next_for_client(struct memory *m, const struct model_clock *c,
                                 struct model_job **out, struct err *e);

/* The params of sampling/createMessage, in the job; empty: an answer is kept, nothing is to be
 * sent. */
bool model_job_params(struct model_job *j, str *out, struct err *e);

/* What the client answered: its result as JSON text, or why there is none. ERR_CANCELLED: it wasn't
 * really asked; ERR_CONFLICT: it doesn't answer such questions; ERR_NET: not now. */
void model_job_answer(struct model_job *j, str result, const struct err *why);

/* ---- for who works and who looks ---- */

/* The leases of who asks over HTTP are void: for who has just become the only one to do so. */
bool model_queue_take_over(struct memory *m, struct err *e);

/* What waits, for people. */
struct queue_line {
    str purpose, host, model, why; /* why: the last failure's; empty: there was none */
    bool is_on;                    /* a model is set up for it */
    size_t pending, dead;
    int64_t calls, tokens, bytes_out; /* of all days */
    int64_t calls_today, tokens_today;
    int64_t closed_ms; /* the endpoint isn't asked before then; 0: it is */
};
bool model_queue_lines(struct memory *m, struct arena *a, int64_t now_ms, struct queue_line **out,
                       size_t *count, struct err *e);

/* How much is pending of what models are set up for, dead letters left out. *moves: some of it is
 * being asked about or could be, no endpoint being away and no cap met. Puts what is new into the
 * queue first. */
bool model_queue_pending(struct memory *m, int64_t now_ms, size_t *pending, bool *moves,
                         struct err *e);

/* Everything is due at once, endpoints are asked again; or what is dead goes. *count: items. */
bool model_queue_retry(struct memory *m, size_t *count, struct err *e);
bool model_queue_drop(struct memory *m, size_t *count, struct err *e);

/* What the next job of each purpose would send, byte for byte: it is planned as it is when it is
 * sent, and nothing is sent or taken; also while an endpoint is left alone or a cap is met. What
 * has a kept answer isn't there. Puts what is new into the queue first. */
struct model_preview {
    str purpose, host, url, body;      /* url: empty where the client is asked */
    str headers[MAX_PROVIDER_HEADERS]; /* the key's value left out */
    size_t header_count;
    const str *ids; /* "m12": whose texts are in it */
    size_t id_count;
};
bool model_queue_preview(struct memory *m, struct arena *a, int64_t now_ms,
                         struct model_preview **out, size_t *count, struct err *e);

#endif
