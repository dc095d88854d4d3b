/* Communities by modularity (Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of
 * communities in large networks", 2008), the same for the same graph: nodes move in their order,
 * and of equal gains the lowest number wins. Pure. */
#ifndef ENGRAM_LOUVAIN_H
#define ENGRAM_LOUVAIN_H

#include "memory/topology.h"

/* community[n] of each node, numbered 0.. in order of their first member; gives how many. An edge
 * weighs the mean of its two directions. */
uint32_t louvain(uint32_t nodes, const struct topo_edge *edges, size_t count, uint32_t *community);

/* Q of a partition. */
double louvain_modularity(uint32_t nodes, const struct topo_edge *edges, size_t count,
                          const uint32_t *community);

/* Whom a new community goes on from: known[n] is the id of each node's community before (0: none),
 * id[c] becomes one of these where the two overlap by at least 3/10 of what either holds, else 0.
 * No id goes to two, the larger overlap first. */
void louvain_match(uint32_t nodes, const uint32_t *community, uint32_t communities,
                   const int64_t *known, int64_t *id);

#endif
