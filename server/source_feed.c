#include "server/source_feed.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/worker_process.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_JOB_FILES = 32,
    MAX_JOB_FILE_BYTES = 1 << 20, /* small jobs, so that the lanes end together */
    ENOUGH_BYTES = 4 << 20,       /* are taken at once */
    LOOK_MS = 100,                /* how often who waits asks whether it is over */
    MAX_NAME_SHOWN = 80,
};

struct source_feed {
    struct source_feed_options options;
    const struct source_order *orders;
    size_t count;
    pthread_t threads[MAX_FEED_LANES];
    int thread_count;

    pthread_mutex_t lock;           /* guards what follows */
    pthread_cond_t news;            /* a result became ready or was taken; a lane failed */
    struct source_result **results; /* count; NULL: not ready, or taken */
    size_t ordered;                 /* orders below it are some lane's */
    size_t taken;                   /* results below it were taken */
    size_t frontier; /* results below it are ready: whoever reads this one never waits */
    size_t held_bytes;
    bool closing;
    struct err failure; /* of a lane */
};

/* A thread and its worker. */
struct lane {
    struct source_feed *feed;
    struct worker_process worker;
    bool has_worker;
    int barren_starts, kills; /* the kills over the file that is under way */
};

static bool is_over(void *ctx)
{
    struct source_feed *f = ctx;
    pthread_mutex_lock(&f->lock);
    bool over = f->closing || f->failure.code;
    pthread_mutex_unlock(&f->lock);
    return over || (f->options.stopped && f->options.stopped(f->options.ctx));
}

/* The lock is held. */
static void wait_for_news(struct source_feed *f)
{
    int64_t until_ms = monotonic_ms() + LOOK_MS;
    struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    pthread_cond_clockwait(&f->news, &f->lock, CLOCK_MONOTONIC, &until);
}

/* ---- a lane's work ---- */

/* Small enough for one job. false where nothing is left. */
static bool take_orders(struct source_feed *f, size_t *from, size_t *to)
{
    uint64_t file_bytes = 0;
    size_t list_bytes = 4;
    pthread_mutex_lock(&f->lock);
    *from = *to = f->ordered;
    while (*to < f->count && *to - *from < MAX_JOB_FILES) {
        const struct source_order *order = &f->orders[*to];
        file_bytes += order->bytes;
        list_bytes += 8 + order->path.len + order->known.len;
        if (*to > *from && (file_bytes > MAX_JOB_FILE_BYTES || list_bytes > MAX_JOB_LIST_BYTES))
            break;
        ++*to;
    }
    f->ordered = *to;
    pthread_mutex_unlock(&f->lock);
    return *to > *from;
}

static void wait_for_room(struct source_feed *f, size_t at)
{
    bool wait = true;
    while (wait && !is_over(f)) {
        pthread_mutex_lock(&f->lock);
        wait = f->held_bytes >= MAX_FEED_BYTES && at != f->frontier;
        if (wait)
            wait_for_news(f);
        pthread_mutex_unlock(&f->lock);
    }
}

static size_t size_of(const struct source_result *r)
{
    return sizeof *r + arena_held_bytes(&r->arena);
}

static void deliver(struct source_feed *f, size_t at, struct source_result *result)
{
    pthread_mutex_lock(&f->lock);
    f->results[at] = result;
    f->held_bytes += size_of(result);
    while (f->frontier < f->count && f->results[f->frontier])
        f->frontier++;
    pthread_cond_broadcast(&f->news);
    pthread_mutex_unlock(&f->lock);
}

static void give_up(struct source_feed *f, const struct err *why)
{
    pthread_mutex_lock(&f->lock);
    if (!f->failure.code)
        f->failure = *why;
    pthread_cond_broadcast(&f->news);
    pthread_mutex_unlock(&f->lock);
}

static void send_orders(struct lane *l, size_t from, size_t to)
{
    const struct source_order *orders = l->feed->orders;
    struct wire_source sources[MAX_JOB_FILES];
    struct buf list = {0};
    for (size_t i = from; i < to; i++)
        sources[i - from] = (struct wire_source){orders[i].path, orders[i].known};
    wire_write_sources(&list, sources, to - from);
    struct parse_job job = {PARSE_SOURCES, buf_str(&list), l->feed->options.root};
    wire_send_job(l->worker.socket, &job);
    buf_free(&list);
}

/* Is it what a worker can say of this order? */
static bool read_result(struct source_result *r, str reply, const struct source_order *order)
{
    struct err ignored = {0};
    return source_file_read(&r->arena, reply, &r->file, &ignored) &&
           str_eq(r->file.path, order->path) && (!r->file.known || order->known.len);
}

/* The reply on one file. *blob: what the worker told of it before it parsed. */
static enum talk_outcome receive_result(struct lane *l, const struct source_order *order,
                                        struct source_result *r, str *blob)
{
    struct talk talk = {monotonic_ms() + l->feed->options.deadline_ms, MAX_SOURCE_FACTS_BYTES,
                        is_over, l->feed};
    struct reply_header header;
    str reply;
    enum talk_outcome outcome = worker_receive(&r->arena, &l->worker, &talk, &header, &reply);
    if (outcome == TALK_ANSWERED && header.status == REPLY_BEGUN) {
        *blob = utf8_valid(reply) ? reply : S("");
        outcome = worker_receive(&r->arena, &l->worker, &talk, &header, &reply);
    }
    if (outcome != TALK_ANSWERED)
        return outcome;
    return header.status == ERR_NONE && read_result(r, reply, order) ? TALK_ANSWERED : TALK_GARBLED;
}

