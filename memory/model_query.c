#include "memory/model_query.h"

#include "memory/base/unicode.h"
#include "memory/provider/llm_query.h"

static void say_off(struct model_query *q, enum model_purpose purpose, const char *why)
{
    static const char *const legs[MODEL_PURPOSES] = {
        [MODEL_QUERY] = "embeddings", [MODEL_RERANK] = "rerank", [MODEL_READ] = "question"};
    const char *leg = legs[purpose];
    if (q->off_count < MAX_LEGS_OFF)
        q->off[q->off_count++] = arena_printf(q->a, "%s: %s", leg, why);
}

/* Lets the call wait for who makes it, unless its endpoint was away just now. */
static void put_call(struct memory *m, struct model_query *q, struct model_call call)
{
    enum provider_purpose served_by = model_served_by[call.purpose];
    call.state = CALL_WAITS;
    if (model_gate_is_open(&m->calls, served_by, memory_clock_ms(m)))
        q->call = call;
    else
        say_off(q, call.purpose, m->calls.gates[served_by].why);
}

/* ---- what is read out of the query ---- */

/* What was answered once is taken at once. */
static bool take_kept(struct memory *m, struct model_query *q, str query, str hash)
{
    struct err ignored = {0};
    str json = reading_find(&m->readings, hash);
    return json.len && model_read_take(q->a, query, arena_str(q->a, json), &q->reading, &ignored);
}

bool model_query_read(struct memory *m, struct model_query *q, str query, int64_t now_ms,
                      struct err *e)
{
    const struct provider_settings *s = model_read_settings(m->options.models);
    str clean;
    if (q->next != QUERY_READ)
        return true;
    q->next = QUERY_VECTOR;
    if (!s)
        return true;
    if (!memory_redact(m, q->a, query, &clean, NULL, NULL, e))
        return false;
    struct llm_ask ask = llm_query_ask(q->a, clean, now_ms);
    str model = models_name(q->a, s, PROVIDER_LLM);
    str hash = hash128_hex(q->a, arena_printf(q->a, "%.*s\x1f%.*s\x1f%.*s", FMT(model),
                                              FMT(ask.system), FMT(ask.user)));
    if (!take_kept(m, q, clean, hash))
        put_call(m, q,
                 (struct model_call){.purpose = MODEL_READ,
                                     .settings = *s,
                                     .budget_ms = m->options.models->read_ms,
                                     .llm = ask,
                                     .query = clean,
                                     .hash = hash});
    return true;
}

static void ask_read(struct model_query *q, struct model_call *c, int64_t budget_ms)
{
    if (!provider_llm(q->a, &c->settings, &c->counting.transport, &c->llm, budget_ms, &c->said,
                      NULL, &c->why))
        return;
    c->counting.use.tokens_in = c->said.tokens_in;
    c->counting.use.tokens_out = c->said.tokens_out;
    if (c->said.is_refused)
        fail(&c->why, ERR_INPUT, "the model refused");
    else
        model_read_take(q->a, c->query, c->said.json, &q->reading, &c->why);
}

