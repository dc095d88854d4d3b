/* How a process asks the one that indexes a project for a run over a worktree: a small file of its
 * own in the project's data folder. Asking twice is asking once; a request outlives whoever was at
 * it when he is killed.
 *
 *     index/<hash of the root>.ask    the root, and when it was asked (the file's time)
 *     index/<hash of the root>.run    the same, taken by the one that holds background.lock
 */
#ifndef ENGRAM_INDEX_REQUEST_H
#define ENGRAM_INDEX_REQUEST_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum { MAX_INDEX_REQUESTS = 256 }; /* looked at in one folder; the rest waits */

/* `directory` is the project's data folder, root a real path. */
bool index_request_put(str directory, str root, struct err *e);

/* Is somebody asked, or at it? */
bool index_request_is_open(str directory, str root);

/* For the holder of background.lock: the roots that are asked for or whose run was interrupted, in
 * a fixed order; they stay where they are. */
void index_request_list(struct arena *a, str directory, str **roots, size_t *count);

/* A run begins: what is asked from now on is asked for the next one. */
void index_request_begin(str directory, str root);

/* The run has come to its end. */
void index_request_end(str directory, str root);

#endif
