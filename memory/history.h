/* The history of the repository: commits as nodes, what they touched, what took them back, and how
 * the heads at which memories were made stand to the caller's. Used by whoever reads repositories;
 * nothing of it is called while an agent waits. */
#ifndef ENGRAM_HISTORY_H
#define ENGRAM_HISTORY_H

#include "memory/facts_commit.h"
#include "memory/memory.h"

enum {
    MAX_STORED_MESSAGE = 4 << 10, /* bytes of a message that are kept */
    MAX_TOUCHED = 50,             /* a commit that touches more files says nothing of any of them */
    MAX_LINE_COMMITS = 2000,      /* the newest of a reading, which tell what lines they changed */
};

/* How a head at which a memory was made stands to a worktree's. The order is what is stored. */
enum lineage {
    LINEAGE_SAME,      /* it is the head, or the branch is the same */
    LINEAGE_ANCESTOR,  /* the head has it in its past */
    LINEAGE_OTHER,     /* another branch */
    LINEAGE_ABANDONED, /* no branch leads to it any more */
    LINEAGE_UNKNOWN    /* not read yet, or of a foreign repository */
};

/* What a worktree's repository was like; equal ones have the same history to read. */
struct history_tips {
    str head;       /* HEAD's commit; empty: none */
    str references; /* struct worktree_files tells it */
};

struct history_state {
    struct history_tips read; /* up to these this worktree's history was read; empty: never */
    bool is_whole;            /* of a reading nothing was left */
    bool is_followed;         /* what follows from all commits is known: none changed since */
    size_t commits;
};
/* To be asked where a reading begins. */
bool memory_history_state(struct memory *m, struct arena *a, str root, struct history_state *out,
                          struct err *e);

/* The commits that stand here: ids of COMMIT_ID_BYTES, one behind the other. again: without the
 * first, at most MAX_LINE_COMMITS, that were stored since all was followed: which symbols the older
 * ones touch is known by way of them, so they are to be told again. */
bool memory_history_known(struct memory *m, bool again, struct buf *out, struct err *e);

/* At most `most`, newest first; *has_lost: some commit was on no branch any more. */
bool memory_history_newest(struct memory *m, struct arena *a, size_t most, str **out, size_t *count,
                           bool *has_lost, struct err *e);

/* Where an unfinished reading goes on: its frontier, and parents of what stands here that don't: a
 * killed reading leaves them, and a shallow clone. again: but for parents of what is to be told
 * again, which lead there. *ends comes with those that a round has left, which may be parents of
 * nothing, and keeps what doesn't stand of them. At most MAX_HISTORY_FRONTIER. Goes over all
 * commits. */
bool memory_history_ends(struct memory *m, struct arena *a, bool again, str **ends, size_t *count,
                         struct err *e);

/* Stores commits, newest first, in short transactions; of those that stand here already only the
 * lines are followed. *added counts the new ones, those of a failed call, too. Files are those of
 * the index: index them first. */
bool memory_history_put(struct memory *m, int64_t now_ms, const struct commit_record *commits,
                        size_t count, size_t *added, struct err *e);

/* Notes how far a reading came that goes on. */
bool memory_history_progress(struct memory *m, struct arena *a, const struct commit_history *read,
                             struct err *e);

/* The end of a reading of what `tips` were: where to go on (none: all was read), then lineage of
 * the memories' heads and, with new commits, what follows from all of them: reverts, files that
 * change together. */
bool memory_history_finish(struct memory *m, struct arena *a, str root,
                           const struct history_tips *tips, const struct commit_history *read,
                           int64_t now_ms, struct err *e);

/* Notes which commits a branch leads to: what a force-push left behind steps back in recall. */
bool memory_history_reach(struct memory *m, const str *ids, const bool *reachable, size_t count,
                          struct err *e);

/* The heads at which memories were made that stand here as commits and not in the worktree's past,
 * at most `most`: whether a branch leads to them changes without a commit. */
bool memory_history_heads_aside(struct memory *m, struct arena *a, str root, size_t most, str **out,
                                size_t *count, struct err *e);

/* Notes how heads stand to the worktree's, one for each; LINEAGE_ABANDONED only of those that stand
 * here as commits: others may be of a foreign repository. */
bool memory_history_lineage(struct memory *m, struct arena *a, str root, const str *heads,
                            const enum lineage *relations, size_t count, struct err *e);

#endif
