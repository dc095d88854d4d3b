#include "memory/recall_ties.h"

enum {
    LEADERS = 3,           /* of the sources' answer, of the texts' */
    NAMES_OF_LEADER = 2,   /* a symbol may be spoken of under many */
    MAX_LIFTED = 2,        /* texts that the sources bring */
    MAX_TEXTS_OF_NAME = 8, /* what more texts mention says nothing of one of them */
    MAX_FOLLOWED = 3,      /* sources that texts bring */
    FOLLOWED_OF_TEXT = 2,
    MAX_NAMES_OF_TEXT = 64,
    WINDOW_TOKENS = 60, /* of a text: what is named there belongs to the answer */
};

/* No fit: a symbol that answers half surely is what a question may be about; a text says more than
 * that something is called so; the text stands before what it speaks of. */
static const float LEADING_SCORE = 0.5f, MEANT = 0.6f, BEHIND = 0.9f, STEP = 0.01f;

/* ---- from the sources to texts ---- */

static bool is_known(const struct resolved *resolved, size_t count, node at)
{
    for (size_t i = 0; i < count; i++)
        if (resolved[i].at == at)
            return true;
    return false;
}

static bool add_name(struct memory *m, struct arena *a, node at, struct resolved *resolved,
                     size_t *count, struct err *e)
{
    struct node_row row;
    struct entity_row entity;
    bool found, is_entity = false;
    int64_t id = m->snap.ids[at];
    if (!store_get_node(m->store, a, id, &row, &found, e) ||
        !store_get_entity(m->store, a, id, &entity, &is_entity, e))
        return false;
    if (found && is_entity)
        resolved[(*count)++] = (struct resolved){
            .at = at, .id = id, .name = row.name, .type = entity.type, .confidence = MEANT};
    return true;
}

static bool is_tie(const struct memory *m, const struct half_edge *edge, bool reverse)
{
    return edge->kind == EDGE_SAME_AS && edge->reverse == reverse && edge->weight > 0 &&
           m->snap.meta[edge->to].state == STATE_CURRENT;
}

bool recall_ties_name(struct memory *m, struct arena *a, const struct code_answer *code,
                      struct resolved *resolved, size_t *count, struct err *e)
{
    const struct half_edge *edge;
    for (size_t i = 0; i < code->count && i < LEADERS && code->items[i].score >= LEADING_SCORE;
         i++) {
        size_t names = 0;
        for (struct row_walk w = graph_row(&m->snap.graph, code->items[i].at);
             names < NAMES_OF_LEADER && *count < MAX_RESOLVED &&
             (edge = row_next(&m->snap.graph, &w));) {
            if (!is_tie(m, edge, true) || is_known(resolved, *count, edge->to))
                continue;
            if (!add_name(m, a, edge->to, resolved, count, e))
                return false;
            names++;
        }
    }
    return true;
}

static bool speaks_of(const struct memory *m, node text, node source)
{
    const struct half_edge *edge, *tie;
    for (struct row_walk w = graph_row(&m->snap.graph, text);
         (edge = row_next(&m->snap.graph, &w));) {
        if (edge->kind != EDGE_MENTIONS || edge->reverse || !(edge->weight > 0) ||
            m->snap.meta[edge->to].degree > MAX_TEXTS_OF_NAME)
            continue;
        for (struct row_walk t = graph_row(&m->snap.graph, edge->to);
             (tie = row_next(&m->snap.graph, &t));)
            if (tie->to == source && is_tie(m, tie, false))
                return true;
    }
    return false;
}

static void move_up(struct candidate *candidates, size_t at)
{
    struct candidate moved = candidates[at];
    for (; at > 0 && candidates[at - 1].score < moved.score; at--)
        candidates[at] = candidates[at - 1];
    candidates[at] = moved;
}

void recall_ties_lift(const struct answer *w, const struct code_answer *code,
                      struct candidate *candidates, size_t count)
{
    size_t lifted = 0;
    for (size_t i = 0; i < code->count && i < LEADERS && code->items[i].score >= LEADING_SCORE; i++)
        for (size_t k = 0; k < count && lifted < MAX_LIFTED; k++) {
            float score = code->items[i].score * (BEHIND - STEP * (float)lifted);
            if (candidates[k].score >= score || !answer_may_show(w, candidates[k].at) ||
                !speaks_of(w->m, candidates[k].at, code->items[i].at))
                continue;
            lifted++;
            candidates[k].score = score;
            move_up(candidates, k);
        }
}

/* ---- from texts to the sources ---- */

struct following {
    const struct answer *w;
    struct code_answer *code;
    struct code_item added[MAX_FOLLOWED];
    size_t added_count;
    const struct candidate *text;
    str window;
};

static bool holds(str text, str name)
{
    for (size_t at = 0; at + name.len <= text.len; at++)
        if (str_eq_nocase(str_cut(text, at, at + name.len), name))
            return true;
    return false;
}

static bool window_of(struct following *f, struct err *e)
{
    const struct answer *w = f->w;
    str heading, text;
    if (!store_get_body(w->m->store, w->a, w->m->snap.ids[f->text->at], &heading, &text, e))
        return false;
    f->window = arena_printf(w->a, "%.*s\n%.*s", FMT(heading),
                             FMT(item_window(w->a, text, w->lexical, WINDOW_TOKENS)));
    return true;
}

