/* Facts: labelled relations on the paths from what a query names, so that the path itself is the
 * answer (seed 002). */
#include "memory/recall_item.h"
#include "memory/store_models.h"

#include "memory/text.h"

#include <stdlib.h>

enum {
    MAX_HOPS = 4,
    ALWAYS_HOPS = 2, /* further ones only where a word of the query leads, or few other ways do */
    MAX_VISITED = 40,
    MAX_EXPANDED = 20,
    MAX_HUB_DEGREE = 100, /* a node of more edges is a place to arrive at, not to go on from */
    MAX_EDGES_OF_NODE = 25,
    MAX_FACTS = 40,
    NO_FACT = INT32_MAX,
};

/* A walker who takes each relation of a node as often as the others must get there so often that
 * a far fact is told. */
static const float NARROW = 0.25f;

struct found_fact {
    struct edge_full edge;
    int hop;
    float share;  /* of the walkers from the named entity */
    float words;  /* idf of the query's terms in its label and names */
    uint32_t via; /* index of the fact before it on its path, NO_FACT at the start */
    bool told;
};

struct search {
    struct memory *m;
    struct arena *a;
    const struct recall_input *in;
    const struct lexical *l;
    struct visit {
        int64_t id;
        int hop;
        float share;
        uint32_t via;
    } visited[MAX_VISITED];
    size_t visited_count;
    struct found_fact *facts;
    size_t count, capacity;
    struct named { /* names read so far: hubs stand at the end of many edges */
        int64_t id;
        str name;
        float words; /* as of found_fact */
    } * names;
    size_t name_count, name_capacity;
};

static bool visit(struct search *s, struct visit next)
{
    for (size_t i = 0; i < s->visited_count; i++)
        if (s->visited[i].id == next.id)
            return false;
    if (s->visited_count == MAX_VISITED)
        return false;
    s->visited[s->visited_count++] = next;
    return true;
}

/* A relation lives with who says it: superseded or forgotten, it is no current fact. */
static bool is_current(struct search *s, const struct edge_full *edge)
{
    node by = edge->said_by ? snapshot_find(&s->m->snap, edge->said_by) : NO_NODE;
    if (!edge->said_by)
        return true;
    return by != NO_NODE &&
           (s->m->snap.meta[by].state == STATE_CURRENT || s->in->include_superseded);
}

static float query_words(struct search *s, str text)
{
    size_t count;
    float sum = 0;
    struct token *tokens = text_token_list(s->a, text, 32, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < s->l->term_count; t++)
            if (term_is(&s->l->terms[t], str_from(tokens[i].text, tokens[i].len)))
                sum += s->l->terms[t].idf;
    return sum;
}

static bool name_of(struct search *s, int64_t id, struct named *out, struct err *e)
{
    for (size_t i = 0; i < s->name_count; i++)
        if (s->names[i].id == id) {
            *out = s->names[i];
            return true;
        }
    node at = snapshot_find(&s->m->snap, id);
    *out = (struct named){id, S(""), 0};
    if (at != NO_NODE && !node_words(s->m, s->a, at, &out->name, e))
        return false;
    out->words = query_words(s, out->name);
    ARENA_GROW(s->a, s->names, s->name_count, s->name_capacity);
    s->names[s->name_count++] = *out;
    return true;
}

/* Told by the snapshot, so that names without relations cost no query. */
static bool has_relation(const struct graph *g, node n)
{
    const struct half_edge *edge;
    for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));)
        if (edge->kind == EDGE_RELATION && edge->weight > 0)
            return true;
    return false;
}

static int64_t other_end(const struct edge_full *edge, int64_t id)
{
    return edge->src == id ? edge->dst : edge->src;
}

/* *index: where the fact stands, now or since it was said elsewhere: edges come newest first. */
static bool add_fact(struct search *s, const struct edge_full *edge, const struct visit *from,
                     float share, uint32_t *index, struct err *e)
{
    struct named other;
    for (*index = 0; *index < s->count; ++*index) {
        const struct edge_full *known = &s->facts[*index].edge;
        if (known->src == edge->src && known->dst == edge->dst && str_eq(known->label, edge->label))
            return true;
    }
    if (!name_of(s, other_end(edge, from->id), &other, e))
        return false;
    ARENA_GROW(s->a, s->facts, s->count, s->capacity);
    s->facts[s->count++] = (struct found_fact){
        .edge = *edge,
        .hop = from->hop + 1,
        .share = share,
        .words = query_words(s, edge->label) + other.words,
        .via = from->via,
    };
    return true;
}

