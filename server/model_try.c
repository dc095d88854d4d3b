#include "server/model_try.h"

#include "memory/base/unicode.h"

static const str texts[] = {{"The server listens on port 7411.", 32}, {"Otters eat fish.", 16}};
static const str QUESTION = {"On which port does it listen?", 29};

static double dot(const float *x, const float *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

static bool try_embed(struct arena *a, const struct transport *t, const struct provider_settings *s,
                      str *said, struct err *e)
{
    const str three[] = {QUESTION, texts[0], texts[1]};
    struct embed_ask ask = {.texts = three, .count = 3};
    struct embeddings out;
    if (!provider_embed(a, s, t, &ask, MODEL_TRY_MS, &out, NULL, e))
        return false;
    size_t n = out.dimensions;
    *said =
        arena_printf(a,
                     "%zu dimensions; a question is like its answer by %.2f, like another "
                     "text by %.2f",
                     n, dot(out.values, out.values + n, n), dot(out.values, out.values + 2 * n, n));
    return true;
}

static bool try_rerank(struct arena *a, const struct transport *t,
                       const struct provider_settings *s, str *said, struct err *e)
{
    struct rerank_ask ask = {.query = QUESTION, .texts = texts, .count = 2};
    struct reranked out;
    if (!provider_rerank(a, s, t, &ask, MODEL_TRY_MS, &out, NULL, e))
        return false;
    *said = arena_printf(a, "a question's answer has %.3f, another text %.3f",
                         (double)out.scores[0], (double)out.scores[1]);
    return true;
}

static bool try_llm(struct arena *a, const struct transport *t, const struct provider_settings *s,
                    str *said, struct err *e)
{
    enum { MAX_SHOWN = 200, OUTPUT_TOKENS = 256 };
    struct llm_ask ask = {
        .system = S("Answer from the text, as JSON."),
        .user = S("Text: The server listens on port 7411. Which port is it?"),
        .schema_name = S("port"),
        .schema = S("{\"type\": \"object\", \"properties\": {\"port\": {\"type\": \"integer\"}}, "
                    "\"required\": [\"port\"], \"additionalProperties\": false}"),
        .max_output_tokens = OUTPUT_TOKENS};
    struct llm_answer out;
    if (!provider_llm(a, s, t, &ask, MODEL_TRY_MS, &out, NULL, e))
        return false;
    *said = out.is_refused ? S("it refuses to answer")
                           : arena_printf(a, "it says %.*s", FMT(utf8_prefix(out.json, MAX_SHOWN)));
    return true;
}

bool model_try(struct arena *a, const struct transport *t, const struct provider_settings *s,
               enum provider_purpose purpose, str *said, struct err *e)
{
    static bool (*const tries[PROVIDER_PURPOSES])(struct arena *, const struct transport *,
                                                  const struct provider_settings *, str *,
                                                  struct err *) = {
        [PROVIDER_EMBED] = try_embed, [PROVIDER_RERANK] = try_rerank, [PROVIDER_LLM] = try_llm};
    *said = S("asked when its client serves; not tried here");
    return provider_is_client(s->row) || tries[purpose](a, t, s, said, e);
}
