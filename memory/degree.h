/* How many neighbours hold a node up: what importance, load-bearing score and eviction count. */
#ifndef ENGRAM_DEGREE_H
#define ENGRAM_DEGREE_H

#include "memory/store.h"

/* Distinct current neighbours by RELATES_TO, RELATION, ASSOCIATED and ANCHORS, and by MENTIONS: of
 * a text the entities that others mention, too, of an entity the texts. Never by NEXT, PART_OF or
 * CO_OCCURS. Counts no further than `most`. */
uint32_t degree_of(const struct snapshot *snap, node n, uint32_t most, struct arena *scratch);

#endif
