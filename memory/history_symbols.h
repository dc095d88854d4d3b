/* Which symbols a commit changed: the lines that it changed are followed forward to where they are
 * now. Commits come newest first, each with its changed lines; a file whose line is broken (a side
 * branch, an edit that isn't committed) is matched by the names in its hunks' headings alone. */
#ifndef ENGRAM_HISTORY_SYMBOLS_H
#define ENGRAM_HISTORY_SYMBOLS_H

#include "memory/facts_commit.h"
#include "memory/store.h"

enum {
    MAX_TOUCHED_SYMBOLS = 50,    /* a commit that changes more says nothing of any of them */
    MAX_FOLLOWED_LINES = 8 << 20 /* of all files together; further files aren't followed */
};

/* What is known of the files between one commit and the next older one. Heap; NULL: nothing yet. */
struct symbol_trace;
void symbol_trace_free(struct symbol_trace *t);

/* The symbols of a commit, gathered over its files. */
struct changed_symbols {
    int64_t ids[MAX_TOUCHED_SYMBOLS];
    size_t count;
    bool is_sweep; /* there were more */
};

/* Adds the symbols of the file (a node) that the change touched; *t is made where it is NULL. A
 * change that is left out breaks the file's line. */
bool symbol_trace_follow(struct symbol_trace **t, struct store *s, int64_t file,
                         const struct commit_change *change, struct changed_symbols *out,
                         struct err *e);

/* TOUCHES edges from the commit. Inside a write. */
bool changed_symbols_put(struct store *s, int64_t commit, int64_t at_ms,
                         const struct changed_symbols *c, struct err *e);

#endif
