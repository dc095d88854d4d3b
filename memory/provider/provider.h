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
    MAX_EMBED_TEXTS = 64,         /* that a caller gathers */
    MAX_EMBED_REQUEST_TEXTS = 32, /* of them in one request: at MAX_MODEL_DIMENSIONS numbers of 24
                                     bytes each, the answer stays below MAX_ANSWER_BYTES */
    MAX_RERANK_TEXTS = 100,
    MAX_EMBED_TEXT_BYTES = 8000, /* of one text, the rest isn't sent: vendors refuse what is over */
    MAX_RERANK_TEXT_BYTES = 4000, /* some 8,192 tokens, and no token is less than a byte */
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
    size_t count;  /* 1 to provider_max_texts() */
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
    size_t count; /* 1 to provider_max_texts() */
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
    const char *url;          /* where it is by default, e.g. "https://api.openai.com"; NULL: with
                                 the client (provider_is_client) */
    const char *key_variable; /* the vendor's usual one, e.g. "OPENAI_API_KEY"; NULL: none */
    const char *models[PROVIDER_PURPOSES]; /* by default; NULL: the user has to name one */
    const char *paths[PROVIDER_PURPOSES];  /* behind the URL, e.g. "/v1/embeddings" */
    size_t max_texts[PROVIDER_PURPOSES];   /* of one request, where the vendor takes fewer; 0 */
    const char *output_limit; /* the field of a chat request that bounds the answer's tokens */
    size_t thinking_tokens;   /* on top of the answer's, where the same field bounds both */
    bool takes_temperature;   /* else a request that names one is refused */

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

bool provider_serves(const struct provider_row *row, enum provider_purpose purpose);

/* Is it the client that engram serves? Then no transport reaches it: only who serves it may ask. */
bool provider_is_client(const struct provider_row *row);

/* The model that will be asked: the user's, else the row's; empty: the user has to name one. */
str provider_model(const struct provider_settings *s, enum provider_purpose purpose);

/* How many texts one request may hold; 1 for a language model. */
size_t provider_max_texts(const struct provider_row *row, enum provider_purpose purpose);

/* Scheme, host and port of a URL: all of an address that errors and `status` name. */
str provider_host(str url);

/* The user's URL, else the row's; not of the client. */
str provider_url(const struct provider_settings *s);

/* Where requests of these settings go, as provider_host says it; "client" where that is the client.
 */
str provider_place(const struct provider_settings *s);

/* Does what provider_host gives name this machine? Nothing is looked up. */
bool provider_is_loopback(str host);

/* Anyone on the way reads what goes over plain http: a key goes over https, or to this machine. */
bool provider_may_hold_key(str url);

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
 * status), never the key, and of what the endpoint said MAX_TOLD_BYTES at most. Codes as of the
 * transport, and by status:
 *   ERR_NET       408, 425, 429, 5xx: again later; *retry_after_ms as asked (0: it didn't say)
 *   ERR_CONFLICT  401, 403, 404, a redirect, a key over plain http to another machine: nothing
 *                 will pass until the settings change
 *   ERR_INPUT     this request or this answer is wrong; others may pass
 *   ERR_LIMIT     413, or too many texts: ask for less
 * retry_after_ms may be NULL. */
enum { MAX_TOLD_BYTES = 160 };
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
