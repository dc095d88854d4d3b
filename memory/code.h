/* The index of sources: what the files of a worktree hold, as nodes and edges of the graph and as
 * windows of text to search. Used by whoever reads sources (plan, put, finish); nothing of it is
 * called while an agent waits. A struct memory serves one thread. */
#ifndef ENGRAM_CODE_H
#define ENGRAM_CODE_H

#include "memory/facts_source.h"
#include "memory/facts_worktree.h"
#include "memory/memory.h"

enum { MAX_KNOWN_BLOBS = 4 };

/* What an index has to do, from a listing and what was indexed before. */
struct code_plan {
    struct code_read {
        uint32_t entry; /* of the listing, in its order */
        str known;      /* blob ids, a blank between two, whose content at this path needs no
                           parsing; may be empty */
    } * reads;
    size_t read_count;
    size_t unchanged; /* same size and times as when they were indexed */
    size_t removed;   /* indexed before and listed no more, or skipped now */
};

/* Compares a listing with the manifest of the worktree at `root` (its real path). Writes nothing.
 */
bool memory_code_plan(struct memory *m, struct arena *a, str root,
                      const struct worktree_files *files, struct code_plan *out, struct err *e);

/* Stores files that were read, or why they are skipped: in short transactions, so that no writer
 * waits for long. May be called any number of times with parts of a plan; what was put stays when
 * the index is interrupted. now_ms: of the nodes that are new. */
bool memory_code_put(struct memory *m, str root, int64_t now_ms, const struct source_file *files,
                     size_t count, struct err *e);

struct code_report {
    size_t files, symbols, edges; /* of the worktree after it */
    size_t skipped;
    size_t forgotten; /* contents that no worktree has any more */
};

/* The end of an index: forgets what is listed no more, resolves references into edges, and calls
 * the worktree whole with the listing's head. ERR_CANCELLED where `stopped` says so (NULL: never):
 * what is done stays, the worktree isn't whole. */
bool memory_code_finish(struct memory *m, struct arena *a, str root, int64_t now_ms,
                        const struct worktree_files *files, bool (*stopped)(void *), void *ctx,
                        struct code_report *out, struct err *e);

/* Is this blob in quarantine (it crashed or overran a reader twice)? Why, in `a`; empty: no. */
bool memory_code_quarantined(struct memory *m, struct arena *a, str blob, str *why, struct err *e);

/* Forgets a worktree that is gone from the disk. */
bool memory_code_drop_worktree(struct memory *m, str root, struct err *e);

/* The worktrees that are indexed, in order of id. */
struct code_worktree {
    str root, head, branch, note;
    bool is_whole;
    int64_t indexed_ms;
    size_t files, skipped;
};
bool memory_code_worktrees(struct memory *m, struct arena *a, struct code_worktree **out,
                           size_t *count, struct err *e);

#endif
