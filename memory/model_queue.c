/* The first step of a job: taking it out of the queue. */
#include "memory/model_job.h"

#include "memory/base/hash.h"

int64_t model_retry_ms(int64_t now_ms, int64_t first_ms, int failures, int64_t id,
                       int64_t retry_after_ms)
{
    int64_t wait_ms = first_ms;
    for (int i = 1; i < failures && wait_ms < MAX_RETRY_MS; i++)
        wait_ms *= 2;
    wait_ms = wait_ms < MAX_RETRY_MS ? wait_ms : MAX_RETRY_MS;
    struct {
        int64_t id, failures;
    } seed = {id, failures};
    int64_t chance = (int64_t)(hash64(str_from((const char *)&seed, sizeof seed)) % 512);
    wait_ms += wait_ms * (chance - 256) / 1024;
    return now_ms + (wait_ms > retry_after_ms ? wait_ms : retry_after_ms);
}

/* ---- next ---- */

static bool client_may_ask(struct memory *m, const struct model_job *j, int64_t now_ms, bool *out,
                           struct err *e)
{
    int64_t asked = 0, most = j->is_clients ? m->options.models->client_daily : 0;
    bool ok = !most || store_calls_of_day(m->store, now_ms, j->host, &asked, e);
    *out = ok && (!most || asked < most);
    return ok;
}

/* An endpoint that failed is left alone for a while, and so are all when the day's tokens are
 * spent. Inside a read. */
static bool may_ask(struct memory *m, struct model_job *j, int64_t now_ms, bool *out, struct err *e)
{
    struct endpoint_row endpoint;
    int64_t spent = 0, cap = m->options.models->daily_tokens;
    *out = false;
    if (!store_get_endpoint(m->store, &j->a, j->endpoint, &endpoint, e) ||
        (cap && !store_tokens_of_day(m->store, now_ms, &spent, e)) ||
        !client_may_ask(m, j, now_ms, out, e))
        return false;
    *out &= now_ms >= endpoint.closed_ms && (!cap || spent < cap);
    return true;
}

bool model_gather_behind(struct memory *m, enum model_purpose purpose,
                         bool (*has_some)(struct store *s, enum model_purpose purpose, bool *out,
                                          struct err *e),
                         bool (*put)(struct store *s, enum model_purpose purpose, size_t most,
                                     size_t *passed, struct err *e),
                         bool *more, struct err *e)
{
    size_t passed = 0;
    *more = false;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = has_some(m->store, purpose, more, e);
    store_read_end(m->store);
    if (!ok || !*more)
        return ok;
    if (!store_begin(m->store, e))
        return false;
    ok = put(m->store, purpose, MAX_GATHERED, &passed, e);
    *more = passed == MAX_GATHERED;
    return store_end(m->store, ok, e);
}

/* One transaction's worth of each purpose. *more: there may be more. */
static bool gather_some(struct memory *m, bool *more, struct err *e)
{
    struct arena scratch = {0};
    bool ok = true, left;
    *more = false;
    for (int p = 0; ok && p < QUEUE_PURPOSES; p++) {
        const struct model_task *task = model_task_of((enum model_purpose)p);
        if (!task || !model_settings_of(m->options.models, (enum model_purpose)p))
            continue;
        ok = task->gather(m, &scratch, &left, e);
        *more |= ok && left;
    }
    arena_free(&scratch);
    return ok;
}

bool model_queue_gather(struct memory *m, struct err *e)
{
    bool more = true;
    while (more)
        if (!gather_some(m, &more, e))
            return false;
    return true;
}

static int64_t lease_ms(const struct models *models)
{
    int64_t job_ms = LEASE_REQUESTS * models->batch_ms;
    return job_ms > LEASE_MS ? job_ms : LEASE_MS;
}

