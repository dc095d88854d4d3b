/* Commits read by a parse worker that a thread of ours speaks to: the worker reads on while what it
 * told is stored, up to a bound of bytes that wait. */
#ifndef ENGRAM_HISTORY_FEED_H
#define ENGRAM_HISTORY_FEED_H

#include "server/worker_process.h"

enum {
    HISTORY_DEADLINE_MS = 60000, /* for the next stretch of commits */
    MAX_HISTORY_AHEAD = 8 << 20, /* bytes that wait, and a reply more */
};

struct history_feed_options {
    str ask;   /* wire_write_history; copied */
    int known; /* descriptor: ids that stand here already, as PARSE_HISTORY takes them; duplicated
                */
    int niceness;
    bool (*stopped)(void *); /* from any thread; NULL: never */
    void *ctx;
};

struct history_feed;

struct history_feed *history_feed_open(const struct history_feed_options *options);

/* A reply of the worker; freed by the caller. */
struct history_reply {
    struct arena arena; /* of `bytes` */
    struct reply_header header;
    str bytes;
    struct history_reply *next; /* the feed's */
};
void history_reply_free(struct history_reply *r);

/* The next one, waited for; NULL: the worker has ended, history_feed_close tells why. */
struct history_reply *history_feed_take(struct history_feed *f);

/* Ends the worker where it still runs. false with *e where none could be started; else how it
 * ended. */
bool history_feed_close(struct history_feed *f, struct worker_end *end, struct err *e);

#endif
