#include "memory/code_recall.h"

#include "memory/code_question.h"
#include "memory/commit_recall.h"
#include "memory/model_query.h"
#include "memory/store_code.h"
#include "memory/text.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_NAMED = 40,        /* symbols that a question names */
    MAX_SAME_NAME = 8,     /* a name of more symbols is no name */
    MAX_RELATED = 30,      /* that hang together with them */
    MAX_EXTRA_SYMBOLS = 5, /* second and third symbols of a file as items of their own */
    MAX_SEED_WINDOWS = 20,
    MAX_COMMIT_ITEMS = 40,
};

static const float RELATED_SCORE = 0.96f, RELATED_STEP = 0.005f, EXTRA = 0.75f;
static const float CODE_DAMPING = 0.5f;

struct named {
    int64_t symbol;
    node at;
    uint32_t file;
    float confidence;
};

struct asking {
    struct memory *m;
    struct arena *a;
    const struct recall_input *in;
    struct code_question question;
    struct named named[MAX_NAMED];
    size_t named_count;
    float *named_file; /* per file of the leg */
    struct code_answer *out;
    size_t capacity;
    const float *mass;  /* per file: PageRank; NULL: the leg is off */
    uint8_t *seen;      /* per node */
    uint8_t *seen_file; /* per file of the leg: something of it is an item */
};

static bool wants(const struct recall_input *in, enum node_kind kind)
{
    return in->filter.node_kinds & 1u << kind;
}

/* ---- what the question names ---- */

static bool add_named(struct asking *q, int64_t symbol, float confidence, struct err *e)
{
    struct definition_row row;
    bool found;
    if (q->named_count == MAX_NAMED)
        return true;
    if (!store_find_definition(q->m->store, q->a, code_leg_worktree(q->m->code), symbol, &row,
                               &found, e))
        return false;
    node at = snapshot_find(&q->m->snap, symbol);
    uint32_t file = found ? code_leg_find(q->m->code, row.path) : NO_CODE_FILE;
    if (!found || at == NO_NODE || file == NO_CODE_FILE)
        return true;
    q->named[q->named_count++] = (struct named){symbol, at, file, confidence};
    q->named_file[file] = fmaxf(q->named_file[file], confidence);
    return true;
}

/* Does the qualified name end as it is written ("Cart.add", "Cart::add")? */
static bool ends_as_written(str qualified, str written)
{
    size_t i = qualified.len, k = written.len;
    while (i > 0 && k > 0) {
        char x = qualified.at[i - 1], y = written.at[k - 1];
        if (y == ':' && k > 1 && written.at[k - 2] == ':') {
            k--;
            y = '.';
        }
        if (x != (y == '#' ? '.' : y))
            return false;
        i--;
        k--;
    }
    return k == 0;
}

static bool name_symbols(struct asking *q, const struct code_name *name, struct err *e)
{
    int64_t *ids;
    size_t count, kept = 0;
    if (!store_symbols_named(q->m->store, q->a, name->simple, 200, &ids, &count, e))
        return false;
    bool qualified = name->simple.len < name->written.len;
    for (size_t i = 0; qualified && i < count; i++) {
        struct node_row row;
        bool found;
        if (!store_get_node(q->m->store, q->a, ids[i], &row, &found, e))
            return false;
        if (found && ends_as_written(row.name, name->written))
            ids[kept++] = ids[i];
    }
    count = kept ? kept : count;
    if (count > MAX_SAME_NAME)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!add_named(q, ids[i], 1 / sqrtf((float)count), e))
            return false;
    return true;
}

/* Plain words are names only where the question is about one: "who calls dispatch?" */
static bool find_names(struct asking *q, struct err *e)
{
    bool any_identifier = false;
    for (size_t i = 0; i < q->question.name_count; i++)
        any_identifier |= q->question.names[i].is_identifier;
    for (size_t i = 0; i < q->question.name_count; i++) {
        const struct code_name *name = &q->question.names[i];
        bool asked = q->question.relation != ASKS_NOTHING || q->question.is_lookup;
        if ((name->is_identifier || (asked && !any_identifier)) && !name_symbols(q, name, e))
            return false;
    }
    return true;
}

/* ---- items ---- */

