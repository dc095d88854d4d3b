/* How the commits at which memories were made bear on recall: what was said on another line of
 * history may not hold on the caller's. It steps back a little, is told as such, and never hidden.
 */
#ifndef ENGRAM_RECALL_LINEAGE_H
#define ENGRAM_RECALL_LINEAGE_H

#include "memory/memory_state.h"
#include "memory/rank.h"

/* Lowers the scores of memories made elsewhere and puts the candidates, whose scores fall, in order
 * again. What was above `floor` stays there. Inside a read. */
bool lineage_rank(struct memory *m, struct arena *a, str root, float floor,
                  struct candidate *candidates, size_t count, struct err *e);

/* What is to be said of a memory's commit; empty where it is the caller's line, or unknown. */
bool lineage_words(struct memory *m, struct arena *a, str root, int64_t memory, str *out,
                   struct err *e);

#endif
