/* Brings what is known of a repository's history up to date: commits that are new, then older ones
 * in rounds, newest first, until all is read. Blocking, for a thread that owns the memory;
 * interrupted at any point it goes on where it was at the next run. */
#ifndef ENGRAM_HISTORY_INDEX_H
#define ENGRAM_HISTORY_INDEX_H

#include "memory/history.h"
#include "server/code_index.h"

enum {
    MAX_ROUND_COMMITS = 5000,
    MAX_LINE_COMMITS = 2000,     /* the newest, of which the symbols are told that they changed */
    HISTORY_DEADLINE_MS = 60000, /* for the next stretch of commits */
};

struct history_index_result {
    size_t added; /* commits */
    size_t commits;
    bool is_whole; /* nothing is left to be read */
    str note;      /* what could not be read; empty: nothing */
};

/* Behind code_index_run of the same options: commits touch the files that are indexed.
 * ERR_CANCELLED where it was stopped. */
bool history_index_run(struct arena *a, const struct code_index_options *options,
                       struct history_index_result *out, struct err *e);

#endif
