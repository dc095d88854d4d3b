/* What waits for models and what was sent to them, for people. */
#include "memory/memory_vectors.h"
#include "memory/model_queue.h"
#include "memory/store_vector.h"

/* ---- counts ---- */

static bool read_line(struct memory *m, struct arena *a, int64_t now_ms, enum model_purpose purpose,
                      struct queue_line *out, struct err *e)
{
    const struct provider_settings *s = model_settings_of(m->options.models, purpose);
    enum provider_purpose by = model_served_by[purpose];
    struct queue_counts counts = {.why = S("")};
    struct endpoint_row endpoint = {.why = S("")};
    struct use_row use;
    *out = (struct queue_line){.purpose = str_of(model_purpose_name[purpose]),
                               .is_on = s != NULL,
                               .host = s ? provider_place(s) : S(""),
                               .model = S("")};
    if (s)
        out->model = models_name(a, s, by);
    if ((s && !store_get_endpoint(m->store, a, models_endpoint(a, s, by), &endpoint, e)) ||
        ((int)purpose < QUEUE_PURPOSES && !store_queue_count(m->store, a, purpose, &counts, e)) ||
        !store_use_of_purpose(m->store, now_ms, purpose, &use, e))
        return false;
    out->pending = purpose != MODEL_EMBED || s ? counts.pending : 0;
    out->dead = counts.dead;
    out->why = endpoint.failures ? endpoint.why : counts.why;
    out->closed_ms = endpoint.closed_ms > now_ms ? endpoint.closed_ms : 0;
    out->calls = use.all.calls;
    out->tokens = use.all.tokens_in + use.all.tokens_out;
    out->bytes_out = use.all.bytes_out;
    out->calls_today = use.today.calls;
    out->tokens_today = use.today.tokens_in + use.today.tokens_out;
    return true;
}

bool model_queue_lines(struct memory *m, struct arena *a, int64_t now_ms, struct queue_line **out,
                       size_t *count, struct err *e)
{
    *out = ARENA_ARRAY(a, struct queue_line, MODEL_PURPOSES);
    *count = 0;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = true;
    for (int p = 0; ok && p < MODEL_PURPOSES; p++)
        ok = read_line(m, a, now_ms, (enum model_purpose)p, &(*out)[(*count)++], e);
    store_read_end(m->store);
    return ok;
}

/* Nobody but who serves the client moves what its own model is asked. */
static bool is_clients(const struct memory *m, enum model_purpose purpose)
{
    const struct provider_settings *s = model_settings_of(m->options.models, purpose);
    return s && provider_is_client(s->row);
}

/* Inside a read. */
static bool add_pending(struct memory *m, struct arena *a, int64_t now_ms,
                        enum model_purpose purpose, bool is_capped, size_t *pending, bool *moves,
                        struct err *e)
{
    struct queue_line line;
    bool some;
    if (!read_line(m, a, now_ms, purpose, &line, e) ||
        !store_queue_moves(m->store, purpose, now_ms, &some, e))
        return false;
    if (line.is_on)
        *pending += line.pending;
    *moves |= line.is_on && some && !line.closed_ms && !is_capped && !is_clients(m, purpose);
    return true;
}

bool model_queue_pending(struct memory *m, int64_t now_ms, size_t *pending, bool *moves,
                         struct err *e)
{
    struct arena scratch = {0};
    int64_t spent = 0;
    *pending = 0;
    *moves = false;
    if (!m->options.models)
        return true;
    if (!model_queue_gather(m, e) || !store_read_begin(m->store, e))
        return false;
    int64_t cap = m->options.models->daily_tokens;
    bool ok = !cap || store_tokens_of_day(m->store, now_ms, &spent, e);
    for (int p = 0; ok && p < QUEUE_PURPOSES; p++)
        ok = add_pending(m, &scratch, now_ms, (enum model_purpose)p, cap && spent >= cap, pending,
                         moves, e);
    store_read_end(m->store);
    arena_free(&scratch);
    return ok;
}

/* ---- status ---- */

static void add(struct arena *a, struct status_line **lines, size_t *count, const char *name,
                str text)
{
    (*lines)[(*count)++] = (struct status_line){arena_str(a, str_of(name)), text, 0};
}

static str line_text(struct arena *a, const struct queue_line *l)
{
    str text = l->is_on ? arena_printf(a, "%.*s at %.*s", FMT(l->model), FMT(l->host)) : S("off");
    if (l->pending || l->dead)
        text = arena_printf(a, "%.*s; %zu pending, %zu dead", FMT(text), l->pending, l->dead);
    if (l->calls)
        text = arena_printf(a,
                            "%.*s; %lld calls, %lld tokens, %lld bytes out; today %lld calls, "
                            "%lld tokens",
                            FMT(text), (long long)l->calls, (long long)l->tokens,
                            (long long)l->bytes_out, (long long)l->calls_today,
                            (long long)l->tokens_today);
    if (l->closed_ms)
        text = arena_printf(a, "%.*s; away", FMT(text));
    return l->why.len ? arena_printf(a, "%.*s; last: %.*s", FMT(text), FMT(l->why)) : text;
}

bool model_status(struct memory *m, struct arena *a, int64_t now_ms, struct status_line **lines,
                  size_t *count, struct err *e)
{
    struct queue_line *purposes;
    struct use_row *hosts;
    size_t purpose_count, host_count;
    if (!model_queue_lines(m, a, now_ms, &purposes, &purpose_count, e) ||
        !store_read_begin(m->store, e))
        return false;
    bool ok = store_uses_by_host(m->store, a, now_ms, &hosts, &host_count, e);
    store_read_end(m->store);
    if (!ok)
        return false;
    struct status_line *all =
        ARENA_ARRAY(a, struct status_line, *count + purpose_count + host_count + 1);
    memcpy(all, *lines, *count * sizeof *all);
    *lines = all;
    for (size_t i = 0; i < purpose_count; i++)
        if (purposes[i].is_on || purposes[i].pending || purposes[i].dead || purposes[i].calls)
            add(a, lines, count,
                arena_cstr(a, arena_printf(a, "model_%.*s", FMT(purposes[i].purpose))),
                line_text(a, &purposes[i]));
    for (size_t i = 0; i < host_count; i++)
        add(a, lines, count, arena_cstr(a, arena_printf(a, "host_%.*s", FMT(hosts[i].host))),
            arena_printf(a, "%lld calls, %lld bytes out", (long long)hosts[i].all.calls,
                         (long long)hosts[i].all.bytes_out));
    if (m->options.models && m->options.models->daily_tokens)
        add(a, lines, count, "model_daily_cap",
            arena_printf(a, "%lld tokens", (long long)m->options.models->daily_tokens));
    return true;
}

/* ---- changing it ---- */

static bool in_a_write(struct memory *m, bool (*change)(struct store *, size_t *, struct err *),
                       size_t *count, struct err *e)
{
    return store_begin(m->store, e) && store_end(m->store, change(m->store, count, e), e);
}

bool model_queue_retry(struct memory *m, size_t *count, struct err *e)
{
    return in_a_write(m, store_queue_retry, count, e);
}

bool model_queue_drop(struct memory *m, size_t *count, struct err *e)
{
    return in_a_write(m, store_queue_drop, count, e);
}

bool model_queue_take_over(struct memory *m, struct err *e)
{
    return store_begin(m->store, e) && store_end(m->store, store_queue_free_leases(m->store, e), e);
}
