#include "memory/place_recall.h"

#include "memory/code_recall.h"
#include "memory/query_place.h"
#include "memory/store_code.h"
#include "memory/store_history.h"

#include <math.h>
#include <stdlib.h>

/* How surely an item answers "why is this line so?", on the scale of recall's scores. No fit: the
 * commit that made the line is the answer; at the end of a shallow history it may not be; what
 * stands around a line is what it is part of; later commits of the file may have nothing to do with
 * it, those of what stands around it less so. */
static const float MADE = 0.99f, MADE_OR_OLDER = 0.6f, AROUND = 0.75f, TOUCHED_AROUND = 0.55f,
                   TOUCHED = 0.45f, TOUCHED_STEP = 0.03f;
/* And how close memories are that are linked to it otherwise than by the line. */
static const float SAME_SYMBOL = 0.9f, SAME_COMMIT = 0.85f, SAME_NAME = 0.8f, SAME_ISSUE = 0.6f;

enum {
    MAX_TOUCHED_AROUND = 2, /* commits that changed the symbol around the line */
    MAX_TOUCHED_SHOWN = 3,  /* that touched the file */
    MAX_PLACE_ITEMS = MAX_TOUCHED_AROUND + MAX_TOUCHED_SHOWN + 2,
    SHORT_ID_DIGITS = 12
};

/* ---- the place ---- */

/* The innermost symbol around the line; 0: none, or no line is asked for. */
static bool symbol_around(struct memory *m, struct arena *a, const struct recall_input *in,
                          int64_t *symbol, struct err *e)
{
    struct worktree_row worktree;
    struct definition_row *rows;
    size_t count;
    bool found;
    *symbol = 0;
    if (!in->line || !store_find_worktree(m->store, a, in->root, &worktree, &found, e) || !found)
        return e->code == ERR_NONE;
    if (!store_definitions(m->store, a, worktree.id, in->file, &rows, &count, e))
        return false;
    uint32_t start = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].line_start <= in->line && in->line <= rows[i].line_end &&
            rows[i].line_start >= start) {
            start = rows[i].line_start;
            *symbol = rows[i].symbol;
        }
    return true;
}

static bool made_by(struct memory *m, const struct recall_input *in, int64_t *commit, struct err *e)
{
    *commit = 0;
    return !in->blamed.commit.len ||
           store_find_key(m->store, NODE_COMMIT, in->blamed.commit, commit, e);
}

/* ---- memories ---- */

struct gathering {
    struct memory *m;
    struct arena *a;
    struct anchored *out;
    size_t count;
};

static void add(struct gathering *g, node at, float closeness)
{
    if (at != NO_NODE && g->count < MAX_ANCHORED)
        g->out[g->count++] = (struct anchored){at, closeness};
}

/* Memories and passages that an edge joins to the node. */
static void add_neighbours(struct gathering *g, int64_t id, float closeness)
{
    const struct half_edge *edge;
    node at = id ? snapshot_find(&g->m->snap, id) : NO_NODE;
    if (at == NO_NODE)
        return;
    for (struct row_walk w = graph_row(&g->m->snap.graph, at);
         (edge = row_next(&g->m->snap.graph, &w));) {
        uint8_t kind = g->m->snap.meta[edge->to].kind;
        if (edge->weight > 0 && (kind == NODE_MEMORY || kind == NODE_PASSAGE))
            add(g, edge->to, closeness);
    }
}

/* And those that speak of it under a name (memory/ties.h). */
static void add_speaking(struct gathering *g, int64_t id, float closeness)
{
    const struct snapshot *snap = &g->m->snap;
    const struct half_edge *edge;
    node at = id ? snapshot_find(snap, id) : NO_NODE;
    if (at == NO_NODE)
        return;
    for (struct row_walk w = graph_row(&snap->graph, at); (edge = row_next(&snap->graph, &w));)
        if (edge->kind == EDGE_SAME_AS && edge->reverse && edge->weight > 0 &&
            snap->meta[edge->to].state == STATE_CURRENT)
            add_neighbours(g, snap->ids[edge->to], closeness);
}

