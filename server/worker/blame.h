/* What the parse worker does for PARSE_BLAME. */
#ifndef ENGRAM_WORKER_BLAME_H
#define ENGRAM_WORKER_BLAME_H

#include "server/parse_wire.h"

/* Packs which commits made the lines of HEAD's file, or which line of it a line of the worktree's
 * is. A file that the worktree doesn't have is taken as HEAD has it; in one that cannot be compared
 * (a link, over MAX_SOURCE_BYTES) no line is committed. ERR_INPUT for what is no question. */
bool blame_file(struct arena *a, const struct parse_job *job, struct buf *reply, struct err *e);

#endif
