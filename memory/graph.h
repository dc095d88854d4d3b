/* The graph in memory for Personalized PageRank: typed, weighted edges in both directions, compact
 * rows that take in new edges without being built again. Pure: from edge lists, no SQL. */
#ifndef ENGRAM_GRAPH_H
#define ENGRAM_GRAPH_H

#include "memory/base/arena.h"

typedef uint32_t node; /* dense, valid within one snapshot; a persistent id is an int64_t */

enum {
    NO_NODE = UINT32_MAX,
    MAX_NODES = 1 << 27, /* what half_edge.to holds */
};

struct half_edge { /* as seen from its row; 8 bytes, since a walk is bound by memory */
    uint32_t to : 27;
    uint32_t kind : 4;    /* enum edge_kind */
    uint32_t reverse : 1; /* the stored edge points the other way */
    float weight;         /* towards `to`; no unit, only ratios within a row count */
};

/* Heap-held. Rows are [row[n], row[n+1]) of base; edges added since stand in chains of `more`,
 * newest first. */
struct graph {
    uint32_t count, capacity;
    uint32_t base_count; /* rows that base covers */
    uint32_t *row;       /* base_count + 1 */
    struct half_edge *base;
    uint32_t *more_head; /* per node: index into more + 1, 0: none */
    struct more_edge {
        struct half_edge edge;
        uint32_t next; /* index + 1 */
    } * more;
    uint32_t more_count, more_capacity;
    float
        *pull; /* per node: multiplies the weight of edges towards it (specificity); 1 is neutral */
    float
        *sum; /* per node: weight times pull over its row; negative: not known, see graph_row_sum */
    uint32_t *edges; /* per node: half edges of its row, cut ones included */
};

struct edge_row {
    node from, to;
    uint8_t kind;
    float weight; /* of the stored edge; multiplied by the kind's own */
};

/* Replaces the whole graph by n nodes and these edges. */
void graph_build(struct graph *g, uint32_t nodes, const struct edge_row *edges, size_t edge_count);
node graph_add_node(struct graph *g);
void graph_add_edge(struct graph *g, struct edge_row edge);

/* How strongly a node draws walkers. */
void graph_set_pull(struct graph *g, node n, float pull);

/* What a walker's choice at n is divided by; kept until an edge or a pull around n changes. */
float graph_row_sum(const struct graph *g, node n);

/* Takes out every edge between a and b (both directions), or all edges of a node. */
void graph_cut_edge(struct graph *g, node a, node b);
void graph_cut_node(struct graph *g, node a);
void graph_free(struct graph *g);

/* Walks a row: for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));). Cut edges have
 * weight 0. */
struct row_walk {
    uint32_t at, end, more;
};

static inline struct row_walk graph_row(const struct graph *g, node n)
{
    bool in_base = n < g->base_count;
    return (struct row_walk){in_base ? g->row[n] : 0, in_base ? g->row[n + 1] : 0, g->more_head[n]};
}

static inline const struct half_edge *row_next(const struct graph *g, struct row_walk *w)
{
    if (w->at < w->end)
        return &g->base[w->at++];
    if (!w->more)
        return NULL;
    const struct more_edge *m = &g->more[w->more - 1];
    w->more = m->next;
    return &m->edge;
}

#endif