static struct code_item *add_item(struct asking *q, node at, float score)
{
    if (at == NO_NODE || q->seen[at] || q->out->count == MAX_CODE_ITEMS)
        return NULL;
    enum node_kind kind = (enum node_kind)q->m->snap.meta[at].kind;
    bool is_ours = kind == NODE_SYMBOL || kind == NODE_FILE || kind == NODE_COMMIT;
    if (!is_ours || !wants(q->in, kind))
        return NULL;
    q->seen[at] = 1;
    ARENA_GROW(q->a, q->out->items, q->out->count, q->capacity);
    struct code_item *item = &q->out->items[q->out->count++];
    uint32_t file = code_leg_file_of(q->m->code, q->m->snap.ids[at]);
    *item = code_item_at(q->m, at, score, S(""));
    item->file = file;
    if (file != NO_CODE_FILE)
        q->seen_file[file] = 1;
    return item;
}

/* ---- how things hang together ---- */

struct related {
    node at, via;
    uint8_t kind;
    float weight;
};

static bool is_asked(enum code_relation relation, const struct half_edge *edge)
{
    bool use = edge->kind == EDGE_CALLS || edge->kind == EDGE_USES || edge->kind == EDGE_INHERITS;
    switch (relation) {
    case ASKS_CALLERS:
        return use && edge->reverse;
    case ASKS_CALLEES:
        return (use || edge->kind == EDGE_IMPORTS) && !edge->reverse;
    case ASKS_DEPENDENTS:
        return (use || edge->kind == EDGE_IMPORTS) && edge->reverse;
    case ASKS_SUBTYPES:
        return edge->kind == EDGE_INHERITS && edge->reverse;
    default:
        return false;
    }
}

