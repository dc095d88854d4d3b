/* What stands beside a new memory: older ones that say nearly the same. */
#include "memory/best.h"
#include "memory/lexical.h"
#include "memory/memory_state.h"
#include "memory/recall_item.h"

bool memory_similar(struct memory *m, struct arena *a, int64_t self, str text, struct similar **out,
                    size_t *count, struct err *e)
{
    enum { MAX_SIMILAR = 3, SIMILAR_TEXT_TOKENS = 40, QUERY_BYTES = 2048 };
    static const float ENOUGH = 0.55f; /* of what the text scores against itself */
    struct lexical l;
    *out = ARENA_ARRAY(a, struct similar, MAX_SIMILAR);
    *count = 0;
    if (!memory_read(m, e))
        return false;
    bool ok = lexical_search(m->store, m->postings, a, &m->snap, utf8_prefix(text, QUERY_BYTES),
                             1000 + m->snap.bodies / 50, &l, e);
    node me = ok ? snapshot_find(&m->snap, self) : NO_NODE;
    float whole = me == NO_NODE ? l.best : l.score[me];
    struct scored *best = ARENA_ARRAY(a, struct scored, ok ? l.touched_count + 1 : 1);
    size_t candidates = 0;
    for (size_t i = 0; ok && whole > 0 && i < l.touched_count; i++) {
        node n = l.touched[i];
        const struct node_meta *meta = &m->snap.meta[n];
        if (n != me && meta->kind == NODE_MEMORY && meta->state == STATE_CURRENT &&
            l.score[n] >= ENOUGH * whole)
            best[candidates++] = (struct scored){n, l.score[n] / whole};
    }
    candidates = best_first(best, candidates, MAX_SIMILAR);
    for (size_t i = 0; ok && i < candidates; i++) {
        struct item item;
        ok = item_load(m, a, best[i].at, &item, e);
        if (ok)
            (*out)[(*count)++] =
                (struct similar){item.id, item_window(a, item.text, &l, SIMILAR_TEXT_TOKENS),
                                 best[i].score > 1 ? 1 : best[i].score};
    }
    store_read_end(m->store);
    return ok;
}
