/* Documents that were attached from files: reads those again that changed, follows those that were
 * moved, marks those that are gone. Blocking, for a thread that owns the memory; whatever it is
 * stopped at, the next run goes on with. */
#ifndef ENGRAM_DOCUMENT_REFRESH_H
#define ENGRAM_DOCUMENT_REFRESH_H

#include "memory/memory.h"

struct document_refresh {
    struct memory *memory;
    str root; /* real path of the worktree whose files are looked at */
    str branch, head;
    int64_t now_ms;
    int64_t deadline_ms;        /* of one parse */
    bool (*stopped)(void *ctx); /* from any thread; NULL: never */
    void *ctx;
};

/* false where the memory refuses, or it was stopped (ERR_CANCELLED); what is wrong with one file
 * costs that file. */
bool document_refresh_run(const struct document_refresh *r, struct err *e);

#endif
