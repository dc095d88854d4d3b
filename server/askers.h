/* Threads that wait for models, so that nobody else does. Each has an HTTP helper of its own
 * (server/http_client.h), started at its first request; a thread is started when something is to be
 * asked and no other one is free. */
#ifndef ENGRAM_ASKERS_H
#define ENGRAM_ASKERS_H

#include "memory/provider/provider.h"

struct askers; /* heap; its functions may be called by any thread */

/* Something to be asked; the caller's, until `ask` is called, which happens once. */
struct asking {
    struct asking *next; /* askers' own */
    /* On one of the threads, or of askers_tend. t is NULL where it is too late or unwanted before
     * its turn came. The last thing that is done with it. */
    void (*ask)(struct asking *a, const struct transport *t);
    bool (*unwanted)(const struct asking *a); /* asked by any thread, about every 100 ms */
    int64_t until_ms;                         /* monotonic: nobody begins to ask behind it */
};

/* `most` threads at the same time. proxy: the user's, copied; may be empty. */
struct askers *askers_open(str proxy, size_t most);

/* Ends the threads; nothing may wait or be asked any more. NULL is fine. */
void askers_close(struct askers *s);

/* First come, first asked. Where no thread can be started it waits for askers_tend. */
void askers_add(struct askers *s, struct asking *a);

/* Starts threads that couldn't be started before, and gives back what waits for one and is too late
 * or unwanted. When to come again: INT64_MAX where nothing waits. */
int64_t askers_tend(struct askers *s, int64_t now_ms);

#endif
