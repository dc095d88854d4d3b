#include "memory/review_find.h"

#include "memory/anchors.h"
#include "memory/review_meanings.h"
#include "memory/review_questions.h"
#include "memory/store_review_find.h"
#include "memory/tend.h"

#include <stdlib.h>

enum {
    MAX_FILED = 10,    /* questions of a kind that one run files */
    MAX_BOUND = 2000,  /* memories whose code is looked for */
    MAX_NAMES = 300,   /* entities that are looked at for two meanings, the most mentioned */
    MIN_MENTIONS = 8,  /* of such a one */
    MAX_MEASURED = 100 /* questions that one run measures */
};

/* Who says much is on much, and is asked for by name. */
static bool speaks(const struct snapshot *snap, node entity)
{
    const struct half_edge *edge;
    for (struct row_walk w = graph_row(&snap->graph, entity); (edge = row_next(&snap->graph, &w));)
        if (snap->meta[edge->to].kind == NODE_MEMORY && snap->meta[edge->to].speaker == entity)
            return true;
    return false;
}

bool review_find_hubs(struct memory *m, struct arena *a, struct question_row **out, size_t *count,
                      struct err *e)
{
    enum { MIN_DEGREE = 20 };
    static const double PART = 0.4;
    const struct snapshot *snap = &m->snap;
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    for (node n = 0; n < snap->graph.count; n++) {
        const struct node_meta *meta = &snap->meta[n];
        bool is_asked;
        if (meta->kind != NODE_ENTITY || meta->state != STATE_CURRENT ||
            meta->degree < MIN_DEGREE || meta->degree < PART * snap->bodies || speaks(snap, n))
            continue;
        if (!store_was_asked(m->store, S(DISMISS_HUB), snap->ids[n], &is_asked, e))
            return false;
        if (is_asked)
            continue;
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct question_row){
            .kind = S(DISMISS_HUB), .a = snap->ids[n], .weight = meta->degree};
    }
    return true;
}

bool review_named_once(struct memory *m, struct arena *a, int64_t ms, int64_t **out, size_t *count,
                       struct err *e)
{
    static const int64_t DAY_MS = 24 * 3600 * 1000; /* sleep has seen what is older */
    int64_t asked_ms;
    return store_last_no(m->store, S(DISMISS_ONCE), &asked_ms, e) &&
           store_named_once(m->store, a, asked_ms - DAY_MS, ms - DAY_MS, MAX_ONCE, out, count, e);
}

bool review_code_is_gone(struct memory *m, struct arena *a, int64_t memory, bool *gone, str *note,
                         struct err *e)
{
    struct code_worktree *trees;
    size_t count, whole = 0, says = 0;
    *gone = false;
    *note = S("");
    if (!store_worktrees(m->store, a, &trees, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct worktree_row row;
        bool found;
        str stale, words;
        if (!trees[i].is_whole)
            continue;
        if (!store_find_worktree(m->store, a, trees[i].root, &row, &found, e) || !found ||
            !anchors_state(m->store, a, row.id, memory, &stale, &words, e))
            return e->code == ERR_NONE;
        whole++;
        if (str_eq(stale, S("gone"))) {
            says++;
            *note = words;
        }
    }
    *gone = whole > 0 && says == whole;
    return true;
}

/* ---- the pass ---- */

struct finding {
    struct question_row *rows;
    size_t count, capacity, filed;
};

/* Unless it was asked before; *is_new tells. */
static bool ask(struct tend *t, struct finding *f, const char *kind, int64_t about, bool *is_new,
                struct err *e)
{
    struct question_row row = {.kind = str_of(kind), .a = about, .weight = MIN_GUESS}, ignored;
    bool found;
    if (!store_find_question(t->m->store, t->a, &row, &ignored, &found, e))
        return false;
    *is_new = !found;
    if (found)
        return true;
    ARENA_GROW(t->a, f->rows, f->count, f->capacity);
    f->rows[f->count++] = row;
    return true;
}

static int by_degree(const void *x, const void *y)
{
    const struct growth_node *a = *(struct growth_node *const *)x,
                             *b = *(struct growth_node *const *)y;
    return a->degree != b->degree ? (a->degree < b->degree) - (a->degree > b->degree)
                                  : (a->id > b->id) - (a->id < b->id);
}

static bool find_meanings(struct tend *t, struct finding *f, struct err *e)
{
    const struct growth_node **names =
        ARENA_ARRAY(t->a, const struct growth_node *, t->node_count + 1);
    size_t count = 0, found_count = 0;
    for (size_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].kind == NODE_ENTITY && t->nodes[i].degree >= MIN_MENTIONS)
            names[count++] = &t->nodes[i];
    qsort(names, count, sizeof *names, by_degree);
    for (size_t i = 0; i < count && i < MAX_NAMES && found_count < MAX_FILED; i++) {
        struct arena scratch = {0};
        struct two_meanings ignored;
        bool found, is_new = false;
        bool ok = review_meanings(t->m, &scratch, names[i]->id, &ignored, &found, e);
        arena_free(&scratch);
        if (!ok || (found && !ask(t, f, SPLIT_MEANINGS, names[i]->id, &is_new, e)))
            return false;
        found_count += is_new;
    }
    return true;
}

