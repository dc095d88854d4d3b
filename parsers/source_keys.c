/* Keys of data files: a file of many tells of its outer ones alone. */
#include "parsers/source.h"

enum {
    MAX_KEYS = 1000, /* of one file; translations and lock files have tens of thousands */
    MAX_RANKS = 64,
};

/* Queries and rules name outer keys before inner ones, so a higher rank is further inside. */
void source_keys_limit(struct source *s)
{
    uint32_t counts[MAX_RANKS] = {0}, total = 0;
    for (size_t i = 0; i < s->marks.count; i++) {
        const struct mark *m = &s->marks.at[i];
        if (m->role == MARK_DEFINITION && m->kind == SYMBOL_KEY && m->rank < MAX_RANKS) {
            counts[m->rank]++;
            total++;
        }
    }
    uint32_t limit = MAX_RANKS; /* ranks below it stay */
    while (total > MAX_KEYS && limit > 0)
        total -= counts[--limit];
    if (limit == MAX_RANKS)
        return;
    uint32_t left = MAX_KEYS - total; /* of the first rank that doesn't fit some stay */
    for (size_t i = 0; i < s->marks.count; i++) {
        struct mark *m = &s->marks.at[i];
        if (m->role != MARK_DEFINITION || m->kind != SYMBOL_KEY || m->rank < limit)
            continue;
        if (m->rank == limit && left > 0)
            left--;
        else
            m->role = MARK_DROPPED;
    }
    source_warn(s, S("too many keys: only the outer ones are kept"));
}
