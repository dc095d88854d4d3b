/* A job's questions, and the requests that they make. */
#include "memory/model_job.h"

#include "memory/base/hash.h"
#include "memory/model_read.h"

static const struct model_task *const tasks[QUEUE_PURPOSES] = {
    NULL,
    &model_extract,
    &model_summarise,
    &model_contradict,
};

const struct model_task *model_task_of(enum model_purpose purpose)
{
    return tasks[purpose];
}

const struct provider_settings *model_settings_of(const struct models *models,
                                                  enum model_purpose purpose)
{
    const struct model_task *task = (int)purpose < QUEUE_PURPOSES ? tasks[purpose] : NULL;
    if (purpose == MODEL_READ)
        return model_read_settings(models);
    const struct provider_settings *s = models_settings(models, model_served_by[purpose]);
    return s && (!task || task->is_on(models)) ? s : NULL;
}

/* ---- its questions ---- */

struct model_job *model_job_open(const struct models *models, const struct provider_settings *s,
                                 enum model_purpose purpose)
{
    struct model_job *j = heap_alloc(1, sizeof *j);
    *j = (struct model_job){.purpose = purpose,
                            .models = models,
                            .settings = s,
                            .is_clients = provider_is_client(s->row)};
    j->host = provider_place(s);
    j->model = models_name(&j->a, s, model_served_by[purpose]);
    j->endpoint = models_endpoint(&j->a, s, model_served_by[purpose]);
    return j;
}

void model_job_free(struct model_job *j)
{
    if (!j)
        return;
    struct arena a = j->a;
    heap_free(j);
    arena_free(&a);
}

bool model_job_embeds(const struct model_job *j)
{
    return j->purpose == MODEL_EMBED;
}

bool model_job_write(struct memory *m, const struct model_job *j, struct err *e)
{
    return j->is_clients ? store_begin_within(m->store, CLIENT_WRITE_MS, e)
                         : store_begin(m->store, e);
}

size_t model_job_most(const struct model_job *j)
{
    return j->is_clients ? 1 : MAX_JOB_QUESTIONS;
}

bool model_job_prepare(struct memory *m, struct model_job *j, const struct queue_item *items,
                       size_t count, bool *wanted, struct err *e)
{
    const struct model_task *task = tasks[j->purpose];
    j->questions = ARENA_ARRAY(&j->a, struct model_question, count);
    for (size_t i = 0; i < count; i++) {
        struct model_question *q = &j->questions[j->count++];
        q->item = items[i];
        if (!task->prepare(m, &j->a, q, &wanted[i], e))
            return false;
        if (!wanted[i])
            continue;
        q->hash =
            hash128_hex(&j->a, arena_printf(&j->a, "%s\x1f%.*s\x1f%.*s\x1f%.*s", task->prompt,
                                            FMT(j->model), FMT(q->ask.system), FMT(q->ask.user)));
        if (!store_find_answer(m->store, &j->a, q->hash, &q->answer, e))
            return false;
        q->is_cached = q->answer.len > 0;
    }
    return true;
}

/* ---- what it would be, and what it sends ---- */

static bool peek_questions(struct memory *m, struct model_job *j, int64_t now_ms, struct err *e)
{
    struct queue_item *items;
    size_t count, kept = 0;
    if (!store_queue_peek(m->store, &j->a, j->purpose, now_ms, model_job_most(j), &items, &count,
                          e))
        return false;
    bool *wanted = ARENA_ARRAY(&j->a, bool, count + 1);
    bool ok = model_job_prepare(m, j, items, count, wanted, e);
    for (size_t i = 0; ok && i < j->count; i++)
        if (wanted[i])
            j->questions[kept++] = j->questions[i];
    j->count = kept;
    return ok;
}

bool model_job_plan(struct memory *m, int64_t now_ms, enum model_purpose purpose,
                    struct model_job **out, struct err *e)
{
    const struct provider_settings *s = model_settings_of(m->options.models, purpose);
    *out = NULL;
    if (!s)
        return true;
    struct model_job *j = model_job_open(m->options.models, s, purpose);
    bool ok = purpose == MODEL_EMBED ? model_vectors_peek(m, &j->a, now_ms, &j->vectors, e)
                                     : peek_questions(m, j, now_ms, e);
    if (ok && (j->count || j->vectors.input_count))
        *out = j;
    else
        model_job_free(j);
    return ok;
}

/* The texts that the inputs from `from` on are of, each once: they follow each other. */
static void note_texts(struct model_job *j, size_t from, size_t count, struct model_request *out)
{
    int64_t *nodes = ARENA_ARRAY(&j->a, int64_t, count);
    for (size_t i = from; i < from + count; i++) {
        int64_t id = j->vectors.batch.texts[j->vectors.of[i].text].id;
        if (!out->node_count || nodes[out->node_count - 1] != id)
            nodes[out->node_count++] = id;
    }
    out->nodes = nodes;
}

static bool vector_requests(struct model_job *j, struct model_request *out, size_t *count,
                            struct err *e)
{
    for (size_t from = 0; from < j->vectors.input_count;) {
        struct embed_ask ask = model_vectors_request(j->settings, &j->vectors, from);
        struct model_request *r = &out[(*count)++];
        note_texts(j, from, ask.count, r);
        if (!j->settings->row->embed(&j->a, j->settings, &ask, &r->request, e))
            return false;
        from += ask.count;
    }
    return true;
}

static bool question_request(struct model_job *j, const struct model_question *q,
                             struct model_request *out, struct err *e)
{
    *out = (struct model_request){.nodes = q->sources, .node_count = q->source_count};
    return j->settings->row->llm(&j->a, j->settings, &q->ask, &out->request, e);
}

bool model_job_requests(struct model_job *j, struct model_request **out, size_t *count,
                        struct err *e)
{
    *out = ARENA_ARRAY(&j->a, struct model_request, j->count + j->vectors.input_count + 1);
    *count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (!j->questions[i].is_cached &&
            !question_request(j, &j->questions[i], &(*out)[(*count)++], e))
            return false;
    return vector_requests(j, *out, count, e);
}

bool model_job_params(struct model_job *j, str *out, struct err *e)
{
    struct model_request *requests;
    size_t count;
    *out = S("");
    if (!model_job_requests(j, &requests, &count, e))
        return false;
    if (count)
        *out = requests[0].request.body;
    return true;
}
