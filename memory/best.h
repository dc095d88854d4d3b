/* The k best of many scored nodes without sorting the rest. Pure and deterministic: of equal
 * scores the greater (newer) node comes first. */
#ifndef ENGRAM_BEST_H
#define ENGRAM_BEST_H

#include "memory/graph.h"

struct scored {
    node at;
    float score;
};

/* Puts the k best (fewer where there are fewer) to the front, in no order; gives how many. */
size_t best_of(struct scored *list, size_t count, size_t k);

/* Puts the k best (fewer where there are fewer) to the front, best first; gives how many. */
size_t best_first(struct scored *list, size_t count, size_t k);

#endif
