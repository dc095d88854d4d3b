#include "server/parse.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/parse_wire.h"
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
    MAX_NAME_SHOWN = 80,
};

/* One running worker. Between its start and its reaping it is in the list, so that parse_stop never
 * signals a stranger. */
struct worker {
    struct worker *next;
    pid_t pid; /* also its process group */
    int socket;
    bool stopped; /* by parse_stop */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t fewer;
    struct worker *first;
} running = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

/* ---- starting ---- */

/* Descriptors: nothing in or out but stderr and the socket. Signals as if freshly logged in. A
 * group of its own, so that a worker's own children end with it. */
static int spawn(struct arena *a, const char *path, int socket, pid_t *pid)
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

    char *const arguments[] = {arena_cstr(a, str_of(path)), arena_cstr(a, S("parse")), NULL};
    int fault = posix_spawn(pid, path, &files, &attributes, arguments, spawn_environment(a, NULL));
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return fault;
}

static bool start(struct arena *a, struct worker *w, struct err *e)
{
    str path;
    int pair[2];
    if (!spawn_worker_path(a, &path, e))
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return fail(e, ERR_IO, "no socket for a parse worker: %s", strerror(errno));
    pthread_mutex_lock(&running.lock);
    int fault = spawn(a, path.at, pair[1], &w->pid);
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

/* ---- ending ---- */

/* The lock is held, w is in the list. */
static void leave_list(struct worker *w)
{
    struct worker **at = &running.first;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    pthread_cond_broadcast(&running.fewer);
}

/* Takes w's end if it has come: true, with waitpid's status. Someone else's waitpid may have had
 * it: -1. */
static bool reap(struct worker *w, int *status)
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

/* Closes the socket, which ends a sound worker, and kills it after grace_ms. *killed: by us. */
static int end(struct worker *w, int64_t grace_ms, bool *killed)
{
    int64_t until = monotonic_ms() + grace_ms;
    int status;
    close(w->socket);
    *killed = false;
    while (!reap(w, &status)) {
        if (!*killed && monotonic_ms() >= until) {
            kill(-w->pid, SIGKILL); /* not yet reaped, so the number is still its own */
            *killed = true;
        }
        sleep_for_ms(1);
    }
    *killed |= w->stopped;
    return status;
}

void parse_stop(void)
{
    int64_t until_ms = monotonic_ms() + GRACE_MS;
    struct timespec until = {until_ms / 1000, until_ms % 1000 * 1000000};
    pthread_mutex_lock(&running.lock);
    for (struct worker *w = running.first; w; w = w->next) {
        w->stopped = true;
        kill(-w->pid, SIGKILL);
    }
    while (running.first && pthread_cond_clockwait(&running.fewer, &running.lock, CLOCK_MONOTONIC,
                                                   &until) != ETIMEDOUT)
        continue;
    pthread_mutex_unlock(&running.lock);
}

/* ---- talking ---- */

enum outcome { ANSWERED, HUNG_UP, GARBLED, TOO_LATE, TAKEN_BACK };

struct talk {
    int socket;
    int64_t until_ms;
    bool (*cancelled)(void *);
    void *ctx;
};

/* ANSWERED when all bytes are there. */
static enum outcome receive(const struct talk *t, char *to, size_t bytes)
{
    while (bytes) {
        int64_t left = t->until_ms - monotonic_ms();
        if (t->cancelled && t->cancelled(t->ctx))
            return TAKEN_BACK;
        if (left <= 0)
            return TOO_LATE;
        struct pollfd ready = {.fd = t->socket, .events = POLLIN};
        if (poll(&ready, 1, left < ASK_MS ? (int)left : ASK_MS) <= 0)
            continue;
        ssize_t n = recv(t->socket, to, bytes, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return HUNG_UP;
        to += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return ANSWERED;
}

static enum outcome converse(struct arena *a, const struct talk *t, const struct parse_job *job,
                             struct reply_header *header, str *reply)
{
    char head[WIRE_HEADER_BYTES];
    if (!wire_send_job(t->socket, job))
        return HUNG_UP;
    enum outcome outcome = receive(t, head, sizeof head);
    if (outcome != ANSWERED)
        return outcome;
    if (!wire_read_reply(head, header))
        return GARBLED;
    char *bytes = arena_bytes(a, header->length);
    *reply = str_from(bytes, header->length);
    return receive(t, bytes, header->length);
}

/* ---- judging ---- */

static bool is_passage(const struct fact_node *n)
{
    return n->kind == NODE_PASSAGE && n->key.len && n->body.len && n->line_start <= n->line_end &&
           utf8_valid(n->key) && utf8_valid(n->name) && utf8_valid(n->heading) &&
           utf8_valid(n->body);
}

/* What a document can't have given shows a worker that has been taken over or is broken. */
static bool check_facts(const struct facts *f, struct err *e)
{
    bool sound = utf8_valid(f->title) && utf8_valid(f->media_type);
    for (size_t i = 0; sound && i < f->node_count; i++)
        sound = is_passage(&f->nodes[i]);
    for (size_t i = 0; sound && i < f->edge_count; i++)
        sound = f->edges[i].kind == EDGE_NEXT;
    for (size_t i = 0; sound && i < f->warning_count; i++)
        sound = utf8_valid(f->warnings[i]);
    return sound || fail(e, ERR_IO, "the parse worker's facts aren't those of a document");
}

static bool read_answer(struct arena *a, const struct reply_header *header, str reply,
                        struct facts *out, bool *strike, struct err *e)
{
    if (header->status != ERR_NONE)
        return fail(e, (enum err_code)header->status, "%.*s", FMT(utf8_repair(a, reply)));
    struct err bad = {0};
    if (facts_read(a, reply, out, &bad) && check_facts(out, &bad))
        return true;
    *strike = true;
    return fail(e, ERR_IO, "%s", bad.text);
}

/* Why a worker ended without a whole answer. */
static bool explain_end(int status, str name, bool *strike, struct err *e)
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

bool parse_document(struct arena *a, int fd, str name, int64_t deadline_ms,
                    bool (*cancelled)(void *), void *ctx, struct facts *out, bool *strike,
                    struct err *e)
{
    struct worker w = {0};
    *out = (struct facts){0};
    *strike = false;
    struct parse_job job = {PARSE_DOCUMENT, utf8_prefix(name, MAX_JOB_NAME_BYTES), fd};
    str shown = utf8_prefix(unicode_visible(a, utf8_prefix(name, MAX_NAME_SHOWN)), MAX_NAME_SHOWN);
    if (!start(a, &w, e))
        return false;

    struct talk talk = {w.socket, monotonic_ms() + deadline_ms, cancelled, ctx};
    struct reply_header header = {0};
    str reply = S("");
    enum outcome outcome = converse(a, &talk, &job, &header, &reply);
    bool killed;
    int status = end(&w, outcome == ANSWERED || outcome == HUNG_UP ? GRACE_MS : 0, &killed);

    if (outcome == ANSWERED)
        return read_answer(a, &header, reply, out, strike, e);
    if (w.stopped || outcome == TAKEN_BACK)
        return fail(e, ERR_CANCELLED, "'%.*s' was not read: the call was taken back", FMT(shown));
    if (outcome == TOO_LATE) {
        *strike = true;
        return fail(e, ERR_LIMIT, "'%.*s' takes longer than %lld ms to read", FMT(shown),
                    (long long)deadline_ms);
    }
    if (outcome == GARBLED || killed) { /* no answer, or none that is one */
        *strike = true;
        return fail(e, ERR_IO, "the parse worker gave no sound answer on '%.*s'", FMT(shown));
    }
    return explain_end(status, shown, strike, e);
}
