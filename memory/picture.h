/* What the picture of the graph shows: which nodes and edges are worth it, and their communities.
 * Private to memory/; memory_picture of memory/memory_views.h is what others call. */
#ifndef ENGRAM_PICTURE_H
#define ENGRAM_PICTURE_H

#include "memory/memory_views.h"
#include "memory/store.h"

/* Colours its nodes by Louvain's communities of what is in it. A community that goes on from a
 * stored one (node.community, as the last pass of growth left it) has its id and label, any other
 * one a negative id and the name of its heaviest entity, else of its heaviest node. Communities of
 * fewer than three members have no row and their nodes 0. Pure. */
void picture_colour(struct arena *a, struct picture *p, const struct picture_community *stored,
                    size_t stored_count);

#endif
