/* Facts: labelled relations on the paths from what a query names, so that the path itself is the
 * answer (seed 002). */
#include "memory/recall_item.h"

#include "memory/text.h"

#include <stdlib.h>

enum {
    MAX_HOPS = 4,
    ALWAYS_HOPS = 2, /* further ones only where a word of the query leads */
    MAX_VISITED = 40,
    MAX_EXPANDED = 20,
    MAX_HUB_DEGREE = 100, /* a node of more edges is a place to arrive at, not to go on from */
    MAX_EDGES_OF_NODE = 25,
    MAX_FACTS = 40,
};

struct found_fact {
    struct edge_full edge;
    int hop;
    float words; /* idf of the query's terms in its label and names */
};

struct search {
    struct memory *m;
    struct arena *a;
    const struct recall_input *in;
    const struct lexical *l;
    struct visit {
        int64_t id;
        int hop;
        float confidence;
    } visited[MAX_VISITED];
    size_t visited_count;
    struct found_fact *facts;
    size_t count, capacity;
    struct named { /* names read so far: hubs stand at the end of many edges */
        int64_t id;
        str name;
    } * names;
    size_t name_count, name_capacity;
};

static bool visit(struct search *s, int64_t id, int hop, float confidence)
{
    for (size_t i = 0; i < s->visited_count; i++)
        if (s->visited[i].id == id)
            return false;
    if (s->visited_count == MAX_VISITED)
        return false;
    s->visited[s->visited_count++] = (struct visit){id, hop, confidence};
    return true;
}

/* A relation lives with who says it: superseded or forgotten, it is no current fact (DESIGN 4). */
static bool is_current(struct search *s, const struct edge_full *edge)
{
    node by = edge->said_by ? snapshot_find(&s->m->snap, edge->said_by) : NO_NODE;
    if (!edge->said_by)
        return true;
    return by != NO_NODE &&
           (s->m->snap.meta[by].state == STATE_CURRENT || s->in->include_superseded);
}

static bool node_name_of(struct search *s, int64_t id, str *out, struct err *e)
{
    for (size_t i = 0; i < s->name_count; i++)
        if (s->names[i].id == id) {
            *out = s->names[i].name;
            return true;
        }
    node at = snapshot_find(&s->m->snap, id);
    *out = S("");
    if (at != NO_NODE && !node_words(s->m, s->a, at, out, e))
        return false;
    ARENA_GROW(s->a, s->names, s->name_count, s->name_capacity);
    s->names[s->name_count++] = (struct named){id, *out};
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

static bool add_fact(struct search *s, const struct edge_full *edge, int hop, struct err *e)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->facts[i].edge.src == edge->src && s->facts[i].edge.dst == edge->dst &&
            str_eq(s->facts[i].edge.label, edge->label))
            return true; /* said again elsewhere: edges come newest first */
    str label = edge->label, other;
    int64_t far = edge->src;
    for (size_t i = 0; i < s->visited_count; i++)
        if (s->visited[i].id == edge->src && s->visited[i].hop < hop)
            far = edge->dst;
    if (!node_name_of(s, far, &other, e))
        return false;
    ARENA_GROW(s->a, s->facts, s->count, s->capacity);
    s->facts[s->count++] =
        (struct found_fact){*edge, hop, query_words(s, label) + query_words(s, other)};
    return true;
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
    for (size_t i = 0; i < count; i++) {
        if (!is_current(s, &edges[i]))
            continue;
        int64_t other = edges[i].src == from.id ? edges[i].dst : edges[i].src;
        node at = snapshot_find(&s->m->snap, other);
        if (at == NO_NODE || s->m->snap.meta[at].state != STATE_CURRENT)
            continue;
        if (!add_fact(s, &edges[i], from.hop + 1, e))
            return false;
        visit(s, other, from.hop + 1, from.confidence);
    }
    return true;
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
                  struct recall_result *out, struct err *e)
{
    struct search s = {.m = m, .a = a, .in = in, .l = l};
    for (size_t i = 0; i < resolved_count; i++)
        visit(&s, resolved[i].id, 0, resolved[i].confidence);
    for (size_t i = 0; i < s.visited_count && i < MAX_EXPANDED; i++)
        if (s.visited[i].hop < MAX_HOPS && s.count < (size_t)MAX_FACTS * 4 && !expand(&s, i, e))
            return false;
    if (s.count)
        qsort(s.facts, s.count, sizeof *s.facts, by_use);
    out->facts = ARENA_ARRAY(a, struct fact_ref, MAX_FACTS);
    for (size_t i = 0; i < s.count && out->fact_count < MAX_FACTS; i++) {
        const struct found_fact *f = &s.facts[i];
        if (f->hop > ALWAYS_HOPS && f->words <= 0)
            continue;
        struct fact_ref *fact = &out->facts[out->fact_count];
        node by = f->edge.said_by ? snapshot_find(&m->snap, f->edge.said_by) : NO_NODE;
        *fact = (struct fact_ref){.relation = f->edge.label, .said_by = f->edge.said_by};
        fact->said_kind = by == NO_NODE ? NODE_ENTITY : (enum node_kind)m->snap.meta[by].kind;
        if (!node_name_of(&s, f->edge.src, &fact->from, e) ||
            !node_name_of(&s, f->edge.dst, &fact->to, e))
            return false;
        out->fact_count++;
    }
    return true;
}