/* The worker is no more. true: the file was at fault, or is given up; r tells so. */
static bool judge(struct lane *l, const struct worker_end *end, const struct source_order *order,
                  str blob, struct source_result *r)
{
    struct arena scratch = {0};
    str shown = unicode_visible(&scratch, utf8_prefix(order->path, MAX_NAME_SHOWN));
    worker_explain(end, utf8_prefix(shown, MAX_NAME_SHOWN), l->feed->options.deadline_ms,
                   &r->strike, &r->fault);
    arena_free(&scratch);
    r->file = (struct source_file){.path = order->path, .blob = arena_str(&r->arena, blob)};
    l->kills += !r->strike && blob.len;
    return r->strike || l->kills >= MAX_FEED_KILLS;
}

/* One file. false: its worker ended, and not by its fault. */
static bool read_one(struct lane *l, size_t at)
{
    struct source_feed *f = l->feed;
    struct source_result *result = heap_alloc(1, sizeof *result);
    str blob = S("");
    wait_for_room(f, at);
    enum talk_outcome outcome = receive_result(l, &f->orders[at], result, &blob);
    bool is_told = outcome == TALK_ANSWERED;
    if (is_told) {
        l->barren_starts = 0;
    } else {
        struct worker_end end = worker_end(&l->worker, outcome);
        l->has_worker = false;
        is_told = judge(l, &end, &f->orders[at], blob, result) && !is_over(f);
    }
    if (is_told) {
        l->kills = 0;
        deliver(f, at, result);
    } else {
        source_result_free(result);
    }
    return is_told;
}

static bool have_worker(struct lane *l, struct err *e)
{
    if (!l->has_worker && l->barren_starts++ == MAX_BARREN_STARTS)
        return fail(e, ERR_IO, "%d parse workers in a row ended without an answer",
                    MAX_BARREN_STARTS);
    l->has_worker = l->has_worker || worker_start(&l->worker, WORKER_PARSE, e);
    return l->has_worker;
}

static bool read_orders(struct lane *l, size_t from, size_t to, struct err *e)
{
    while (from < to && !is_over(l->feed)) {
        if (!have_worker(l, e))
            return false;
        send_orders(l, from, to); /* one that is gone already is noticed when it doesn't answer */
        while (from < to && l->has_worker && !is_over(l->feed))
            from += read_one(l, from);
    }
    return true;
}

static void *run_lane(void *ctx)
{
    struct lane l = {.feed = ctx};
    struct err e = {0};
    size_t from, to;
    int niceness = nice(l.feed->options.niceness); /* of this thread, and so of its workers */
    (void)niceness;
    bool ok = true;
    while (ok && !is_over(l.feed) && take_orders(l.feed, &from, &to))
        ok = read_orders(&l, from, to, &e);
    if (!ok)
        give_up(l.feed, &e);
    if (l.has_worker)
        worker_end(&l.worker, is_over(l.feed) ? TALK_TAKEN_BACK : TALK_ANSWERED);
    return NULL;
}

/* ---- for the owner ---- */

void source_result_free(struct source_result *r)
{
    if (r)
        arena_free(&r->arena);
    heap_free(r);
}

struct source_feed *source_feed_open(const struct source_feed_options *options,
                                     const struct source_order *orders, size_t count)
{
    struct source_feed *f = heap_alloc(1, sizeof *f);
    f->options = *options;
    f->orders = orders;
    f->count = count;
    f->results = heap_alloc(count, sizeof *f->results);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->news, NULL);
    while (f->thread_count < options->lanes &&
           pthread_create(&f->threads[f->thread_count], NULL, run_lane, f) == 0)
        f->thread_count++;
    return f;
}

/* The lock is held. */
static size_t ready_count(const struct source_feed *f, size_t most)
{
    size_t count = 0, bytes = 0;
    while (count < most && f->taken + count < f->frontier && bytes < ENOUGH_BYTES)
        bytes += size_of(f->results[f->taken + count++]);
    bool enough = count == most || f->taken + count == f->count || bytes >= ENOUGH_BYTES;
    return enough ? count : 0;
}

size_t source_feed_take(struct source_feed *f, struct source_result **out, size_t most,
                        struct err *e)
{
    size_t count = 0;
    if (!f->thread_count)
        return fail(e, ERR_BUSY, "no thread for a parse worker");
    while (f->taken < f->count && !count && !is_over(f)) {
        pthread_mutex_lock(&f->lock);
        count = ready_count(f, most);
        for (size_t i = 0; i < count; i++) {
            out[i] = f->results[f->taken];
            f->results[f->taken++] = NULL;
            f->held_bytes -= size_of(out[i]);
        }
        if (count)
            pthread_cond_broadcast(&f->news);
        else
            wait_for_news(f);
        pthread_mutex_unlock(&f->lock);
    }
    if (!count && f->taken < f->count)
        fail(e, f->failure.code ? f->failure.code : ERR_CANCELLED, "%s",
             f->failure.code ? f->failure.text : "the reading of sources was stopped");
    return count;
}

void source_feed_close(struct source_feed *f)
{
    pthread_mutex_lock(&f->lock);
    f->closing = true;
    pthread_cond_broadcast(&f->news);
    pthread_mutex_unlock(&f->lock);
    for (int i = 0; i < f->thread_count; i++)
        pthread_join(f->threads[i], NULL);
    for (size_t i = 0; i < f->count; i++)
        source_result_free(f->results[i]);
    pthread_cond_destroy(&f->news);
    pthread_mutex_destroy(&f->lock);
    heap_free(f->results);
    heap_free(f);
}
