/* The background's tending of the graph: once in each cycle of six hours in which something
 * happened. */
#ifndef ENGRAM_WORKER_BACKGROUND_TEND_H
#define ENGRAM_WORKER_BACKGROUND_TEND_H

#include "memory/memory.h"
#include "server/config.h"

enum { TEND_AGAIN_MS = 60 * 1000 /* behind a run that failed */ };

struct background_tend {
    const struct config *config; /* borrowed */
    bool (*stopped)(void *);
    int64_t not_before_ms; /* monotonic */
};

/* One run where it is due. false: there was none. */
bool background_tend_some(struct background_tend *t, struct memory *m);

#endif
