#include "memory/degree.h"

#include <stdlib.h>

/* An entity that one text alone mentions holds nothing together. */
enum { MIN_ENTITY_DEGREE = 2 };

static bool counts(const struct snapshot *snap, node n, const struct half_edge *edge)
{
    const struct node_meta *to = &snap->meta[edge->to];
    if (edge->weight <= 0 || to->state != STATE_CURRENT || edge->to == n)
        return false;
    switch ((enum edge_kind)edge->kind) {
    case EDGE_RELATES_TO:
    case EDGE_RELATION:
    case EDGE_ASSOCIATED:
    case EDGE_ANCHORS:
        return true;
    case EDGE_MENTIONS:
        return to->kind != NODE_ENTITY || to->degree >= MIN_ENTITY_DEGREE;
    default:
        return false;
    }
}

static int by_node(const void *x, const void *y)
{
    node a = *(const node *)x, b = *(const node *)y;
    return (a > b) - (a < b);
}

uint32_t degree_of(const struct snapshot *snap, node n, uint32_t most, struct arena *scratch)
{
    struct arena mark = *scratch;
    const struct half_edge *edge;
    node *list = NULL;
    size_t count = 0, capacity = 0;
    uint32_t distinct = 0;
    for (struct row_walk w = graph_row(&snap->graph, n); (edge = row_next(&snap->graph, &w));) {
        if (!counts(snap, n, edge))
            continue;
        ARENA_GROW(scratch, list, count, capacity);
        list[count++] = edge->to;
    }
    if (count)
        qsort(list, count, sizeof *list, by_node);
    for (size_t i = 0; i < count && distinct < most; i++)
        distinct += i == 0 || list[i] != list[i - 1];
    arena_rewind(scratch, mark);
    return distinct;
}
