/* Workers, seen from their parent: starts `engram-worker parse` or `http`, takes its replies under
 * a deadline, ends it, and judges why one ended without a whole reply. What a worker reads is
 * hostile, and so is the worker from then on: its replies are bounded and checked. */
#ifndef ENGRAM_WORKER_PROCESS_H
#define ENGRAM_WORKER_PROCESS_H

#include "server/parse_wire.h"

#include <sys/types.h>

enum worker_kind { WORKER_PARSE, WORKER_HTTP };

/* One running worker, for one thread: it lives no longer than the thread. From its start to its end
 * it is in a list, so that workers_stop never signals a stranger. */
struct worker_process {
    struct worker_process *next;
    pid_t pid; /* also its process group */
    int socket;
    bool stays;   /* between what it is asked: nobody may be about to end it */
    bool stopped; /* by workers_stop */
};

/* ERR_IO where it can't be started. */
bool worker_start(struct worker_process *w, enum worker_kind kind, struct err *e);

enum talk_outcome { TALK_ANSWERED, TALK_HUNG_UP, TALK_GARBLED, TALK_TOO_LATE, TALK_TAKEN_BACK };

struct talk {
    int64_t until_ms;          /* monotonic */
    size_t max_bytes;          /* of a reply */
    bool (*cancelled)(void *); /* NULL, or asked about every 100 ms */
    void *ctx;
};

/* Hands it `bytes`, as fast as it takes them: TALK_ANSWERED when all are there. */
enum talk_outcome worker_send(struct worker_process *w, const struct talk *t, str bytes);

/* The next reply of w; its bytes live in `a`. */
enum talk_outcome worker_receive(struct arena *a, struct worker_process *w, const struct talk *t,
                                 struct reply_header *header, str *reply);

struct worker_end {
    enum talk_outcome outcome; /* of what was last asked of it */
    int status;                /* waitpid's; -1: unknown */
    bool killed, stopped;      /* by us: at its end; by workers_stop */
};

/* Ends w: at once where it is at fault, else it has a second to do so by itself. */
struct worker_end worker_end(struct worker_process *w, enum talk_outcome outcome);

/* Why there is no whole reply on `name` (shown in the text): ERR_CANCELLED, ERR_LIMIT (deadline,
 * memory) or ERR_IO (crash, killed, nonsense). *strike: what it read was at fault. Always false. */
bool worker_explain(const struct worker_end *end, str name, int64_t deadline_ms, bool *strike,
                    struct err *e);

/* Kills the workers that run now and waits, at most a second, until the threads of those that don't
 * stay have reaped them; for the exit of the process. Safe from another thread. */
void workers_stop(void);

#endif
