/* What the parts of the engine share (engine.c: jobs and their order, engine_waits.c: documents
 * that are parsed, engine_asks.c: calls that wait for a model). */
#ifndef ENGRAM_ENGINE_STATE_H
#define ENGRAM_ENGINE_STATE_H

#include "server/askers.h"
#include "server/engine.h"
#include "server/projects.h"

#include <pthread.h>

/* A document on its way through a parse worker and into the memory, and the job that ordered it. */
struct wait {
    struct wait *next;
    struct job *job; /* once answered as pending: a stand-in whose answer nobody gets */
    bool answered;
    struct parse_order *order;
    int64_t began_ms, progress_ms, pend_ms; /* progress_ms: when the next one is due */
    enum { WAIT_QUEUED, WAIT_PARSING, WAIT_PARSED } state;
    atomic_bool stop;
    bool is_begun; /* some of what the parse gave is stored */
    /* What the parse gave; the parsing thread's until WAIT_PARSED. */
    struct arena arena;
    struct facts facts;
    bool ok;
    struct err failure;
};

struct event {
    struct event *next;
    struct engine_event what;
};

struct engine {
    const struct config *config;
    int wake;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;  /* for the engine's thread */
    pthread_cond_t ended; /* it ended */
    bool started, settled, closing, over;
    pthread_t thread;
    struct job *jobs, **jobs_end; /* in order of arrival */
    struct job *running;
    struct job *asking;              /* wait for a model, in no order */
    struct job *heard, **heard_end;  /* these have heard it, and are to be run again */
    struct wait *waits, **waits_end; /* in order of arrival */
    size_t wait_count;
    size_t parses; /* threads */
    struct event *events, **events_end;
    size_t event_count;
    bool held;
    int64_t held_until_ms;
    char *root; /* heap; NULL: none */
    bool has_new_root;
    bool jobs_first; /* a document, or who has heard a model, had its turn */
    bool tends; /* before tend_ms: somebody took a call back that waits for its turn to ask */
    struct sampling_news sampling_news;

    /* The engine thread's own. */
    struct projects *projects;
    struct askers *askers;
    struct sampling *sampling; /* NULL: the client's model isn't asked */
    int64_t tend_ms;           /* when these want to be tended; INT64_MAX: behind the next job */
};

/* ---- of engine.c ---- */

/* The lock is held. */
void engine_wake_owner(struct engine *g);
void engine_add_event(struct engine *g, struct engine_event what);
void engine_give_back(struct engine *g, struct job *job);

bool engine_job_is_cancelled(void *job);
struct request engine_request(struct engine *g, struct job *job);
int engine_thread(pthread_t *thread, bool detached, void *(*run)(void *), void *ctx);

static inline void engine_due_at(int64_t *due_ms, int64_t at_ms)
{
    *due_ms = at_ms < *due_ms ? at_ms : *due_ms;
}

/* ---- of engine_waits.c ---- */

struct wait *engine_wait_new(struct engine *g, struct job *job, struct parse_order *order);

/* On the engine's thread, without the lock. */
/* A step of a document that is parsed; w is in no list: engine_take_parsed took it out. */
void engine_resume(struct engine *g, struct wait *w);
/* The answer that a document is pending; w stays in the list, and its parse may be running. */
void engine_pend(struct engine *g, struct wait *w);

/* The lock is held. */
void engine_add_wait(struct engine *g, struct wait *w);
struct wait *engine_take_parsed(struct engine *g);
/* Of a call that was taken back; 0: of all, since the server ends. */
void engine_stop_waits(struct engine *g, uint64_t number);

/* The lock is held. Tells progress where it is due; the first wait that must be answered as
 * pending. */
struct wait *engine_look_at_waits(struct engine *g, int64_t now_ms, int64_t *due_ms);

/* ---- of engine_asks.c ---- */

struct asking *engine_ask_new(struct engine *g, struct job *job);

/* The lock is held. A call that has heard its model and is to be run again; NULL: none. */
struct job *engine_take_heard(struct engine *g);

/* The lock is held. Calls that wait for a model or have heard it are taken back; number 0: all. */
void engine_stop_asks(struct engine *g, uint64_t number);

#endif
