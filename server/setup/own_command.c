#include "server/setup/own_command.h"

#include "memory/base/buf.h"
#include "server/config.h"
#include "server/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's output on a pipe, in a process group of its own. `input` is what it reads from, -1:
 * nothing; then what it complains of is output, too. */
static bool start(struct arena *a, str program, const char *const *words, int input, pid_t *pid,
                  int *output, struct err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(e, ERR_IO, "can't make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (input < 0) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    } else {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    /* posix_spawn writes to none of its words. */
    int error = posix_spawn(pid, arena_cstr(a, program), &actions, &attributes,
                            (char *const *)(uintptr_t)words, spawn_users_environment(a));
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return fail(e, ERR_IO, "can't start %.*s: %s", FMT(program), strerror(error));
    }
    *output = ends[0];
    return true;
}

/* Until the pipe ends or the deadline; true where it ended. What is over the buffer's cap is
 * dropped. */
static bool drain(int output, int patience_ms, struct buf *said)
{
    int64_t deadline = monotonic_ms() + patience_ms;
    char bytes[4096];
    for (;;) {
        int64_t left = deadline - monotonic_ms();
        struct pollfd p = {.fd = output, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        ssize_t n = read(output, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return true;
        buf_add(said, str_from(bytes, (size_t)n));
    }
}

/* A child that closed its output and goes on is given the deadline once more. */
static bool wait_for(pid_t pid, int patience_ms, int *status)
{
    int64_t deadline = monotonic_ms() + patience_ms;
    pid_t found;
    while ((found = waitpid(pid, status, WNOHANG)) == 0 && monotonic_ms() < deadline)
        sleep_for_ms(5);
    if (found != 0)
        return true;
    kill(-pid, SIGKILL);
    waitpid(pid, status, 0);
    return false;
}

static str last_line(str said)
{
    str line, last = S("");
    while (str_next_line(&said, &line))
        if (str_trim(line).len)
            last = str_trim(line);
    return str_cut(last, 0, 200);
}

bool own_command_run(struct arena *a, str program, const char *const *words, struct err *e)
{
    pid_t pid = -1;
    int output = -1, status = 0;
    if (!start(a, program, words, -1, &pid, &output, e))
        return false;
    struct buf said = {.max_bytes = MAX_OWN_OUTPUT_BYTES};
    bool ended = drain(output, OWN_COMMAND_DEADLINE_MS, &said);
    if (!ended)
        kill(-pid, SIGKILL);
    close(output);
    ended = wait_for(pid, OWN_COMMAND_DEADLINE_MS, &status) && ended;
    bool ok = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    str last = last_line(buf_str(&said));
    if (!ended)
        fail(e, ERR_IO, "%s took more than %d s", words[0], OWN_COMMAND_DEADLINE_MS / 1000);
    else if (!ok)
        fail(e, ERR_IO, "%s failed: %.*s", words[0], FMT(last));
    buf_free(&said);
    return ok;
}

/* A pipe that holds all of `text` already. */
static int filled_pipe(str text, struct err *e)
{
    int ends[2];
    if (text.len > MAX_ASK_BYTES || pipe2(ends, O_CLOEXEC) != 0) {
        fail(e, ERR_IO, "can't make a pipe");
        return -1;
    }
    bool ok = write(ends[1], text.at, text.len) == (ssize_t)text.len;
    close(ends[1]);
    if (ok)
        return ends[0];
    fail(e, ERR_IO, "can't fill a pipe");
    close(ends[0]);
    return -1;
}

bool own_command_ask(struct arena *a, str program, const char *const *words, str input, str *said,
                     struct err *e)
{
    pid_t pid = -1;
    int output = -1, status = 0, from = filled_pipe(input, e);
    bool ok = from >= 0 && start(a, program, words, from, &pid, &output, e);
    if (from >= 0)
        close(from);
    if (!ok)
        return false;
    struct buf heard = {.max_bytes = MAX_OWN_OUTPUT_BYTES};
    bool ended = drain(output, ASK_DEADLINE_MS, &heard);
    if (!ended)
        kill(-pid, SIGKILL);
    close(output);
    ended = wait_for(pid, ASK_DEADLINE_MS, &status) && ended;
    *said = arena_str(a, buf_str(&heard));
    buf_free(&heard);
    return ended || fail(e, ERR_IO, "%s didn't end within %d s", words[0], ASK_DEADLINE_MS / 1000);
}
