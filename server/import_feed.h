/* One file of another tool's memory, read by a parse worker: its items come a batch at a time,
 * checked. */
#ifndef ENGRAM_IMPORT_FEED_H
#define ENGRAM_IMPORT_FEED_H

#include "memory/facts_import.h"

/* Gets each batch; it lives in `a` until the sink returns. false with *e ends the reading. */
typedef bool import_take(void *ctx, struct arena *a, const struct import_batch *batch,
                         struct err *e);

struct import_file {
    int folder;       /* descriptor; borrowed */
    str path, format; /* path below it; format empty: find it out */
};

/* Blocking. *rest lives in `a`. Errors of the reader (ERR_INPUT, ERR_LIMIT), of the worker (ERR_IO,
 * ERR_LIMIT for a deadline or its memory) and of `take`. Items that were taken before an error
 * stay. */
bool import_file_read(struct arena *a, const struct import_file *file, import_take *take, void *ctx,
                      struct import_rest *rest, struct err *e);

#endif
