#include "server/engine_state.h"
#include "server/worker_process.h"

#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

/* ---- events; the lock is held ---- */

void engine_wake_owner(struct engine *g)
{
    uint64_t one = 1;
    ssize_t ignored = write(g->wake, &one, sizeof one);
    (void)ignored;
}

void engine_add_event(struct engine *g, struct engine_event what)
{
    struct event *event = heap_alloc(1, sizeof *event);
    event->what = what;
    *g->events_end = event;
    g->events_end = &event->next;
    g->event_count++;
    engine_wake_owner(g);
}

void engine_give_back(struct engine *g, struct job *job)
{
    engine_add_event(g, (struct engine_event){.kind = EVENT_DONE, .job = job});
}

/* ---- what a job is given ---- */

bool engine_job_is_cancelled(void *ctx)
{
    return atomic_load(&((struct job *)ctx)->cancelled);
}

static struct services *lend_services(struct engine *g, struct job *job)
{
    struct services *services = ARENA_NEW(&job->arena, struct services);
    *services = projects_services(g->projects, &job->arena, engine_job_is_cancelled, job);
    return services;
}

struct request engine_request(struct engine *g, struct job *job)
{
    struct place place = {0};
    struct err ignored = {0}; /* a place that is refused is told by the tool that needs it */
    projects_place(g->projects, &job->arena, &place, &ignored);
    return (struct request){.arena = &job->arena,
                            .now_ms = config_now_ms(g->config),
                            .origin = ORIGIN_AGENT,
                            .session = job->session,
                            .branch = place.branch,
                            .head = place.head,
                            .services = lend_services(g, job),
                            .models = job->models};
}

int engine_thread(pthread_t *thread, bool detached, void *(*run)(void *), void *ctx)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (detached)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int fault = pthread_create(thread, &attributes, run, ctx);
    pthread_attr_destroy(&attributes);
    return fault;
}

/* ---- steps of the engine thread; each is called without the lock ---- */

/* Takes root. */
static void set_root(struct engine *g, char *root)
{
    const struct config *c = g->config;
    char cwd[PATH_MAX] = "";
    if (!getcwd(cwd, sizeof cwd))
        cwd[0] = '\0';
    projects_set_hints(g->projects, &(struct place_hints){.project = c->project,
                                                          .roots_path = str_of(root),
                                                          .claude_dir = c->claude_project_dir,
                                                          .cwd = str_of(cwd),
                                                          .home = c->home});
    heap_free(root);
}

static void run(struct engine *g, struct job *job)
{
    struct request r = engine_request(g, job);
    struct parse_order *order = job_run(job, &r);
    struct wait *w = order ? engine_wait_new(g, job, order) : NULL;
    struct asking *q = job_waits(job) ? engine_ask_new(g, job) : NULL;
    pthread_mutex_lock(&g->lock);
    g->running = NULL;
    if (w) {
        engine_add_wait(g, w);
    } else if (q) {
        job->next = g->asking;
        g->asking = job;
    } else {
        engine_give_back(g, job);
    }
    pthread_mutex_unlock(&g->lock);
    if (q)
        askers_add(g->askers, q);
}

static void sample(struct engine *g, const struct sampling_news *news)
{
    struct sampling_order order = sampling_turn(g->sampling, g->projects, news, monotonic_ms());
    if (order.kind == ORDER_NONE)
        return;
    pthread_mutex_lock(&g->lock);
    engine_add_event(g, (struct engine_event){.kind = EVENT_SAMPLING, .order = order});
    pthread_mutex_unlock(&g->lock);
}

/* ---- choosing the next step; the lock is held ---- */

struct step {
    enum {
        STEP_REST,
        STEP_END,
        STEP_SET_ROOT,
        STEP_RESUME,
        STEP_PEND,
        STEP_RUN,
        STEP_SAMPLE,
        STEP_TEND
    } kind;
    struct wait *wait;
    struct job *job;
    char *root;
    struct sampling_news news;
    int64_t due_ms; /* of STEP_REST: when to look again; INT64_MAX: when told */
};

static struct job *take_job(struct engine *g, int64_t now_ms, struct step *step)
{
    struct job *job = g->jobs;
    if (!job || g->event_count >= MAX_EVENTS_WAITING)
        return NULL;
    if (g->held && now_ms < g->held_until_ms) {
        engine_due_at(&step->due_ms, g->held_until_ms);
        return NULL;
    }
    g->held = false;
    g->jobs = job->next;
    if (!g->jobs)
        g->jobs_end = &g->jobs;
    job->next = NULL;
    return job;
}

static bool take_news(struct engine *g, int64_t now_ms, struct step *step)
{
    bool idle = !g->jobs && !g->waits && !g->asking && !g->heard;
    int64_t at_ms = sampling_due_ms(g->sampling, &g->sampling_news, idle);
    if (now_ms < at_ms) {
        engine_due_at(&step->due_ms, at_ms);
        return false;
    }
    step->news = g->sampling_news;
    g->sampling_news.answer = (struct sampling_answer){0};
    return true;
}

