/* Source files read by parse workers, at most two of them at once, each spoken to by a thread of
 * ours; handed out in the order in which they were ordered. A file that crashes, hangs or blows up
 * its worker costs itself: the worker is started again with the rest. What lies ready is bounded.
 */
#ifndef ENGRAM_SOURCE_FEED_H
#define ENGRAM_SOURCE_FEED_H

#include "memory/facts_source.h"

enum {
    MAX_FEED_LANES = 2,
    MAX_FEED_BYTES = 32 << 20, /* of results that lie ready, before the lanes wait */
    MAX_FEED_KILLS = 3,        /* of a worker from outside, over one file */
    MAX_BARREN_STARTS = 200,   /* workers in a row that end without a single reply */
};

/* Borrowed for as long as the feed. */
struct source_order {
    str path, known; /* as struct wire_source */
    uint64_t bytes;  /* as listed: what goes into one job */
};

struct source_result {
    struct arena arena;      /* of `file` */
    struct source_file file; /* with a fault: path, and blob where the worker told it */
    bool strike;             /* the content was at fault */
    struct err fault;        /* code ERR_NONE: it was read, or skipped for what it is */
};

struct source_feed_options {
    int root;  /* descriptor of the folder; borrowed */
    int lanes; /* 1..MAX_FEED_LANES */
    int niceness;
    int64_t deadline_ms;     /* of one file; a worker that computes has 5 s of the CPU */
    bool (*stopped)(void *); /* from any thread; NULL: never */
    void *ctx;
};

struct source_feed;

struct source_feed *source_feed_open(const struct source_feed_options *options,
                                     const struct source_order *orders, size_t count);

/* The next results in order, at least one and at most `most`; waits until so many are there, or
 * enough bytes of them. The caller frees each. 0 when all were taken, or with *e: stopped
 * (ERR_CANCELLED), no worker can be had. */
size_t source_feed_take(struct source_feed *f, struct source_result **out, size_t most,
                        struct err *e);
void source_result_free(struct source_result *r); /* NULL is fine */

/* Ends the threads and their workers. */
void source_feed_close(struct source_feed *f);

#endif
