/* What recall answers from the sources: symbols and files of the caller's worktree, found by their
 * words, by the names and paths that the query gives, and by how they hang together ("who calls
 * X?"). */
#ifndef ENGRAM_CODE_RECALL_H
#define ENGRAM_CODE_RECALL_H

#include "memory/code_rank.h"
#include "memory/memory_state.h"

enum { MAX_CODE_ITEMS = 120, MAX_MORE = 3, NO_CHUNK = UINT32_MAX };

struct code_item {
    node at; /* of the snapshot */
    enum node_kind kind;
    float score;
    uint32_t file;   /* of the leg; NO_CODE_FILE: not told */
    uint32_t commit; /* of the history leg; NO_COMMIT: it is none */
    uint32_t chunk;  /* its window that fits best; NO_CHUNK: it came by name or by the graph */
    int64_t more[MAX_MORE]; /* further symbols of the same file that fit */
    size_t more_count;
    str why; /* how it hangs together with what was named; empty */
};

struct code_answer {
    struct code_item *items; /* best first */
    size_t count;
    struct code_hits hits;
    struct history_hits history;
    bool has_history;
    struct code_candidate *candidates; /* the files behind them, for whoever asks for features */
    size_t candidate_count;
};

/* One that came by no leg. */
struct code_item code_item_at(const struct memory *m, node at, float score, str why);

/* The best first, then by their node. */
void code_items_sort(struct code_item *items, size_t count);

/* Makes the legs at their first use and brings them up to date with the worktree at `root`; *any
 * false where it isn't indexed. Inside a read. */
bool code_recall_sync(struct memory *m, str root, bool *any, struct err *e);

/* Empty where the worktree isn't indexed or no kind of it is wanted. Inside a read. */
bool code_recall(struct memory *m, struct arena *a, const struct recall_input *in,
                 struct code_answer *out, struct err *e);

/* The item as it is shown; *found false where it stands nowhere in the worktree (then it isn't). */
bool code_item_load(struct memory *m, struct arena *a, const struct code_answer *answer,
                    const struct code_item *c, struct item *out, bool *found, struct err *e);

/* A symbol or file that was asked for by its id; as it is in the caller's worktree, or by its name
 * alone where that doesn't have it. */
bool code_item_by_id(struct memory *m, struct arena *a, str root, node at, struct item *out,
                     struct err *e);

#endif
