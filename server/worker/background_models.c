#include "server/worker/background_models.h"

#include "memory/models.h"
#include "server/askers.h"
#include "server/log.h"
#include "server/model_settings.h"

#include <stdatomic.h>

enum { LOOK_AGAIN_MS = 2000 /* behind a look that found nothing, or a failure of ours */ };

/* A job on its way. */
struct flight {
    struct asking asking;
    struct background_models *of;
    struct model_job *job; /* NULL: there is none */
    atomic_bool is_back;   /* the job is ours again */
};

struct background_models {
    const struct config *config;
    struct arena arena;
    bool (*stopped)(void *);
    void (*wake)(void);
    struct models models;
    int64_t owner, look_at_ms;
    bool has_taken_over;
    struct askers *askers;
    atomic_bool ends;
    struct flight flights[MAX_MODEL_JOBS]; /* as many as the settings allow */
};

/* ---- on a thread that asks ---- */

static bool is_unwanted(const struct asking *a)
{
    const struct background_models *b = ((const struct flight *)a)->of;
    return atomic_load(&b->ends) || b->stopped(NULL);
}

/* What isn't asked at all stays pending. */
static void ask(struct asking *a, const struct transport *t)
{
    struct flight *f = (struct flight *)a;
    void (*wake)(void) = f->of->wake;
    if (t)
        model_job_ask(f->job, t);
    atomic_store(&f->is_back, true);
    wake();
}

/* ---- opening ---- */

struct background_models *background_models_open(const struct config *config,
                                                 bool (*stopped)(void *), void (*wake)(void))
{
    struct background_models *b = heap_alloc(1, sizeof *b);
    struct err e = {0};
    *b = (struct background_models){.config = config, .stopped = stopped, .wake = wake};
    if (!model_settings(&b->arena, config, &b->models, &e) || !model_settings_any(&b->models)) {
        arena_free(&b->arena);
        heap_free(b);
        return NULL;
    }
    b->askers = askers_open(config->http_proxy, (size_t)config->model_jobs);
    return b;
}

void background_models_close(struct background_models *b)
{
    if (!b)
        return;
    atomic_store(&b->ends, true);
    askers_tend(b->askers, monotonic_ms());
    askers_close(b->askers);
    for (size_t i = 0; i < MAX_MODEL_JOBS; i++)
        model_job_free(b->flights[i].job);
    arena_free(&b->arena);
    heap_free(b);
}

const struct models *background_models_set(const struct background_models *b)
{
    return b ? &b->models : NULL;
}

bool background_models_embed(const struct background_models *b)
{
    return b && b->models.of[PROVIDER_EMBED].row;
}

/* ---- working ---- */

static struct model_clock now_of(const struct background_models *b)
{
    struct model_clock now = {.now_ms = config_now_ms(b->config), .owner = b->owner};
    for (size_t i = 0; i < MAX_MODEL_JOBS; i++)
        now.is_embedding |= b->flights[i].job && model_job_embeds(b->flights[i].job);
    return now;
}

/* Who holds background.lock is the only one who asks: leases of the one before are void. */
static bool take_over(struct background_models *b, struct memory *m, struct err *e)
{
    if (b->has_taken_over)
        return true;
    b->owner = model_lease_owner();
    b->has_taken_over = model_queue_take_over(m, e);
    return b->has_taken_over;
}

/* false: the same again at the next look. */
static bool finish(struct flight *f, struct memory *m, struct err *e)
{
    struct model_clock now = now_of(f->of);
    size_t done;
    bool ok = model_queue_finish(m, &now, f->job, &done, e);
    if (!ok && e->code == ERR_BUSY)
        return false;
    model_job_free(f->job);
    f->job = NULL;
    return true;
}

/* *more: it is worth another look at once. */
static bool begin(struct background_models *b, struct memory *m, struct flight *f, bool *more,
                  struct err *e)
{
    struct model_clock now = now_of(b);
    if (!model_queue_next(m, &now, &f->job, more, e) || !f->job)
        return false;
    f->of = b;
    f->asking = (struct asking){.ask = ask, .unwanted = is_unwanted, .until_ms = INT64_MAX};
    atomic_store(&f->is_back, false);
    askers_add(b->askers, &f->asking);
    return true;
}

static bool finish_all(struct background_models *b, struct memory *m, struct err *e)
{
    bool any = false;
    for (size_t i = 0; i < MAX_MODEL_JOBS && e->code == ERR_NONE; i++) {
        struct flight *f = &b->flights[i];
        any |= f->job && atomic_load(&f->is_back) && finish(f, m, e);
    }
    return any;
}

static bool begin_some(struct background_models *b, struct memory *m, bool *more, struct err *e)
{
    bool any = false, goes_on = take_over(b, m, e);
    for (size_t i = 0; goes_on && i < (size_t)b->config->model_jobs; i++)
        if (!b->flights[i].job) {
            goes_on = begin(b, m, &b->flights[i], more, e);
            any |= goes_on;
        }
    return any;
}

static int64_t next_look_ms(const struct background_models *b)
{
    int64_t wait_ms = b->models.retry_ms;
    return monotonic_ms() + (wait_ms < LOOK_AGAIN_MS ? wait_ms : LOOK_AGAIN_MS);
}

bool background_models_some(struct background_models *b, struct memory *m)
{
    struct err e = {0};
    bool more = false;
    if (!b)
        return false;
    askers_tend(b->askers, monotonic_ms());
    bool has_finished = finish_all(b, m, &e);
    bool looks = e.code == ERR_NONE && !b->stopped(NULL) &&
                 (has_finished || monotonic_ms() >= b->look_at_ms);
    bool has_begun = looks && begin_some(b, m, &more, &e);
    if (looks || e.code != ERR_NONE)
        b->look_at_ms = next_look_ms(b);
    if (e.code != ERR_NONE && e.code != ERR_BUSY)
        log_line(LOG_DEBUG, "models: %s", e.text);
    return has_finished || has_begun || more;
}

int64_t background_models_due_ms(const struct background_models *b)
{
    return b ? b->look_at_ms : INT64_MAX;
}
