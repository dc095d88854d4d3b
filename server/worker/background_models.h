/* The background's asking of models: takes jobs out of the queue and hands them to threads that
 * wait for the network, so that nothing else of the background does. */
#ifndef ENGRAM_WORKER_BACKGROUND_MODELS_H
#define ENGRAM_WORKER_BACKGROUND_MODELS_H

#include "memory/memory.h"
#include "server/config.h"

struct background_models; /* heap */

/* NULL: no model is set up, or its settings are wrong. `stopped` is for any thread; `wake` is
 * called when an answer is there. */
struct background_models *background_models_open(const struct config *config,
                                                 bool (*stopped)(void *), void (*wake)(void));
void background_models_close(struct background_models *b); /* NULL is fine; ends the threads */

/* For the memory's options; NULL where b is. */
struct models;
const struct models *background_models_set(const struct background_models *b);

/* Does a provider make the vectors, in the local encoder's place? */
bool background_models_embed(const struct background_models *b);

/* Stores what came back, and gives the threads the next jobs. false: there was nothing to do. */
bool background_models_some(struct background_models *b, struct memory *m);

/* When to look again, whatever else happens; monotonic. */
int64_t background_models_due_ms(const struct background_models *b);

#endif
