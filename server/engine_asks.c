#include "server/engine_state.h"

struct model_ask {
    struct asking asking;
    struct engine *engine;
    struct job *job; /* of engine->asking; its arena is the asking thread's meanwhile */
};

static bool ask_is_unwanted(const struct asking *a)
{
    return engine_job_is_cancelled(((const struct model_ask *)a)->job);
}

/* The lock is held. */
static void go_on(struct engine *g, struct job *job)
{
    struct job **at = &g->asking;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    job->next = NULL;
    *g->heard_end = job;
    g->heard_end = &job->next;
    pthread_cond_signal(&g->work);
}

static void ask_model(struct asking *a, const struct transport *t)
{
    struct model_ask *q = (struct model_ask *)a;
    model_query_ask(q->job->models, t, t ? a->until_ms - monotonic_ms() : 0);
    pthread_mutex_lock(&q->engine->lock);
    go_on(q->engine, q->job);
    pthread_mutex_unlock(&q->engine->lock);
}

struct asking *engine_ask_new(struct engine *g, struct job *job)
{
    struct model_ask *q = ARENA_NEW(&job->arena, struct model_ask);
    q->asking = (struct asking){.ask = ask_model,
                                .unwanted = ask_is_unwanted,
                                .until_ms = monotonic_ms() + model_query_budget_ms(job->models)};
    q->engine = g;
    q->job = job;
    return &q->asking;
}

struct job *engine_take_heard(struct engine *g)
{
    struct job *job = g->heard;
    if (!job || (g->event_count >= MAX_EVENTS_WAITING && !g->closing))
        return NULL;
    g->heard = job->next;
    if (!g->heard)
        g->heard_end = &g->heard;
    job->next = NULL;
    g->jobs_first = true;
    return job;
}

static void take_back(struct job *list, uint64_t number)
{
    for (struct job *job = list; job; job = job->next)
        if (!number || job->number == number)
            atomic_store(&job->cancelled, true);
}

void engine_stop_asks(struct engine *g, uint64_t number)
{
    take_back(g->asking, number);
    g->tends |= g->asking != NULL;
    pthread_cond_signal(&g->work);
    take_back(g->heard, number);
}
