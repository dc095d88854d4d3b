/* The memory part of the personalization vector: what was used much and lately, log(1+n) e^(-mu
 * days) (seed 001, Eq. 2). No query changes it, so its walk is done once a snapshot, and added to
 * the query's by linearity. Pure. */
#ifndef ENGRAM_USAGE_PART_H
#define ENGRAM_USAGE_PART_H

#include "memory/ppr.h"
#include "memory/store.h"

struct usage_part { /* zero-initialised is empty */
    struct ppr_part walk;
    uint64_t generation; /* of the snapshot that it was made from */
};

/* The walk from the most used nodes; empty where nothing was used. w is overwritten where the
 * snapshot changed: to be called before the query's own walk. */
const struct ppr_part *usage_part(struct usage_part *u, const struct snapshot *snap,
                                  const struct ppr_params *params, struct ppr_work *w);
void usage_part_free(struct usage_part *u);

#endif
