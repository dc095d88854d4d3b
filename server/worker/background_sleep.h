/* The background's sleep: consolidates at idle, and when a session was told to be over. */
#ifndef ENGRAM_WORKER_BACKGROUND_SLEEP_H
#define ENGRAM_WORKER_BACKGROUND_SLEEP_H

#include "memory/memory.h"
#include "server/config.h"

enum {
    QUIET_MS = 60 * 1000,        /* nothing was remembered for so long: idle */
    SLEEP_EVERY_MS = 300 * 1000, /* between two runs of an idle project */
};

struct background_sleep {
    const struct config *config; /* borrowed */
    bool (*stopped)(void *);
    int64_t seen, slept; /* the newest memory at the last look, and in front of the last run */
    int64_t seen_ms;     /* when something new was seen last; monotonic, as is the next: */
    int64_t slept_ms;    /* when the last run ended */
    bool has_looked, has_slept;
};

/* One run where it is time for one. false: there was none. */
bool background_sleep_some(struct background_sleep *s, struct memory *m);

#endif
