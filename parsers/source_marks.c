/* Marks before they become symbols: which of several counts, and their order. */
#include "parsers/source.h"

struct sort_row {
    uint64_t key;
    uint32_t rank, index;
};

static int row_cmp(const void *left, const void *right)
{
    const struct sort_row *l = left, *r = right;
    if (l->key != r->key)
        return l->key < r->key ? -1 : 1;
    if (l->rank != r->rank)
        return l->rank < r->rank ? -1 : 1;
    return l->index < r->index ? -1 : l->index > r->index;
}

uint32_t *source_mark_order(struct source *s)
{
    size_t count = s->marks.count;
    struct sort_row *rows = ARENA_ARRAY(&s->scratch, struct sort_row, count);
    for (size_t i = 0; i < count; i++) {
        const struct mark *m = &s->marks.at[i];
        rows[i].key = (uint64_t)m->start << 32 | (UINT32_MAX - m->end);
        rows[i].rank = (uint32_t)(m->role << 16 | m->rank);
        rows[i].index = (uint32_t)i;
    }
    qsort(rows, count, sizeof *rows, row_cmp);
    uint32_t *order = ARENA_ARRAY(&s->scratch, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        order[i] = rows[i].index;
    return order;
}

size_t source_table_size(size_t count)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return size;
}

static bool is_import(const struct mark *m)
{
    return m->role == MARK_REFERENCE && m->kind == REF_IMPORT;
}

/* Of a module, and no name for it. */
static bool is_bare(const struct mark *m)
{
    return !m->name.len && !m->alias.len;
}

/* Do two marks of one name (or module) tell the same? Imports of several names from one module
 * don't, but a bare one is part of such. */
static bool tells_same(const struct mark *m, const struct mark *other)
{
    return !is_import(m) || !is_import(other) || is_bare(m) || is_bare(other);
}

static bool is_better(const struct mark *m, const struct mark *than)
{
    if (is_import(m) && is_import(than))
        return is_bare(than) && !is_bare(m);
    if (m->role != than->role)
        return m->role == MARK_DEFINITION;
    return m->rank < than->rank;
}

void source_drop_repeats(struct source *s)
{
    size_t size = source_table_size(s->marks.count);
    uint32_t *table = ARENA_ARRAY(&s->scratch, uint32_t, size); /* index + 1 */
    for (uint32_t i = 0; i < s->marks.count; i++) {
        struct mark *m = &s->marks.at[i];
        if (m->role != MARK_DEFINITION && m->role != MARK_REFERENCE)
            continue;
        size_t slot = (m->name_at * 2654435761u) & (size - 1);
        while (table[slot] && s->marks.at[table[slot] - 1].name_at != m->name_at)
            slot = (slot + 1) & (size - 1);
        struct mark *other = table[slot] ? &s->marks.at[table[slot] - 1] : NULL;
        if (!other || (tells_same(m, other) && is_better(m, other)))
            table[slot] = i + 1;
        if (other && tells_same(m, other))
            (is_better(m, other) ? other : m)->role = MARK_DROPPED;
    }
}
