#include "server/log.h"

#include "memory/base/unicode.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const level_names[] = {"error", "warn", "info", "debug"};

/* One lock, so that the check that a pipe has room and the write into it stay together. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum log_level shown = LOG_WARN;
static int descriptor = STDERR_FILENO;
static enum { TO_SOCKET, TO_OWN_PIPE, TO_SHARED } target = TO_SHARED;

/* A pipe is opened once more, for a description of our own: O_NONBLOCK on the one that we were
 * given would also change it for everybody who shares it. */
static void choose_target(void)
{
    struct stat info;
    if (fstat(STDERR_FILENO, &info) != 0)
        return;
    if (S_ISSOCK(info.st_mode))
        target = TO_SOCKET;
    if (!S_ISFIFO(info.st_mode))
        return;
    int own = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own >= 0) {
        descriptor = own;
        target = TO_OWN_PIPE;
    }
}

void log_open(str level)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++)
        if (str_eq_nocase(level, str_of(level_names[i])))
            shown = (enum log_level)i;
    if (descriptor == STDERR_FILENO)
        choose_target();
    pthread_mutex_unlock(&lock);
}

/* Dropped where it doesn't fit. At most PIPE_BUF bytes: they go whole, and don't block where poll
 * saw room. */
static void write_line(const char *at, size_t len)
{
    struct pollfd room = {.fd = descriptor, .events = POLLOUT};
    ssize_t ignored = -1;
    if (target == TO_SOCKET)
        ignored = send(descriptor, at, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    else if (target == TO_OWN_PIPE || (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT)))
        ignored = write(descriptor, at, len);
    (void)ignored;
}

/* "engram: warn: text" as one line, without what a terminal would obey. */
static size_t compose(char *out, size_t size, enum log_level level, str text)
{
    struct arena a = {0};
    str clean = unicode_visible(&a, text);
    int used = snprintf(out, size, "engram: %s: ", level_names[level]);
    clean = utf8_prefix(clean, size - (size_t)used - 1);
    for (size_t i = 0; i < clean.len; i++)
        out[used++] = clean.at[i] == '\n' || clean.at[i] == '\t' ? ' ' : clean.at[i];
    out[used++] = '\n';
    arena_free(&a);
    return (size_t)used;
}

void log_line(enum log_level level, const char *format, ...)
{
    char text[1024], line[PIPE_BUF];
    int saved = errno;
    pthread_mutex_lock(&lock);
    if (level <= shown) {
        va_list args;
        va_start(args, format);
        int len = vsnprintf(text, sizeof text, format, args);
        va_end(args);
        if (len > 0)
            write_line(line, compose(line, sizeof line, level, str_of(text)));
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
}
