#include "server/stdio.h"

#include "memory/base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 * 1024,
    KEPT_BYTES = 256 * 1024, /* a larger buffer is given back once it is empty */
};

/* ---- descriptors ---- */

static bool open_missing(struct err *e)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_NOCTTY) != fd)
            return fail(e, ERR_IO, "descriptor %d is closed and /dev/null can't be opened: %s", fd,
                        strerror(errno));
    return true;
}

static bool point_at_null(int fd)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool ok = null >= 0 && dup2(null, fd) == fd;
    if (null >= 0)
        close(null);
    return ok;
}

bool stdio_take(int *in, int *out, struct err *e)
{
    if (!open_missing(e))
        return false;
    *in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    *out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (*in < 0 || *out < 0 || !point_at_null(STDIN_FILENO) ||
        dup2(STDERR_FILENO, STDOUT_FILENO) != STDOUT_FILENO)
        return fail(e, ERR_IO, "stdin and stdout can't be taken over: %s", strerror(errno));
    return true;
}

/* ---- lines in ---- */

/* Moves the unread rest to the front; gives a buffer back that one long line blew up. */
static void make_compact(struct line_reader *r)
{
    size_t rest = r->buf.len - r->start;
    if (r->buf.capacity > KEPT_BYTES && rest < READ_BYTES) {
        struct buf smaller = {0};
        buf_add(&smaller, (str){r->buf.at + r->start, rest});
        buf_free(&r->buf);
        r->buf = smaller;
    } else if (r->start) {
        buf_consume(&r->buf, r->start);
    }
    r->scanned -= r->start;
    r->start = 0;
}

void reader_fill(struct line_reader *r)
{
    make_compact(r);
    buf_reserve(&r->buf, READ_BYTES);
    ssize_t got = read(r->fd, r->buf.at + r->buf.len, READ_BYTES);
    if (got > 0)
        r->buf.len += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        r->ended = true;
}

static str take(struct line_reader *r, size_t end, size_t behind)
{
    str line = {r->buf.at ? r->buf.at + r->start : "", end - r->start};
    r->start = r->scanned = behind;
    return line;
}

/* A line that is complete: whole, or the end of an overlong one. */
static enum line_kind take_end(struct line_reader *r, size_t end, size_t behind, str *line)
{
    *line = take(r, end, behind);
    enum line_kind kind =
        r->overlong || line->len > MAX_LINE_BYTES ? LINE_OVERLONG_END : LINE_WHOLE;
    r->overlong = false;
    if (kind == LINE_WHOLE && str_ends(*line, S("\r")))
        line->len--;
    return kind;
}

enum line_kind reader_next(struct line_reader *r, str *line)
{
    size_t end = str_find_char(buf_str(&r->buf), '\n', r->scanned);
    if (end < r->buf.len)
        return take_end(r, end, end + 1, line);
    r->scanned = end;
    if (r->ended && (end > r->start || r->overlong))
        return take_end(r, end, end, line);
    if (end - r->start > (r->overlong ? 0 : MAX_LINE_BYTES)) {
        r->overlong = true;
        *line = take(r, end, end);
        return LINE_OVERLONG;
    }
    return LINE_NONE;
}

void reader_free(struct line_reader *r)
{
    buf_free(&r->buf);
    close(r->fd);
}

/* ---- messages out ---- */

/* A pipe is opened once more, for a description of our own that may be non-blocking. Where that is
 * refused, and for everything else that may block: small pieces, each after a look whether it fits
 * (a pipe that polls writable takes PIPE_BUF bytes). */
void writer_open(struct line_writer *w, int fd)
{
    *w = (struct line_writer){.fd = fd, .how = WRITE_SMALL};
    struct stat info;
    if (fstat(fd, &info) != 0)
        return;
    if (S_ISSOCK(info.st_mode))
        w->how = WRITE_SOCKET;
    if (!S_ISFIFO(info.st_mode))
        return;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own >= 0) {
        close(fd);
        w->fd = own;
        w->how = WRITE_FREELY;
    }
}

void writer_add(struct line_writer *w, str message)
{
    buf_add(&w->queue, message);
    buf_add_char(&w->queue, '\n');
}

static ssize_t write_some(struct line_writer *w, str bytes)
{
    if (w->how == WRITE_SOCKET)
        return send(w->fd, bytes.at, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (w->how == WRITE_FREELY)
        return write(w->fd, bytes.at, bytes.len);
    struct pollfd room = {.fd = w->fd, .events = POLLOUT};
    if (poll(&room, 1, 0) != 1) {
        errno = EAGAIN;
        return -1;
    }
    return write(w->fd, bytes.at, bytes.len < PIPE_BUF ? bytes.len : PIPE_BUF);
}

/* Keeps the queue's memory small: what was sent goes once it is the larger part. */
static void drop_sent(struct line_writer *w)
{
    if (writer_waiting(w) == 0 && w->queue.capacity > KEPT_BYTES)
        buf_free(&w->queue);
    else if (w->sent > w->queue.len / 2)
        buf_consume(&w->queue, w->sent);
    else
        return;
    w->sent = 0;
}

bool writer_flush(struct line_writer *w)
{
    ssize_t put = 0;
    while (writer_waiting(w)) {
        put = write_some(w, str_cut(buf_str(&w->queue), w->sent, w->queue.len));
        if (put > 0)
            w->sent += (size_t)put;
        else if (put < 0 && errno != EINTR)
            break;
    }
    bool alive = put >= 0 || errno == EAGAIN;
    drop_sent(w);
    return alive;
}

void writer_drop(struct line_writer *w)
{
    buf_free(&w->queue);
    w->sent = 0;
}

void writer_close(struct line_writer *w)
{
    buf_free(&w->queue);
    close(w->fd);
}
