/* What stands beside a new memory: older ones that say nearly the same, and those that say
 * something else of the same thing. One search serves both. */
#include "memory/best.h"
#include "memory/contradictions.h"
#include "memory/lexical.h"
#include "memory/memory_state.h"
#include "memory/recall_item.h"

/* Current memories with words of the new one, the best first, score as share of `whole`: what the
 * text scores against itself. */
static struct scored *nearest(struct memory *m, struct arena *a, const struct lexical *l, node me,
                              size_t *count)
{
    float whole = me == NO_NODE ? l->best : l->score[me];
    struct scored *best = ARENA_ARRAY(a, struct scored, l->touched_count + 1);
    size_t found = 0;
    for (size_t i = 0; whole > 0 && i < l->touched_count; i++) {
        node n = l->touched[i];
        const struct node_meta *meta = &m->snap.meta[n];
        if (n != me && meta->kind == NODE_MEMORY && meta->state == STATE_CURRENT &&
            !meta->is_consolidated) /* its members are compared */
            best[found++] = (struct scored){n, l->score[n] / whole};
    }
    *count = best_first(best, found, MAX_COMPARED);
    return best;
}

static bool list_similar(struct memory *m, struct arena *a, const struct lexical *l,
                         const struct scored *best, size_t count, struct remember_result *out,
                         struct err *e)
{
    enum { MAX_SIMILAR = 3, SIMILAR_TEXT_TOKENS = 40 };
    static const float ENOUGH = 0.55f; /* of what the text scores against itself */
    out->similar = ARENA_ARRAY(a, struct similar, MAX_SIMILAR);
    for (size_t i = 0; i < count && i < MAX_SIMILAR && best[i].score >= ENOUGH; i++) {
        struct item item;
        if (!item_load(m, a, best[i].at, &item, e))
            return false;
        out->similar[out->similar_count++] =
            (struct similar){item.id, item_window(a, item.text, l, SIMILAR_TEXT_TOKENS),
                             best[i].score > 1 ? 1 : best[i].score};
    }
    return true;
}

enum { QUERY_BYTES = 2048 };

static bool search(struct memory *m, struct arena *a, str text, struct lexical *out, struct err *e)
{
    struct lexical_query words = {.text = utf8_prefix(text, QUERY_BYTES),
                                  .most_hits = 1000 + m->snap.bodies / 50};
    return lexical_search(m->store, m->postings, a, &m->snap, &words, out, e);
}

bool memory_like(struct memory *m, struct arena *a, int64_t id, float enough, size_t most,
                 int64_t **out, size_t *count, struct err *e)
{
    struct arena scratch = {0};
    struct lexical l;
    str name, text;
    size_t found;
    *out = ARENA_ARRAY(a, int64_t, most);
    *count = 0;
    bool ok =
        store_get_body(m->store, &scratch, id, &name, &text, e) && search(m, &scratch, text, &l, e);
    if (ok) {
        const struct scored *best = nearest(m, &scratch, &l, snapshot_find(&m->snap, id), &found);
        for (size_t i = 0; i < found && *count < most && best[i].score >= enough; i++)
            if (m->snap.ids[best[i].at] < id)
                (*out)[(*count)++] = m->snap.ids[best[i].at];
    }
    arena_free(&scratch);
    return ok;
}

bool memory_compare(struct memory *m, struct arena *a, str text, int64_t now_ms,
                    struct remember_result *out, struct err *e)
{
    struct lexical l;
    struct dispute *disputes = NULL;
    size_t count = 0, dispute_count = 0;
    if (!memory_read_by_writer(m, e))
        return false;
    bool ok = search(m, a, text, &l, e);
    if (ok) {
        const struct scored *best = nearest(m, a, &l, snapshot_find(&m->snap, out->id), &count);
        ok = list_similar(m, a, &l, best, count, out, e) &&
             contradictions_find(m, a, out->id, best, count, &disputes, &dispute_count, e);
    }
    store_read_end(m->store);
    return ok && contradictions_file(m, disputes, dispute_count, now_ms, e);
}