/* What is answered sooner goes first: answers that are late, documents that are parsed, calls that
 * have heard a model, then the next job. Between two steps of a document, and between two of the
 * calls, the next job has its turn. */
static struct step choose_step(struct engine *g)
{
    struct step step = {.kind = STEP_REST, .due_ms = INT64_MAX};
    int64_t now_ms = monotonic_ms();
    bool jobs_first = g->jobs_first;
    g->jobs_first = false;
    if (g->has_new_root) {
        step.kind = STEP_SET_ROOT;
        step.root = g->root;
        g->root = NULL;
        g->has_new_root = false;
    } else if ((step.wait = engine_look_at_waits(g, now_ms, &step.due_ms)) != NULL) {
        step.kind = STEP_PEND;
        g->running = step.wait->job;
    } else if (jobs_first && (step.job = take_job(g, now_ms, &step)) != NULL) {
        step.kind = STEP_RUN;
        g->running = step.job;
    } else if ((step.wait = engine_take_parsed(g)) != NULL) {
        step.kind = STEP_RESUME;
        g->running = step.wait->job;
    } else if ((step.job = engine_take_heard(g)) != NULL ||
               (step.job = take_job(g, now_ms, &step)) != NULL) {
        step.kind = STEP_RUN;
        g->running = step.job;
    } else if (take_news(g, now_ms, &step)) {
        step.kind = STEP_SAMPLE;
    } else if (g->closing && !g->waits && !g->parses && !g->asking && !g->heard) {
        step.kind = STEP_END;
    } else if (g->tends || now_ms >= g->tend_ms) {
        step.kind = STEP_TEND;
        g->tends = false;
    } else {
        engine_due_at(&step.due_ms, g->tend_ms);
    }
    return step;
}

static void rest_until(struct engine *g, int64_t due_ms)
{
    if (due_ms == INT64_MAX) {
        pthread_cond_wait(&g->work, &g->lock);
        return;
    }
    struct timespec until = {.tv_sec = due_ms / 1000, .tv_nsec = due_ms % 1000 * 1000000};
    pthread_cond_timedwait(&g->work, &g->lock, &until);
}

static struct step next_step(struct engine *g)
{
    pthread_mutex_lock(&g->lock);
    struct step step = choose_step(g);
    while (step.kind == STEP_REST) {
        rest_until(g, step.due_ms);
        step = choose_step(g);
    }
    pthread_mutex_unlock(&g->lock);
    return step;
}

/* ---- the thread ---- */

static void tend(struct engine *g)
{
    int64_t projects_ms = projects_tend(g->projects),
            askers_ms = askers_tend(g->askers, monotonic_ms());
    g->tend_ms = projects_ms < askers_ms ? projects_ms : askers_ms;
}

