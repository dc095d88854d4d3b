/* SQLite's write-ahead log, as its file format document describes it. */
#include "parsers/import.h"

enum { HEADER = 32, FRAME = 24, MAGIC_LITTLE = 0x377f0682, MAGIC_BIG = 0x377f0683 };

static uint32_t big(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t little(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

struct sums {
    uint32_t a, b;
    bool is_big;
};

/* `bytes` is a multiple of eight long. */
static void sum(struct sums *s, str bytes)
{
    for (size_t i = 0; i + 8 <= bytes.len; i += 8) {
        const char *p = bytes.at + i;
        s->a += (s->is_big ? big(p) : little(p)) + s->b;
        s->b += (s->is_big ? big(p + 4) : little(p + 4)) + s->a;
    }
}

/* How many frames from the start belong to committed transactions, and the pages of the database
 * behind the last of these. */
static size_t committed_frames(str log, size_t page_bytes, uint32_t *pages)
{
    struct sums s = {.is_big = big(log.at) == (uint32_t)MAGIC_BIG};
    size_t committed = 0, size = FRAME + page_bytes;
    sum(&s, str_cut(log, 0, 24));
    if (s.a != big(log.at + 24) || s.b != big(log.at + 28))
        return 0;
    for (size_t i = 0; HEADER + (i + 1) * size <= log.len; i++) {
        str frame = str_cut(log, HEADER + i * size, HEADER + (i + 1) * size);
        if (memcmp(frame.at + 8, log.at + 16, 8) != 0)
            break; /* of an older log */
        sum(&s, str_cut(frame, 0, 8));
        sum(&s, str_cut(frame, FRAME, frame.len));
        if (s.a != big(frame.at + 16) || s.b != big(frame.at + 20))
            break;
        if (big(frame.at + 4)) {
            committed = i + 1;
            *pages = big(frame.at + 4);
        }
    }
    return committed;
}

void import_merge_log(struct buf *image, str log)
{
    uint32_t pages = 0;
    if (log.len < HEADER ||
        (big(log.at) != (uint32_t)MAGIC_LITTLE && big(log.at) != (uint32_t)MAGIC_BIG))
        return;
    size_t page_bytes = big(log.at + 8);
    if (page_bytes < 512 || page_bytes > 65536 || (page_bytes & (page_bytes - 1)))
        return;
    size_t count = committed_frames(log, page_bytes, &pages), wanted = (size_t)pages * page_bytes;
    if (!count || (wanted > image->len && !buf_reserve(image, wanted - image->len)))
        return;
    if (wanted > image->len)
        memset(image->at + image->len, 0, wanted - image->len);
    image->len = wanted;
    for (size_t i = 0; i < count; i++) {
        const char *frame = log.at + HEADER + i * (FRAME + page_bytes);
        size_t page = big(frame);
        if (page >= 1 && page <= pages)
            memcpy(image->at + (page - 1) * page_bytes, frame + FRAME, page_bytes);
    }
}
