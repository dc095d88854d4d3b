#include "memory/model_query.h"

#include "memory/base/unicode.h"

static void say_off(struct arena *a, struct model_query *out, const char *leg, const char *why)
{
    if (out->off_count < MAX_LEGS_OFF)
        out->off[out->off_count++] = arena_printf(a, "%s: %s", leg, why);
}

/* ---- the query's vector ---- */

/* What is sent: the query, and as a speaker would put it. */
struct wording {
    struct leg_model model;
    str texts[2];
    size_t count;
};

static bool word(struct memory *m, struct arena *a, str query, struct wording *out, struct err *e)
{
    struct resolved resolved[MAX_RESOLVED];
    size_t resolved_count;
    str said = S("");
    if (!memory_read(m, e))
        return false;
    bool ok = leg_model_choose(m, a, &out->model, e);
    if (ok && !out->model.is_local) {
        ok = resolve_names(m, a, query, resolved, &resolved_count, e);
        said = ok ? query_as_said(m, a, query, resolved, resolved_count) : said;
    }
    store_read_end(m->store);
    out->texts[out->count++] = query;
    if (said.len)
        out->texts[out->count++] = said;
    for (size_t i = 0; ok && i < out->count; i++)
        ok = memory_redact(m, a, out->texts[i], &out->texts[i], NULL, NULL, e);
    return ok;
}

static void ask_vector(struct memory *m, struct arena *a, const struct wording *w,
                       struct model_query *out)
{
    const struct models *models = m->options.models;
    struct embed_ask ask = {.texts = w->texts, .count = w->count, .is_query = true};
    struct embeddings got;
    struct counting c;
    struct err why = {0};
    counting_begin(&c, models->transport);
    bool ok = provider_embed(a, &w->model.settings, &c.transport, &ask, models->query_ms, &got,
                             NULL, &why);
    c.use.tokens_in = counting_tokens(&c, ok ? got.tokens : 0);
    model_calls_count(&m->calls, MODEL_QUERY, &c.use);
    if (ok && got.count == w->count) {
        if (got.count > 1)
            query_vector_between(got.values, got.values + got.dimensions, got.dimensions);
        out->vector = got.values;
        out->dimensions = got.dimensions;
        return;
    }
    model_gate_close(&m->calls, PROVIDER_EMBED, memory_clock_ms(m), &why);
    say_off(a, out, "embeddings", why.text);
}

bool model_query_vector(struct memory *m, struct arena *a, str query, struct model_query *out,
                        struct err *e)
{
    struct wording w = {0};
    if (!query.len || !models_settings(m->options.models, PROVIDER_EMBED))
        return true;
    if (!word(m, a, query, &w, e))
        return false;
    out->model = w.model.name;
    if (w.model.is_local)
        return true;
    if (model_gate_is_open(&m->calls, PROVIDER_EMBED, memory_clock_ms(m)))
        ask_vector(m, a, &w, out);
    else
        say_off(a, out, "embeddings", m->calls.gates[PROVIDER_EMBED].why);
    return true;
}

/* ---- the reranker ---- */

size_t model_query_wants(struct memory *m, struct arena *a, struct model_query *out)
{
    const struct models *models = m->options.models;
    const struct provider_settings *s = models_settings(models, PROVIDER_RERANK);
    if (!s)
        return 0;
    if (!model_gate_is_open(&m->calls, PROVIDER_RERANK, memory_clock_ms(m))) {
        say_off(a, out, "rerank", m->calls.gates[PROVIDER_RERANK].why);
        return 0;
    }
    size_t most = models->rerank_texts, bound = provider_max_texts(s->row, PROVIDER_RERANK);
    return most < bound ? most : bound;
}

