/* The last step of a job: storing what came back. What takes long (reading what was asked about
 * once more, taking secrets out of it) is done before the lock is taken, and a transaction ends
 * behind some questions, so that nobody waits long for it. */
#include "memory/model_job.h"

#include "memory/base/hash.h"

enum { MAX_HELD_MS = 30 /* the lock, before the next question has another transaction */ };

/* ---- inside a write ---- */

static bool note_endpoint(struct memory *m, const struct model_clock *c, struct model_job *j,
                          struct err *e)
{
    struct endpoint_row was;
    if (!j->counting.use.calls || j->failed.code == ERR_CANCELLED)
        return true;
    if (!store_get_endpoint(m->store, &j->a, j->endpoint, &was, e))
        return false;
    if (j->is_down && was.closed_ms > c->now_ms)
        return true; /* another job has met the same */
    struct endpoint_row now = {.name = j->endpoint, .why = S("")};
    if (j->is_down) {
        now.failures = was.failures + 1;
        now.why = str_of(j->failed.text);
        now.closed_ms = model_retry_ms(c->now_ms, j->models->retry_ms, now.failures,
                                       (int64_t)hash64(j->endpoint), j->retry_after_ms);
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
    bool is_fault = !j->is_down || (j->is_clients && why->code == ERR_LIMIT);
    int64_t next_ms = model_retry_ms(c->now_ms, j->models->retry_ms, attempts + 1, id,
                                     is_fault ? 0 : j->retry_after_ms);
    return (struct queue_failure){.is_fault = is_fault,
                                  .is_dead = is_fault && faults + 1 >= MAX_FAULTS,
                                  .next_try_ms = next_ms,
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

/* What a model answered is stored whole or not at all: what can't be stored leaves no trace. */
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
    if (!store_put_work(m->store, &row, &w.id, e))
        return false;
    if (q->answer.len && !task->apply(&w, q, e))
        return false;
    return store_count_work(m->store, w.id, w.kept, w.dropped, e) &&
           (q->is_cached || !q->answer.len ||
            store_put_answer(m->store, q->hash, q->sources, q->source_count, c->now_ms, q->answer,
                             e));
}

static bool is_answered(const struct model_question *q)
{
    return q->answer.len || q->is_refused;
}

static bool finish_question(struct memory *m, const struct model_clock *c, struct model_job *j,
                            struct model_question *q, size_t *done, struct err *e)
{
    bool ours;
    if (!is_answered(q) || q->now == CHANGED)
        return put_back(m, c, j, q, &q->err, e);
    if (!store_savepoint(m->store, e) || !store_queue_done(m->store, &q->item, c->owner, &ours, e))
        return false;
    struct err why = {0};
    bool ok = !ours || q->now == UNWANTED || apply(m, c, j, q, &why);
    if (!store_savepoint_end(m->store, ok, e))
        return false;
    *done += ok && ours;
    if (ok)
        return true;
    if (why.code == ERR_INPUT || why.code == ERR_LIMIT)
        return put_back(m, c, j, q, &why, e);
    *e = why;
    return false;
}

/* ---- its transactions ---- */

static bool note(struct memory *m, const struct model_clock *c, struct model_job *j, size_t *done,
                 struct err *e)
{
    if (!model_job_write(m, j, e))
        return false;
    bool ok = note_use(m, c, j, e) &&
              (j->purpose != MODEL_EMBED || finish_vectors(m, c, j, done, e)) &&
              note_endpoint(m, c, j, e);
    j->is_noted = store_end(m->store, ok, e);
    return j->is_noted;
}

/* What was asked about may have changed meanwhile. */
static bool look_again(struct memory *m, struct model_job *j, struct model_question *q,
                       struct err *e)
{
    struct model_question now = {.item = q->item};
    bool wanted;
    if (!is_answered(q))
        return true;
    if (!model_task_of(j->purpose)->prepare(m, &j->a, &now, &wanted, e))
        return false;
    q->now = !wanted ? UNWANTED : str_eq(now.ask.user, q->ask.user) ? STANDS : CHANGED;
    return true;
}

/* Of all that are left; *change tells whether it still holds later. */
static bool look_at_all(struct memory *m, struct model_job *j, int64_t *change, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_last_change(m->store, change, e);
    for (size_t i = j->finished; ok && i < j->count; i++)
        ok = look_again(m, j, &j->questions[i], e);
    store_read_end(m->store);
    return ok;
}

static bool finish_some(struct memory *m, const struct model_clock *c, struct model_job *j,
                        size_t *done, struct err *e)
{
    int64_t seen, change;
    size_t at = j->finished, finished = 0;
    if (!look_at_all(m, j, &seen, e) || !model_job_write(m, j, e))
        return false;
    int64_t began_ms = memory_clock_ms(m);
    bool ok = store_last_change(m->store, &change, e);
    do {
        struct model_question *q = &j->questions[at++];
        ok = ok && (change == seen || look_again(m, j, q, e)) &&
             finish_question(m, c, j, q, &finished, e);
    } while (ok && at < j->count && memory_clock_ms(m) - began_ms < MAX_HELD_MS);
    if (!(j->is_clients ? store_end(m->store, ok, e)
                        : memory_end_resting(m, ok, began_ms, NULL, e)))
        return false;
    j->finished = at;
    *done += finished;
    return true;
}

bool model_queue_finish(struct memory *m, const struct model_clock *c, struct model_job *j,
                        size_t *done, struct err *e)
{
    *done = 0;
    if (!j->is_noted && !note(m, c, j, done, e))
        return false;
    while (j->finished < j->count)
        if (!finish_some(m, c, j, done, e))
            return false;
    return true;
}