static void take_reading(struct memory *m, struct model_query *q, const struct model_call *c)
{
    (void)q;
    reading_keep(&m->readings, c->hash, c->said.json);
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

bool model_query_vector(struct memory *m, struct model_query *q, str query, struct err *e)
{
    struct wording *w = ARENA_NEW(q->a, struct wording);
    if (q->next != QUERY_VECTOR)
        return true;
    q->next = QUERY_RERANK;
    if (!query.len || !models_settings(m->options.models, PROVIDER_EMBED))
        return true;
    if (!word(m, q->a, query, w, e))
        return false;
    q->model = arena_str(q->a, w->model.name); /* the encoder's may be closed meanwhile */
    if (!w->model.is_local)
        put_call(
            m, q,
            (struct model_call){.purpose = MODEL_QUERY,
                                .settings = w->model.settings,
                                .budget_ms = m->options.models->query_ms,
                                .embed = {.texts = w->texts, .count = w->count, .is_query = true}});
    return true;
}

static void ask_vector(struct model_query *q, struct model_call *c, int64_t budget_ms)
{
    if (provider_embed(q->a, &c->settings, &c->counting.transport, &c->embed, budget_ms,
                       &c->vectors, NULL, &c->why))
        c->counting.use.tokens_in = c->vectors.tokens;
}

static void take_vector(struct memory *m, struct model_query *q, const struct model_call *c)
{
    (void)m;
    const struct embeddings *got = &c->vectors;
    if (got->count > 1)
        query_vector_between(got->values, got->values + got->dimensions, got->dimensions);
    q->vector = got->values;
    q->dimensions = got->dimensions;
}

void model_query_misfits(struct model_query *q, size_t stored_dimensions)
{
    str why = arena_printf(q->a, "the query's vector has %zu dimensions, the stored ones have %zu",
                           q->dimensions, stored_dimensions);
    say_off(q, MODEL_QUERY, why.at);
    q->vector = NULL;
}

/* ---- the reranker ---- */

size_t model_query_wants(struct memory *m, struct model_query *q)
{
    const struct models *models = m->options.models;
    const struct provider_settings *s = models_settings(models, PROVIDER_RERANK);
    if (q->next != QUERY_RERANK || !s)
        return 0;
    if (!model_gate_is_open(&m->calls, PROVIDER_RERANK, memory_clock_ms(m))) {
        q->next = QUERY_NOTHING;
        say_off(q, MODEL_RERANK, m->calls.gates[PROVIDER_RERANK].why);
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

bool model_query_rerank(struct memory *m, struct model_query *q, str query,
                        const struct reranking *texts, size_t count, struct err *e)
{
    str *asked = ARENA_ARRAY(q->a, str, count + 1);
    int64_t *ids = ARENA_ARRAY(q->a, int64_t, count + 1);
    str clean;
    q->next = QUERY_NOTHING;
    if (count < MIN_RERANK_TEXTS)
        return true;
    if (!memory_redact(m, q->a, query, &clean, NULL, NULL, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        asked[i] = texts[i].text;
        ids[i] = texts[i].id;
    }
    put_call(m, q,
             (struct model_call){.purpose = MODEL_RERANK,
                                 .settings = *models_settings(m->options.models, PROVIDER_RERANK),
                                 .budget_ms = m->options.models->rerank_ms,
                                 .rerank = {.query = clean, .texts = asked, .count = count},
                                 .ids = ids});
    return true;
}

static void ask_rerank(struct model_query *q, struct model_call *c, int64_t budget_ms)
{
    if (provider_rerank(q->a, &c->settings, &c->counting.transport, &c->rerank, budget_ms,
                        &c->reranked, NULL, &c->why))
        c->counting.use.tokens_in = c->reranked.tokens;
}

/* By score, best first; of equals the one that stood first. Insertion: at most MAX_RERANK_TEXTS. */
static void take_order(struct memory *m, struct model_query *q, const struct model_call *c)
{
    (void)m;
    const float *scores = c->reranked.scores;
    size_t count = c->rerank.count, *at = ARENA_ARRAY(q->a, size_t, count);
    q->order = ARENA_ARRAY(q->a, int64_t, count);
    q->order_count = count;
    for (size_t i = 0; i < count; i++) {
        size_t k = i;
        for (; k > 0 && scores[at[k - 1]] < scores[i]; k--)
            at[k] = at[k - 1];
        at[k] = i;
    }
    for (size_t i = 0; i < count; i++)
        q->order[i] = c->ids[at[i]];
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

/* ---- asking, and what came of it ---- */

static const struct {
    void (*ask)(struct model_query *q, struct model_call *c, int64_t budget_ms);
    void (*take)(struct memory *m, struct model_query *q, const struct model_call *c);
} kinds[MODEL_PURPOSES] = {[MODEL_QUERY] = {ask_vector, take_vector},
                           [MODEL_RERANK] = {ask_rerank, take_order},
                           [MODEL_READ] = {ask_read, take_reading}};

struct model_query *model_query_new(struct arena *a)
{
    struct model_query *q = ARENA_NEW(a, struct model_query);
    q->a = a;
    return q;
}

bool model_query_waits(const struct model_query *q)
{
    return q->call.state == CALL_WAITS;
}

int64_t model_query_budget_ms(const struct model_query *q)
{
    return q->call.budget_ms;
}

void model_query_ask(struct model_query *q, const struct transport *t, int64_t budget_ms)
{
    struct model_call *c = &q->call;
    c->state = CALL_MADE;
    counting_begin(&c->counting, t);
    if (budget_ms > 0)
        kinds[c->purpose].ask(q, c, budget_ms);
    else
        fail(&c->why, ERR_BUSY, "other questions took all of its %lld ms", (long long)c->budget_ms);
}

/* The endpoint is to be left alone: it isn't that nobody asked, or that nobody wanted to know. */
static bool is_its_fault(const struct err *why)
{
    return why->code != ERR_BUSY && why->code != ERR_CANCELLED;
}

void model_query_take(struct memory *m, struct model_query *q)
{
    struct model_call *c = &q->call;
    if (c->state != CALL_MADE)
        return;
    c->state = CALL_NONE;
    c->counting.use.tokens_in = counting_tokens(&c->counting, c->counting.use.tokens_in);
    if (c->counting.use.calls)
        model_calls_count(&m->calls, c->purpose, &c->counting.use);
    if (c->why.code == ERR_NONE) {
        kinds[c->purpose].take(m, q, c);
        return;
    }
    if (is_its_fault(&c->why))
        model_gate_close(&m->calls, model_served_by[c->purpose],
                         memory_clock_ms(m) + GATE_RETRIES * m->options.models->retry_ms, &c->why);
    say_off(q, c->purpose, c->why.text);
}
