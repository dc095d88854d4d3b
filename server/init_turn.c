#include "server/init_turn.h"

#include "server/background.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool wait_for(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (errno == EWOULDBLOCK)
        fputs("another `engram init` reads this project; waiting until it has ended\n", stderr);
    while (flock(fd, LOCK_EX) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

int init_turn_take(str directory, struct err *e)
{
    int fd = background_open_lock(directory, "init.lock", e);
    if (fd < 0 || wait_for(fd))
        return fd;
    fail(e, ERR_IO, "locking init.lock: %s", strerror(errno));
    close(fd);
    return -1;
}

void init_turn_end(int turn)
{
    if (turn >= 0)
        close(turn);
}
