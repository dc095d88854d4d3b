/* What a memory replaced and what replaced it, for recall with include_superseded. */
#ifndef ENGRAM_RECALL_CHAIN_H
#define ENGRAM_RECALL_CHAIN_H

#include "memory/memory_state.h"

/* Most members of one chain that come out together; further ones keep their own places. */
enum { MAX_CHAIN = 32 };

/* The candidates, each chain of replaced memories at the place of its best member above the floor:
 * the current one first, then the newest, all with that member's score. A new array in `a`. */
bool recall_with_chains(struct memory *m, struct arena *a, float floor,
                        struct candidate **candidates, size_t *count, struct err *e);

#endif
