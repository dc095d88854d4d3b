/* What the parse worker does for PARSE_IMPORT. */
#ifndef ENGRAM_WORKER_IMPORT_H
#define ENGRAM_WORKER_IMPORT_H

#include "server/parse_wire.h"

/* Reads another tool's file and sends its items, a batch at a time. Closes the descriptor; false:
 * the parent is gone. */
bool answer_import(struct arena *a, const struct parse_job *job);

#endif
