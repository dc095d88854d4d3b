/* What sleep, forgetting, undoing and recall share of consolidated memories. */
#ifndef ENGRAM_SLEEP_H
#define ENGRAM_SLEEP_H

#include "memory/importance.h"
#include "memory/memory_sleep.h"
#include "memory/memory_state.h"
#include "memory/review_journal.h"

#define CONSOLIDATE "consolidate" /* action of its journal entries */

/* The importance of a memory as the snapshot knows its neighbours. at: NO_NODE: it has none. */
struct importance sleep_importance(const struct snapshot *snap, node at, const struct node_row *row,
                                   enum memory_kind kind, int64_t now_ms);

/* Adds what a memory's importance consists of to the lines of item->explain, which has room. */
bool sleep_explain(struct memory *m, struct arena *a, node at, int64_t now_ms, struct item *item,
                   struct err *e);

/* ---- a consolidated memory in the making (memory/sleep_draft.c) ---- */

struct joining {
    int64_t id;
    float weight; /* its importance */
};

struct sleep_draft {
    int64_t into, version; /* into 0: a new one; version: of the text that stands, 0: none */
    struct drafted_member {
        int64_t id;
        enum node_state state;
        enum tier tier;
        float weight;
        bool joins;
    } * members; /* those it has and those that join, by id */
    size_t member_count, join_count;
    struct drafted_entity {
        int64_t id;
        str name;
        float weight;
        size_t members;
    } * entities; /* of its members, by id */
    size_t entity_count;
    struct node_row row; /* of its newest member */
    enum memory_kind kind;
    str name, text;
};

/* Reads only. Members that are gone are left out. */
bool sleep_draft(struct memory *m, struct arena *a, int64_t into, const struct joining *joining,
                 size_t count, struct sleep_draft *out, struct err *e);

/* Inside a write: puts a draft, noting what takes it back, unless a member that joins, or the
 * consolidated memory, is no longer what it was, or the text was forgotten: *put tells. */
bool sleep_put(struct entry *j, struct sleep_draft *d, bool *put, struct err *e);

/* Inside a write: the text, entities and rest of a consolidated memory from what its members are
 * now. With fewer than two it goes. */
bool sleep_rewrite(struct memory *m, struct arena *a, int64_t consolidated, struct err *e);

/* Inside a write, before a consolidated memory is forgotten: its members don't come together by
 * themselves again. */
bool sleep_keep_apart(struct memory *m, struct arena *a, int64_t consolidated, int64_t now_ms,
                      struct err *e);
bool sleep_is_kept_apart(struct memory *m, struct arena *a, int64_t memory, bool *out,
                         struct err *e);

#endif
