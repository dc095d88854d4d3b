/* A growing byte builder with a cap: what is over the cap is dropped and remembered, never a
 * failure half way. */
#ifndef ENGRAM_BASE_BUF_H
#define ENGRAM_BASE_BUF_H

#include "memory/base/str.h"

#include <stdarg.h>

struct buf {
    char *at; /* heap; NUL-terminated once something was added */
    size_t len, capacity;
    size_t max_bytes; /* 0 means no cap */
    bool overflow;    /* something was dropped */
};

void buf_add(struct buf *b, str s);
void buf_add_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for n more bytes at b->at + b->len (the caller then adds to len); false when the cap forbids
 * it. */
bool buf_reserve(struct buf *b, size_t n);

/* Drops the first n bytes. */
void buf_consume(struct buf *b, size_t n);
void buf_clear(struct buf *b);
void buf_free(struct buf *b);

static inline str buf_str(const struct buf *b)
{
    return (str){b->at ? b->at : "", b->len};
}

#endif