/* What is in the answer already is as sure as the text that speaks of it. */
static bool lift(struct following *f, node at, float score, str why)
{
    for (size_t i = 0; i < f->added_count; i++)
        if (f->added[i].at == at)
            return true;
    for (size_t i = 0; i < f->code->count; i++) {
        struct code_item *item = &f->code->items[i];
        if (item->at != at)
            continue;
        item->score = item->score > score ? item->score : score;
        item->why = item->why.len ? item->why : why;
        return true;
    }
    return false;
}

static void add_source(struct following *f, node at, str name)
{
    const struct memory *m = f->w->m;
    enum node_kind kind = (enum node_kind)m->snap.meta[at].kind;
    enum node_kind text = (enum node_kind)m->snap.meta[f->text->at].kind;
    float score = f->text->score * (BEHIND - STEP * (float)f->added_count);
    str why = arena_printf(f->w->a, "%c%lld speaks of it: %.*s", node_letter[text],
                           (long long)m->snap.ids[f->text->at], FMT(name));
    bool is_wanted = f->w->in->filter.node_kinds & 1u << kind;
    if (is_wanted && !lift(f, at, score, why) && f->added_count < MAX_FOLLOWED)
        f->added[f->added_count++] = code_item_at(m, at, score, why);
}

/* What the name means, or a commit that names the same issue. */
static bool is_source_of(const struct memory *m, const struct half_edge *edge)
{
    return is_tie(m, edge, false) ||
           (edge->kind == EDGE_MENTIONS && edge->reverse && edge->weight > 0 &&
            m->snap.meta[edge->to].kind == NODE_COMMIT);
}

/* Whether a name stands beside the query's words in the text. */
static bool is_said(struct following *f, node entity, str *name, bool *said, struct err *e)
{
    const struct memory *m = f->w->m;
    struct node_row row;
    *said = false;
    if ((!f->window.len && !window_of(f, e)) ||
        !store_get_node(m->store, f->w->a, m->snap.ids[entity], &row, said, e))
        return false;
    *name = *said ? row.name : S("");
    *said = *said && holds(f->window, *name);
    return true;
}

/* What the name is tied to, where it is said. Most names are tied to nothing: for these neither
 * their row nor the text is read. */
static bool follow_name(struct following *f, node entity, size_t *followed, struct err *e)
{
    const struct snapshot *snap = &f->w->m->snap;
    const struct half_edge *edge;
    str name = S("");
    for (struct row_walk w = graph_row(&snap->graph, entity);
         (edge = row_next(&snap->graph, &w));) {
        bool said = name.len > 0;
        if (!is_source_of(f->w->m, edge))
            continue;
        if (!said && !is_said(f, entity, &name, &said, e))
            return false;
        if (!said)
            return true;
        add_source(f, edge->to, name);
        ++*followed;
    }
    return true;
}

/* Names that few texts use first. */
static bool follow_text(struct following *f, struct err *e)
{
    const struct snapshot *snap = &f->w->m->snap;
    const struct half_edge *edge;
    struct scored names[MAX_NAMES_OF_TEXT];
    size_t count = 0, followed = 0;
    f->window = S("");
    for (struct row_walk w = graph_row(&snap->graph, f->text->at);
         count < MAX_NAMES_OF_TEXT && (edge = row_next(&snap->graph, &w));)
        if (edge->kind == EDGE_MENTIONS && !edge->reverse && edge->weight > 0)
            names[count++] = (struct scored){edge->to, snap->graph.pull[edge->to]};
    count = best_first(names, count, count);
    for (size_t i = 0; i < count && followed < FOLLOWED_OF_TEXT; i++)
        if (!follow_name(f, names[i].at, &followed, e))
            return false;
    return true;
}

static void merge(struct following *f)
{
    struct code_answer *code = f->code;
    struct code_item *items = ARENA_ARRAY(f->w->a, struct code_item, code->count + f->added_count);
    if (code->count)
        memcpy(items, code->items, code->count * sizeof *items);
    memcpy(items + code->count, f->added, f->added_count * sizeof *items);
    code->items = items;
    code->count += f->added_count;
    code_items_sort(code->items, code->count);
}

bool recall_ties_follow(const struct answer *w, const struct candidate *candidates, size_t count,
                        struct code_answer *code, struct err *e)
{
    struct following f = {.w = w, .code = code};
    bool any;
    size_t texts = 0;
    if (!w->in->query.len || w->in->has_since || w->in->has_until)
        return true;
    if (!code_recall_sync(w->m, w->in->root, &any, e) || !any)
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count && texts < LEADERS; i++) {
        enum node_kind kind = (enum node_kind)w->m->snap.meta[candidates[i].at].kind;
        if ((kind != NODE_PASSAGE && kind != NODE_MEMORY) || !answer_may_show(w, candidates[i].at))
            continue;
        texts++;
        f.text = &candidates[i];
        if (f.text->score < answer_floor(w->in))
            break;
        if (!follow_text(&f, e))
            return false;
    }
    if (count)
        merge(&f);
    return true;
}