/* By how many lines lie between; memories without a line count as some apart. */
static bool add_anchors(struct gathering *g, str path, uint32_t line, float share, struct err *e)
{
    enum { LINES_APART_HALVE = 40, UNKNOWN_DISTANCE = 40 };
    struct anchor_row *rows;
    size_t count;
    if (!store_anchors_of_path(g->m->store, g->a, path, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        float apart = !line           ? 0
                      : !rows[i].line ? UNKNOWN_DISTANCE
                                      : fabsf((float)rows[i].line - (float)line);
        add(g, snapshot_find(&g->m->snap, rows[i].memory), share / (1 + apart / LINES_APART_HALVE));
    }
    return true;
}

/* What speaks of a name: a shortened id, an issue. */
static bool add_named(struct gathering *g, str name, float closeness, struct err *e)
{
    int64_t id;
    if (!entity_find(g->m, g->a, name, &id, e))
        return false;
    add_neighbours(g, id, closeness);
    return true;
}

static bool add_linked(struct gathering *g, int64_t commit, str oid, struct err *e)
{
    enum { MIN_ID_DIGITS = 7 };
    str *issues;
    size_t count;
    if (!commit)
        return true;
    add_neighbours(g, commit, SAME_COMMIT);
    for (size_t digits = MIN_ID_DIGITS; digits <= oid.len;
         digits = digits == SHORT_ID_DIGITS ? oid.len : digits + 1) {
        if (!add_named(g, str_cut(oid, 0, digits), SAME_COMMIT, e))
            return false;
        if (digits == oid.len)
            break;
    }
    if (!store_references_of(g->m->store, g->a, commit, &issues, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!add_named(g, issues[i], SAME_ISSUE, e))
            return false;
    return true;
}

bool place_memories(struct memory *m, struct arena *a, const struct recall_input *in,
                    struct anchored *out, size_t *count, struct err *e)
{
    const float old_name = 0.9f;
    struct gathering g = {m, a, out, 0};
    int64_t symbol, commit, file;
    *count = 0;
    if (!in->file.len)
        return true;
    bool was_renamed = in->blamed.path.len && !str_eq(in->blamed.path, in->file);
    if (!symbol_around(m, a, in, &symbol, e) || !made_by(m, in, &commit, e) ||
        !store_find_key(m->store, NODE_FILE, in->file, &file, e) ||
        !add_anchors(&g, in->file, in->line, 1, e) ||
        (was_renamed && !add_anchors(&g, in->blamed.path, in->blamed.line, old_name, e)))
        return false;
    add_neighbours(&g, symbol, SAME_SYMBOL);
    add_speaking(&g, in->line ? symbol : file, SAME_NAME);
    if (!add_linked(&g, commit, in->blamed.commit, e))
        return false;
    *count = g.count;
    return true;
}

/* ---- commits and the symbol ---- */

struct placing {
    struct memory *m;
    struct arena *a;
    const struct recall_input *in;
    struct code_item items[MAX_PLACE_ITEMS];
    size_t count;
};

static bool is_in_time(const struct placing *p, node at)
{
    int64_t at_ms = p->m->snap.meta[at].at_ms;
    return !(p->in->has_since && at_ms < p->in->since_ms) &&
           !(p->in->has_until && at_ms >= p->in->until_ms);
}

static void put(struct placing *p, int64_t id, float score, str why)
{
    node at = id ? snapshot_find(&p->m->snap, id) : NO_NODE;
    if (at == NO_NODE || p->count == MAX_PLACE_ITEMS)
        return;
    enum node_kind kind = (enum node_kind)p->m->snap.meta[at].kind;
    bool is_wanted = p->in->filter.node_kinds & 1u << kind && is_in_time(p, at);
    for (size_t i = 0; i < p->count; i++)
        is_wanted = is_wanted && p->items[i].at != at;
    if (is_wanted)
        p->items[p->count++] = code_item_at(p->m, at, score, why);
}

static str made_words(struct arena *a, const struct recall_input *in)
{
    const struct line_origin *o = &in->blamed;
    str was = str_eq(o->path, in->file)
                  ? S("")
                  : arena_printf(a, ", then line %u of %.*s", o->line, FMT(o->path));
    return arena_printf(a, "made line %u of %.*s%.*s%s", in->line, FMT(in->file), FMT(was),
                        o->is_cut ? " or found it there: the history ends here" : "");
}

struct touch {
    int64_t at_ms, id;
};

static int newest_first(const void *x, const void *y)
{
    const struct touch *a = x, *b = y;
    if (a->at_ms != b->at_ms)
        return a->at_ms < b->at_ms ? 1 : -1;
    return a->id < b->id ? -1 : 1; /* of one second: they are stored newest first */
}

/* The newest commits that touched a file or symbol. */
static void put_touching(struct placing *p, int64_t id, str name, float score, size_t most)
{
    struct touch *touches = NULL;
    const struct snapshot *snap = &p->m->snap;
    const struct half_edge *edge;
    size_t count = 0, capacity = 0;
    node at = id ? snapshot_find(snap, id) : NO_NODE;
    if (at == NO_NODE)
        return;
    for (struct row_walk w = graph_row(&snap->graph, at); (edge = row_next(&snap->graph, &w));) {
        if (edge->kind != EDGE_TOUCHES || !(edge->weight > 0))
            continue;
        ARENA_GROW(p->a, touches, count, capacity);
        touches[count++] = (struct touch){snap->meta[edge->to].at_ms, snap->ids[edge->to]};
    }
    if (count)
        qsort(touches, count, sizeof *touches, newest_first);
    for (size_t i = 0; i < count && i < most; i++)
        put(p, touches[i].id, score - TOUCHED_STEP * (float)i,
            arena_printf(p->a, i ? "touched %.*s before that" : "the last to touch %.*s",
                         FMT(name)));
}

/* First those that changed what stands around the line: others of the file may have nothing to do
 * with it. */
static bool put_last_commits(struct placing *p, int64_t symbol, struct err *e)
{
    struct node_row row;
    int64_t file;
    bool found = false;
    if (!store_find_key(p->m->store, NODE_FILE, p->in->file, &file, e) ||
        (symbol && !store_get_node(p->m->store, p->a, symbol, &row, &found, e)))
        return false;
    if (found)
        put_touching(p, symbol, row.name, TOUCHED_AROUND, MAX_TOUCHED_AROUND);
    put_touching(p, file, p->in->file, TOUCHED, MAX_TOUCHED_SHOWN);
    return true;
}

static bool put_place(struct placing *p, struct err *e)
{
    const struct recall_input *in = p->in;
    int64_t symbol = 0, commit = 0;
    if (!symbol_around(p->m, p->a, in, &symbol, e) || !made_by(p->m, in, &commit, e))
        return false;
    bool history = p->m->options.history;
    if (history)
        put(p, commit, in->blamed.is_cut ? MADE_OR_OLDER : MADE, made_words(p->a, in));
    str around = arena_printf(p->a, "around line %u", in->line);
    if (in->blamed.commit.len && !commit)
        around = arena_printf(p->a, "%.*s, which commit %.*s made: not in the index yet",
                              FMT(around), FMT(str_cut(in->blamed.commit, 0, SHORT_ID_DIGITS)));
    if (in->blamed.is_late)
        around = arena_printf(p->a, "%.*s; the commit that made it is still looked for, ask again",
                              FMT(around));
    put(p, symbol, AROUND, around);
    return !history || put_last_commits(p, symbol, e);
}

bool place_items(struct memory *m, struct arena *a, const struct recall_input *in,
                 struct code_answer *code, struct err *e)
{
    bool any;
    struct placing p = {.m = m, .a = a, .in = in};
    if (!in->file.len)
        return true;
    if (!code_recall_sync(m, in->root, &any, e) || !any)
        return e->code == ERR_NONE;
    if (!put_place(&p, e))
        return false;
    struct code_item *items = ARENA_ARRAY(a, struct code_item, p.count + code->count + 1);
    size_t count = p.count;
    memcpy(items, p.items, p.count * sizeof *items);
    for (size_t i = 0; i < code->count; i++) {
        size_t same = 0;
        while (same < p.count && items[same].at != code->items[i].at)
            same++;
        if (same < p.count)
            items[same].score = fmaxf(items[same].score, code->items[i].score);
        else
            items[count++] = code->items[i];
    }
    code_items_sort(items, count);
    code->items = items;
    code->count = count;
    return true;
}

/* ---- which place ---- */

static str below_root(const struct recall_input *in, str path)
{
    if (in->root.len && path.len > in->root.len && str_starts(path, in->root) &&
        path.at[in->root.len] == '/')
        path = str_cut(path, in->root.len + 1, path.len);
    return str_starts(path, S("./")) ? str_cut(path, 2, path.len) : path;
}

static bool find_place(struct memory *m, struct arena *a, struct recall_input *in, struct err *e)
{
    struct query_place places[MAX_QUERY_PLACES];
    struct worktree_row worktree;
    bool found;
    str blob;
    size_t count = in->file.len ? (size_t)query_place_read(in->file, &places[0])
                                : query_places(in->query, places);
    in->file = below_root(in, in->file);
    if (!count || in->line)
        return true;
    if (!store_find_worktree(m->store, a, in->root, &worktree, &found, e) || !found)
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count; i++) {
        str path = below_root(in, places[i].path);
        if (!store_blob_at(m->store, a, worktree.id, path, &blob, e))
            return false;
        if (!blob.len)
            continue;
        in->file = path;
        in->line = places[i].line;
        return true;
    }
    return true;
}

bool memory_find_place(struct memory *m, struct arena *a, struct recall_input *in, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = find_place(m, a, in, e);
    store_read_end(m->store);
    return ok;
}
