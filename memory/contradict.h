/* Whether two memories say different values of the same thing: "staging runs Postgres 14" and
 * "staging runs on Postgres 16". Two statements are laid beside each other; what they share must
 * leave one value in each, at a place where a thing has but one value. Deterministic, by rule; no
 * model. What may both be true (another subject, environment or time, a list, two events) is
 * passed over: a false alarm costs a person's attention. Pure. */
#ifndef ENGRAM_CONTRADICT_H
#define ENGRAM_CONTRADICT_H

#include "memory/clauses.h"

struct said_relation {
    str from, relation, to; /* equal entities have equal names here */
};

struct saying {
    str text;
    const struct clause *clauses;
    size_t clause_count;
    str speaker; /* empty: nobody told */
    const struct said_relation *relations;
    size_t relation_count;
};

/* A text parted into its clauses, for any number of comparisons. */
struct saying saying_of(struct arena *a, str text);

struct contradiction {
    str older, newer; /* the two values, borrowed from the texts; "so" and "not so" for a denial */
};

/* older must be the earlier of the two: a change is announced by the newer. */
bool contradict(const struct saying *older, const struct saying *newer, struct contradiction *out);

/* Whether a thing has but one object by a relation of this label (owned_by, runs_on). */
bool contradict_takes_one(str label);

#endif