/* Items about which there is nothing to ask (any more). */
static bool drop_unwanted(struct memory *m, const struct model_clock *c, struct model_job *j,
                          const bool *wanted, struct err *e)
{
    size_t kept = 0;
    bool ours, any = false;
    for (size_t i = 0; i < j->count; i++)
        any |= !wanted[i];
    if (!any)
        return true;
    if (!model_job_write(m, j, e))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < j->count; i++) {
        if (wanted[i])
            j->questions[kept++] = j->questions[i];
        else
            ok = store_queue_done(m->store, &j->questions[i].item, c->owner, &ours, e);
    }
    j->count = kept;
    return store_end(m->store, ok, e);
}

/* Leases of what couldn't be made questions go back at once, if that much can be written; else they
 * end by themselves. */
static void give_back(struct memory *m, const struct model_clock *c, const struct model_job *j,
                      const struct queue_item *items, size_t count)
{
    struct err ignored = {0};
    if (!model_job_write(m, j, &ignored))
        return;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = store_queue_failed(m->store, &items[i], c->owner,
                                &(struct queue_failure){.why = S("")}, &ignored);
    store_end(m->store, ok, &ignored);
}

/* Inside no transaction. */
static bool make_questions(struct memory *m, const struct model_clock *c, struct model_job *j,
                           const struct queue_item *items, size_t count, struct err *e)
{
    bool *wanted = ARENA_ARRAY(&j->a, bool, count + 1);
    if (!memory_read(m, e))
        return false;
    bool ok = model_job_prepare(m, j, items, count, wanted, e);
    store_read_end(m->store);
    return ok && drop_unwanted(m, c, j, wanted, e);
}

static bool take_questions(struct memory *m, const struct model_clock *c, struct model_job *j,
                           struct err *e)
{
    struct queue_item *items;
    size_t count;
    bool due;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_queue_is_due(m->store, j->purpose, c->now_ms, &due, e);
    store_read_end(m->store);
    if (!ok || !due)
        return ok;
    if (!model_job_write(m, j, e))
        return false;
    ok = store_queue_claim(m->store, &j->a, j->purpose, c->owner, c->now_ms,
                           c->now_ms + lease_ms(j->models), model_job_most(j), &items, &count, e);
    if (!store_end(m->store, ok, e))
        return false;
    ok = make_questions(m, c, j, items, count, e);
    if (!ok)
        give_back(m, c, j, items, count);
    return ok;
}

/* One purpose's job of the client's own model or of others; *out NULL: it has none now. */
static bool next_of(struct memory *m, const struct model_clock *c, enum model_purpose purpose,
                    bool clients, struct model_job **out, struct err *e)
{
    const struct provider_settings *s = model_settings_of(m->options.models, purpose);
    bool may;
    *out = NULL;
    if (!s || clients != provider_is_client(s->row) || (purpose == MODEL_EMBED && c->is_embedding))
        return true;
    struct model_job *j = model_job_open(m->options.models, s, purpose);
    bool ok = store_read_begin(m->store, e);
    if (ok) {
        ok = may_ask(m, j, c->now_ms, &may, e);
        store_read_end(m->store);
    }
    if (ok && may)
        ok = purpose == MODEL_EMBED ? model_vectors_plan(m, &j->a, c->now_ms, &j->vectors, e)
                                    : take_questions(m, c, j, e);
    if (ok && (j->count || j->vectors.batch.text_count)) {
        *out = j;
        return true;
    }
    model_job_free(j);
    return ok;
}

bool model_queue_next(struct memory *m, const struct model_clock *c, struct model_job **out,
                      bool *more, struct err *e)
{
    *out = NULL;
    *more = false;
    bool ok = !m->options.models || gather_some(m, more, e);
    for (int p = 0; ok && m->options.models && !*out && p < QUEUE_PURPOSES; p++)
        ok = next_of(m, c, (enum model_purpose)p, false, out, e);
    return ok;
}

bool model_queue_next_for_client(struct memory *m, const struct model_clock *c,
                                 struct model_job **out, struct err *e)
{
    bool ok = true;
    *out = NULL;
    for (int p = 0; ok && m->options.models && !*out && p < QUEUE_PURPOSES; p++)
        ok = next_of(m, c, (enum model_purpose)p, true, out, e);
    return ok;
}
