/* The form in which a worker hands records to its parent: little-endian integers, texts with their
 * length before them. The reader trusts nothing: what does not fit makes it `bad`, and from then on
 * it gives zeros and empty texts. */
#ifndef ENGRAM_BASE_PACK_H
#define ENGRAM_BASE_PACK_H

#include "memory/base/buf.h"
#include "memory/base/str.h"

void pack_u32(struct buf *b, uint32_t v);
void pack_u64(struct buf *b, uint64_t v);
void pack_text(struct buf *b, str s);

struct unpack {
    str rest;
    bool bad;
};

uint32_t unpack_u32(struct unpack *u);
uint64_t unpack_u64(struct unpack *u);
str unpack_text(struct unpack *u); /* borrows from the packed bytes */

/* A number below `end`; bad and 0 for any other. */
uint32_t unpack_below(struct unpack *u, uint32_t end);

/* A count, at most `most`, whose items of at least min_bytes each can still follow. */
size_t unpack_count(struct unpack *u, size_t most, size_t min_bytes);

/* Nothing was bad, nothing is left. */
bool unpack_done(const struct unpack *u);

#endif
