/* What the passes over all commits share: the commits as a graph, and writes in short transactions.
 */
#ifndef ENGRAM_HISTORY_PAST_H
#define ENGRAM_HISTORY_PAST_H

#include "memory/base/hash.h"
#include "memory/store_history.h"

struct past_commit {
    int64_t id, at_ms;
    str oid, parents, reverts;
    uint64_t subject; /* its hash: two of one hash are taken for two of the same words */
    bool reachable, mark;
    uint8_t state;
};

struct past {
    struct arena *a;
    struct past_commit *commits;
    size_t count, capacity;
    struct map by_oid; /* place in commits */
    uint32_t *queue;   /* places, as many as there are commits */
};

bool past_load(struct store *s, struct past *p, struct err *e);
void past_free(struct past *p); /* what isn't in the arena */

/* The place of a commit; NULL: it doesn't stand here. */
int64_t *past_find(const struct past *p, str oid);

/* Marks a commit and all that it comes from but for what is marked. p->queue has the new ones, and
 * their number is given back. */
size_t past_mark(struct past *p, str oid);
void past_clear_marks(struct past *p);

/* Rows are written between the first and the end in transactions of some hundred. */
struct past_writes {
    struct store *store;
    size_t rows;
    bool open;
};
bool past_write(struct past_writes *w, struct err *e); /* before each row */
bool past_write_end(struct past_writes *w, bool ok, struct err *e);

#endif
