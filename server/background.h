/* The background process of a project, as the others see it: the locks by which servers, the
 * background and `engram index` know of each other, and the server's side of its life. Nobody
 * signals anybody and no number is written down: flock tells all, and the kernel frees it when a
 * process dies.
 *
 *     servers.lock       shared: a server has the project open. The background waits for it
 * exclusively: getting it means that the last server is gone. background.lock    exclusive: the
 * background, or an `engram index` at work.
 */
#ifndef ENGRAM_BACKGROUND_H
#define ENGRAM_BACKGROUND_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

#define SERVERS_LOCK "servers.lock"
#define BACKGROUND_LOCK "background.lock"

enum {
    START_DELAY_MS = 500, /* behind a server's first call */
    LOOK_AGAIN_MS = 2000, /* one that was found then may have been about to end */
    MAX_STARTS = 4,       /* in STARTS_WITHIN_MS: one that can't live isn't started for ever */
    STARTS_WITHIN_MS = 10 * 60 * 1000,
    BACKGROUND_KEYS = 3,         /* its descriptor of a file in memory: config_secrets's lines */
    MAX_BACKGROUND_KEYS = 32768, /* bytes of them */
};

/* A descriptor of a lock file in the project's data folder; -1 with *e. */
int background_open_lock(str directory, const char *name, struct err *e);

/* Takes background.lock: true when it is ours, false when somebody is at work already. Waits some
 * milliseconds at most, for servers that only look. */
bool background_elect(int fd);

struct background; /* heap; one thread */

/* Cheap: opens nothing before background_tend. may_start: is there work for a background at all?
 * keys: what it is handed of the settings that no environment may hold; copied. */
struct background *background_open(str directory, bool may_start, str keys);
void background_close(struct background *b); /* NULL is fine */

/* A call uses the project. */
void background_call(struct background *b, int64_t now_ms);

/* For behind a call and for the time that the last one gave: holds servers.lock, looks whether a
 * background runs, starts one where it is time to. When to come again; INT64_MAX: behind the next
 * call. */
int64_t background_tend(struct background *b, int64_t now_ms);

#endif