bool model_query_gather(struct memory *m, struct arena *a, const struct candidate *candidates,
                        size_t count, bool (*wanted)(void *ctx, node at), void *ctx, size_t most,
                        struct reranking **out, size_t *out_count, struct err *e)
{
    *out = ARENA_ARRAY(a, struct reranking, most);
    *out_count = 0;
    for (size_t i = 0; i < count && *out_count < most; i++) {
        str name, text;
        int64_t id = m->snap.ids[candidates[i].at];
        if (!wanted(ctx, candidates[i].at))
            continue;
        if (!store_get_body(m->store, a, id, &name, &text, e))
            return false;
        text = name.len ? arena_printf(a, "%.*s: %.*s", FMT(name), FMT(text)) : text;
        if (!memory_redact(m, a, text, &text, NULL, NULL, e))
            return false;
        (*out)[(*out_count)++] = (struct reranking){id, utf8_prefix(text, MAX_RERANKED_BYTES)};
    }
    return true;
}

/* By score, best first; of equals the one that stood first. Insertion: at most MAX_RERANK_TEXTS. */
static void put_in_order(struct arena *a, const struct reranking *texts, const float *scores,
                         size_t count, struct model_query *out)
{
    size_t *at = ARENA_ARRAY(a, size_t, count);
    out->order = ARENA_ARRAY(a, int64_t, count);
    out->order_count = count;
    for (size_t i = 0; i < count; i++) {
        size_t k = i;
        for (; k > 0 && scores[at[k - 1]] < scores[i]; k--)
            at[k] = at[k - 1];
        at[k] = i;
    }
    for (size_t i = 0; i < count; i++)
        out->order[i] = texts[at[i]].id;
}

bool model_query_rerank(struct memory *m, struct arena *a, str query, const struct reranking *texts,
                        size_t count, struct model_query *out, struct err *e)
{
    const struct models *models = m->options.models;
    const struct provider_settings *s = models_settings(models, PROVIDER_RERANK);
    str *asked = ARENA_ARRAY(a, str, count + 1);
    struct rerank_ask ask = {.texts = asked, .count = count};
    struct reranked got;
    struct counting c;
    struct err why = {0};
    if (!s || count < MIN_RERANK_TEXTS)
        return true;
    if (!memory_redact(m, a, query, &ask.query, NULL, NULL, e))
        return false;
    for (size_t i = 0; i < count; i++)
        asked[i] = texts[i].text;
    counting_begin(&c, models->transport);
    bool ok = provider_rerank(a, s, &c.transport, &ask, models->rerank_ms, &got, NULL, &why);
    c.use.tokens_in = counting_tokens(&c, ok ? got.tokens : 0);
    model_calls_count(&m->calls, MODEL_RERANK, &c.use);
    if (ok) {
        put_in_order(a, texts, got.scores, count, out);
        return true;
    }
    model_gate_close(&m->calls, PROVIDER_RERANK, memory_clock_ms(m), &why);
    say_off(a, out, "rerank", why.text);
    return true;
}

void model_query_reorder(struct memory *m, struct arena *a, const struct model_query *q,
                         struct candidate *candidates, size_t count)
{
    size_t *place = ARENA_ARRAY(a, size_t, q->order_count + 1), found = 0;
    struct candidate *moved = ARENA_ARRAY(a, struct candidate, q->order_count + 1);
    float *score = ARENA_ARRAY(a, float, q->order_count + 1),
          *sum = ARENA_ARRAY(a, float, q->order_count + 1);
    for (size_t k = 0; k < q->order_count; k++)
        for (size_t i = 0; i < count; i++)
            if (m->snap.ids[candidates[i].at] == q->order[k]) {
                moved[found] = candidates[i];
                place[found++] = i;
                break;
            }
    /* The places that they have, first to last: those of other candidates don't change. */
    for (size_t i = 1; i < found; i++)
        for (size_t k = i; k > 0 && place[k - 1] > place[k]; k--) {
            size_t swapped = place[k];
            place[k] = place[k - 1];
            place[k - 1] = swapped;
        }
    for (size_t i = 0; i < found; i++) {
        score[i] = candidates[place[i]].score;
        sum[i] = candidates[place[i]].sum;
    }
    for (size_t i = 0; i < found; i++) {
        candidates[place[i]] = moved[i];
        candidates[place[i]].score = score[i];
        candidates[place[i]].sum = sum[i];
    }
}
