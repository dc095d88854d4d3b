#include "server/worker_process.h"

#include "server/config.h"
#include "server/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ASK_MS = 100,    /* how often `cancelled` is asked */
    GRACE_MS = 1000, /* for a worker that has answered or hung up to end by itself */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t fewer;
    struct worker_process *first;
} running = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

static const struct {
    const char *word; /* of engram-worker */
    bool stays;
} kinds[] = {[WORKER_PARSE] = {"parse", false}, [WORKER_HTTP] = {"http", true}};

/* ---- starting ---- */

/* Descriptors: nothing in or out but stderr and the socket. Signals as if freshly logged in. A
 * group of its own, so that a worker's own children end with it. */
static int spawn(struct arena *a, const char *path, const char *word, int socket, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    /* The socket first: its number may be 0 or 1. */
    posix_spawn_file_actions_adddup2(&files, socket, WORKER_SOCKET);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
#ifdef __GLIBC__ /* ours have O_CLOEXEC; a library's may not */
    posix_spawn_file_actions_addclosefrom_np(&files, WORKER_SOCKET + 1);
#endif
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);

    char *const arguments[] = {arena_cstr(a, str_of(path)), arena_cstr(a, str_of(word)), NULL};
    int fault = posix_spawn(pid, path, &files, &attributes, arguments, spawn_environment(a, NULL));
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return fault;
}

static bool start(struct arena *a, struct worker_process *w, enum worker_kind kind, struct err *e)
{
    str path;
    int pair[2];
    *w = (struct worker_process){.stays = kinds[kind].stays};
    if (!spawn_worker_path(a, &path, e))
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return fail(e, ERR_IO, "no socket for a worker: %s", strerror(errno));
    pthread_mutex_lock(&running.lock);
    int fault = spawn(a, path.at, kinds[kind].word, pair[1], &w->pid);
    if (!fault) {
        w->next = running.first;
        running.first = w;
    }
    pthread_mutex_unlock(&running.lock);
    close(pair[1]);
    w->socket = pair[0];
    if (!fault)
        return true;
    close(pair[0]);
    return fail(e, ERR_IO, "%.*s can't be started: %s", FMT(path), strerror(fault));
}

bool worker_start(struct worker_process *w, enum worker_kind kind, struct err *e)
{
    struct arena scratch = {0};
    bool ok = start(&scratch, w, kind, e);
    arena_free(&scratch);
    return ok;
}

/* ---- ending ---- */

/* The lock is held, w is in the list. */
static void leave_list(struct worker_process *w)
{
    struct worker_process **at = &running.first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    pthread_cond_broadcast(&running.fewer);
}

/* Takes w's end if it has come: true, with waitpid's status. Someone else's waitpid may have had
 * it: -1. */
static bool reap(struct worker_process *w, int *status)
{
    pthread_mutex_lock(&running.lock);
    pid_t done;
    do
        done = waitpid(w->pid, status, WNOHANG);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        *status = -1;
    if (done != 0)
        leave_list(w);
    pthread_mutex_unlock(&running.lock);
    return done != 0;
}

/* Closes the socket, which ends a sound worker. */
struct worker_end worker_end(struct worker_process *w, enum talk_outcome outcome)
{
    bool may_finish = outcome == TALK_ANSWERED || outcome == TALK_HUNG_UP;
    int64_t until = monotonic_ms() + (may_finish ? GRACE_MS : 0);
    struct worker_end end = {.outcome = outcome};
    close(w->socket);
    while (!reap(w, &end.status)) {
        if (!end.killed && monotonic_ms() >= until) {
            kill(-w->pid, SIGKILL); /* not yet reaped, so the number is still its own */
            end.killed = true;
        }
        sleep_for_ms(1);
    }
    end.stopped = w->stopped;
    return end;
}

/* The lock is held. */
static bool is_one_waited_for(void)
{
    struct worker_process *w = running.first;
    while (w && w->stays)
        w = w->next;
    return w != NULL;
}

