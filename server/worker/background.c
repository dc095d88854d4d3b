#include "server/worker/background.h"

#include "memory/memory_vectors.h"
#include "server/background.h"
#include "server/config.h"
#include "server/confine.h"
#include "server/parse_wire.h"
#include "server/worker/background_index.h"
#include "server/worker/background_models.h"
#include "server/worker/background_sleep.h"
#include "server/worker/background_tend.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct background_work {
    struct arena arena;
    struct config config;
    str directory;
    int servers_fd, election_fd;
    struct encoder *encoder; /* NULL: nothing is encoded */
    struct memory *memory;
    struct background_index *index; /* NULL: ENGRAM_INDEX=off */
    int64_t encode_at_ms;           /* not before, while an index runs */
    struct background_sleep sleep;
    struct background_tend tend;
    struct background_models *models; /* NULL: none are set up */
};

/* ---- being asked to end ---- */

static atomic_bool stopping;
static sem_t wake;

static void ask_to_stop(int signal)
{
    (void)signal;
    atomic_store(&stopping, true);
    sem_post(&wake);
}

static void wake_up(void)
{
    sem_post(&wake);
}

static bool is_stopping(void *ctx)
{
    (void)ctx;
    return atomic_load(&stopping);
}

/* Gives the lock back at once: a server that comes now must not wait for it. */
static void *watch_servers(void *ctx)
{
    int fd = *(int *)ctx;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    flock(fd, LOCK_UN);
    ask_to_stop(0);
    return NULL;
}

static bool start_watching(struct background_work *w)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = ask_to_stop};
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    sem_init(&wake, 0, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return pthread_create(&thread, NULL, watch_servers, &w->servers_fd) == 0 &&
           pthread_detach(thread) == 0;
}

