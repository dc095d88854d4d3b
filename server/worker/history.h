/* A repository's history for a parse worker's parent, told in stretches as it is read. */
#ifndef ENGRAM_WORKER_HISTORY_H
#define ENGRAM_WORKER_HISTORY_H

#include "server/parse_wire.h"

/* Does a PARSE_HISTORY job. false: the parent is gone. */
bool answer_history(struct arena *a, const struct parse_job *job);

/* Packs where the commits stand as seen from HEAD. */
bool read_ancestry(struct arena *a, const struct parse_job *job, struct buf *reply, struct err *e);

#endif
