#include "server/engine.h"

#include "server/askers.h"
#include "server/fetch.h"
#include "server/log.h"
#include "server/projects.h"
#include "server/worker_process.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* A document on its way through a parse worker and into the memory, and the job that ordered it. */
struct wait {
    struct wait *next;
    struct job *job; /* once answered as pending: a stand-in whose answer nobody gets */
    bool answered;
    struct parse_order *order;
    int64_t began_ms, progress_ms, pend_ms; /* progress_ms: when the next one is due */
    enum { WAIT_QUEUED, WAIT_PARSING, WAIT_PARSED } state;
    atomic_bool stop;
    bool is_begun; /* some of what the parse gave is stored */
    /* What the parse gave; the parsing thread's until WAIT_PARSED. */
    struct arena arena;
    struct facts facts;
    bool ok;
    struct err failure;
};

struct event {
    struct event *next;
    struct engine_event what;
};

struct engine {
    const struct config *config;
    int wake;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;  /* for the engine's thread */
    pthread_cond_t ended; /* it ended */
    bool started, settled, closing, over;
    pthread_t thread;
    struct job *jobs, **jobs_end; /* in order of arrival */
    struct job *running;
    struct job *asking;              /* wait for a model, in no order */
    struct job *heard, **heard_end;  /* these have heard it, and are to be run again */
    struct wait *waits, **waits_end; /* in order of arrival */
    size_t wait_count;
    size_t parses; /* threads */
    struct event *events, **events_end;
    size_t event_count;
    bool held;
    int64_t held_until_ms;
    char *root; /* heap; NULL: none */
    bool has_new_root;
    bool jobs_first; /* a document, or who has heard a model, had its turn */
    struct sampling_news sampling_news;

    /* The engine thread's own. */
    struct projects *projects;
    struct askers *askers;
    struct sampling *sampling; /* NULL: the client's model isn't asked */
    int64_t tend_ms;           /* when these want to be tended; INT64_MAX: behind the next job */
};

/* ---- events; the lock is held ---- */

static void wake_owner(struct engine *g)
{
    uint64_t one = 1;
    ssize_t ignored = write(g->wake, &one, sizeof one);
    (void)ignored;
}

static void add_event(struct engine *g, struct engine_event what)
{
    struct event *event = heap_alloc(1, sizeof *event);
    event->what = what;
    *g->events_end = event;
    g->events_end = &event->next;
    g->event_count++;
    wake_owner(g);
}

static void give_back(struct engine *g, struct job *job)
{
    add_event(g, (struct engine_event){.kind = EVENT_DONE, .job = job});
}

/* ---- what a job is given ---- */

static bool job_is_cancelled(void *ctx)
{
    return atomic_load(&((struct job *)ctx)->cancelled);
}

static struct services *lend_services(struct engine *g, struct job *job)
{
    struct services *services = ARENA_NEW(&job->arena, struct services);
    *services = projects_services(g->projects, &job->arena, job_is_cancelled, job);
    return services;
}

static struct request make_request(struct engine *g, struct job *job)
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

static int start_thread(pthread_t *thread, bool detached, void *(*run)(void *), void *ctx)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (detached)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int fault = pthread_create(thread, &attributes, run, ctx);
    pthread_attr_destroy(&attributes);
    return fault;
}

/* The lock is held. Without any thread the documents of the queue fail. */
static void start_parse(struct engine *g)
{
    pthread_t thread;
    if (g->parses == MAX_PARSES)
        return;
    int fault = start_thread(&thread, true, parse_all, g);
    if (fault == 0) {
        g->parses++;
        return;
    }
    log_line(LOG_WARN, "no thread for a parse: %s", strerror(fault));
    for (struct wait *w; g->parses == 0 && (w = next_to_parse(g)) != NULL; w->state = WAIT_PARSED)
        fail(&w->failure, ERR_BUSY, "the document was not parsed: no thread: %s", strerror(fault));
}

/* ---- asking models, on threads of their own ---- */

struct model_ask {
    struct asking asking;
    struct engine *engine;
    struct job *job; /* of engine->asking; its arena is the asking thread's meanwhile */
};

