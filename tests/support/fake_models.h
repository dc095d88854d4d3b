/* Models for tests: a provider that is computed on the spot, and a transport that counts, fails on
 * demand and keeps what was sent. Included by one unit test each, behind cmocka.h, whose fail() is
 * none of ours. */
#ifndef ENGRAM_TESTS_FAKE_MODELS_H
#define ENGRAM_TESTS_FAKE_MODELS_H

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/models.h"

#include <math.h>
#include <stdio.h>

enum { FAKE_DIMENSIONS = 64, FAKE_RETRY_MS = 5000 };

static struct fake {
    size_t sent;            /* requests */
    enum err_code fails;    /* of the transport, while set */
    long status;            /* of every answer; 0: 200 */
    size_t dimensions;      /* of vectors; 0: FAKE_DIMENSIONS */
    char texts[8192];       /* what the last request held, a line each */
    const char *best;       /* what a reranker finds best: texts that hold it */
    const char *answers[8]; /* of a language model, in order; the last for ever */
    size_t answer_count, answered;
    const char *poison; /* a request that holds this text is refused with status 400 */
} fake;

static inline void fake_keep(str text)
{
    size_t had = strlen(fake.texts);
    snprintf(fake.texts + had, sizeof fake.texts - had, "%.*s\n", FMT(text));
}

static inline bool fake_request(struct arena *a, const str *texts, size_t count,
                                struct provider_request *out)
{
    fake.texts[0] = 0;
    for (size_t i = 0; i < count; i++)
        fake_keep(texts[i]);
    *out = (struct provider_request){.url = S("http://127.0.0.1:9/fake"),
                                     .body = arena_str(a, str_of(fake.texts))};
    return true;
}

/* A bag of words: texts that share some are alike. */
static inline void fake_vector(str text, float *out, size_t dimensions)
{
    double square = 0;
    str word;
    memset(out, 0, dimensions * sizeof *out);
    out[0] = 0.1f;
    while (str_next_word(&text, &word)) {
        while (word.len && strchr(".,:?!", word.at[word.len - 1]))
            word.len--;
        char folded[64] = "";
        for (size_t i = 0; i < word.len && i < sizeof folded - 1; i++)
            folded[i] = (char)(word.at[i] | 0x20);
        out[1 + hash64(str_of(folded)) % (dimensions - 1)] += 1;
    }
    for (size_t d = 0; d < dimensions; d++)
        square += (double)out[d] * out[d];
    for (size_t d = 0; d < dimensions; d++)
        out[d] /= (float)sqrt(square);
}

static inline bool fake_embed(struct arena *a, const struct provider_settings *s,
                              const struct embed_ask *ask, struct provider_request *out,
                              struct err *e)
{
    (void)s, (void)e;
    return fake_request(a, ask->texts, ask->count, out);
}

static inline bool fake_read_embeddings(struct arena *a, const struct embed_ask *ask, str body,
                                        struct embeddings *out, struct err *e)
{
    (void)body, (void)e;
    size_t dimensions = fake.dimensions ? fake.dimensions : FAKE_DIMENSIONS;
    *out = (struct embeddings){ARENA_ARRAY(a, float, ask->count *dimensions), ask->count,
                               dimensions, (int64_t)ask->count};
    for (size_t i = 0; i < ask->count; i++)
        fake_vector(ask->texts[i], out->values + i * dimensions, dimensions);
    return true;
}

static inline bool fake_rerank(struct arena *a, const struct provider_settings *s,
                               const struct rerank_ask *ask, struct provider_request *out,
                               struct err *e)
{
    (void)s, (void)e;
    return fake_request(a, ask->texts, ask->count, out);
}

static inline bool fake_read_reranked(struct arena *a, const struct rerank_ask *ask, str body,
                                      struct reranked *out, struct err *e)
{
    (void)body, (void)e;
    out->scores = ARENA_ARRAY(a, float, ask->count);
    for (size_t i = 0; i < ask->count; i++)
        out->scores[i] =
            fake.best && str_find(ask->texts[i], str_of(fake.best), 0) < ask->texts[i].len;
    out->tokens = 1;
    return true;
}

static inline bool fake_llm(struct arena *a, const struct provider_settings *s,
                            const struct llm_ask *ask, struct provider_request *out, struct err *e)
{
    (void)s, (void)e;
    return fake_request(a, &ask->user, 1, out);
}

static inline bool fake_read_llm(struct arena *a, const struct llm_ask *ask, str body,
                                 struct llm_answer *out, struct err *e)
{
    (void)ask, (void)body, (void)e;
    size_t at = fake.answered++;
    at = at < fake.answer_count ? at : fake.answer_count - 1;
    *out = (struct llm_answer){
        .json = arena_str(a, str_of(fake.answers[at])), .tokens_in = 100, .tokens_out = 10};
    return true;
}

static const struct provider_row fake_row = {
    .name = "fake",
    .url = "http://127.0.0.1:9",
    .models = {"one", "one", "one"},
    .embed = fake_embed,
    .read_embeddings = fake_read_embeddings,
    .rerank = fake_rerank,
    .read_reranked = fake_read_reranked,
    .llm = fake_llm,
    .read_llm = fake_read_llm,
};

static inline bool fake_send(void *ctx, struct arena *a, const struct provider_request *request,
                             int64_t budget_ms, struct provider_response *out, struct err *e)
{
    (void)ctx, (void)a, (void)budget_ms, (void)request;
    fake.sent++;
    if (fake.fails)
        return (fail)(e, fake.fails, "the endpoint is away");
    bool is_poisoned = fake.poison && strstr(fake.texts, fake.poison);
    *out = (struct provider_response){.status = is_poisoned   ? 400
                                                : fake.status ? fake.status
                                                              : 200,
                                      .body = S("{}"),
                                      .bytes_sent = 40};
    return true;
}

static const struct transport fake_transport = {.send = fake_send};

/* All of the fake's purposes, or some of them. */
static inline struct models fake_models(bool embeds, bool reranks, bool llm)
{
    struct models m = {.query_ms = 1000,
                       .rerank_ms = 300,
                       .rerank_texts = 50,
                       .batch_ms = 60000,
                       .retry_ms = FAKE_RETRY_MS};
    if (embeds)
        m.of[PROVIDER_EMBED].row = &fake_row;
    if (reranks)
        m.of[PROVIDER_RERANK].row = &fake_row;
    if (llm)
        m.of[PROVIDER_LLM].row = &fake_row;
    return m;
}

#endif
