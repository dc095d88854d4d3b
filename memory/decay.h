/* Forgetting by decay (CATD, seed 001 Eq. 5-7): how well a memory is held up by what hangs on it
 * and by what it is, how fast it fades, and when it falls out. Time is counted in cycles, spans of
 * six hours in which something was stored or recalled: a project that rests forgets nothing.
 * Nothing is deleted here or by who asks: what falls is archived. Pure. */
#ifndef ENGRAM_DECAY_H
#define ENGRAM_DECAY_H

#include "memory/facts.h"

enum { CYCLE_MS = 6 * 60 * 60 * 1000 };

/* What fades alike: prior (what the kind itself holds up, Eq. 5), rate a cycle before topology
 * slows it (Eq. 6), the most neighbours with which one may fall (Eq. 7), whether it is spared
 * whatever its rate. Marked chatter may have more neighbours, since it
 * names what everything names: chosen by hand, not compared with fewer. */
#define DECAY_CLASSES(X)                                                                           \
    X(IDENTITY, 1.0, 0.0001, 1, true) /* and what is pinned */                                     \
    X(PREFERENCE, 0.8, 0.0008, 1, true)                                                            \
    X(LASTING, 0.8, 0.0008, 1, false) /* decision, fact */                                         \
    X(PASSING, 0.5, 0.01, 1, false)   /* question, context */                                      \
    X(EPISODE, 0.2, 0.08, 1, false)                                                                \
    X(CHATTER, 0.0, 0.16, 4, false) /* marked when it was captured */

enum decay_class {
#define X(name, prior, rate, most, spared) DECAY_##name,
    DECAY_CLASSES(X)
#undef X
        DECAY_CLASS_COUNT
};

enum decay_class decay_class_of(enum memory_kind kind, bool pinned, bool chatter);

struct decay_params {
    struct decay_rate {
        double prior, rate;
        uint32_t max_degree;
        bool spared;
    } of[DECAY_CLASS_COUNT];
    double threshold; /* falls at this confidence or less */
    /* Of Eq. 7; with these rates nothing falls before 15 cycles, so that neither decides anything
     * (unit test). */
    uint32_t max_dormant; /* never falls before it lay unused for more cycles */
    uint32_t grace;       /* nor before it is older, in cycles */
};
extern const struct decay_params decay_defaults;

struct decay_input {
    enum decay_class of;
    double centrality; /* number of nodes times global PageRank: 1 is the average */
    uint32_t degree;
    bool hub;
    uint32_t dormant, age; /* cycles since the last use, and since it was stored */
};

struct decay_result {
    double score, rate, confidence;
    bool falls;
};
struct decay_result decay_of(const struct decay_params *params, const struct decay_input *in);

/* The cycle of a time, and how many of `cycles` (ascending, those in which something happened) came
 * behind it. */
int64_t decay_cycle(int64_t ms);
uint32_t decay_cycles_since(const int64_t *cycles, size_t count, int64_t ms);

/* ---- what is used together grows together (Eq. 1) ---- */

/* A decayed sum of uses, kept as two numbers. */
struct strength {
    double sum;
    int64_t cycle; /* at which the sum stands */
};

/* What it is at a later cycle, and with one more use of this weight; never more than MAX_STRENGTH,
 * so that one hot pair can't swamp its row. */
double strength_at(const struct strength *s, int64_t cycle);
struct strength strength_add(const struct strength *s, int64_t cycle, double weight);
extern const double MAX_STRENGTH;

/* The weight of an edge between what is alike by `cosine` (0 where nobody knows) and was used
 * together by `strength`. */
double strength_weight(double cosine, double strength);

#endif
