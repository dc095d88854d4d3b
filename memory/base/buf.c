#include "memory/base/buf.h"

#include "memory/base/arena.h"

#include <stdio.h>

bool buf_reserve(struct buf *b, size_t n)
{
    if (b->max_bytes && (n > b->max_bytes || b->len > b->max_bytes - n)) {
        b->overflow = true;
        return false;
    }
    size_t need = b->len + n + 1; /* one for the NUL */
    if (need > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 256;
        while (capacity < need)
            capacity *= 2;
        b->at = heap_resize(b->at, capacity, 1);
        b->capacity = capacity;
    }
    return true;
}

void buf_add(struct buf *b, str s)
{
    if (!buf_reserve(b, s.len))
        return;
    if (s.len)
        memcpy(b->at + b->len, s.at, s.len);
    b->len += s.len;
    b->at[b->len] = '\0';
}

void buf_add_char(struct buf *b, char c)
{
    buf_add(b, (str){&c, 1});
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = b->capacity - b->len; /* most fit, and are formatted once */
    int length = vsnprintf(room ? b->at + b->len : NULL, room, format, args);
    va_end(args);
    if (length > 0 && buf_reserve(b, (size_t)length)) {
        if ((size_t)length >= room)
            vsnprintf(b->at + b->len, (size_t)length + 1, format, again);
        b->len += (size_t)length;
    } else if (room) {
        b->at[b->len] = '\0';
    }
    va_end(again);
}

void buf_consume(struct buf *b, size_t n)
{
    if (n >= b->len) {
        buf_clear(b);
        return;
    }
    memmove(b->at, b->at + n, b->len - n + 1);
    b->len -= n;
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->at)
        b->at[0] = '\0';
}

void buf_free(struct buf *b)
{
    heap_free(b->at);
    *b = (struct buf){.max_bytes = b->max_bytes};
}