static void rest(int64_t due_ms)
{
    int64_t until_ms = monotonic_ms() + IDLE_MS;
    until_ms = due_ms < until_ms ? due_ms : until_ms;
    struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    while (sem_clockwait(&wake, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR)
        continue;
}

/* ---- working ---- */

struct encoding {
    struct encoder *encoder;
    struct arena *arena;
    struct text_batch *batch;
};

static void *encode(void *ctx)
{
    struct encoding *g = ctx;
    int niceness =
        nice(BACKGROUND_NICENESS); /* of this thread; without it, it is only less polite */
    (void)niceness;
    memory_encode_texts(g->encoder, g->arena, g->batch, is_stopping, NULL);
    return NULL;
}

/* Threads keep their niceness, so each batch has one. */
static bool encode_nicely(struct background_work *w, struct arena *a, struct text_batch *batch,
                          struct err *e)
{
    struct encoding g = {w->encoder, a, batch};
    pthread_t thread;
    int fault = pthread_create(&thread, NULL, encode, &g);
    if (fault)
        return fail(e, ERR_BUSY, "no thread: %s", strerror(fault));
    pthread_join(thread, NULL);
    return true;
}

/* What is encoded is worth another try while a writer is slow. */
static bool put(struct background_work *w, const struct text_batch *batch, struct err *e)
{
    bool ok;
    do {
        *e = (struct err){0};
        ok = memory_put_vectors(w->memory, batch, e);
    } while (!ok && e->code == ERR_BUSY && !is_stopping(NULL));
    return ok;
}

static bool encode_some(struct background_work *w, size_t *done, struct err *e)
{
    struct arena a = {0};
    struct text_batch batch;
    *done = 0;
    if (!w->encoder)
        return true;
    bool ok = memory_pending_texts(w->memory, &a, w->encoder, &batch, e) &&
              (!batch.text_count || (encode_nicely(w, &a, &batch, e) && put(w, &batch, e)));
    *done = ok ? batch.encoded : 0;
    arena_free(&a);
    return ok;
}

/* While an index runs, encoding takes as long as it then pauses: neither waits for the other's end.
 * What fails here is met again when the run is over. */
static void encode_between(void *ctx)
{
    struct background_work *w = ctx;
    struct err ignored = {0};
    size_t done;
    int64_t began_ms = monotonic_ms();
    if (began_ms < w->encode_at_ms || is_stopping(NULL))
        return;
    encode_some(w, &done, &ignored);
    int64_t ended_ms = monotonic_ms();
    w->encode_at_ms = ended_ms + (ended_ms - began_ms);
}

/* false where it can't go on: the next call of a server starts another one, which sees for itself.
 */
static bool work_until_stopped(struct background_work *w)
{
    while (!is_stopping(NULL)) {
        struct err e = {0};
        size_t done = 0;
        if (!memory_documents_tidy(w->memory, config_now_ms(&w->config), &e) && e.code != ERR_BUSY)
            return false;
        e = (struct err){0};
        bool has_asked = background_models_some(w->models, w->memory);
        bool has_indexed = w->index && background_index_some(w->index, w->memory);
        if (!is_stopping(NULL) && !encode_some(w, &done, &e) && e.code != ERR_BUSY)
            return false;
        /* Behind the encoder, whose vectors tell what belongs together. */
        bool has_slept = !done && !has_indexed && !is_stopping(NULL) &&
                         background_sleep_some(&w->sleep, w->memory);
        bool has_tended = !done && !has_indexed && !has_slept && !is_stopping(NULL) &&
                          background_tend_some(&w->tend, w->memory);
        if (!done && !has_asked && !has_indexed && !has_slept && !has_tended)
            rest(background_models_due_ms(w->models));
    }
    return true;
}

/* ---- opening ---- */

static int64_t clock_of_memory(void *ctx)
{
    (void)ctx;
    return monotonic_ms();
}

static void sleep_of_memory(void *ctx, int64_t ms)
{
    (void)ctx;
    sleep_for_ms(ms);
}

static bool open_memory(struct background_work *w)
{
    struct err ignored = {0};
    struct memory_options options = {.directory = w->directory,
                                     .write_deadline_ms = BACKGROUND_WRITE_MS,
                                     .usage = w->config.usage,
                                     .models = background_models_set(w->models),
                                     .monotonic_ms = clock_of_memory,
                                     .sleep_ms = sleep_of_memory};
    return memory_open(&options, &w->memory, &ignored);
}

/* In the process that stays. */
static int run(struct background_work *w)
{
    umask(077);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    bool ok = start_watching(w) && open_memory(w) && work_until_stopped(w);
    background_index_close(w->index);
    background_models_close(w->models);
    memory_close(w->memory);
    memory_close_encoder(w->encoder);
    arena_free(&w->arena);
    return ok ? WORKER_DONE : WORKER_SETUP;
}

/* What the starter knows of keys beyond the user's file. One that was started by hand was handed
 * nothing. */
static bool take_keys(struct background_work *w)
{
    struct stat info;
    struct err ignored = {0};
    str lines = S("");
    if (fstat(BACKGROUND_KEYS, &info) != 0 || !S_ISREG(info.st_mode))
        return true;
    bool ok = read_fd(&w->arena, BACKGROUND_KEYS, MAX_BACKGROUND_KEYS, &lines, &ignored) &&
              config_add_secrets(&w->arena, &w->config, lines, &ignored);
    close(BACKGROUND_KEYS);
    return ok;
}

static bool has_work(struct background_work *w)
{
    struct err ignored = {0};
    if (!config_load(&w->arena, &w->config, &ignored) || !take_keys(w))
        return false;
    config_hide_secrets(&w->config);
    w->models = background_models_open(&w->config, is_stopping, wake_up);
    if (w->config.encoder && !background_models_embed(w->models) && memory_encoder_is_installed())
        memory_open_encoder(&w->encoder, &ignored);
    if (w->config.index)
        w->index = background_index_open(&w->config, w->directory, is_stopping, encode_between, w);
    w->sleep = (struct background_sleep){.config = &w->config, .stopped = is_stopping};
    w->tend = (struct background_tend){.config = &w->config, .stopped = is_stopping};
    return w->encoder || w->index || w->models || w->config.consolidate;
}

static bool open_locks(struct background_work *w)
{
    struct err ignored = {0};
    w->servers_fd = background_open_lock(w->directory, SERVERS_LOCK, &ignored);
    w->election_fd = background_open_lock(w->directory, BACKGROUND_LOCK, &ignored);
    return w->servers_fd >= 0 && w->election_fd >= 0;
}

int worker_background(char **operands)
{
    static struct background_work w; /* of the process; the fork has it, too */
    w.directory = str_of(operands[0]);
    /* Before the lock is taken: who sees it held sees a process that keeps no folder. */
    if (chdir("/") != 0 || !has_work(&w) || !open_locks(&w))
        return WORKER_SETUP;
    if (!background_elect(w.election_fd))
        return WORKER_DONE;
    pid_t child = fork(); /* the lock goes along; nothing is open yet that a fork would harm */
    if (child != 0)
        _exit(child > 0 ? WORKER_DONE : WORKER_SETUP);
    return run(&w);
}
