/* Whether two memories say different values of the same thing: "staging runs Postgres 14" and
 * "staging runs on Postgres 16". Two statements are laid beside each other; what they share must
 * leave one value in each, at a place where a thing has but one value. Deterministic, by rule; no
 * model. What may both be true (another subject, environment or time, a list, two events) is
 * passed over: a false alarm costs a person's attention. Pure. */
#ifndef ENGRAM_CONTRADICT_H
#define ENGRAM_CONTRADICT_H

#include "memory/base/arena.h"

struct said_relation {
    str from, relation, to; /* equal entities have equal names here */
};

struct saying {
    str text;
    str speaker; /* empty: nobody told */
    const struct said_relation *relations;
    size_t relation_count;
};

struct contradiction {
    str older, newer; /* the two values, borrowed from the texts; "so" and "not so" for a denial */
};

/* older must be the earlier of the two: a change is announced by the newer. */
bool contradict(struct arena *a, const struct saying *older, const struct saying *newer,
                struct contradiction *out);

#endif
