/* The parse worker, seen from its parent: starts `engram-worker parse`, gives it one document by
 * descriptor, and takes bounded records back, under a deadline. A crash, a loop or a memory blow-up
 * there costs that document and nothing else. */
#ifndef ENGRAM_PARSE_H
#define ENGRAM_PARSE_H

#include "memory/facts.h"

/* Blocking; for a thread that may wait, any number at once; the worker lives no longer than the
 * thread. Facts live in `a`; fd stays open, its offset doesn't matter. `cancelled` may be NULL; it
 * is asked about every 100 ms. ERR_INPUT: what the parser says of the document. ERR_LIMIT:
 * deadline, memory or size. ERR_IO: the worker crashed, was killed from outside or can't be
 * started. ERR_CANCELLED: *cancelled, or workers_stop. *strike tells that the content itself was at
 * fault (crash, deadline, memory): the caller counts it by hash. */
bool parse_document(struct arena *a, int fd, str name, int64_t deadline_ms,
                    bool (*cancelled)(void *), void *ctx, struct facts *out, bool *strike,
                    struct err *e);

#endif
