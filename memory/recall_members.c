#include "memory/recall_members.h"

#include "memory/consolidate_text.h"
#include "memory/store_consolidate.h"

enum { MAX_LOOKED_AT = 100 }; /* of the best: more than any answer holds */

/* Of the sum that orders: what a member must be better by to stay in front. By hand: about what a
 * neighbour's word more or less makes. */
static const float HARDLY = 0.3f;

bool members_load(struct memory *m, struct arena *a, struct item *item, struct err *e)
{
    struct member_row *rows;
    struct stepped_back *back;
    size_t count, back_count;
    if (!store_members(m->store, a, item->id, &rows, &count, e) ||
        !store_members_stepped_back(m->store, a, item->id, &back, &back_count, e))
        return false;
    item->members = ARENA_ARRAY(a, int64_t, count);
    for (size_t i = 0; i < count; i++)
        item->members[item->member_count++] = rows[i].memory;
    if (!back_count)
        return true;
    struct superseded_member *superseded = ARENA_ARRAY(a, struct superseded_member, back_count);
    for (size_t i = 0; i < back_count; i++)
        superseded[i] = (struct superseded_member){back[i].memory, back[i].by};
    item->text = consolidate_text_since(a, item->text, superseded, back_count);
    return true;
}

static size_t place_of(const struct candidate *c, size_t from, size_t count, node at)
{
    while (from < count && c[from].at != at)
        from++;
    return from;
}

bool members_settle(struct memory *m, const struct lexical *l, struct candidate *c, size_t count,
                    struct err *e)
{
    if (!m->snap.consolidated)
        return true;
    for (size_t i = 0; i < count && i < MAX_LOOKED_AT; i++) {
        int64_t id;
        const struct node_meta *meta = &m->snap.meta[c[i].at];
        if (meta->kind != NODE_MEMORY || meta->is_consolidated)
            continue;
        if (!store_consolidated_of(m->store, m->snap.ids[c[i].at], &id, e))
            return false;
        node whole = id ? snapshot_find(&m->snap, id) : NO_NODE;
        size_t at = whole == NO_NODE ? count : place_of(c, i, count, whole);
        if (at == count || l->covered[whole] < l->covered[c[i].at] || c[i].sum - c[at].sum > HARDLY)
            continue;
        struct candidate moved = c[at];
        moved.score = c[i].score;
        memmove(&c[i + 1], &c[i], (at - i) * sizeof *c);
        c[i] = moved;
    }
    return true;
}

bool members_told(const struct recall_result *out, const struct item *next)
{
    for (size_t i = 0; i < out->item_count; i++) {
        const struct item *whole = &out->items[i];
        for (size_t k = 0; whole->kind == NODE_MEMORY && k < whole->member_count; k++)
            if (whole->members[k] == next->id && next->kind == NODE_MEMORY)
                return consolidate_text_quotes(whole->text, next->id);
    }
    return false;
}
