/* The steps of a job but for the asking: taking it out of the queue, storing what came back. */
#include "memory/model_job.h"

#include "memory/base/hash.h"

int64_t model_retry_ms(int64_t now_ms, int failures, int64_t id, int64_t retry_after_ms)
{
    int64_t wait_ms = FIRST_RETRY_MS;
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

/* The thread of a server has calls to answer: it comes again where somebody else writes. */
static bool begin_write(struct memory *m, const struct model_job *j, struct err *e)
{
    return j->is_clients ? store_begin_within(m->store, CLIENT_WRITE_MS, e)
                         : store_begin(m->store, e);
}

bool model_queue_gather(struct memory *m, struct err *e)
{
    struct arena scratch = {0};
    bool ok = true;
    for (int p = 0; p < QUEUE_PURPOSES; p++) {
        const struct model_task *task = model_task_of((enum model_purpose)p);
        for (bool more = task && model_settings_of(m->options.models, (enum model_purpose)p);
             ok && more;)
            ok = task->gather(m, &scratch, &more, e);
    }
    arena_free(&scratch);
    return ok;
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
    if (!begin_write(m, j, e))
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
    if (!begin_write(m, j, e))
        return false;
    ok = store_queue_claim(m->store, &j->a, j->purpose, c->owner, c->now_ms, c->now_ms + LEASE_MS,
                           model_job_most(j), &items, &count, e);
    if (!store_end(m->store, ok, e) || !memory_read(m, e))
        return false;
    bool *wanted = ARENA_ARRAY(&j->a, bool, count + 1);
    ok = model_job_prepare(m, j, items, count, wanted, e);
    store_read_end(m->store);
    return ok && drop_unwanted(m, c, j, wanted, e);
}

/* One purpose's job of the client's own model or of others; *out NULL: it has none now. */
static bool next_of(struct memory *m, const struct model_clock *c, enum model_purpose purpose,
                    bool clients, struct model_job **out, struct err *e)
{
    const struct provider_settings *s = model_settings_of(m->options.models, purpose);
    bool may;
    *out = NULL;
    if (!s || clients != !s->row->url)
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
                      struct err *e)
{
    *out = NULL;
    bool ok = !m->options.models || model_queue_gather(m, e);
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

/* ---- finish; inside one write ---- */

static bool note_endpoint(struct memory *m, const struct model_clock *c, struct model_job *j,
                          struct err *e)
{
    struct endpoint_row was;
    if (!j->counting.use.calls || j->failed.code == ERR_CANCELLED)
        return true;
    if (!store_get_endpoint(m->store, &j->a, j->endpoint, &was, e))
        return false;
    struct endpoint_row now = {.name = j->endpoint, .why = S("")};
    if (j->is_down) {
        now.failures = was.failures + 1;
        now.why = str_of(j->failed.text);
        now.closed_ms = model_retry_ms(c->now_ms, now.failures, (int64_t)hash64(j->endpoint),
                                       j->retry_after_ms);
    }
    return (!j->is_down && !was.failures) || store_put_endpoint(m->store, &now, e);
}

static bool note_use(struct memory *m, const struct model_clock *c, struct model_job *j,
                     struct err *e)
{
    struct model_use use = j->counting.use;
    use.tokens_in = j->tokens_in;
    use.tokens_out = j->tokens_out;
    return !use.calls ||
           store_add_model_use(m->store, c->now_ms, (int)j->purpose, j->host, &use, e);
}

/* A fault of the item's own brings it nearer to its end; the endpoint's only make it wait. */
static struct queue_failure failure_of(const struct model_clock *c, const struct model_job *j,
                                       int64_t id, int attempts, int faults, const struct err *why)
{
    bool is_fault = !j->is_down || why->code == ERR_LIMIT;
    return (struct queue_failure){.is_fault = is_fault,
                                  .is_dead = is_fault && faults + 1 >= MAX_FAULTS,
                                  .next_try_ms = model_retry_ms(c->now_ms, attempts + 1, id,
                                                                is_fault ? 0 : j->retry_after_ms),
                                  .why = str_of(why->text)};
}

static bool finish_vectors(struct memory *m, const struct model_clock *c, struct model_job *j,
                           size_t *done, struct err *e)
{
    const struct text_batch *b = &j->vectors.batch;
    int64_t model;
    bool ok = true, put;
    if (j->failed.code == ERR_CANCELLED)
        return true;
    if (j->failed.code == ERR_NONE &&
        store_put_vector_model(m->store, b->model, b->dimensions, &model, &j->failed)) {
        for (size_t i = 0; ok && i < b->encoded; i++)
            ok = store_put_vectors(m->store, &j->a, model, &b->vectors[i], &put, e);
        *done = b->encoded;
        return ok;
    }
    if (j->failed.code == ERR_DB || j->failed.code == ERR_IO)
        return fail(e, j->failed.code, "%s", j->failed.text);
    j->is_down |= j->failed.code == ERR_CONFLICT; /* vectors of another length than before */
    /* While the endpoint is away nothing is wrong with the texts: its row says when to go on. */
    for (size_t i = 0; ok && i < b->text_count; i++) {
        struct queue_failure f =
            failure_of(c, j, b->texts[i].id, b->texts[i].faults, b->texts[i].faults, &j->failed);
        ok = !f.is_fault || store_queue_embed_failed(m->store, b->texts[i].id, &f, e);
    }
    return ok;
}

static bool put_back(struct memory *m, const struct model_clock *c, struct model_job *j,
                     const struct model_question *q, const struct err *why, struct err *e)
{
    struct queue_failure f = {.why = S("")};
    if (why->code != ERR_NONE && why->code != ERR_CANCELLED)
        f = failure_of(c, j, q->item.id, q->item.attempts, q->item.faults, why);
    return store_queue_failed(m->store, &q->item, c->owner, &f, e);
}

/* What was asked about may have changed meanwhile. ERR_CONFLICT: it is to be asked again. */
static bool is_still(struct memory *m, struct model_job *j, const struct model_question *q,
                     bool *wanted, struct err *e)
{
    struct model_question now = {.item = q->item};
    if (!model_task_of(j->purpose)->prepare(m, &j->a, &now, wanted, e))
        return false;
    return !*wanted || str_eq(now.ask.user, q->ask.user) ||
           fail(e, ERR_CONFLICT, "it changed while the model was asked");
}

/* What a model answered is stored whole or not at all: what can't be read leaves no trace. */
static bool apply(struct memory *m, const struct model_clock *c, struct model_job *j,
                  struct model_question *q, struct err *e)
{
    const struct model_task *task = model_task_of(j->purpose);
    struct model_work w = {
        .m = m, .a = &j->a, .from = {.origin = ORIGIN_MODEL, .now_ms = c->now_ms}};
    struct work_row row = {.purpose = j->purpose,
                           .node = q->item.node,
                           .at_ms = c->now_ms,
                           .model = j->model,
                           .prompt = str_of(task->prompt)};
    bool wanted;
    if (!is_still(m, j, q, &wanted, e))
        return false;
    if (!wanted)
        return true;
    if (!store_put_work(m->store, &row, &w.id, e))
        return false;
    if (q->answer.len && !task->apply(&w, q, e))
        return false;
    return store_count_work(m->store, w.id, w.kept, w.dropped, e) &&
           (q->is_cached || !q->answer.len || !task->keeps_answers ||
            store_put_answer(m->store, q->hash, q->item.node, c->now_ms, q->answer, e));
}

static bool finish_question(struct memory *m, const struct model_clock *c, struct model_job *j,
                            struct model_question *q, size_t *done, struct err *e)
{
    bool ours;
    if (!q->answer.len && !q->is_refused)
        return put_back(m, c, j, q, &q->err, e);
    if (!store_savepoint(m->store, e) || !store_queue_done(m->store, &q->item, c->owner, &ours, e))
        return false;
    struct err why = {0};
    bool ok = !ours || apply(m, c, j, q, &why);
    if (!store_savepoint_end(m->store, ok, e))
        return false;
    *done += ok && ours;
    if (ok)
        return true;
    if (why.code == ERR_CONFLICT)
        why = (struct err){0};
    if (why.code == ERR_NONE || why.code == ERR_INPUT || why.code == ERR_LIMIT)
        return put_back(m, c, j, q, &why, e);
    *e = why;
    return false;
}

bool model_queue_finish(struct memory *m, const struct model_clock *c, struct model_job *j,
                        size_t *done, struct err *e)
{
    *done = 0;
    if (!begin_write(m, j, e))
        return false;
    bool ok = note_use(m, c, j, e) &&
              (j->purpose != MODEL_EMBED || finish_vectors(m, c, j, done, e)) &&
              note_endpoint(m, c, j, e);
    for (size_t i = 0; ok && i < j->count; i++)
        ok = finish_question(m, c, j, &j->questions[i], done, e);
    return store_end(m->store, ok, e);
}
