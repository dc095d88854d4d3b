/* The background's reading of sources: takes the requests of servers and commands, one worktree
 * after the other. */
#ifndef ENGRAM_WORKER_BACKGROUND_INDEX_H
#define ENGRAM_WORKER_BACKGROUND_INDEX_H

#include "memory/memory.h"
#include "server/config.h"

enum {
    /* A worktree that takes long to look through is looked through less often: it rests so many
     * times as long. */
    REST_FACTOR = 10,
    MAX_REST_MS = 30000,
    MAX_RESTING = 64, /* worktrees; of further ones it isn't known */
};

struct background_index; /* heap */

/* Settings and directory (the project's data folder) are borrowed; `stopped` is for any thread.
 * `between` is called between two writes of a run, with nothing held. */
struct background_index *background_index_open(const struct config *config, str directory,
                                               bool (*stopped)(void *), void (*between)(void *),
                                               void *ctx);
void background_index_close(struct background_index *b); /* NULL is fine */

/* One run over the first worktree that is due. false: there is none. */
bool background_index_some(struct background_index *b, struct memory *m);

#endif
