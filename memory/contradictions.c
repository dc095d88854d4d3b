#include "memory/contradictions.h"

#include "memory/base/unicode.h"
#include "memory/contradict.h"

/* ---- one pair ---- */

static bool load_relations(struct memory *m, struct arena *a, int64_t id, struct saying *out,
                           struct err *e)
{
    struct edge_full *edges;
    size_t count;
    if (!store_edges_said_by(m->store, a, id, &edges, &count, e))
        return false;
    struct said_relation *relations = ARENA_ARRAY(a, struct said_relation, count);
    out->relations = relations;
    for (size_t i = 0; i < count; i++) {
        struct node_row from, to;
        bool found;
        if (edges[i].kind != EDGE_RELATION)
            continue;
        if (!store_get_node(m->store, a, edges[i].src, &from, &found, e) ||
            (found && !store_get_node(m->store, a, edges[i].dst, &to, &found, e)))
            return false;
        if (!found)
            continue;
        relations[out->relation_count++] =
            (struct said_relation){from.name, edges[i].label, to.name};
    }
    return true;
}

static bool load_saying(struct memory *m, struct arena *a, int64_t id, struct saying *out,
                        struct err *e)
{
    str name, text;
    if (!store_get_body(m->store, a, id, &name, &text, e))
        return false;
    *out = saying_of(a, text);
    return true;
}

static bool load_speaker(struct memory *m, struct arena *a, int64_t id, str *out, struct err *e)
{
    struct memory_row row;
    struct node_row speaker;
    bool found;
    if (!store_get_memory(m->store, a, id, &row, &found, e) || !found || !row.speaker)
        return e->code == ERR_NONE;
    if (!store_get_node(m->store, a, row.speaker, &speaker, &found, e))
        return false;
    *out = found ? speaker.name : S("");
    return true;
}

static str short_value(struct arena *a, str value)
{
    enum { VALUE_BYTES = 60 };
    str cut = utf8_prefix(value, VALUE_BYTES);
    return cut.len < value.len ? arena_printf(a, "%.*s…", FMT(cut)) : arena_str(a, value);
}

/* Fills in the values; *found is false where the two don't contradict. Speakers are asked for only
 * where they may matter. */
static bool compare(struct memory *m, struct arena *a, struct dispute *d, struct saying *older,
                    struct saying *newer, bool *found, struct err *e)
{
    struct contradiction values;
    *found = contradict(older, newer, &values);
    if (!*found)
        return true;
    if (!load_speaker(m, a, d->older, &older->speaker, e) ||
        !load_speaker(m, a, d->newer, &newer->speaker, e))
        return false;
    *found = contradict(older, newer, &values);
    if (*found) {
        d->older_value = short_value(a, values.older);
        d->newer_value = short_value(a, values.newer);
    }
    return true;
}

static struct dispute dispute_of(int64_t x, int64_t x_at_ms, int64_t y, int64_t y_at_ms)
{
    bool x_first = x_at_ms < y_at_ms || (x_at_ms == y_at_ms && x < y);
    return x_first ? (struct dispute){.older = x, .newer = y, x_at_ms, y_at_ms}
                   : (struct dispute){.older = y, .newer = x, y_at_ms, x_at_ms};
}

bool contradiction_between(struct memory *m, struct arena *a, int64_t x, int64_t y,
                           struct dispute *out, bool *found, struct err *e)
{
    struct node_row p, q;
    struct saying older, newer;
    bool ignored;
    if (!store_get_node(m->store, a, x, &p, found, e) || !*found ||
        !store_get_node(m->store, a, y, &q, found, e) || !*found)
        return e->code == ERR_NONE;
    *out = dispute_of(x, p.at_ms, y, q.at_ms);
    return load_saying(m, a, out->older, &older, e) &&
           load_relations(m, a, out->older, &older, e) &&
           load_saying(m, a, out->newer, &newer, e) &&
           load_relations(m, a, out->newer, &newer, e) &&
           compare(m, a, out, &older, &newer, &ignored, e);
}

/* ---- a new memory ---- */

static bool states(const struct node_meta *meta)
{
    return meta->kind == NODE_MEMORY && meta->state == STATE_CURRENT &&
           meta->memory_kind != KIND_QUESTION && !(meta->flags & FLAG_QUESTION) &&
           !meta->is_consolidated;
}

