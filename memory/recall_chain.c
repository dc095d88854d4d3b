#include "memory/recall_chain.h"

#include <stdlib.h>

struct member {
    node at;
    int64_t at_ms;
    bool current;
};

static int by_age(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    if (a->current != b->current)
        return a->current ? -1 : 1;
    if (a->at_ms != b->at_ms)
        return (a->at_ms < b->at_ms) - (a->at_ms > b->at_ms);
    return (a->at < b->at) - (a->at > b->at);
}

static bool add_member(struct member *chain, size_t *count, const struct snapshot *snap, node at)
{
    if (at == NO_NODE || *count == MAX_CHAIN || snap->meta[at].kind != NODE_MEMORY)
        return false;
    for (size_t i = 0; i < *count; i++)
        if (chain[i].at == at)
            return false;
    chain[(*count)++] =
        (struct member){at, snap->meta[at].at_ms, snap->meta[at].state == STATE_CURRENT};
    return true;
}

/* Everything that SUPERSEDES joins to `from`, in both directions; newest first. */
static bool gather(struct memory *m, struct arena *a, node from, struct member *chain,
                   size_t *count, struct err *e)
{
    *count = 0;
    add_member(chain, count, &m->snap, from);
    for (size_t i = 0; i < *count; i++) {
        struct edge_full *edges;
        size_t edge_count;
        int64_t id = m->snap.ids[chain[i].at];
        if (!store_edges(m->store, a, id, EDGE_SUPERSEDES, MAX_CHAIN, &edges, &edge_count, e))
            return false;
        for (size_t k = 0; k < edge_count; k++)
            add_member(chain, count, &m->snap,
                       snapshot_find(&m->snap, edges[k].src == id ? edges[k].dst : edges[k].src));
    }
    if (*count > 1)
        qsort(chain, *count, sizeof *chain, by_age);
    return true;
}

bool recall_with_chains(struct memory *m, struct arena *a, float floor,
                        struct candidate **candidates, size_t *count, struct err *e)
{
    uint8_t *seen = ARENA_ARRAY(a, uint8_t, m->snap.graph.count + 1);
    uint32_t *place = ARENA_ARRAY(a, uint32_t, m->snap.graph.count + 1); /* index + 1 */
    struct candidate *out = NULL;
    size_t filled = 0, capacity = 0;
    for (size_t i = 0; i < *count; i++)
        place[(*candidates)[i].at] = (uint32_t)i + 1;
    for (size_t i = 0; i < *count; i++) {
        const struct candidate *c = &(*candidates)[i];
        struct member chain[MAX_CHAIN] = {{.at = c->at}};
        size_t members = 1;
        if (c->score >= floor && m->snap.meta[c->at].kind == NODE_MEMORY && !seen[c->at] &&
            !gather(m, a, c->at, chain, &members, e))
            return false;
        for (size_t k = 0; k < members; k++) {
            node at = chain[k].at;
            if (seen[at]++)
                continue;
            ARENA_GROW(a, out, filled, capacity);
            out[filled] = place[at] ? (*candidates)[place[at] - 1] : (struct candidate){.at = at};
            out[filled++].score = c->score;
        }
    }
    *candidates = out;
    *count = filled;
    return true;
}
