/* The background's tending of the graph: once in each cycle of six hours in which something
 * happened. */
#ifndef ENGRAM_WORKER_BACKGROUND_TEND_H
#define ENGRAM_WORKER_BACKGROUND_TEND_H

#include "memory/memory.h"
#include "server/config.h"

/* One run where it is due. false: there was none. */
bool background_tend_some(const struct config *config, struct memory *m);

#endif