void workers_stop(void)
{
    int64_t until_ms = monotonic_ms() + GRACE_MS;
    struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    pthread_mutex_lock(&running.lock);
    for (struct worker_process *w = running.first; w; w = w->next) {
        w->stopped = true;
        kill(-w->pid, SIGKILL);
    }
    while (is_one_waited_for() && pthread_cond_clockwait(&running.fewer, &running.lock,
                                                         CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        continue;
    pthread_mutex_unlock(&running.lock);
}

/* ---- talking ---- */

/* Waits until the socket is ready for `events`, at most ASK_MS: TALK_ANSWERED where it may be. */
static enum talk_outcome await(int socket, short events, const struct talk *t)
{
    int64_t left = t->until_ms - monotonic_ms();
    if (t->cancelled && t->cancelled(t->ctx))
        return TALK_TAKEN_BACK;
    if (left <= 0)
        return TALK_TOO_LATE;
    struct pollfd ready = {.fd = socket, .events = events};
    poll(&ready, 1, left < ASK_MS ? (int)left : ASK_MS);
    return TALK_ANSWERED;
}

/* What send or recv gave: how many bytes went, or why none ever will. */
static bool is_over(ssize_t n)
{
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

/* TALK_ANSWERED when all bytes are there. */
static enum talk_outcome receive(int socket, const struct talk *t, char *to, size_t bytes)
{
    while (bytes) {
        enum talk_outcome outcome = await(socket, POLLIN, t);
        ssize_t n = outcome == TALK_ANSWERED ? recv(socket, to, bytes, MSG_DONTWAIT) : 0;
        if (outcome != TALK_ANSWERED || is_over(n))
            return outcome != TALK_ANSWERED ? outcome : TALK_HUNG_UP;
        to += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return TALK_ANSWERED;
}

enum talk_outcome worker_send(struct worker_process *w, const struct talk *t, str bytes)
{
    while (bytes.len) {
        enum talk_outcome outcome = await(w->socket, POLLOUT, t);
        ssize_t n = outcome == TALK_ANSWERED
                        ? send(w->socket, bytes.at, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL)
                        : 0;
        if (outcome != TALK_ANSWERED || is_over(n))
            return outcome != TALK_ANSWERED ? outcome : TALK_HUNG_UP;
        bytes = str_cut(bytes, n > 0 ? (size_t)n : 0, bytes.len);
    }
    return TALK_ANSWERED;
}

enum talk_outcome worker_receive(struct arena *a, struct worker_process *w, const struct talk *t,
                                 struct reply_header *header, str *reply)
{
    char head[WIRE_HEADER_BYTES];
    enum talk_outcome outcome = receive(w->socket, t, head, sizeof head);
    if (outcome != TALK_ANSWERED)
        return outcome;
    if (!wire_read_reply(head, t->max_bytes, header))
        return TALK_GARBLED;
    char *bytes = arena_bytes(a, header->length);
    *reply = str_from(bytes, header->length);
    return receive(w->socket, t, bytes, header->length);
}

/* ---- judging ---- */

/* By itself, or by a signal of somebody else's. */
static bool explain_status(int status, str name, bool *strike, struct err *e)
{
    int number = status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    *strike = number ? number != SIGKILL : code == WORKER_NO_MEMORY || code == 1;
    if (number == SIGXCPU)
        return fail(e, ERR_LIMIT, "'%.*s' takes too long to read", FMT(name));
    if (number == SIGKILL)
        return fail(e, ERR_IO, "the parse worker was killed while it read '%.*s'", FMT(name));
    if (number)
        return fail(e, ERR_IO, "the parser crashed on '%.*s' (signal %d, %s)", FMT(name), number,
                    strsignal(number));
    if (code == WORKER_NO_MEMORY)
        return fail(e, ERR_LIMIT, "'%.*s' takes too much memory to read", FMT(name));
    return fail(e, ERR_IO, "the parse worker gave no answer on '%.*s' (exit code %d)", FMT(name),
                code);
}

bool worker_explain(const struct worker_end *end, str name, int64_t deadline_ms, bool *strike,
                    struct err *e)
{
    enum talk_outcome outcome = end->outcome;
    *strike = false;
    if (end->stopped || outcome == TALK_TAKEN_BACK)
        return fail(e, ERR_CANCELLED, "'%.*s' was not read: the call was taken back", FMT(name));
    if (outcome == TALK_HUNG_UP && !end->killed)
        return explain_status(end->status, name, strike, e);
    *strike = true;
    if (outcome == TALK_TOO_LATE)
        return fail(e, ERR_LIMIT, "'%.*s' takes longer than %lld ms to read", FMT(name),
                    (long long)deadline_ms);
    return fail(e, ERR_IO, "the parse worker gave no sound answer on '%.*s'", FMT(name));
}