static bool leads_on(struct search *s, const struct edge_full *edge, int64_t from)
{
    node at = snapshot_find(&s->m->snap, other_end(edge, from));
    return is_current(s, edge) && at != NO_NODE && s->m->snap.meta[at].state == STATE_CURRENT;
}

static bool expand(struct search *s, size_t index, struct err *e)
{
    struct edge_full *edges;
    size_t count;
    struct visit from = s->visited[index];
    node here = snapshot_find(&s->m->snap, from.id);
    if (here == NO_NODE || !has_relation(&s->m->snap.graph, here) ||
        (from.hop > 0 && s->m->snap.meta[here].degree > MAX_HUB_DEGREE))
        return true;
    if (!store_edges(s->m->store, s->a, from.id, EDGE_RELATION, MAX_EDGES_OF_NODE, &edges, &count,
                     e))
        return false;
    size_t onward = 0;
    for (size_t i = 0; i < count; i++)
        if (leads_on(s, &edges[i], from.id))
            edges[onward++] = edges[i];
    size_t back = from.hop > 0; /* the relation that led here */
    float share = onward > back ? from.share / (float)(onward - back) : from.share;
    for (size_t i = 0; i < onward; i++) {
        uint32_t fact;
        if (!add_fact(s, &edges[i], &from, share, &fact, e))
            return false;
        visit(s, (struct visit){other_end(&edges[i], from.id), from.hop + 1, share, fact});
    }
    return true;
}

/* Near facts, those that a word of the query or a narrow path leads to, and the paths to them. */
static void choose_told(struct search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct found_fact *f = &s->facts[i];
        if (f->hop > ALWAYS_HOPS && f->words <= 0 && f->share < NARROW)
            continue;
        for (uint32_t k = (uint32_t)i; k != NO_FACT && !s->facts[k].told; k = s->facts[k].via)
            s->facts[k].told = true;
    }
}

static int by_use(const void *x, const void *y)
{
    const struct found_fact *a = x, *b = y;
    float left = a->words - (float)a->hop, right = b->words - (float)b->hop;
    if (left != right)
        return (left < right) - (left > right);
    return (a->edge.id < b->edge.id) - (a->edge.id > b->edge.id);
}

bool recall_facts(struct memory *m, struct arena *a, const struct resolved *resolved,
                  size_t resolved_count, const struct recall_input *in, const struct lexical *l,
                  float *on_path, struct recall_result *out, struct err *e)
{
    struct search s = {.m = m, .a = a, .in = in, .l = l};
    for (size_t i = 0; i < resolved_count; i++)
        visit(&s, (struct visit){resolved[i].id, 0, resolved[i].confidence, NO_FACT});
    for (size_t i = 0; i < s.visited_count && i < MAX_EXPANDED; i++)
        if (s.visited[i].hop < MAX_HOPS && s.count < (size_t)MAX_FACTS * 4 && !expand(&s, i, e))
            return false;
    choose_told(&s);
    if (s.count)
        qsort(s.facts, s.count, sizeof *s.facts, by_use);
    out->facts = ARENA_ARRAY(a, struct fact_ref, MAX_FACTS);
    for (size_t i = 0; i < s.count && out->fact_count < MAX_FACTS; i++) {
        const struct found_fact *f = &s.facts[i];
        if (!f->told)
            continue;
        struct fact_ref *fact = &out->facts[out->fact_count];
        node by = f->edge.said_by ? snapshot_find(&m->snap, f->edge.said_by) : NO_NODE;
        *fact = (struct fact_ref){.relation = f->edge.label, .said_by = f->edge.said_by};
        if (by != NO_NODE && f->share > on_path[by])
            on_path[by] = f->share;
        fact->said_kind = by == NO_NODE ? NODE_ENTITY : (enum node_kind)m->snap.meta[by].kind;
        struct named from, to;
        if (!name_of(&s, f->edge.src, &from, e) || !name_of(&s, f->edge.dst, &to, e) ||
            !store_is_model_edge(m->store, f->edge.id, &fact->by_model, e))
            return false;
        fact->from = from.name;
        fact->to = to.name;
        out->fact_count++;
    }
    return true;
}
