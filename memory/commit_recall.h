/* The commits that answer a question: candidates with their messages read, ranked. */
#ifndef ENGRAM_COMMIT_RECALL_H
#define ENGRAM_COMMIT_RECALL_H

#include "memory/code_recall.h"
#include "memory/commit_rank.h"

/* From an answer whose hits and history are filled, inside a read. mass: per file, PageRank, NULL
 * where that leg is off. Best first, in the arena. */
bool commit_recall(struct memory *m, struct arena *a, str query, const struct code_answer *answer,
                   const float *mass, size_t most, struct commit_candidate **out, size_t *count,
                   struct err *e);

#endif
