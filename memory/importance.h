/* How much a memory matters: what sleep promotes by. I = .30 uses + .25 recency + .25 connections +
 * .20 base, each 0..1. No paper: seed 000 names the four factors, the weights are ours. Pure. */
#ifndef ENGRAM_IMPORTANCE_H
#define ENGRAM_IMPORTANCE_H

#include "memory/facts.h"

struct importance_input {
    enum memory_kind kind;
    bool is_pinned, is_chatter;
    int64_t uses;
    int64_t age_ms;     /* since it was stored or last used; below 0 counts as 0 */
    size_t connections; /* distinct neighbours that say something; beyond MAX_CONNECTIONS they add
                           nothing */
};

enum { MAX_CONNECTIONS = 10 };

struct importance { /* the four parts with their weights, and their sum */
    float uses, recency, connections, base, sum;
};

struct importance importance_of(const struct importance_input *in);

extern const float importance_promotes; /* from this sum on a working memory becomes long-term */

#endif