struct finder {
    struct memory *m;
    struct arena *a;
    int64_t self;
    node me;
    struct saying mine;
    struct dispute *found; /* room for MAX_CONTRADICTIONS */
    size_t count;
};

static bool consider(struct finder *f, int64_t other, bool with_relations, struct err *e)
{
    const struct snapshot *snap = &f->m->snap;
    node at = snapshot_find(snap, other);
    bool found;
    if (f->count == MAX_CONTRADICTIONS || at == NO_NODE || other == f->self ||
        !states(&snap->meta[at]))
        return true;
    for (size_t i = 0; i < f->count; i++)
        if (f->found[i].older == other || f->found[i].newer == other)
            return true;
    struct arena mark = *f->a;
    struct saying mine = f->mine, theirs;
    struct dispute d = dispute_of(f->self, snap->meta[f->me].at_ms, other, snap->meta[at].at_ms);
    bool is_newer = d.newer == f->self;
    bool ok =
        load_saying(f->m, f->a, other, &theirs, e) &&
        (!with_relations || load_relations(f->m, f->a, other, &theirs, e)) &&
        compare(f->m, f->a, &d, is_newer ? &theirs : &mine, is_newer ? &mine : &theirs, &found, e);
    if (ok && found)
        f->found[f->count++] = (struct dispute){.older = d.older, .newer = d.newer};
    arena_rewind(f->a, mark);
    return ok;
}

/* What else was said of the same thing by the same relation, whatever the words. */
static bool try_relations(struct finder *f, struct err *e)
{
    enum { MAX_SAID = 20 };
    struct edge_full *mine, *others;
    size_t count, other_count;
    if (!store_edges_said_by(f->m->store, f->a, f->self, &mine, &count, e) ||
        (count && !load_relations(f->m, f->a, f->self, &f->mine, e)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (mine[i].kind != EDGE_RELATION || !contradict_takes_one(mine[i].label))
            continue;
        if (!store_edges(f->m->store, f->a, mine[i].src, EDGE_RELATION, MAX_SAID, &others,
                         &other_count, e))
            return false;
        for (size_t k = 0; k < other_count; k++)
            if (others[k].src == mine[i].src && others[k].dst != mine[i].dst &&
                str_eq(others[k].label, mine[i].label) && others[k].said_by &&
                !consider(f, others[k].said_by, true, e))
                return false;
    }
    return true;
}

bool contradictions_find(struct memory *m, struct arena *a, int64_t self,
                         const struct scored *others, size_t count, struct dispute **out,
                         size_t *found, struct err *e)
{
    static const float ENOUGH = 0.15f;
    struct finder f = {.m = m, .a = a, .self = self, .me = snapshot_find(&m->snap, self)};
    *out = f.found = ARENA_ARRAY(a, struct dispute, MAX_CONTRADICTIONS);
    *found = 0;
    if (f.me == NO_NODE || !states(&m->snap.meta[f.me]))
        return true;
    if (!load_saying(m, a, self, &f.mine, e))
        return false;
    /* One of its statements is told again, but for the value: most of what that one scores. */
    float enough = ENOUGH / (float)(f.mine.clause_count ? f.mine.clause_count : 1);
    for (size_t i = 0; i < count && others[i].score >= enough; i++)
        if (!consider(&f, m->snap.ids[others[i].at], false, e))
            return false;
    if (!try_relations(&f, e))
        return false;
    *found = f.count;
    return true;
}

bool contradictions_file(struct memory *m, const struct dispute *disputes, size_t count,
                         int64_t now_ms, struct err *e)
{
    static const float WEIGHT =
        10; /* above a pair of names: what is told as current depends on it */
    bool ok = true;
    if (!count)
        return true;
    if (!memory_write(m, e))
        return false;
    for (size_t i = 0; ok && i < count; i++) {
        const struct dispute *d = &disputes[i];
        struct question_row question = {.kind = S(CONTRADICTION),
                                        .a = d->older < d->newer ? d->older : d->newer,
                                        .b = d->older < d->newer ? d->newer : d->older,
                                        .weight = WEIGHT};
        ok = store_put_question(m->store, &question, now_ms, e);
    }
    return store_end(m->store, ok, e);
}

/* ---- recall ---- */

static bool is_newer(const struct snapshot *snap, node x, node y)
{
    const struct node_meta *a = &snap->meta[x], *b = &snap->meta[y];
    return a->at_ms != b->at_ms ? a->at_ms > b->at_ms : x > y;
}

enum { MOST_JOINED = 16 };

/* Current memories that contradict `id`, itself current; the newest first. Asked for each item of a
 * recall, and nearly always none: the store only probes its index, and the snapshot knows the rest.
 */
static bool current_others(struct memory *m, struct arena *a, int64_t id, node out[MOST_JOINED],
                           size_t *count, struct err *e)
{
    const struct snapshot *snap = &m->snap;
    node self = snapshot_find(snap, id);
    int64_t *joined;
    size_t joined_count;
    *count = 0;
    if (self == NO_NODE || snap->meta[self].state != STATE_CURRENT)
        return true;
    if (!store_contradicting(m->store, a, id, MOST_JOINED, &joined, &joined_count, e))
        return false;
    for (size_t k = 0; k < joined_count; k++) {
        node at = snapshot_find(snap, joined[k]);
        size_t i = *count;
        if (at == NO_NODE || snap->meta[at].state != STATE_CURRENT)
            continue;
        for (; i > 0 && is_newer(snap, at, out[i - 1]); i--)
            out[i] = out[i - 1];
        out[i] = at;
        ++*count;
    }
    if (*count > MAX_CONTRADICTIONS)
        *count = MAX_CONTRADICTIONS;
    return true;
}

bool contradictions_of(struct memory *m, struct arena *a, int64_t id, struct dispute **out,
                       size_t *count, struct err *e)
{
    node others[MOST_JOINED];
    size_t other_count;
    *count = 0;
    if (!current_others(m, a, id, others, &other_count, e))
        return false;
    *out = ARENA_ARRAY(a, struct dispute, other_count);
    for (size_t i = 0; i < other_count; i++) {
        bool found;
        if (!contradiction_between(m, a, id, m->snap.ids[others[i]], &(*out)[*count], &found, e))
            return false;
        *count += found;
    }
    return true;
}

/* Candidates that come together. */
struct group {
    struct candidate *at;
    size_t count;
};

static void add_newest_first(const struct snapshot *snap, struct group *g, struct candidate c)
{
    size_t i = g->count++;
    for (; i > 0; i--) {
        if (is_newer(snap, g->at[i - 1].at, c.at))
            break;
        g->at[i] = g->at[i - 1];
    }
    g->at[i] = c;
}

static struct candidate candidate_of(const struct candidate *list, size_t count, node at)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].at == at)
            return list[i];
    return (struct candidate){.at = at};
}

