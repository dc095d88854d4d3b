/* The passes of memory_tend. Each reads what it needs, computes without a lock, and writes in
 * transactions of at most TEND_ROWS rows. Private to memory/. */
#ifndef ENGRAM_TEND_H
#define ENGRAM_TEND_H

#include "memory/memory_sleep.h"
#include "memory/memory_state.h"
#include "memory/store_growth.h"

enum { TEND_ROWS = 500 };

struct tend {
    struct memory *m;
    struct arena *a;
    const struct tend_input *in;
    /* The shape of the graph as far as this run knows it; NULL before tend_shape. */
    struct growth_node *nodes;
    size_t node_count;
    bool is_cut; /* stopped: what is left is done by the next run */
};

typedef bool tend_pass(struct tend *t, struct tend_report *out, struct err *e);

/* ASSOCIATED edges from what was used together (Eq. 1). */
tend_pass tend_associations;
/* Global PageRank, macro-hubs and communities. */
tend_pass tend_shape;
/* Names so general that nothing is found by them are dismissed; undone, they are left alone. */
tend_pass tend_generic_names;
/* Questions about names that look the same. */
tend_pass tend_near_names;
/* What is worth a question, and what the answers would change. */
tend_pass tend_questions;
/* What faded is archived (Eq. 5-7). */
tend_pass tend_decay;

/* The shape of this run, or else of the last one. */
bool tend_nodes(struct tend *t, struct err *e);

/* Where a node stands in t->nodes; SIZE_MAX: it takes no part. */
size_t tend_find(const struct tend *t, int64_t id);

/* Is the run to end? Asked between passes and transactions. */
bool tend_is_stopped(struct tend *t);

/* Writes items 0..count-1 by `write`, TEND_ROWS a transaction, others getting the lock in between.
 * Nothing on a dry run; less where the run is stopped. */
typedef bool tend_write(struct tend *t, void *ctx, size_t i, struct err *e);
bool tend_write_all(struct tend *t, size_t count, tend_write *write, void *ctx, struct err *e);

#endif
