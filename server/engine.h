/* The engine: one thread that runs jobs against the memory in order of arrival, but for those that
 * hear a model first, so that the wire is never blocked by work. Started by the first job.
 * Documents are parsed on threads of their own (at most MAX_PARSES at once), so that neither other
 * jobs nor the write lock wait for a parse; so are the models asked (at most MAX_ASKS at once) that
 * a recall wants to hear first.
 *
 * All functions are for the one thread that owns the engine (the wire's). Whenever something may
 * have come for it, the wake descriptor is written to. */
#ifndef ENGRAM_ENGINE_H
#define ENGRAM_ENGINE_H

#include "server/config.h"
#include "server/job.h"
#include "server/sampling.h"

enum {
    MAX_PARSES = 2,
    MAX_ASKS = 4,
    MAX_WAITS = 64,          /* documents that are parsed or wait for it; each holds a descriptor */
    MAX_EVENTS_WAITING = 16, /* answers that nobody fetched, before the engine stops to make more */
    ROOTS_WAIT_MS = 1000,
    PROGRESS_EVERY_MS = 1000,
};

struct engine;

/* Cheap: no thread, no file. `wake` is an eventfd of the caller's. config is borrowed. */
struct engine *engine_open(const struct config *config, int wake);

/* Takes the job over until an event gives it back. */
void engine_submit(struct engine *g, struct job *job);

/* The client took it back. It still comes as an event, soon. */
void engine_cancel(struct engine *g, uint64_t number);

/* No job starts until engine_release, at most ROOTS_WAIT_MS long. */
void engine_hold(struct engine *g);

/* root: where the client says that it works, empty: it doesn't say; NULL: as it was. */
void engine_release(struct engine *g, const str *root);

/* The client takes questions to its model, or no more. */
void engine_offer_sampling(struct engine *g, bool offers);

/* What came of one; takes its result over. */
void engine_sampled(struct engine *g, const struct sampling_answer *answer);

struct engine_event {
    enum { EVENT_NONE, EVENT_DONE, EVENT_PROGRESS, EVENT_SAMPLING } kind;
    struct job *job; /* of EVENT_DONE: has its answer and is the caller's */
    uint64_t number; /* of EVENT_PROGRESS */
    int64_t seconds;
    char what[128];
    struct sampling_order order; /* of EVENT_SAMPLING; its text is the caller's */
};

/* The next thing that happened; EVENT_NONE when there is none. */
struct engine_event engine_take(struct engine *g);

/* Something runs, waits or was not taken yet. */
bool engine_is_busy(struct engine *g);

/* Starts nothing more: what waits fails with ERR_BUSY, what runs is asked to end. A write that has
 * begun goes on to its commit. */
void engine_settle(struct engine *g);

/* Ends the thread and frees everything once nothing runs any more; false when something still does
 * by then: call it again, or _exit. Nothing may be submitted behind it. */
bool engine_close(struct engine *g, int64_t deadline_ms);

#endif
