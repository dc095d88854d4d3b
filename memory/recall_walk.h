/* The walk of a recall: where it starts, and PageRank from there (memory/ppr.h). */
#ifndef ENGRAM_RECALL_WALK_H
#define ENGRAM_RECALL_WALK_H

#include "memory/memory_state.h"
#include "memory/resolve.h"

/* Walks from the best lexical hits, from the entities that the query names and, where use counts,
 * from what was used. m->ppr holds the masses afterwards. */
void recall_walk(struct memory *m, struct arena *a, const struct lexical *l,
                 const struct resolved *r, size_t resolved_count);

#endif
