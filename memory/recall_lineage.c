#include "memory/recall_lineage.h"

#include "memory/store_history.h"

#include <math.h>

enum { MAX_LOOKED_AT = 100 }; /* of the best: more than any answer holds */

/* What a score is multiplied with. By hand: enough to put the caller's own line first among equals
 * and near equals, too little to lift what fits badly above what fits. */
static const float factor[] = {[LINEAGE_SAME] = 1,
                               [LINEAGE_ANCESTOR] = 0.99f,
                               [LINEAGE_OTHER] = 0.92f,
                               [LINEAGE_ABANDONED] = 0.85f,
                               [LINEAGE_UNKNOWN] = 1};

static bool find_worktree(struct memory *m, struct arena *a, str root, struct worktree_row *out,
                          bool *any, struct err *e)
{
    *any = false;
    if (!m->options.history || !root.len)
        return true;
    return store_find_worktree(m->store, a, root, out, any, e) &&
           (!*any || store_has_lineage(m->store, out->id, any, e));
}

/* Stable: equal scores keep the ranker's order. Nearly in order already. */
static void sort(struct candidate *c, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct candidate moved = c[i];
        size_t to = i;
        for (; to > 0 && c[to - 1].score < moved.score; to--)
            c[to] = c[to - 1];
        c[to] = moved;
    }
}

bool lineage_rank(struct memory *m, struct arena *a, str root, float floor,
                  struct candidate *candidates, size_t count, struct err *e)
{
    struct worktree_row worktree;
    bool any;
    if (!find_worktree(m, a, root, &worktree, &any, e) || !any)
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count && i < MAX_LOOKED_AT; i++) {
        struct candidate *c = &candidates[i];
        struct memory_lineage made;
        if (m->snap.meta[c->at].kind != NODE_MEMORY)
            continue;
        if (!store_memory_lineage(m->store, a, &worktree, m->snap.ids[c->at], &made, e))
            return false;
        float lowered = c->score * factor[made.relation];
        c->score = c->score < floor ? lowered : fmaxf(lowered, floor);
    }
    sort(candidates, count);
    return true;
}

bool lineage_words(struct memory *m, struct arena *a, str root, int64_t memory, str *out,
                   struct err *e)
{
    struct worktree_row worktree;
    struct memory_lineage made;
    bool any;
    *out = S("");
    if (!find_worktree(m, a, root, &worktree, &any, e) || !any)
        return e->code == ERR_NONE;
    if (!store_memory_lineage(m->store, a, &worktree, memory, &made, e))
        return false;
    if (made.relation == LINEAGE_OTHER && made.branch.len)
        *out = arena_printf(a, "made on branch %.*s, which this worktree doesn't have",
                            FMT(made.branch));
    else if (made.relation == LINEAGE_OTHER)
        *out = S("made on a commit that this worktree doesn't have");
    else if (made.relation == LINEAGE_ABANDONED)
        *out = S("made on a commit that no branch has any more");
    return true;
}
