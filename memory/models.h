/* The models that the user set up, as the engine is told of them: where each is, how to send, how
 * long to wait. Without any, nothing here is used. */
#ifndef ENGRAM_MODELS_H
#define ENGRAM_MODELS_H

#include "memory/memory.h"
#include "memory/provider/provider.h"

enum {
    DEFAULT_QUERY_MS = 1000,  /* for a query's vector */
    DEFAULT_RERANK_MS = 300,  /* for the order of a recall's first candidates */
    DEFAULT_BATCH_MS = 60000, /* for what nobody waits for */
    DEFAULT_RERANK_TEXTS = 50,
    MIN_RERANK_TEXTS = 2,
};

struct models {
    struct provider_settings of[PROVIDER_PURPOSES]; /* row NULL: none of this purpose */
    const struct transport *transport;              /* NULL: none is asked */
    int64_t query_ms, rerank_ms, batch_ms;          /* 0: the default */
    size_t rerank_texts;                            /* likewise; at most MAX_RERANK_TEXTS */
    bool extracts, summarises, contradicts;         /* what the LLM is asked */
    int64_t daily_tokens; /* of all purposes that nobody waits for; 0: no cap */
};

/* The settings of a purpose; NULL where nothing is set up for it. */
const struct provider_settings *models_settings(const struct models *m,
                                                enum provider_purpose purpose);

/* What stored values are named by: "openai/text-embedding-3-small". The same wherever it runs. */
str models_name(struct arena *a, const struct provider_settings *s, enum provider_purpose purpose);

/* Host and port that a purpose's requests go to, for people and for counting; in `a`. */
str models_host(struct arena *a, const struct provider_settings *s);

#endif
