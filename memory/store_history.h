/* Rows of the history. Private to memory/. */
#ifndef ENGRAM_STORE_HISTORY_H
#define ENGRAM_STORE_HISTORY_H

#include "memory/history.h"
#include "memory/store_code.h"

struct commit_row {
    int64_t id, at_ms, changes, words;
    str oid, subject, text, author, parents, reverts;
    enum node_state state;
    bool is_merge, reachable;
};
/* subject, text and paths are indexed; row->words is counted here. */
bool store_put_commit(struct store *s, const struct commit_row *row, str paths, int64_t now_ms,
                      int64_t *id, struct err *e);
/* The commit stays, its words go: of the row and of the index. reverts: what is left of that. */
bool store_blank_commit(struct store *s, int64_t id, str reverts, struct err *e);
bool store_get_commit(struct store *s, struct arena *a, int64_t id, struct commit_row *out,
                      bool *found, struct err *e);
/* The whole of a shortened object id; empty: none, or several. */
bool store_find_commit(struct store *s, struct arena *a, str shortened, str *oid, struct err *e);
bool store_put_reference(struct store *s, int64_t commit, str text, struct err *e);
bool store_references_of(struct store *s, struct arena *a, int64_t commit, str **out, size_t *count,
                         struct err *e);

/* The path that a path of the past has now: its own where nothing is known. */
bool store_renamed(struct store *s, struct arena *a, str old, str *now, struct err *e);
bool store_put_rename(struct store *s, str old, str now, struct err *e); /* the first one counts */
/* The node of a path that some worktree has; 0: none. */
bool store_find_current_file(struct store *s, str path, int64_t *id, struct err *e);

struct history_row {
    str frontier, note;
    struct history_tips read; /* up to these the worktree's history was read */
    int64_t commits, revision,
        followed; /* up to `followed` it is known what commits mean together */
};
bool store_get_history(struct store *s, struct arena *a, str root, struct history_row *out,
                       struct err *e);
bool store_set_history(struct store *s, str frontier, str note, struct err *e);
bool store_history_revision(struct store *s, int64_t *out, struct err *e);
/* Where something of it changed: adds to the revision, which so grows by one for each commit. */
bool store_touch_history(struct store *s, size_t changes, struct err *e);
bool store_set_followed(struct store *s, int64_t revision, struct err *e);
bool store_set_history_tips(struct store *s, str root, const struct history_tips *tips,
                            struct err *e);
bool store_newest_commits(struct store *s, struct arena *a, size_t most, str **oids, size_t *count,
                          struct err *e);
/* Is any on no branch any more? */
bool store_has_lost_commits(struct store *s, bool *out, struct err *e);
typedef bool text_visit(void *ctx, str text);
/* Both without the first `but` of those that came since it was followed. */
bool store_each_commit_id(struct store *s, size_t but, text_visit *visit, void *ctx, struct err *e);
/* The ids of each commit's parents, a blank between two. */
bool store_each_parents(struct store *s, size_t but, text_visit *visit, void *ctx, struct err *e);

/* The tags that stand are all that is known from now on. */
bool store_set_tags(struct store *s, const struct commit_tag *tags, size_t count, struct err *e);
bool store_get_tags(struct store *s, struct arena *a, struct commit_tag **out, size_t *count,
                    struct err *e); /* by name */

/* In order of id. */
struct commit_link {
    int64_t id, at_ms;
    str oid, subject, parents, reverts;
    bool is_merge, reachable;
    uint32_t words, changes;
    uint8_t state;
};
typedef bool commit_visit(void *ctx, const struct commit_link *c, struct err *e);
bool store_each_commit(struct store *s, commit_visit *visit, void *ctx, struct err *e);
/* TOUCHES edges to files, in order of commit. */
typedef bool touch_visit(void *ctx, int64_t commit, int64_t file);
bool store_each_touch(struct store *s, touch_visit *visit, void *ctx, struct err *e);
/* The newest commit that touched a file or symbol behind this time; 0: none. */
bool store_last_touch(struct store *s, int64_t target, int64_t since_ms, int64_t *commit,
                      struct err *e);
/* Up to when commits were known to who made a memory: the time of its head's commit, else when it
 * was stored. */
bool store_made_at(struct store *s, int64_t memory, int64_t *at_ms, struct err *e);
/* *changed becomes true where it was not so before. */
bool store_set_reachable(struct store *s, int64_t commit, bool reachable, bool *changed,
                         struct err *e);

bool store_set_commit_state(struct store *s, int64_t commit, enum node_state state, struct err *e);

/* Whether a CO_OCCURS edge between two files has this weight, or nearly so. Reads. */
bool store_stand_together(struct store *s, int64_t one, int64_t other, float weight, bool *stands,
                          struct err *e);

/* Such an edge, put or changed. */
bool store_put_together(struct store *s, int64_t one, int64_t other, float weight, int64_t now_ms,
                        struct err *e);

/* Ties issues that memories name to the commits that name them: MENTIONS edges, at most `most` new
 * ones. */
bool store_tie_references(struct store *s, int64_t now_ms, size_t most, struct err *e);

/* Memories that a commit's message gave (ANCHORS edges to it, of origin commit). */
bool store_memories_of_commit(struct store *s, struct arena *a, int64_t commit, int64_t **out,
                              size_t *count, struct err *e);
/* When the newest commit was made; 0: there is none. And how many there are. */
bool store_commit_extent(struct store *s, int64_t *newest_ms, int64_t *count, struct err *e);

/* Every head at which a memory was made. */
bool store_memory_heads(struct store *s, struct arena *a, str **out, size_t *count, struct err *e);
bool store_put_lineage(struct store *s, int64_t worktree, str head, enum lineage relation,
                       struct err *e);
bool store_get_lineage(struct store *s, int64_t worktree, str head, enum lineage *out,
                       struct err *e);

/* How a memory's head stands to a worktree's; LINEAGE_UNKNOWN also where it has none. */
struct memory_lineage {
    str branch;
    enum lineage relation;
};
bool store_memory_lineage(struct store *s, struct arena *a, const struct worktree_row *worktree,
                          int64_t memory, struct memory_lineage *out, struct err *e);
/* Is there any that isn't the worktree's own head? */
bool store_has_lineage(struct store *s, int64_t worktree, bool *out, struct err *e);

/* Occurrences of a term in commits; column 0 subject, 1 text, 2 paths. */
bool store_commit_postings(struct store *s, str term, posting_visit *visit, void *ctx,
                           struct err *e);

#endif