static int by_weight(const void *x, const void *y)
{
    const struct related *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static size_t gather_related(struct asking *q, const node *from, size_t from_count,
                             struct related *out, size_t most)
{
    const struct graph *g = &q->m->snap.graph;
    const struct half_edge *edge;
    size_t count = 0;
    for (size_t i = 0; i < from_count; i++)
        for (struct row_walk w = graph_row(g, from[i]); (edge = row_next(g, &w));)
            if (edge->weight > 0 && count < most && is_asked(q->question.relation, edge))
                out[count++] = (struct related){edge->to, from[i], edge->kind, edge->weight};
    qsort(out, count, sizeof *out, by_weight);
    return count;
}

static str node_name_of(struct memory *m, struct arena *a, node at, struct err *e)
{
    struct node_row row;
    bool found;
    return store_get_node(m->store, a, m->snap.ids[at], &row, &found, e) && found ? row.name
                                                                                  : S("");
}

static str relation_words(struct asking *q, const struct related *r, struct err *e)
{
    static const char *const active[] = {[EDGE_CALLS] = "calls",
                                         [EDGE_USES] = "uses",
                                         [EDGE_INHERITS] = "inherits from",
                                         [EDGE_IMPORTS] = "imports"};
    static const char *const passive[] = {[EDGE_CALLS] = "called by",
                                          [EDGE_USES] = "used by",
                                          [EDGE_INHERITS] = "inherited by",
                                          [EDGE_IMPORTS] = "imported by"};
    bool forward = q->question.relation == ASKS_CALLEES;
    str via = node_name_of(q->m, q->a, r->via, e);
    return arena_printf(q->a, "%s %.*s", forward ? passive[r->kind] : active[r->kind], FMT(via));
}

/* What depends on a name depends on it through others, too: one step further for these. */
static bool add_related(struct asking *q, struct err *e)
{
    enum { MOST = 400 };
    node from[MAX_NAMED];
    struct related *found = ARENA_ARRAY(q->a, struct related, MOST);
    size_t count = q->named_count, steps = q->question.relation == ASKS_DEPENDENTS ? 2 : 1;
    for (size_t i = 0; i < count; i++)
        from[i] = q->named[i].at;
    for (size_t step = 0; step < steps && count; step++) {
        size_t related = gather_related(q, from, count, found, MOST);
        count = 0;
        for (size_t i = 0; i < related && q->out->count < MAX_RELATED; i++) {
            float score = RELATED_SCORE - RELATED_STEP * (float)q->out->count;
            struct code_item *item = add_item(q, found[i].at, score);
            if (!item)
                continue;
            item->why = relation_words(q, &found[i], e);
            if (count < MAX_NAMED)
                from[count++] = found[i].at;
        }
    }
    return e->code == ERR_NONE;
}

static void add_definitions(struct asking *q)
{
    for (size_t i = 0; i < q->named_count; i++) {
        float score = RELATED_SCORE - RELATED_STEP * (float)q->out->count;
        struct code_item *item = add_item(q, q->named[i].at, score * q->named[i].confidence);
        if (item)
            item->why = S("named in the question");
    }
}

/* ---- the walk ---- */

/* The files whose windows the words hit hardest, best first, at most `most`. */
static struct scored *hardest_hit(struct asking *q, size_t most, size_t *count)
{
    const struct code_hits *h = &q->out->hits;
    struct scored *best = ARENA_ARRAY(q->a, struct scored, h->touched_count + 1);
    for (size_t i = 0; i < h->touched_count; i++)
        best[i] = (struct scored){h->touched[i], h->best[h->touched[i]]};
    *count = best_first(best, h->touched_count, most);
    return best;
}

/* PageRank from what the words hit hardest and what is named, gathered by file. */
static float *walk(struct asking *q, const struct code_hits *h)
{
    size_t files, chunks, count = 0, best_count;
    const struct code_file *file = code_leg_files(q->m->code, &files);
    const struct code_chunk *chunk = code_leg_chunks(q->m->code, &chunks);
    struct seed *seeds = ARENA_ARRAY(q->a, struct seed, MAX_SEED_WINDOWS + MAX_NAMED);
    float *mass = ARENA_ARRAY(q->a, float, files + 1), top = 0;
    const struct scored *best = hardest_hit(q, MAX_SEED_WINDOWS, &best_count);
    for (size_t i = 0; i < best_count; i++) {
        const struct code_chunk *c = &chunk[h->best_chunk[best[i].at]];
        node at = snapshot_find(&q->m->snap, c->symbol ? c->symbol : file[best[i].at].id);
        top = fmaxf(top, best[i].score);
        if (at != NO_NODE)
            seeds[count++] = (struct seed){at, best[i].score * best[i].score};
    }
    for (size_t i = 0; i < q->named_count; i++)
        seeds[count++] = (struct seed){q->named[i].at, 2 * top * top * q->named[i].confidence};
    struct ppr_params params = ppr_defaults;
    params.damping = CODE_DAMPING;
    ppr_solve(&q->m->snap.graph, seeds, count, &params, q->m->code_ppr);
    size_t touched_count;
    const node *touched = ppr_touched(q->m->code_ppr, &touched_count);
    for (size_t i = 0; i < touched_count; i++) {
        uint32_t f = code_leg_file_of(q->m->code, q->m->snap.ids[touched[i]]);
        if (f != NO_CODE_FILE)
            mass[f] += ppr_mass(q->m->code_ppr, touched[i]);
    }
    return mass;
}

/* How surely a file changes with the files that the words hit hardest. */
static float *change_together(struct asking *q)
{
    enum { LEADERS = 5 };
    size_t files;
    const struct code_file *file = code_leg_files(q->m->code, &files);
    const struct graph *g = &q->m->snap.graph;
    const struct half_edge *edge;
    float *together = ARENA_ARRAY(q->a, float, files + 1);
    size_t count;
    const struct scored *best = hardest_hit(q, LEADERS, &count);
    for (size_t i = 0; i < count; i++) {
        node at = snapshot_find(&q->m->snap, file[best[i].at].id);
        if (at == NO_NODE)
            continue;
        float share = best[i].score / best[0].score;
        for (struct row_walk w = graph_row(g, at); (edge = row_next(g, &w));) {
            if (edge->kind != EDGE_CO_OCCURS || !(edge->weight > 0))
                continue;
            uint32_t f = code_leg_file_of(q->m->code, q->m->snap.ids[edge->to]);
            if (f != NO_CODE_FILE)
                together[f] =
                    fmaxf(together[f], share * edge->weight / edge_forward[EDGE_CO_OCCURS]);
        }
    }
    return together;
}

/* ---- commits ---- */

static int by_score(const void *x, const void *y)
{
    const struct code_item *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->at < b->at ? -1 : a->at > b->at;
}

struct code_item code_item_at(const struct memory *m, node at, float score, str why)
{
    return (struct code_item){.at = at,
                              .kind = (enum node_kind)m->snap.meta[at].kind,
                              .score = score,
                              .file = NO_CODE_FILE,
                              .commit = NO_COMMIT,
                              .chunk = NO_CHUNK,
                              .why = why};
}

void code_items_sort(struct code_item *items, size_t count)
{
    if (count)
        qsort(items, count, sizeof *items, by_score);
}

static bool add_commits(struct asking *q, struct err *e)
{
    size_t commits, count, from = q->out->count;
    const struct history_commit *commit = history_leg_commits(q->m->past, &commits);
    struct commit_candidate *c;
    if (!commit_recall(q->m, q->a, q->in->query, q->out, q->mass, MAX_COMMIT_ITEMS, &c, &count, e))
        return false;
    for (size_t i = 0; i < count && i < MAX_COMMIT_ITEMS; i++) {
        node at = snapshot_find(&q->m->snap, commit[c[i].commit].id);
        struct code_item *item = add_item(q, at, c[i].score - 1e-6f * (float)i);
        if (item)
            item->commit = c[i].commit;
    }
    if (q->out->count > from)
        code_items_sort(q->out->items + from, q->out->count - from);
    return true;
}

/* ---- from files to items ---- */

static bool is_better(const struct scored *x, const struct scored *y)
{
    return x->score != y->score ? x->score > y->score : x->at > y->at;
}

/* Puts a window into the best `most`, best first, where each symbol stands once; gives how many
 * there are. */
static size_t keep_best(const struct code_chunk *chunk, struct scored one, struct scored *out,
                        size_t count, size_t most)
{
    size_t place = 0;
    while (place < count && chunk[out[place].at].symbol != chunk[one.at].symbol)
        place++;
    if (place < count ? !is_better(&one, &out[place])
                      : count == most && !is_better(&one, &out[most - 1]))
        return count;
    if (place == count && count < most)
        count++;
    else if (place == count)
        place--;
    for (; place > 0 && is_better(&one, &out[place - 1]); place--)
        out[place] = out[place - 1];
    out[place] = one;
    return count;
}

/* The windows of a file that fit best, each symbol once. */
static size_t best_symbols(struct asking *q, uint32_t file, struct scored *out, size_t most)
{
    size_t files, chunks, count = 0;
    const struct code_file *f = &code_leg_files(q->m->code, &files)[file];
    const struct code_chunk *chunk = code_leg_chunks(q->m->code, &chunks);
    for (uint32_t c = f->first_chunk; c < f->first_chunk + f->chunk_count; c++) {
        float value = q->out->hits.chunk[c];
        for (size_t n = 0; n < q->named_count; n++)
            if (q->named[n].symbol == chunk[c].symbol)
                value += 2 * q->out->hits.best[file] + 1;
        if (value > 0)
            count = keep_best(chunk, (struct scored){c, value}, out, count, most);
    }
    return count;
}

static node shown_node(const struct asking *q, uint32_t chunk_index, uint32_t file, bool *is_symbol)
{
    size_t files, chunks;
    const struct code_chunk *c = &code_leg_chunks(q->m->code, &chunks)[chunk_index];
    *is_symbol = c->symbol && wants(q->in, NODE_SYMBOL);
    return snapshot_find(&q->m->snap,
                         *is_symbol ? c->symbol : code_leg_files(q->m->code, &files)[file].id);
}

/* One item a file: its symbol that fits best, or the file itself; further symbols in `more`, and as
 * items of their own where they fit nearly as well as anything. */
static void add_file(struct asking *q, const struct code_candidate *c, float best_window,
                     size_t *extras)
{
    size_t files, chunks;
    const struct code_chunk *chunk = code_leg_chunks(q->m->code, &chunks);
    struct scored best[MAX_MORE + 1];
    size_t count = best_symbols(q, c->file, best, MAX_MORE + 1), at = 0;
    bool is_symbol = false;
    node shown = NO_NODE;
    for (; at < count; at++) {
        shown = shown_node(q, best[at].at, c->file, &is_symbol);
        if (is_symbol || wants(q->in, NODE_FILE))
            break;
    }
    if (at == count) {
        if (!wants(q->in, NODE_FILE) || q->seen_file[c->file])
            return;
        shown = snapshot_find(&q->m->snap, code_leg_files(q->m->code, &files)[c->file].id);
    }
    struct code_item *item = add_item(q, shown, c->score);
    if (!item)
        return;
    size_t mine = q->out->count - 1; /* items move when more are added */
    item->chunk = at < count ? best[at].at : NO_CHUNK;
    for (size_t i = at + 1; i < count; i++) {
        int64_t symbol = chunk[best[i].at].symbol;
        bool strong = best[i].score >= EXTRA * best_window && *extras < MAX_EXTRA_SYMBOLS;
        if (!symbol)
            continue;
        struct code_item *extra =
            strong ? add_item(q, snapshot_find(&q->m->snap, symbol), c->score * EXTRA) : NULL;
        if (extra) {
            extra->chunk = best[i].at;
            ++*extras;
        } else
            q->out->items[mine].more[q->out->items[mine].more_count++] = symbol;
    }
}

static void add_files(struct asking *q)
{
    float best_window = 0;
    size_t extras = 0, from = q->out->count;
    for (size_t i = 0; i < q->out->candidate_count; i++)
        best_window = fmaxf(best_window, q->out->hits.best[q->out->candidates[i].file]);
    for (size_t i = 0; i < q->out->candidate_count; i++) {
        q->out->candidates[i].score -= 1e-6f * (float)i; /* equal scores keep the ranker's order */
        add_file(q, &q->out->candidates[i], best_window, &extras);
    }
    if (q->out->count > from)
        code_items_sort(q->out->items + from, q->out->count - from);
}

static void rank_files(struct asking *q)
{
    struct code_rank_input rank = {.leg = q->m->code,
                                   .hits = &q->out->hits,
                                   .query = q->in->query,
                                   .named = q->named_file,
                                   .weights = q->m->has_code_weights
                                                  ? &q->m->code_weights
                                                  : code_weights_shipped(q->out->has_history)};
    if (q->out->has_history) {
        rank.history = &q->out->history;
        rank.together = change_together(q);
    }
    if (q->m->options.ppr)
        rank.mass = q->mass = walk(q, &q->out->hits);
    q->out->candidates = code_rank(q->a, &rank, &q->out->candidate_count);
}

bool code_recall_sync(struct memory *m, str root, bool *any, struct err *e)
{
    if (!m->code) {
        m->code = code_leg_new();
        m->past = history_leg_new();
        m->code_ppr = ppr_work_new();
    }
    return code_leg_sync(m->code, m->store, root, any, e);
}

bool code_recall(struct memory *m, struct arena *a, const struct recall_input *in,
                 struct code_answer *out, struct err *e)
{
    bool any;
    size_t files;
    *out = (struct code_answer){0};
    bool wanted = wants(in, NODE_FILE) || wants(in, NODE_SYMBOL) || wants(in, NODE_COMMIT);
    if (!wanted || !in->query.len || in->has_since || in->has_until)
        return true;
    if (!code_recall_sync(m, in->root, &any, e))
        return false;
    if (!any)
        return true;
    struct asking q = {.m = m, .a = a, .in = in, .out = out};
    code_leg_files(m->code, &files);
    q.named_file = ARENA_ARRAY(a, float, files + 1);
    q.seen_file = ARENA_ARRAY(a, uint8_t, files + 1);
    q.seen = ARENA_ARRAY(a, uint8_t, m->snap.graph.count + 1);
    code_question_read(a, in->query, &q.question);
    if (in->models && q.question.relation == ASKS_NOTHING)
        q.question.relation = in->models->reading.relation;
    if (!find_names(&q, e) || !code_leg_search(m->code, m->store, a, in->query, &out->hits, e))
        return false;
    bool is_related = q.question.relation != ASKS_NOTHING && q.question.relation != ASKS_DEFINITION;
    if (is_related && !add_related(&q, e))
        return false;
    if (!is_related && (q.question.relation == ASKS_DEFINITION || q.question.is_lookup))
        add_definitions(&q);
    if (m->options.history &&
        (!history_leg_sync(m->past, m->store, m->code, &out->has_history, e) ||
         (out->has_history &&
          !history_leg_search(m->past, m->store, a, &out->hits, &out->history, e))))
        return false;
    rank_files(&q);
    add_files(&q);
    if (out->has_history && wants(in, NODE_COMMIT)) {
        if (!add_commits(&q, e))
            return false;
        code_items_sort(out->items, out->count);
    }
    return true;
}
