/* Which memories sleep puts together: clusters of what speaks of the same things. Values in, a plan
 * out; deterministic, whatever the order of the hardware. Pure.
 *
 * Two memories are linked where they share two entities and these are half of what the one with
 * fewer names (overlap coefficient), or where they share one, or are near each other in a
 * conversation, and their sentences mean nearly the same to the encoder. A memory joins the cluster
 * with which it has most links, at least with half of its members, so that no chain of likenesses
 * grows into one heap. What was consolidated before is a cluster that others can join. */
#ifndef ENGRAM_CONSOLIDATE_H
#define ENGRAM_CONSOLIDATE_H

#include "memory/base/arena.h"
#include "memory/facts.h"

enum {
    MAX_CLUSTER = 16,   /* members of one consolidated memory */
    MAX_NEAR_TURNS = 3, /* that follow in a conversation: near each other */
    MIN_CENTRED = 30,   /* vectors, for a mean that tells something */
    MIN_SHARED_ENTITIES = 2,
};

/* A memory as the plan sees it. Given in order of id. */
struct sleeper {
    int64_t id, at_ms;
    int64_t session;          /* 0: none */
    bool is_ready;            /* working, and to be promoted: a cluster needs one */
    int64_t within;           /* the consolidated memory that has it; 0: none */
    const uint32_t *entities; /* what it speaks of, by number below entity_count, ascending */
    size_t entity_count;
    const int8_t *vector; /* of its text; NULL: none */
    float scale;
};

struct sleepers {
    const struct sleeper *at;
    size_t count;
    size_t entity_count;
    const bool *is_hub; /* per entity: too general to tell that two memories belong together */
    size_t dimensions;  /* of vectors; 0: none */
};

struct cluster {
    int64_t into;    /* the consolidated memory that it joins; 0: a new one */
    uint32_t *added; /* indices into sleepers, ascending */
    size_t added_count;
};

/* Clusters with at least two memories, one of them ready; in order of their first added memory. */
struct cluster *consolidate_clusters(struct arena *a, const struct sleepers *in, size_t *count);

#endif
