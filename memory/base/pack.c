#include "memory/base/pack.h"

static void pack_bytes(struct buf *b, uint64_t v, int count)
{
    char bytes[8];
    for (int i = 0; i < count; i++)
        bytes[i] = (char)(v >> 8 * i);
    buf_add(b, str_from(bytes, (size_t)count));
}

void pack_u32(struct buf *b, uint32_t v)
{
    pack_bytes(b, v, 4);
}

void pack_u64(struct buf *b, uint64_t v)
{
    pack_bytes(b, v, 8);
}

void pack_text(struct buf *b, str s)
{
    pack_u32(b, (uint32_t)s.len);
    buf_add(b, s);
}

static uint64_t unpack_bytes(struct unpack *u, size_t count)
{
    u->bad |= u->rest.len < count;
    if (u->bad)
        return 0;
    uint64_t v = 0;
    for (size_t i = 0; i < count; i++)
        v |= (uint64_t)(unsigned char)u->rest.at[i] << 8 * i;
    u->rest = str_cut(u->rest, count, u->rest.len);
    return v;
}

uint32_t unpack_u32(struct unpack *u)
{
    return (uint32_t)unpack_bytes(u, 4);
}

uint64_t unpack_u64(struct unpack *u)
{
    return unpack_bytes(u, 8);
}

str unpack_text(struct unpack *u)
{
    uint32_t length = unpack_u32(u);
    u->bad |= length > u->rest.len;
    if (u->bad)
        return S("");
    str text = str_cut(u->rest, 0, length);
    u->rest = str_cut(u->rest, length, u->rest.len);
    return text;
}

uint32_t unpack_below(struct unpack *u, uint32_t end)
{
    uint32_t v = unpack_u32(u);
    u->bad |= v >= end;
    return u->bad ? 0 : v;
}

size_t unpack_count(struct unpack *u, size_t most, size_t min_bytes)
{
    uint32_t n = unpack_u32(u);
    u->bad |= n > most || (size_t)n * min_bytes > u->rest.len;
    return u->bad ? 0 : n;
}

bool unpack_done(const struct unpack *u)
{
    return !u->bad && u->rest.len == 0;
}
