/* Questions to the model of the client that this process serves (MCP's sampling/createMessage),
 * where the user set that up: which item of the project's queue comes next and when, and what its
 * answer changes. One at a time, none while a call is worked on, and no call ever waits for one.
 *
 *     sampling_turn -> ORDER_ASK -> the session sends it and hears -> sampling_turn, with the news
 *
 * A server that ends gives its item back; one that is killed leaves it until its lease ends. */
#ifndef ENGRAM_SAMPLING_H
#define ENGRAM_SAMPLING_H

#include "server/projects.h"

enum {
    SAMPLING_QUIET_MS = 5000,  /* behind a call, or the gap between questions, if that is less */
    SAMPLING_LOOK_MS = 500,    /* between two looks into the queue, or that gap, if that is more */
    MAX_SAMPLING_FAILURES = 3, /* in a row: then this client isn't asked any more */
};

struct sampling_answer {
    uint64_t number; /* of the question; 0: there is none */
    char *result;    /* JSON, heap; NULL where there is only */
    struct err why;  /* the reason: as of model_job_answer */
};

/* What the session has to say at a turn. */
struct sampling_news {
    bool offered; /* the client takes such questions */
    struct sampling_answer answer;
};

/* What it is asked to do. */
struct sampling_order {
    enum { ORDER_NONE, ORDER_ASK, ORDER_WITHDRAW } kind;
    uint64_t number;
    char *text; /* heap: the params of ORDER_ASK, the reason of ORDER_WITHDRAW */
};

struct sampling; /* heap; one thread (the engine's) */

/* NULL, which all the others take, where nobody is to be asked. `config` is borrowed. */
struct sampling *sampling_open(const struct config *config);
void sampling_close(struct sampling *s);

/* A call was worked on. */
void sampling_called(struct sampling *s, int64_t now_ms);

/* When it wants a turn; INT64_MAX: not before something is new. idle: no call waits. */
int64_t sampling_due_ms(const struct sampling *s, const struct sampling_news *news, bool idle);

/* Takes the answer of `news` over. Waits for no lock that somebody else holds for long. */
struct sampling_order sampling_turn(struct sampling *s, struct projects *p,
                                    const struct sampling_news *news, int64_t now_ms);

#endif
