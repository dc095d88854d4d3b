#include "server/init_turn.h"

#include "server/background.h"
#include "server/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LOOK_MS = 100, PID_BYTES = 16, NAME_BYTES = 64 };

/* "another `engram init` (process 123)"; without the number where nobody left one. */
static void name_holder(int fd, char name[NAME_BYTES])
{
    char text[PID_BYTES] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;
    if (pid > 0)
        snprintf(name, NAME_BYTES, "another `engram init` (process %ld)", pid);
    else
        snprintf(name, NAME_BYTES, "another `engram init`");
}

/* Who waits only wants to tell it, so that nothing depends on what can't be written. */
static void leave_pid(int fd)
{
    char text[PID_BYTES];
    int bytes = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)bytes, 0) != bytes)
        (void)!ftruncate(fd, 0);
}

static bool wait_for(int fd, int64_t wait_ms, struct err *e)
{
    const int64_t until = monotonic_ms() + wait_ms;
    char holder[NAME_BYTES];
    for (bool is_told = false; flock(fd, LOCK_EX | LOCK_NB) != 0;) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return fail(e, ERR_IO, "locking init.lock: %s", strerror(errno));
        name_holder(fd, holder);
        if (monotonic_ms() >= until)
            return fail(e, ERR_BUSY, "%s has read this project for %lld s; end it or wait for it",
                        holder, (long long)(wait_ms / 1000));
        if (!is_told)
            fprintf(stderr, "%s reads this project; waiting until it has ended\n", holder);
        is_told = true;
        sleep_for_ms(LOOK_MS);
    }
    return true;
}

int init_turn_take(str directory, int64_t wait_ms, struct err *e)
{
    int fd = background_open_lock(directory, "init.lock", e);
    if (fd < 0)
        return -1;
    if (!wait_for(fd, wait_ms, e)) {
        close(fd);
        return -1;
    }
    leave_pid(fd);
    return fd;
}

void init_turn_end(int turn)
{
    if (turn < 0)
        return;
    (void)!ftruncate(turn, 0);
    close(turn);
}
