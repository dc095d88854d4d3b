#include "server/engine_state.h"
#include "server/fetch.h"
#include "server/log.h"

#include <stdio.h>
#include <unistd.h>

/* ---- parsing, on threads of their own ---- */

static bool wait_is_stopped(void *ctx)
{
    return atomic_load(&((struct wait *)ctx)->stop);
}

static void parse(struct engine *g, struct wait *w)
{
    if (wait_is_stopped(w))
        fail(&w->failure, ERR_CANCELLED, "the document was not read: the call was taken back");
    else
        w->ok = fetch_and_parse(&w->arena, w->order, g->config, wait_is_stopped, w, &w->facts,
                                &w->failure);
}

/* The lock is held; *w is taken for parsing. */
static struct wait *next_to_parse(struct engine *g)
{
    struct wait *w = g->waits;
    while (w && w->state != WAIT_QUEUED)
        w = w->next;
    if (w)
        w->state = WAIT_PARSING;
    return w;
}

static void *parse_all(void *ctx)
{
    struct engine *g = ctx;
    pthread_mutex_lock(&g->lock);
    for (struct wait *w; (w = next_to_parse(g)) != NULL;) {
        pthread_mutex_unlock(&g->lock);
        parse(g, w);
        pthread_mutex_lock(&g->lock);
        w->state = WAIT_PARSED;
        pthread_cond_signal(&g->work);
    }
    g->parses--;
    pthread_cond_signal(&g->work);
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* The lock is held. Without any thread the documents of the queue fail. */
static void start_parse(struct engine *g)
{
    pthread_t thread;
    if (g->parses == MAX_PARSES)
        return;
    int fault = engine_thread(&thread, true, parse_all, g);
    if (fault == 0) {
        g->parses++;
        return;
    }
    log_line(LOG_WARN, "no thread for a parse: %s", strerror(fault));
    for (struct wait *w; g->parses == 0 && (w = next_to_parse(g)) != NULL; w->state = WAIT_PARSED)
        fail(&w->failure, ERR_BUSY, "the document was not parsed: no thread: %s", strerror(fault));
}

/* ---- from the order to the answer ---- */

struct wait *engine_wait_new(struct engine *g, struct job *job, struct parse_order *order)
{
    struct wait *w = heap_alloc(1, sizeof *w);
    w->job = job;
    w->order = order;
    w->began_ms = monotonic_ms();
    w->progress_ms = w->began_ms + PROGRESS_EVERY_MS;
    w->pend_ms = w->began_ms + g->config->attach_wait_ms;
    return w;
}

/* The lock is held. A job that was cancelled or settled meanwhile has its parse stopped too. */
void engine_add_wait(struct engine *g, struct wait *w)
{
    atomic_store(&w->stop, engine_job_is_cancelled(w->job));
    if (g->wait_count++ >= MAX_WAITS) {
        w->state = WAIT_PARSED;
        fail(&w->failure, ERR_BUSY,
             "the document was not read: %d others wait already, attach it again later", MAX_WAITS);
    }
    *g->waits_end = w;
    g->waits_end = &w->next;
    start_parse(g);
}

static void close_order(struct parse_order *order)
{
    struct arena *arena = order->arena; /* order itself may lie in it */
    if (order->fd >= 0)
        close(order->fd);
    arena_free(arena);
    heap_free(arena);
}

/* A call that was taken back, or a server that ends, takes a document back that is half stored. */
static bool run_resume(struct wait *w, struct request *r)
{
    struct err taken_back = {0};
    if (!w->is_begun || !wait_is_stopped(w))
        return job_resume(w->job, r, w->order, w->ok ? &w->facts : NULL,
                          w->ok ? NULL : &w->failure);
    fail(&taken_back, ERR_CANCELLED, "the document was not stored: the call was taken back");
    return job_resume(w->job, r, w->order, NULL, &taken_back);
}

/* The lock is held. Behind the others, and behind the next job. While its step ran w was in no
 * list: who took it back told its job alone. */
static void put_back(struct engine *g, struct wait *w)
{
    if (engine_job_is_cancelled(w->job))
        atomic_store(&w->stop, true);
    w->is_begun = true;
    w->next = NULL;
    *g->waits_end = w;
    g->waits_end = &w->next;
    g->wait_count++;
    g->jobs_first = true;
}

/* w is no longer in the list. */
void engine_resume(struct engine *g, struct wait *w)
{
    struct request r = engine_request(g, w->job);
    bool is_done = run_resume(w, &r);
    if (is_done) {
        close_order(w->order);
        arena_free(&w->arena);
    }
    pthread_mutex_lock(&g->lock);
    g->running = NULL;
    if (!is_done)
        put_back(g, w);
    else if (!w->answered)
        engine_give_back(g, w->job);
    engine_wake_owner(g);
    pthread_mutex_unlock(&g->lock);
    if (!is_done)
        return;
    if (w->answered)
        job_free(w->job);
    heap_free(w);
}

void engine_pend(struct engine *g, struct wait *w)
{
    struct job *job = w->job, *stand_in = job_new(job->kind, 0, NULL, job->session);
    stand_in->tool = job->tool;
    struct request r = engine_request(g, job);
    job_pend(job, &r, w->order);
    pthread_mutex_lock(&g->lock);
    w->job = stand_in;
    w->answered = true;
    g->running = NULL;
    engine_give_back(g, job);
    pthread_mutex_unlock(&g->lock);
}

/* ---- for who chooses the next step; the lock is held ---- */

struct wait *engine_take_parsed(struct engine *g)
{
    for (struct wait **at = &g->waits; *at; at = &(*at)->next) {
        struct wait *w = *at;
        if (w->state != WAIT_PARSED)
            continue;
        *at = w->next;
        if (!w->next)
            g->waits_end = at;
        g->wait_count--;
        return w;
    }
    return NULL;
}

static void tell_progress(struct engine *g, struct wait *w, int64_t now_ms)
{
    struct engine_event event = {.kind = EVENT_PROGRESS,
                                 .number = w->job->number,
                                 .seconds = (now_ms - w->began_ms) / PROGRESS_EVERY_MS};
    snprintf(event.what, sizeof event.what, "%.*s", FMT(w->order->name));
    w->progress_ms = w->began_ms + (event.seconds + 1) * PROGRESS_EVERY_MS;
    if (g->event_count < MAX_EVENTS_WAITING)
        engine_add_event(g, event);
}

struct wait *engine_look_at_waits(struct engine *g, int64_t now_ms, int64_t *due_ms)
{
    for (struct wait *w = g->waits; w; w = w->next) {
        if (w->answered || atomic_load(&w->stop))
            continue;
        if (now_ms >= w->pend_ms)
            return w;
        engine_due_at(due_ms, w->pend_ms);
        if (!w->job->wants_progress)
            continue;
        if (now_ms >= w->progress_ms)
            tell_progress(g, w, now_ms);
        engine_due_at(due_ms, w->progress_ms);
    }
    return NULL;
}

void engine_stop_waits(struct engine *g, uint64_t number)
{
    for (struct wait *w = g->waits; w; w = w->next)
        if (!number || w->job->number == number) {
            atomic_store(&w->stop, true);
            if (number)
                atomic_store(&w->job->cancelled, true);
        }
}
