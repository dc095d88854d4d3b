#include "server/background.h"

#include "server/config.h"
#include "server/file_write.h"
#include "server/log.h"
#include "server/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- locks ---- */

int background_open_lock(str directory, const char *name, struct err *e)
{
    struct arena scratch = {0};
    str path = arena_printf(&scratch, "%.*s/%s", FMT(directory), name);
    int fd = open(path.at, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        fail(e, ERR_IO, "opening %s: %s", path.at, strerror(errno));
    arena_free(&scratch);
    return fd;
}

bool background_elect(int fd)
{
    enum { TRIES = 50 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (flock(fd, LOCK_SH | LOCK_NB) != 0)
            return false;
        flock(fd, LOCK_UN); /* whoever has it shared only looks */
        sleep_for_ms(1 + getpid() % 5);
    }
    return false;
}

/* ---- the server's side ---- */

enum { REAP_MS = 20, AGAIN_MS = 20 };

struct background {
    char *directory, *keys;
    bool may_start;
    int servers_fd, election_fd; /* -1: not open yet */
    bool is_known;               /* servers.lock is ours */
    bool was_called, looked;
    int64_t due_ms;                 /* INT64_MAX: behind the next call */
    pid_t starting;                 /* to be reaped; 0: none */
    int64_t started_ms[MAX_STARTS]; /* the last ones; the oldest is at `starts` % MAX_STARTS */
    size_t starts;
};

struct background *background_open(str directory, bool may_start, str keys)
{
    struct background *b = heap_alloc(1, sizeof *b);
    b->directory = heap_text(directory);
    b->keys = heap_text(keys);
    b->may_start = may_start;
    b->servers_fd = b->election_fd = -1;
    b->due_ms = INT64_MAX;
    return b;
}

/* What is started leaves its starter soon: true once it did, or is none of ours any more. */
static bool reap(struct background *b, int flags)
{
    int status = 0;
    pid_t done;
    do
        done = waitpid(b->starting, &status, flags);
    while (done < 0 && errno == EINTR);
    if (done == 0)
        return false;
    if (done > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        log_line(LOG_WARN, "no background process for %s: engram-worker ended with code %d",
                 b->directory, WEXITSTATUS(status));
        b->may_start = false;
    }
    b->starting = 0;
    return true;
}

void background_close(struct background *b)
{
    if (!b)
        return;
    if (b->starting)
        reap(b, 0); /* some milliseconds */
    if (b->servers_fd >= 0)
        close(b->servers_fd);
    if (b->election_fd >= 0)
        close(b->election_fd);
    heap_free(b->directory);
    heap_free(b->keys);
    heap_free(b);
}

void background_call(struct background *b, int64_t now_ms)
{
    if (!b->was_called)
        b->due_ms = now_ms + START_DELAY_MS;
    else if (b->due_ms == INT64_MAX)
        b->due_ms = now_ms;
    b->was_called = true;
}

static bool open_lock_once(struct background *b, const char *name, int *fd)
{
    struct err e = {0};
    if (*fd < 0)
        *fd = background_open_lock(str_of(b->directory), name, &e);
    if (*fd < 0) {
        log_line(LOG_WARN, "no background process: %s", e.text);
        b->may_start = false;
    }
    return *fd >= 0;
}

/* Never waits: a background that takes the lock because it saw nobody gives it back at once. */
static bool make_known(struct background *b)
{
    if (!b->is_known && open_lock_once(b, SERVERS_LOCK, &b->servers_fd))
        b->is_known = flock(b->servers_fd, LOCK_SH | LOCK_NB) == 0;
    return b->is_known;
}

static bool is_running(struct background *b)
{
    if (flock(b->election_fd, LOCK_SH | LOCK_NB) != 0)
        return true;
    flock(b->election_fd, LOCK_UN);
    return false;
}

static bool is_crash_loop(const struct background *b, int64_t now_ms)
{
    return b->starts >= MAX_STARTS &&
           now_ms - b->started_ms[b->starts % MAX_STARTS] < STARTS_WITHIN_MS;
}

/* A session of its own and no descriptor of ours but the keys: nothing ties it to the client. */
static int spawn(struct background *b, str path)
{
    static const char *const settings[] = {"ENGRAM_", "XDG_CONFIG_HOME=", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    struct arena a = {0};
    sigset_t none, all;
    /* Neither the environment nor the arguments hold the keys, and nothing does when they are read.
     */
    int keys = file_write_memory("engram-keys", str_of(b->keys), &(struct err){0});
    if (keys < 0)
        return errno ? errno : EIO;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    /* The keys first: the number may be 0 to 2. */
    posix_spawn_file_actions_adddup2(&files, keys, BACKGROUND_KEYS);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#ifdef __GLIBC__ /* ours have O_CLOEXEC; a library's may not */
    posix_spawn_file_actions_addclosefrom_np(&files, BACKGROUND_KEYS + 1);
#endif
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    char *const arguments[] = {arena_cstr(&a, path), arena_cstr(&a, S("background")), b->directory,
                               NULL};
    int fault = posix_spawn(&b->starting, arguments[0], &files, &attributes, arguments,
                            spawn_environment(&a, settings));
    if (fault)
        b->starting = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(keys);
    arena_free(&a);
    return fault;
}

static void start(struct background *b, int64_t now_ms)
{
    struct arena a = {0};
    struct err e = {0};
    str path;
    int fault = 0;
    b->started_ms[b->starts++ % MAX_STARTS] = now_ms;
    if (!spawn_worker_path(&a, &path, &e) || (fault = spawn(b, path)) != 0) {
        log_line(LOG_WARN, "no background process: %s", fault ? strerror(fault) : e.text);
        b->may_start = false;
    }
    arena_free(&a);
}

/* At its time. */
static void look(struct background *b, int64_t now_ms)
{
    b->due_ms = INT64_MAX;
    if (!open_lock_once(b, BACKGROUND_LOCK, &b->election_fd))
        return;
    if (!is_running(b)) {
        if (!is_crash_loop(b, now_ms))
            start(b, now_ms);
    } else if (!b->looked) {
        b->due_ms = now_ms + LOOK_AGAIN_MS;
    }
    b->looked = true;
}

int64_t background_tend(struct background *b, int64_t now_ms)
{
    if (b->starting && !reap(b, WNOHANG))
        return now_ms + REAP_MS;
    if (!make_known(b))
        return b->servers_fd < 0 ? INT64_MAX : now_ms + AGAIN_MS;
    if (!b->may_start)
        return INT64_MAX;
    if (now_ms >= b->due_ms)
        look(b, now_ms);
    return b->starting ? now_ms + REAP_MS : b->due_ms;
}