/* A question about one value is about the other in nearly the same words. Where the other one
 * covers less than half of them, it is another statement of the memory that was asked for. */
static bool is_asked_too(const struct candidate *first, const struct candidate *other)
{
    return 2 * other->feature[FEATURE_COVERAGE] >= first->feature[FEATURE_COVERAGE];
}

bool contradictions_gather(struct memory *m, struct arena *a, struct candidate **candidates,
                           size_t *count, size_t most, struct err *e)
{
    const struct snapshot *snap = &m->snap;
    const struct candidate *list = *candidates;
    size_t room = *count + most * MAX_CONTRADICTIONS, filled = 0;
    struct candidate *out = NULL;
    uint8_t *seen = NULL;
    for (size_t i = 0; i < *count; i++) {
        node others[MOST_JOINED];
        size_t other_count = 0;
        if (seen && seen[list[i].at])
            continue;
        if (i < most && !current_others(m, a, snap->ids[list[i].at], others, &other_count, e))
            return false;
        if (other_count && !out) {
            out = ARENA_ARRAY(a, struct candidate, room);
            seen = ARENA_ARRAY(a, uint8_t, snap->graph.count);
            for (; filled < i; filled++) {
                out[filled] = list[filled];
                seen[list[filled].at] = 1;
            }
        }
        if (!out && i >= most)
            return true; /* nothing moves */
        if (!out)
            continue;
        struct group g = {out + filled, 0};
        add_newest_first(snap, &g, list[i]);
        seen[list[i].at] = 1;
        for (size_t k = 0; k < other_count; k++) {
            node at = others[k];
            if (seen[at])
                continue;
            struct candidate c = candidate_of(list, *count, at);
            if (!is_asked_too(&list[i], &c))
                continue;
            c.score = list[i].score;
            seen[at] = 1;
            add_newest_first(snap, &g, c);
        }
        filled += g.count;
    }
    if (out) {
        *candidates = out;
        *count = filled;
    }
    return true;
}
