#include "memory/graph.h"

#include "memory/facts.h"

_Static_assert(EDGE_KIND_COUNT <= 16, "half_edge.kind has four bits");

static float towards(struct edge_row e, bool reverse)
{
    return e.weight * (reverse ? edge_backward[e.kind] : edge_forward[e.kind]);
}

static struct half_edge half(struct edge_row e, bool reverse)
{
    return (struct half_edge){.to = (reverse ? e.from : e.to) & (MAX_NODES - 1),
                              .kind = e.kind & 15u,
                              .reverse = reverse,
                              .weight = towards(e, reverse)};
}

static void reserve_nodes(struct graph *g, uint32_t capacity)
{
    g->more_head = heap_resize(g->more_head, capacity, sizeof *g->more_head);
    g->pull = heap_resize(g->pull, capacity, sizeof *g->pull);
    g->sum = heap_resize(g->sum, capacity, sizeof *g->sum);
    g->edges = heap_resize(g->edges, capacity, sizeof *g->edges);
    g->capacity = capacity;
}

void graph_build(struct graph *g, uint32_t nodes, const struct edge_row *edges, size_t edge_count)
{
    graph_free(g);
    reserve_nodes(g, nodes + nodes / 4 + 16);
    g->count = g->base_count = nodes;
    memset(g->more_head, 0, nodes * sizeof *g->more_head);
    for (uint32_t n = 0; n < nodes; n++) {
        g->pull[n] = 1;
        g->sum[n] = -1;
    }
    g->row = heap_alloc((size_t)nodes + 2, sizeof *g->row);
    g->base = heap_alloc(edge_count * 2, sizeof *g->base);
    /* Counting sort by row: row[n + 2] counts, then row[n + 1] is where n's next edge goes. */
    uint32_t *next = g->row + 1;
    for (size_t i = 0; i < edge_count; i++) {
        if (edges[i].from + 1 < nodes)
            next[edges[i].from + 1]++;
        if (edges[i].to + 1 < nodes)
            next[edges[i].to + 1]++;
    }
    for (uint32_t n = 1; n < nodes; n++)
        next[n] += next[n - 1];
    for (size_t i = 0; i < edge_count; i++) {
        g->base[next[edges[i].from]++] = half(edges[i], false);
        g->base[next[edges[i].to]++] = half(edges[i], true);
    }
    for (uint32_t n = 0; n < nodes; n++)
        g->edges[n] = g->row[n + 1] - g->row[n];
}

node graph_add_node(struct graph *g)
{
    if (g->count == g->capacity)
        reserve_nodes(g, g->capacity ? g->capacity * 2 : 64);
    g->more_head[g->count] = 0;
    g->pull[g->count] = 1;
    g->sum[g->count] = -1;
    g->edges[g->count] = 0;
    return g->count++;
}

static void add_half(struct graph *g, node at, struct half_edge edge)
{
    HEAP_GROW(g->more, g->more_count, g->more_capacity);
    g->more[g->more_count] = (struct more_edge){edge, g->more_head[at]};
    g->more_head[at] = ++g->more_count;
    g->edges[at]++;
    g->sum[at] = -1;
}

void graph_set_pull(struct graph *g, node n, float pull)
{
    const struct half_edge *edge;
    if (g->pull[n] == pull)
        return;
    g->pull[n] = pull;
    for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));)
        g->sum[edge->to] = -1;
}

float graph_row_sum(const struct graph *g, node n)
{
    const struct half_edge *edge;
    if (g->sum[n] >= 0)
        return g->sum[n];
    double sum = 0;
    for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));)
        sum += (double)edge->weight * g->pull[edge->to];
    return g->sum[n] = (float)sum;
}

void graph_add_edge(struct graph *g, struct edge_row edge)
{
    add_half(g, edge.from, half(edge, false));
    add_half(g, edge.to, half(edge, true));
}

/* Zeroes what `from`'s row has towards `to` (NO_NODE: towards anyone). */
static void cut_half(struct graph *g, node from, node to)
{
    g->sum[from] = -1;
    if (from < g->base_count)
        for (uint32_t i = g->row[from]; i < g->row[from + 1]; i++)
            if (to == NO_NODE || g->base[i].to == to)
                g->base[i].weight = 0;
    for (uint32_t m = g->more_head[from]; m; m = g->more[m - 1].next)
        if (to == NO_NODE || g->more[m - 1].edge.to == to)
            g->more[m - 1].edge.weight = 0;
}

void graph_cut_edge(struct graph *g, node a, node b)
{
    cut_half(g, a, b);
    cut_half(g, b, a);
}

void graph_cut_node(struct graph *g, node a)
{
    const struct half_edge *edge;
    for (struct row_walk w = graph_row(g, a); (edge = row_next(g, &w));)
        cut_half(g, edge->to, a);
    cut_half(g, a, NO_NODE);
}

void graph_free(struct graph *g)
{
    heap_free(g->row);
    heap_free(g->base);
    heap_free(g->more_head);
    heap_free(g->more);
    heap_free(g->pull);
    heap_free(g->sum);
    heap_free(g->edges);
    *g = (struct graph){0};
}
