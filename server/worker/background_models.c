#include "server/worker/background_models.h"

#include "server/http_client.h"
#include "server/log.h"
#include "server/model_settings.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

enum { LOOK_AGAIN_MS = 2000 /* behind a look that found nothing, or a failure of ours */ };

struct background_models {
    const struct config *config;
    struct arena arena;
    bool (*stopped)(void *);
    void (*wake)(void);
    struct models models;
    struct transport transport;
    struct http_client *http;
    int64_t owner, look_at_ms;
    bool has_taken_over;

    pthread_t thread;
    bool has_thread;
    sem_t has_job;
    atomic_bool ends, is_back; /* is_back: the job is ours again */
    struct model_job *job;     /* NULL: none is on its way */
};

/* ---- the thread ---- */

static bool is_unwanted(void *ctx)
{
    struct background_models *b = ctx;
    return atomic_load(&b->ends) || b->stopped(NULL);
}

static void *ask(void *ctx)
{
    struct background_models *b = ctx;
    for (;;) {
        while (sem_wait(&b->has_job) != 0 && errno == EINTR)
            continue;
        if (atomic_load(&b->ends))
            break;
        model_job_ask(b->job);
        atomic_store(&b->is_back, true);
        b->wake();
    }
    http_client_close(b->http); /* the helper belongs to this thread */
    return NULL;
}

static bool start_thread(struct background_models *b)
{
    if (!b->has_thread)
        b->has_thread = pthread_create(&b->thread, NULL, ask, b) == 0;
    return b->has_thread;
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
    b->http = http_client_open(config->http_proxy);
    b->transport = http_client_transport(b->http);
    b->models.transport = &b->transport;
    http_client_watch(b->http, is_unwanted, b);
    sem_init(&b->has_job, 0, 0);
    return b;
}

void background_models_close(struct background_models *b)
{
    if (!b)
        return;
    atomic_store(&b->ends, true);
    if (b->has_thread) {
        sem_post(&b->has_job);
        pthread_join(b->thread, NULL);
    } else {
        http_client_close(b->http);
    }
    model_job_free(b->job);
    sem_destroy(&b->has_job);
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
    return (struct model_clock){config_now_ms(b->config), b->owner};
}

/* Who holds background.lock is the only one who asks: leases of the one before are void. */
static bool take_over(struct background_models *b, struct memory *m, struct err *e)
{
    if (b->has_taken_over)
        return true;
    b->owner = ((int64_t)getpid() << 32 ^ monotonic_ms()) | 1;
    b->has_taken_over = model_queue_take_over(m, e);
    return b->has_taken_over;
}

static bool finish(struct background_models *b, struct memory *m, struct err *e)
{
    struct model_clock now = now_of(b);
    size_t done;
    bool ok = model_queue_finish(m, &now, b->job, &done, e);
    if (!ok && e->code == ERR_BUSY)
        return false; /* the same again at the next look */
    model_job_free(b->job);
    b->job = NULL;
    atomic_store(&b->is_back, false);
    return ok;
}

static bool begin(struct background_models *b, struct memory *m, struct err *e)
{
    struct model_clock now = now_of(b);
    if (!take_over(b, m, e) || !start_thread(b) || !model_queue_next(m, &now, &b->job, e))
        return false;
    if (b->job)
        sem_post(&b->has_job);
    return b->job != NULL;
}

bool background_models_some(struct background_models *b, struct memory *m)
{
    struct err e = {0};
    if (!b || (b->job && !atomic_load(&b->is_back)) || (!b->job && monotonic_ms() < b->look_at_ms))
        return false;
    bool has_finished = b->job && finish(b, m, &e);
    bool has_begun = !b->job && !b->stopped(NULL) && begin(b, m, &e);
    if (e.code != ERR_NONE && e.code != ERR_BUSY)
        log_line(LOG_DEBUG, "models: %s", e.text);
    if (!has_begun)
        b->look_at_ms = monotonic_ms() + LOOK_AGAIN_MS;
    return has_finished || has_begun;
}