static bool find_retired(struct tend *t, struct finding *f, struct err *e)
{
    int64_t *bound;
    size_t count, found_count = 0;
    if (!store_bound_memories(t->m->store, t->a, MAX_BOUND, &bound, &count, e))
        return false;
    for (size_t i = 0; i < count && found_count < MAX_FILED; i++) {
        struct arena scratch = {0};
        str ignored;
        bool gone, is_new = false;
        bool ok = review_code_is_gone(t->m, &scratch, bound[i], &gone, &ignored, e);
        arena_free(&scratch);
        if (!ok || (gone && !ask(t, f, RETIRE_MEMORY, bound[i], &is_new, e)))
            return false;
        found_count += is_new;
    }
    return true;
}

static bool find_decisions(struct tend *t, struct finding *f, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!store_commit_decisions(t->m->store, t->a, MAX_FILED, &ids, &count, e))
        return false;
    bool is_new, ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = ask(t, f, CONFIRM_DECISION, ids[i], &is_new, e);
    return ok;
}

static bool find_once(struct tend *t, struct finding *f, struct err *e)
{
    int64_t *ids;
    size_t count;
    bool open, is_new;
    if (!store_has_open(t->m->store, S(DISMISS_ONCE), &open, e) ||
        !review_named_once(t->m, t->a, t->in->from.now_ms, &ids, &count, e))
        return false;
    return open || count < MIN_ONCE || ask(t, f, DISMISS_ONCE, ids[0], &is_new, e);
}

static bool file(struct tend *t, void *ctx, size_t i, struct err *e)
{
    struct finding *f = ctx;
    int64_t id;
    if (!growth_put_question(t->m->store, &f->rows[i], t->in->from.now_ms, &id, e))
        return false;
    f->filed += id != 0;
    return true;
}

static bool write_hub(struct tend *t, void *ctx, size_t i, struct err *e)
{
    const struct question_row *hubs = ctx;
    return store_put_question(t->m->store, &hubs[i], t->in->from.now_ms, e);
}

static bool write_weight(struct tend *t, void *ctx, size_t i, struct err *e)
{
    const struct question_row *rows = ctx;
    return store_set_question_weight(t->m->store, rows[i].id, rows[i].weight, e);
}

static bool measure(struct tend *t, struct err *e)
{
    struct question_row *rows = NULL;
    size_t count = 0;
    if (t->in->dry_run)
        return true;
    if (!memory_read(t->m, e))
        return false;
    bool ok = questions_measure(t->m, t->a, MAX_MEASURED, &rows, &count, e);
    store_read_end(t->m->store);
    return ok && tend_write_all(t, count, write_weight, rows, e);
}

bool tend_questions(struct tend *t, struct tend_report *out, struct err *e)
{
    struct finding f = {0};
    struct question_row *hubs;
    size_t hub_count;
    if (!tend_nodes(t, e) || !memory_read(t->m, e))
        return false;
    bool ok = find_meanings(t, &f, e) && find_retired(t, &f, e) && find_decisions(t, &f, e) &&
              find_once(t, &f, e) && review_find_hubs(t->m, t->a, &hubs, &hub_count, e);
    store_read_end(t->m->store);
    ok = ok && tend_write_all(t, hub_count, write_hub, hubs, e) &&
         tend_write_all(t, f.count, file, &f, e) && measure(t, e);
    out->changed = f.filed;
    if (f.filed)
        out->text = arena_printf(t->a, "%zu new questions for review", f.filed);
    return ok;
}
