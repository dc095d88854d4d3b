/* One name with two meanings: texts of two communities (memory/louvain.h) mention it, and share
 * nothing else. */
#ifndef ENGRAM_REVIEW_MEANINGS_H
#define ENGRAM_REVIEW_MEANINGS_H

#include "memory/review_journal.h"

struct two_meanings {
    int64_t *staying, *moving; /* texts; the larger group stays */
    size_t stay_count, move_count;
    str stay_names, move_names; /* what the groups are about */
};

/* As the last pass over the graph's shape found the communities. Inside a read. */
bool review_meanings(struct memory *m, struct arena *a, int64_t entity, struct two_meanings *out,
                     bool *found, struct err *e);

/* The smaller group gets an entity of its own, "Mercury (Kafka, Orders)". ERR_CONFLICT where the
 * name has one meaning by now. Inside a write. */
bool review_split_meaning(struct entry *j, int64_t entity, struct err *e);

#endif