static bool ask_is_unwanted(const struct asking *a)
{
    return job_is_cancelled(((const struct model_ask *)a)->job);
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

static struct model_ask *make_ask(struct engine *g, struct job *job)
{
    struct model_ask *q = ARENA_NEW(&job->arena, struct model_ask);
    q->asking = (struct asking){.ask = ask_model,
                                .unwanted = ask_is_unwanted,
                                .until_ms = monotonic_ms() + model_query_budget_ms(job->models)};
    q->engine = g;
    q->job = job;
    return q;
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

static struct wait *make_wait(struct engine *g, struct job *job, struct parse_order *order)
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
static void add_wait(struct engine *g, struct wait *w)
{
    atomic_store(&w->stop, job_is_cancelled(w->job));
    if (g->wait_count++ >= MAX_WAITS) {
        w->state = WAIT_PARSED;
        fail(&w->failure, ERR_BUSY,
             "the document was not read: %d others wait already, attach it again later", MAX_WAITS);
    }
    *g->waits_end = w;
    g->waits_end = &w->next;
    start_parse(g);
}

static void run(struct engine *g, struct job *job)
{
    struct request r = make_request(g, job);
    struct parse_order *order = job_run(job, &r);
    struct wait *w = order ? make_wait(g, job, order) : NULL;
    struct model_ask *q = job_waits(job) ? make_ask(g, job) : NULL;
    pthread_mutex_lock(&g->lock);
    g->running = NULL;
    if (w) {
        add_wait(g, w);
    } else if (q) {
        job->next = g->asking;
        g->asking = job;
    } else {
        give_back(g, job);
    }
    pthread_mutex_unlock(&g->lock);
    if (q)
        askers_add(g->askers, &q->asking);
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
    if (job_is_cancelled(w->job))
        atomic_store(&w->stop, true);
    w->is_begun = true;
    w->next = NULL;
    *g->waits_end = w;
    g->waits_end = &w->next;
    g->wait_count++;
    g->jobs_first = true;
}

/* w is no longer in the list. */
static void resume(struct engine *g, struct wait *w)
{
    struct request r = make_request(g, w->job);
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
        give_back(g, w->job);
    wake_owner(g);
    pthread_mutex_unlock(&g->lock);
    if (!is_done)
        return;
    if (w->answered)
        job_free(w->job);
    heap_free(w);
}

static void pend(struct engine *g, struct wait *w)
{
    struct job *job = w->job, *stand_in = job_new(job->kind, 0, NULL, job->session);
    stand_in->tool = job->tool;
    struct request r = make_request(g, job);
    job_pend(job, &r, w->order);
    pthread_mutex_lock(&g->lock);
    w->job = stand_in;
    w->answered = true;
    g->running = NULL;
    give_back(g, job);
    pthread_mutex_unlock(&g->lock);
}

static void sample(struct engine *g, const struct sampling_news *news)
{
    struct sampling_order order = sampling_turn(g->sampling, g->projects, news, monotonic_ms());
    if (order.kind == ORDER_NONE)
        return;
    pthread_mutex_lock(&g->lock);
    add_event(g, (struct engine_event){.kind = EVENT_SAMPLING, .order = order});
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

static void due_at(struct step *step, int64_t at_ms)
{
    step->due_ms = at_ms < step->due_ms ? at_ms : step->due_ms;
}

static struct wait *take_parsed(struct engine *g)
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
        add_event(g, event);
}

/* Tells progress where it is due; the first wait that must be answered as pending. */
static struct wait *look_at_waits(struct engine *g, int64_t now_ms, struct step *step)
{
    for (struct wait *w = g->waits; w; w = w->next) {
        if (w->answered || atomic_load(&w->stop))
            continue;
        if (now_ms >= w->pend_ms)
            return w;
        due_at(step, w->pend_ms);
        if (!w->job->wants_progress)
            continue;
        if (now_ms >= w->progress_ms)
            tell_progress(g, w, now_ms);
        due_at(step, w->progress_ms);
    }
    return NULL;
}

static struct job *take_job(struct engine *g, int64_t now_ms, struct step *step)
{
    struct job *job = g->jobs;
    if (!job || g->event_count >= MAX_EVENTS_WAITING)
        return NULL;
    if (g->held && now_ms < g->held_until_ms) {
        due_at(step, g->held_until_ms);
        return NULL;
    }
    g->held = false;
    g->jobs = job->next;
    if (!g->jobs)
        g->jobs_end = &g->jobs;
    job->next = NULL;
    return job;
}

static struct job *take_heard(struct engine *g)
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

static bool take_news(struct engine *g, int64_t now_ms, struct step *step)
{
    bool idle = !g->jobs && !g->waits && !g->asking && !g->heard;
    int64_t at_ms = sampling_due_ms(g->sampling, &g->sampling_news, idle);
    if (now_ms < at_ms) {
        due_at(step, at_ms);
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
    } else if ((step.wait = look_at_waits(g, now_ms, &step)) != NULL) {
        step.kind = STEP_PEND;
        g->running = step.wait->job;
    } else if (jobs_first && (step.job = take_job(g, now_ms, &step)) != NULL) {
        step.kind = STEP_RUN;
        g->running = step.job;
    } else if ((step.wait = take_parsed(g)) != NULL) {
        step.kind = STEP_RESUME;
        g->running = step.wait->job;
    } else if ((step.job = take_heard(g)) != NULL ||
               (step.job = take_job(g, now_ms, &step)) != NULL) {
        step.kind = STEP_RUN;
        g->running = step.job;
    } else if (take_news(g, now_ms, &step)) {
        step.kind = STEP_SAMPLE;
    } else if (g->closing && !g->waits && !g->parses && !g->asking && !g->heard) {
        step.kind = STEP_END;
    } else if (now_ms >= g->tend_ms) {
        step.kind = STEP_TEND;
    } else {
        due_at(&step, g->tend_ms);
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
            resume(g, step.wait);
        else if (step.kind == STEP_PEND)
            pend(g, step.wait);
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
    int fault = start_thread(&g->thread, false, run_engine, g);
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
        give_back(g, job);
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

/* The lock is held. Calls that wait for a model or have heard it; number 0: all. */
static void take_back(struct job *list, uint64_t number)
{
    for (struct job *job = list; job; job = job->next)
        if (!number || job->number == number)
            atomic_store(&job->cancelled, true);
}

void engine_cancel(struct engine *g, uint64_t number)
{
    pthread_mutex_lock(&g->lock);
    struct job *queued = take_queued(g, number);
    if (queued)
        give_back(g, queued);
    if (g->running && g->running->number == number)
        atomic_store(&g->running->cancelled, true);
    take_back(g->asking, number);
    take_back(g->heard, number);
    for (struct wait *w = g->waits; w; w = w->next)
        if (w->job->number == number) {
            atomic_store(&w->stop, true);
            atomic_store(&w->job->cancelled, true);
        }
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
        give_back(g, job);
    }
    g->jobs_end = &g->jobs;
    g->sampling_news.offered = false;
    pthread_cond_signal(&g->work);
    if (g->running)
        atomic_store(&g->running->cancelled, true);
    take_back(g->asking, 0);
    take_back(g->heard, 0);
    for (struct wait *w = g->waits; w; w = w->next)
        atomic_store(&w->stop, true);
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