static void *run_engine(void *ctx)
{
    struct engine *g = ctx;
    g->projects = projects_open(g->config);
    projects_serve(g->projects);
    g->sampling = sampling_open(g->config);
    g->askers = askers_open(g->config->http_proxy, MAX_ASKS);
    g->tend_ms = INT64_MAX;
    for (struct step step; (step = next_step(g)).kind != STEP_END;) {
        if (step.kind == STEP_SET_ROOT)
            set_root(g, step.root);
        else if (step.kind == STEP_RESUME)
            engine_resume(g, step.wait);
        else if (step.kind == STEP_PEND)
            engine_pend(g, step.wait);
        else if (step.kind == STEP_SAMPLE)
            sample(g, &step.news);
        else if (step.kind == STEP_RUN)
            run(g, step.job);
        if (step.kind != STEP_SAMPLE && step.kind != STEP_TEND)
            sampling_called(g->sampling, monotonic_ms());
        tend(g); /* behind the answer */
    }
    askers_close(g->askers);
    sampling_close(g->sampling);
    projects_close(g->projects);
    pthread_mutex_lock(&g->lock);
    g->over = true;
    pthread_cond_signal(&g->ended);
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* ---- for the owner ---- */

struct engine *engine_open(const struct config *config, int wake)
{
    struct engine *g = heap_alloc(1, sizeof *g);
    g->config = config;
    g->wake = wake;
    g->jobs_end = &g->jobs;
    g->heard_end = &g->heard;
    g->waits_end = &g->waits;
    g->events_end = &g->events;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->work, &monotonic);
    pthread_cond_init(&g->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return g;
}

static bool start_engine(struct engine *g, struct err *e)
{
    if (g->started)
        return true;
    int fault = engine_thread(&g->thread, false, run_engine, g);
    g->started = fault == 0;
    return g->started || fail(e, ERR_BUSY, "nothing was done: no thread: %s", strerror(fault));
}

void engine_submit(struct engine *g, struct job *job)
{
    pthread_mutex_lock(&g->lock);
    if (start_engine(g, &job->failure)) {
        *g->jobs_end = job;
        g->jobs_end = &job->next;
        pthread_cond_signal(&g->work);
    } else {
        engine_give_back(g, job);
    }
    pthread_mutex_unlock(&g->lock);
}

/* The lock is held. Out of the queue, NULL where it isn't in it. */
static struct job *take_queued(struct engine *g, uint64_t number)
{
    for (struct job **at = &g->jobs; *at; at = &(*at)->next) {
        struct job *job = *at;
        if (job->number != number)
            continue;
        *at = job->next;
        if (!job->next)
            g->jobs_end = at;
        job->next = NULL;
        return job;
    }
    return NULL;
}

void engine_cancel(struct engine *g, uint64_t number)
{
    pthread_mutex_lock(&g->lock);
    struct job *queued = take_queued(g, number);
    if (queued)
        engine_give_back(g, queued);
    if (g->running && g->running->number == number)
        atomic_store(&g->running->cancelled, true);
    engine_stop_asks(g, number);
    engine_stop_waits(g, number);
    pthread_mutex_unlock(&g->lock);
}

void engine_hold(struct engine *g)
{
    pthread_mutex_lock(&g->lock);
    g->held = true;
    g->held_until_ms = monotonic_ms() + ROOTS_WAIT_MS;
    pthread_mutex_unlock(&g->lock);
}

void engine_release(struct engine *g, const str *root)
{
    pthread_mutex_lock(&g->lock);
    g->held = false;
    if (root) {
        heap_free(g->root);
        g->root = heap_text(*root);
        g->has_new_root = true;
    }
    pthread_cond_signal(&g->work);
    pthread_mutex_unlock(&g->lock);
}

void engine_offer_sampling(struct engine *g, bool offers)
{
    pthread_mutex_lock(&g->lock);
    g->sampling_news.offered = offers;
    pthread_cond_signal(&g->work);
    pthread_mutex_unlock(&g->lock);
}

void engine_sampled(struct engine *g, const struct sampling_answer *answer)
{
    pthread_mutex_lock(&g->lock);
    heap_free(g->sampling_news.answer.result);
    g->sampling_news.answer = *answer;
    pthread_cond_signal(&g->work);
    pthread_mutex_unlock(&g->lock);
}

struct engine_event engine_take(struct engine *g)
{
    struct engine_event what = {0};
    pthread_mutex_lock(&g->lock);
    struct event *event = g->events;
    if (event) {
        what = event->what;
        g->events = event->next;
        if (!g->events)
            g->events_end = &g->events;
        if (g->event_count-- == MAX_EVENTS_WAITING)
            pthread_cond_signal(&g->work);
    }
    pthread_mutex_unlock(&g->lock);
    heap_free(event);
    return what;
}

bool engine_is_busy(struct engine *g)
{
    pthread_mutex_lock(&g->lock);
    bool busy = g->jobs || g->running || g->asking || g->heard || g->waits || g->events;
    pthread_mutex_unlock(&g->lock);
    return busy;
}

void engine_settle(struct engine *g)
{
    pthread_mutex_lock(&g->lock);
    for (struct job *job; (job = g->jobs) != NULL;) {
        g->jobs = job->next;
        fail(&job->failure, ERR_BUSY, "not done, nothing was stored: the server is ending");
        engine_give_back(g, job);
    }
    g->jobs_end = &g->jobs;
    g->sampling_news.offered = false;
    pthread_cond_signal(&g->work);
    if (g->running)
        atomic_store(&g->running->cancelled, true);
    engine_stop_asks(g, 0);
    engine_stop_waits(g, 0);
    bool parses = g->waits != NULL;
    pthread_mutex_unlock(&g->lock);
    if (parses)
        workers_stop();
}

/* Waits for the thread's end. */
static bool wait_for_end(struct engine *g, int64_t deadline_ms)
{
    struct timespec until = {.tv_sec = deadline_ms / 1000, .tv_nsec = deadline_ms % 1000 * 1000000};
    pthread_mutex_lock(&g->lock);
    g->closing = true;
    pthread_cond_signal(&g->work);
    while (!g->over && pthread_cond_timedwait(&g->ended, &g->lock, &until) != ETIMEDOUT)
        continue;
    bool over = g->over;
    pthread_mutex_unlock(&g->lock);
    return over;
}

bool engine_close(struct engine *g, int64_t deadline_ms)
{
    if (g->started && !wait_for_end(g, deadline_ms))
        return false;
    if (g->started)
        pthread_join(g->thread, NULL);
    for (struct engine_event event; (event = engine_take(g)).kind != EVENT_NONE;)
        if (event.kind == EVENT_DONE)
            job_free(event.job);
        else
            heap_free(event.order.text);
    heap_free(g->sampling_news.answer.result);
    pthread_cond_destroy(&g->work);
    pthread_cond_destroy(&g->ended);
    pthread_mutex_destroy(&g->lock);
    heap_free(g->root);
    heap_free(g);
    return true;
}
