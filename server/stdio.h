/* Lines in and messages out over two descriptors, whatever they are (pipe, socket, file, terminal).
 * Nothing here waits: whoever polls decides when to read and when to write. */
#ifndef ENGRAM_STDIO_H
#define ENGRAM_STDIO_H

#include "memory/base/buf.h"
#include "memory/base/err.h"

enum {
    MAX_LINE_BYTES = 8 << 20, /* of one line from the client */
    MAX_QUEUED_BYTES =
        16 << 20, /* of answers that the client doesn't fetch, before nothing more is read */
};

/* Takes stdin and stdout away from everybody else in the process: *in and *out are private and
 * close-on-exec, 0 becomes /dev/null and 1 becomes stderr, so that no library can write between our
 * messages. A closed one counts as /dev/null. */
bool stdio_take(int *in, int *out, struct err *e);

struct line_reader {
    int fd;
    struct buf buf;
    size_t start, scanned; /* where the next line begins; up to where no newline was found */
    bool overlong;         /* in the middle of a line over MAX_LINE_BYTES */
    bool ended;            /* nothing more comes */
};

/* One read of what is there; the end of the file and every error but EINTR and EAGAIN set `ended`.
 */
void reader_fill(struct line_reader *r);

enum line_kind {
    LINE_NONE,         /* no whole line is here yet */
    LINE_WHOLE,        /* without its \n or \r\n; the last one needs none */
    LINE_OVERLONG,     /* a piece of a line over MAX_LINE_BYTES; more of it follows */
    LINE_OVERLONG_END, /* its last piece, maybe empty */
};

/* *line borrows from the reader until the next reader_fill. */
enum line_kind reader_next(struct line_reader *r, str *line);
void reader_free(struct line_reader *r);

struct line_writer {
    int fd;
    enum { WRITE_FREELY, WRITE_SOCKET, WRITE_SMALL } how;
    struct buf queue;
    size_t sent; /* of the queue */
};

/* Takes fd over. No flag of a description that others may share is changed. */
void writer_open(struct line_writer *w, int fd);
void writer_add(struct line_writer *w, str message);

/* Bytes that wait. */
static inline size_t writer_waiting(const struct line_writer *w)
{
    return w->queue.len - w->sent;
}

/* Writes what goes without blocking. false when nobody will ever read it. */
bool writer_flush(struct line_writer *w);

/* Forgets what waits. */
void writer_drop(struct line_writer *w);
void writer_close(struct line_writer *w);

#endif
