/* Models that the user has somewhere: embeddings, reranking, and language models over HTTP. A
 * provider is a row of provider_rows and a file: pure functions that turn what is asked into a
 * request and the answer's bytes into values. They know neither sockets nor the store; who sends
 * is a `struct transport`, so that tests replay recorded answers.
 *
 * Everything that an endpoint says is hostile: JSON of at most MAX_ANSWER_DEPTH levels and
 * MAX_ANSWER_BYTES, numbers finite, counts and lengths as asked. What isn't so is ERR_INPUT with
 * what was wrong, never the answer's own text at length. */
#ifndef ENGRAM_PROVIDER_H
#define ENGRAM_PROVIDER_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum {
    MAX_ANSWER_BYTES = 4 << 20, /* inflated */
    MAX_ANSWER_DEPTH = 32,
    MAX_EMBED_TEXTS = 64, /* of one request */
    MAX_RERANK_TEXTS = 100,
    MAX_MODEL_DIMENSIONS = 4096,
    MIN_MODEL_DIMENSIONS = 16,
    MAX_LLM_OUTPUT_TOKENS = 4096,
    MAX_PROVIDER_HEADERS = 8,
};

enum provider_purpose { PROVIDER_EMBED, PROVIDER_RERANK, PROVIDER_LLM, PROVIDER_PURPOSES };

/* What the user set up for one purpose. Borrowed strings; the key is never copied into errors. */
struct provider_settings {
    const struct provider_row *row;
    str url;   /* without the path that the row adds; empty: the row's own */
    str model; /* empty: the row's own */
    str key;   /* empty: none is sent */
};

struct provider_request {
    str url, body;
    str headers[MAX_PROVIDER_HEADERS]; /* "Name: value"; one of them may hold the key */
    size_t header_count;
};

struct embed_ask {
    const str *texts;
    size_t count;  /* 1 to MAX_EMBED_TEXTS */
    bool is_query; /* else documents: some models tell them apart */
};
struct embeddings {
    float *values; /* count x dimensions, row by row, each of unit length */
    size_t count, dimensions;
    int64_t tokens; /* as the answer says; 0: it doesn't */
};

struct rerank_ask {
    str query;
    const str *texts;
    size_t count; /* 1 to MAX_RERANK_TEXTS */
};
struct reranked {
    float *scores; /* of each text, in the order asked; higher is better, finite, on any scale */
    int64_t tokens;
};

struct llm_ask {
    str system, user;
    str schema_name, schema; /* a JSON Schema that the answer must follow; an object at the top */
    size_t max_output_tokens;
};
struct llm_answer {
    str json;        /* the object alone, whatever text stood around it; not checked against the
                        schema */
    bool is_refused; /* the model wouldn't: no json */
    int64_t tokens_in, tokens_out;
};

/* A purpose that a row doesn't serve has NULL functions. */
struct provider_row {
    const char *name;         /* as in the settings: "openai", "ollama", ... */
    const char *url;          /* where it is by default, e.g. "https://api.openai.com" */
    const char *key_variable; /* the vendor's usual one, e.g. "OPENAI_API_KEY"; NULL: none */
    const char *models[PROVIDER_PURPOSES]; /* by default; NULL: the user has to name one */
    size_t max_texts[PROVIDER_PURPOSES];   /* of one request, where the vendor takes fewer; 0 */

    bool (*embed)(struct arena *a, const struct provider_settings *s, const struct embed_ask *ask,
                  struct provider_request *out, struct err *e);
    bool (*read_embeddings)(struct arena *a, const struct embed_ask *ask, str body,
                            struct embeddings *out, struct err *e);
    bool (*rerank)(struct arena *a, const struct provider_settings *s, const struct rerank_ask *ask,
                   struct provider_request *out, struct err *e);
    bool (*read_reranked)(struct arena *a, const struct rerank_ask *ask, str body,
                          struct reranked *out, struct err *e);
    bool (*llm)(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                struct provider_request *out, struct err *e);
    bool (*read_llm)(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e);
};

extern const struct provider_row *const provider_rows[];
extern const size_t provider_row_count;
const struct provider_row *provider_find(str name); /* NULL: no such row */

/* ---- sending ---- */

struct provider_response {
    long status; /* of HTTP */
    str body;
    int64_t retry_after_ms; /* as the endpoint asked; 0: it didn't */
    int64_t bytes_sent;
};

/* Sends and waits, at most budget_ms. true for every HTTP status. ERR_NET: not reached, ERR_LIMIT:
 * too slow or too much, ERR_CONFLICT: an address out of reach, ERR_CANCELLED: stopped. */
struct transport {
    bool (*send)(void *ctx, struct arena *a, const struct provider_request *request,
                 int64_t budget_ms, struct provider_response *out, struct err *e);
    void *ctx;
};

/* One whole exchange: request, sending, status, answer. What failed says which (provider, host,
 * status), never the key. *retry_after_ms as in the response; may be NULL. */
bool provider_embed(struct arena *a, const struct provider_settings *s, const struct transport *t,
                    const struct embed_ask *ask, int64_t budget_ms, struct embeddings *out,
                    int64_t *retry_after_ms, struct err *e);
bool provider_rerank(struct arena *a, const struct provider_settings *s, const struct transport *t,
                     const struct rerank_ask *ask, int64_t budget_ms, struct reranked *out,
                     int64_t *retry_after_ms, struct err *e);
bool provider_llm(struct arena *a, const struct provider_settings *s, const struct transport *t,
                  const struct llm_ask *ask, int64_t budget_ms, struct llm_answer *out,
                  int64_t *retry_after_ms, struct err *e);

#endif
