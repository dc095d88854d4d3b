/* The shape of what is remembered: how central a node is to all of it (global PageRank), and which
 * ones everything runs through (macro-hubs, seed 001 Eq. 4). Pure and deterministic. */
#ifndef ENGRAM_TOPOLOGY_H
#define ENGRAM_TOPOLOGY_H

#include "memory/base/arena.h"

/* Of nodes 0..n-1; weights towards b and towards a, >= 0. A pair may come more than once. */
struct topo_edge {
    uint32_t a, b;
    float forward, backward;
};

/* Each node's outgoing half edges, row after row. */
struct topo_graph {
    uint32_t count;
    size_t *row; /* count + 1 */
    uint32_t *to;
    float *weight;
};
void topo_build(struct arena *a, uint32_t nodes, const struct topo_edge *edges, size_t count,
                struct topo_graph *out);

/* pi = (1-d)/n + d P^T pi with d = .85; what can't go on is spread over all. `out` sums to 1. */
void topo_pagerank(const struct topo_graph *g, double *out);

/* Marks nodes of centrality >= mean + 1.2 standard deviations that have at least three neighbours;
 * gives how many. */
size_t topo_hubs(const double *centrality, const uint32_t *degree, uint32_t nodes, bool *hub);

#endif
