/* Starting engram-worker: where it is, and what it may know of our environment. */
#ifndef ENGRAM_SPAWN_H
#define ENGRAM_SPAWN_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

/* Path of the engram-worker executable: beside the running one, else in the libexec folder; never
 * by PATH. */
bool spawn_worker_path(struct arena *a, str *out, struct err *e);

/* The variables that every process of ours keeps (where home and data are, which language, PATH;
 * under a sanitizer its settings), and those that begin with one of `also` (ends in NULL; may be
 * NULL). Never a key, LD_* or GIT_*. The texts are environ's. */
char **spawn_environment(struct arena *a, const char *const *also);

/* Everything of the environment but our keys: for the user's own programs. */
char **spawn_users_environment(struct arena *a);

#endif
