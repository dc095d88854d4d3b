/* Brings what is known of a repository's history up to date: commits that are new, then older ones
 * in rounds, newest first, until all is read. Blocking, for a thread that owns the memory;
 * interrupted at any point it goes on where it was at the next run. */
#ifndef ENGRAM_HISTORY_INDEX_H
#define ENGRAM_HISTORY_INDEX_H

#include "memory/history.h"
#include "server/code_index.h"
#include "server/history_feed.h"

enum {
    MAX_ROUND_COMMITS = 5000,  /* of the newest: then what follows from them is there */
    MAX_OLDER_COMMITS = 20000, /* of a further round: what a kill makes be read again */
};

struct history_index_result {
    size_t added; /* commits */
    size_t commits;
    bool is_whole; /* nothing is left to be read */
    str note;      /* what could not be read; empty: nothing */
};

/* Has the first commits of a repository read while its files still are: to be called when they are
 * listed, so that a head which moves meanwhile is a newer one than the listing tells. NULL where
 * some commit stands here already, or a reading was begun before. */
struct history_feed *history_index_begin(const struct code_index_options *options);
void history_index_drop(struct history_feed *ahead); /* NULL is fine */

/* Behind code_index_run of the same options, whose result tells what the repository is like:
 * commits touch the files that are indexed. `ahead` is taken over (NULL: nothing was begun).
 * ERR_CANCELLED where it was stopped. */
bool history_index_run(struct arena *a, const struct code_index_options *options,
                       const struct code_index_result *code, struct history_feed *ahead,
                       struct history_index_result *out, struct err *e);

#endif
