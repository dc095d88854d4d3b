/* What an answer would do to recall, measured: the graph around what it is about is walked as it
 * stands and as it would be, from some of the memories that it touches. Pure; reads a snapshot. */
#ifndef ENGRAM_REVIEW_EFFECT_H
#define ENGRAM_REVIEW_EFFECT_H

#include "memory/store.h"

/* A change of the graph. */
struct what_if {
    const node *gone; /* lead nowhere any more: dismissed entities, archived memories */
    size_t gone_count;
    node from, into; /* from's edges lead to `into` instead; NO_NODE: nothing moves */
    /* into NO_NODE with movers: the edges of these neighbours lead to an entity of their own */
    const node *movers;
    size_t mover_count;
};

/* The share of the ranking's mass that is expected to move to other memories for a question about
 * any memory, those that are used counting more: 0..1. At most MAX_LOCAL nodes are looked at and
 * MAX_PROBES questions asked, so a hub costs no more than another name: some milliseconds. */
enum { MAX_LOCAL = 400, MAX_PROBES = 6 };
double review_effect(const struct snapshot *snap, const struct what_if *change, double all);

/* What all memories and passages weigh: `all` of review_effect. */
double review_all_weight(const struct snapshot *snap);

#endif
