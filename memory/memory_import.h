/* The engine: what other tools remembered (memory/import.c). */
#ifndef ENGRAM_MEMORY_IMPORT_H
#define ENGRAM_MEMORY_IMPORT_H

#include "memory/memory.h"

struct import_from {
    struct provenance from;
    str format, path; /* of the file that the items come from */
    bool dry_run;     /* everything but the commit */
};

struct import_counts {
    size_t stored, replaced, known, forgotten, refused;
    size_t turns;      /* looked at for sentences worth keeping */
    size_t redacted;   /* secrets and private blocks */
    str first_refused; /* why, of the first; in `a` */
};

/* Takes a batch of at most MAX_IMPORT_BATCH_ITEMS in, in one or a few short transactions: each item
 * once, by its key; one that changed replaces what it was; what was forgotten stays out. Secrets
 * and private blocks go before a turn is split into sentences. Adds to *counts. ERR_BUSY, ERR_DB:
 * this batch isn't stored, and may be given again. */
bool memory_take_items(struct memory *m, struct arena *a, const struct import_from *from,
                       const struct import_batch *batch, struct import_counts *counts,
                       struct err *e);

#endif
