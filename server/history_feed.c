#include "server/history_feed.h"

#include "server/config.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 100 /* how often who waits asks whether it is over */ };

struct history_feed {
    struct history_feed_options options;
    struct arena arena;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t news;
    struct history_reply *first, *last;
    size_t held_bytes;
    bool closing, ended; /* by the owner; by the thread, which then has told the next two */
    struct worker_end end;
    struct err failure; /* no worker could be started */
};

static bool is_over(void *ctx)
{
    struct history_feed *f = ctx;
    pthread_mutex_lock(&f->lock);
    bool over = f->closing;
    pthread_mutex_unlock(&f->lock);
    return over || (f->options.stopped && f->options.stopped(f->options.ctx));
}

/* The lock is held. */
static void wait_for_news(struct history_feed *f)
{
    int64_t until_ms = monotonic_ms() + LOOK_MS;
    struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    pthread_cond_clockwait(&f->news, &f->lock, CLOCK_MONOTONIC, &until);
}

static size_t size_of(const struct history_reply *r)
{
    return sizeof *r + arena_held_bytes(&r->arena);
}

void history_reply_free(struct history_reply *r)
{
    if (r)
        arena_free(&r->arena);
    heap_free(r);
}

/* ---- the thread ---- */

/* false where it is over. */
static bool wait_for_room(struct history_feed *f)
{
    bool wait = true, over = false;
    while (wait && !(over = is_over(f))) {
        pthread_mutex_lock(&f->lock);
        wait = f->held_bytes >= MAX_HISTORY_AHEAD;
        if (wait)
            wait_for_news(f);
        pthread_mutex_unlock(&f->lock);
    }
    return !over;
}

static void deliver(struct history_feed *f, struct history_reply *r)
{
    pthread_mutex_lock(&f->lock);
    *(f->first ? &f->last->next : &f->first) = r;
    f->last = r;
    f->held_bytes += size_of(r);
    pthread_cond_broadcast(&f->news);
    pthread_mutex_unlock(&f->lock);
}

/* *more: the worker has announced further ones. */
static enum talk_outcome receive(struct history_feed *f, struct worker_process *w, bool *more)
{
    *more = false;
    if (!wait_for_room(f))
        return TALK_TAKEN_BACK;
    struct talk talk = {monotonic_ms() + HISTORY_DEADLINE_MS, MAX_HISTORY_BYTES, is_over, f};
    struct history_reply *r = heap_alloc(1, sizeof *r);
    enum talk_outcome outcome = worker_receive(&r->arena, w, &talk, &r->header, &r->bytes);
    if (outcome == TALK_ANSWERED) {
        *more = r->header.status == REPLY_MORE;
        deliver(f, r);
    } else {
        history_reply_free(r);
    }
    return outcome;
}

static void *run(void *ctx)
{
    struct history_feed *f = ctx;
    struct worker_process w;
    struct worker_end end = {0};
    struct err failure = {0};
    int niceness = nice(f->options.niceness); /* of this thread, and so of its worker */
    (void)niceness;
    if (worker_start(&w, WORKER_PARSE, &failure)) {
        struct parse_job job = {PARSE_HISTORY, f->options.ask, f->options.known};
        bool more = wire_send_job(w.socket, &job);
        enum talk_outcome outcome = TALK_HUNG_UP;
        while (more)
            outcome = receive(f, &w, &more);
        end = worker_end(&w, outcome);
    }
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    f->end = end;
    f->failure = failure;
    pthread_cond_broadcast(&f->news);
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* ---- for the owner ---- */

struct history_feed *history_feed_open(const struct history_feed_options *options)
{
    struct history_feed *f = heap_alloc(1, sizeof *f);
    f->options = *options;
    f->options.ask = arena_str(&f->arena, options->ask);
    f->options.known = fcntl(options->known, F_DUPFD_CLOEXEC, 0);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->news, NULL);
    f->has_thread = pthread_create(&f->thread, NULL, run, f) == 0;
    if (!f->has_thread) {
        f->ended = true;
        fail(&f->failure, ERR_BUSY, "no thread for a parse worker");
    }
    return f;
}

struct history_reply *history_feed_take(struct history_feed *f)
{
    pthread_mutex_lock(&f->lock);
    while (!f->first && !f->ended)
        wait_for_news(f);
    struct history_reply *r = f->first;
    if (r) {
        f->first = r->next;
        f->held_bytes -= size_of(r);
        pthread_cond_broadcast(&f->news);
    }
    pthread_mutex_unlock(&f->lock);
    return r;
}

bool history_feed_close(struct history_feed *f, struct worker_end *end, struct err *e)
{
    pthread_mutex_lock(&f->lock);
    f->closing = true;
    pthread_cond_broadcast(&f->news);
    pthread_mutex_unlock(&f->lock);
    if (f->has_thread)
        pthread_join(f->thread, NULL);
    for (struct history_reply *r = f->first, *next; r; r = next) {
        next = r->next;
        history_reply_free(r);
    }
    bool ok = !f->failure.code;
    *end = f->end;
    if (!ok && !e->code)
        *e = f->failure;
    pthread_cond_destroy(&f->news);
    pthread_mutex_destroy(&f->lock);
    if (f->options.known >= 0)
        close(f->options.known);
    arena_free(&f->arena);
    heap_free(f);
    return ok;
}
