#include "memory/tend.h"

#include "memory/degree.h"
#include "memory/louvain.h"

#include <math.h>
#include <stdlib.h>

enum {
    MIN_MEMBERS = 3, /* of a community that has a number */
    LABEL_NAMES = 3, /* entities that name it */
};

static const double MIN_CHANGE = 0.02; /* of a centrality that is worth writing, as a share of it */

struct mention { /* of t->nodes */
    uint32_t entity, by;
};

struct shape {
    struct tend *t;
    struct topo_edge *edges; /* between nodes that take part */
    size_t edge_count, edge_capacity;
    struct mention *mentions;
    size_t mention_count, mention_capacity;
    uint32_t *mentioned; /* by how many texts */
    uint32_t *community;
    uint32_t communities;
    int64_t *community_id;
    str *label;
    size_t *members;
    struct growth_node *before; /* rows as they stand */
    size_t *changed;            /* nodes to be written */
    size_t changed_count;
};

/* ---- reading ---- */

static void take_edge(void *ctx, const struct growth_edge *edge)
{
    struct shape *s = ctx;
    size_t a = tend_find(s->t, edge->src), b = tend_find(s->t, edge->dst);
    if (a != SIZE_MAX && b != SIZE_MAX && a != b) {
        HEAP_GROW(s->edges, s->edge_count, s->edge_capacity);
        s->edges[s->edge_count++] = (struct topo_edge){
            (uint32_t)a, (uint32_t)b, (float)edge->weight * edge_forward[edge->kind],
            (float)edge->weight * edge_backward[edge->kind]};
    }
    if (edge->kind == EDGE_MENTIONS && a != SIZE_MAX && b != SIZE_MAX) {
        HEAP_GROW(s->mentions, s->mention_count, s->mention_capacity);
        s->mentions[s->mention_count++] = (struct mention){(uint32_t)b, (uint32_t)a};
        s->mentioned[b]++;
    }
}

static void count_degrees(struct shape *s)
{
    const struct snapshot *snap = &s->t->m->snap;
    struct arena scratch = {0};
    for (size_t i = 0; i < s->t->node_count; i++) {
        node at = snapshot_find(snap, s->t->nodes[i].id);
        s->t->nodes[i].degree = at == NO_NODE ? 0 : degree_of(snap, at, UINT32_MAX, &scratch);
    }
    arena_free(&scratch);
}

static bool read_all(struct shape *s, struct err *e)
{
    struct tend *t = s->t;
    t->nodes = NULL;           /* passes before this one may have taken nodes out */
    if (!memory_read(t->m, e)) /* degrees are told by the snapshot */
        return false;
    bool ok = growth_nodes(t->m->store, t->a, &t->nodes, &t->node_count, e);
    if (ok) {
        s->before = ARENA_ARRAY(t->a, struct growth_node, t->node_count + 1);
        for (size_t i = 0; i < t->node_count; i++)
            s->before[i] = t->nodes[i];
        s->mentioned = ARENA_ARRAY(t->a, uint32_t, t->node_count + 1);
        count_degrees(s);
    }
    ok = ok && growth_edges(t->m->store, take_edge, s, e);
    store_read_end(t->m->store);
    return ok;
}

/* ---- computing ---- */

static size_t centralities(struct shape *s)
{
    struct arena scratch = {0};
    struct topo_graph graph;
    struct growth_node *nodes = s->t->nodes;
    uint32_t n = (uint32_t)s->t->node_count;
    double *pi = ARENA_ARRAY(&scratch, double, (size_t)n + 1);
    uint32_t *degree = ARENA_ARRAY(&scratch, uint32_t, (size_t)n + 1);
    bool *hub = ARENA_ARRAY(&scratch, bool, (size_t)n + 1);
    topo_build(&scratch, n, s->edges, s->edge_count, &graph);
    topo_pagerank(&graph, pi);
    for (uint32_t i = 0; i < n; i++) {
        pi[i] *= n;
        degree[i] = nodes[i].degree;
    }
    size_t hubs = topo_hubs(pi, degree, n, hub);
    for (uint32_t i = 0; i < n; i++) {
        nodes[i].centrality = pi[i];
        nodes[i].is_hub = hub[i];
    }
    arena_free(&scratch);
    return hubs;
}

struct namer {
    uint32_t at; /* an entity */
    double share;
};

static int by_share(const void *x, const void *y)
{
    const struct namer *a = x, *b = y;
    return a->share != b->share ? (a->share < b->share ? 1 : -1)
                                : (a->at > b->at) - (a->at < b->at);
}

/* How much of what mentions an entity lies in its own community, times how specific that is. */
static double naming_share(const struct shape *s, uint32_t at, const uint32_t *inside)
{
    double all = s->mentioned[at], n = (double)s->t->node_count;
    return inside[at] / (all + 1) * log(1 + inside[at]) * log(1 + n / (1 + all));
}

static bool make_label(struct shape *s, const struct namer *best, size_t count, str *out,
                       struct err *e)
{
    struct buf text = {0};
    for (size_t i = 0; i < count && i < LABEL_NAMES; i++) {
        struct node_row row;
        bool found;
        if (!store_get_node(s->t->m->store, s->t->a, s->t->nodes[best[i].at].id, &row, &found, e))
            break;
        if (found)
            buf_printf(&text, "%s%.*s", text.len ? ", " : "",
                       FMT(utf8_prefix(row.name, MAX_LABEL_NAME)));
    }
    *out = arena_str(s->t->a, buf_str(&text));
    buf_free(&text);
    return e->code == ERR_NONE;
}

/* Labels by the entities that are most a community's own. */
static bool name_communities(struct shape *s, struct err *e)
{
    size_t n = s->t->node_count, count = 0;
    uint32_t *inside = ARENA_ARRAY(s->t->a, uint32_t, n + 1);
    struct namer *namers = ARENA_ARRAY(s->t->a, struct namer, n + 1);
    size_t *from = ARENA_ARRAY(s->t->a, size_t, (size_t)s->communities + 2);
    for (size_t i = 0; i < s->mention_count; i++) {
        const struct mention *m = &s->mentions[i];
        inside[m->entity] += s->community[m->by] == s->community[m->entity];
    }
    for (size_t i = 0; i < n; i++) /* entities by community, in the order of both */
        if (s->t->nodes[i].kind == NODE_ENTITY)
            from[s->community[i] + 1]++;
    for (uint32_t c = 0; c < s->communities; c++)
        from[c + 1] += from[c];
    size_t *at = ARENA_ARRAY(s->t->a, size_t, (size_t)s->communities + 1);
    memcpy(at, from, s->communities * sizeof *at);
    for (size_t i = 0; i < n; i++)
        if (s->t->nodes[i].kind == NODE_ENTITY)
            namers[at[s->community[i]]++] =
                (struct namer){(uint32_t)i, naming_share(s, (uint32_t)i, inside)};
    bool ok = store_read_begin(s->t->m->store, e);
    if (!ok)
        return false;
    for (uint32_t c = 0; ok && c < s->communities; c++) {
        count = from[c + 1] - from[c];
        if (s->members[c] < MIN_MEMBERS || !count)
            continue;
        qsort(namers + from[c], count, sizeof *namers, by_share);
        ok = make_label(s, namers + from[c], count, &s->label[c], e);
    }
    store_read_end(s->t->m->store);
    return ok;
}

static bool find_communities(struct shape *s, struct err *e)
{
    struct tend *t = s->t;
    uint32_t n = (uint32_t)t->node_count;
    int64_t *known = ARENA_ARRAY(t->a, int64_t, (size_t)n + 1);
    s->community = ARENA_ARRAY(t->a, uint32_t, (size_t)n + 1);
    s->communities = louvain(n, s->edges, s->edge_count, s->community);
    s->community_id = ARENA_ARRAY(t->a, int64_t, (size_t)s->communities + 1);
    s->label = ARENA_ARRAY(t->a, str, (size_t)s->communities + 1);
    s->members = ARENA_ARRAY(t->a, size_t, (size_t)s->communities + 1);
    for (uint32_t i = 0; i < n; i++) {
        known[i] = t->nodes[i].community;
        s->members[s->community[i]]++;
    }
    louvain_match(n, s->community, s->communities, known, s->community_id);
    return name_communities(s, e);
}

/* ---- writing ---- */

static bool write_community(struct tend *t, void *ctx, size_t c, struct err *e)
{
    struct shape *s = ctx;
    return !s->label[c].len ||
           growth_put_community(t->m->store, &s->community_id[c], s->label[c], s->members[c], e);
}

static bool write_node(struct tend *t, void *ctx, size_t i, struct err *e)
{
    struct shape *s = ctx;
    if (i == s->changed_count)
        return growth_prune_shapes(t->m->store, e);
    return growth_put_shape(t->m->store, &t->nodes[s->changed[i]], e);
}

static void find_changes(struct shape *s)
{
    struct tend *t = s->t;
    s->changed = ARENA_ARRAY(t->a, size_t, t->node_count + 1);
    for (size_t i = 0; i < t->node_count; i++) {
        struct growth_node *now = &t->nodes[i];
        const struct growth_node *was = &s->before[i];
        uint32_t c = s->community[i];
        now->community = s->label[c].len ? s->community_id[c] : 0;
        bool moved = fabs(now->centrality - was->centrality) > MIN_CHANGE * was->centrality;
        if (!was->has_shape || moved || now->degree != was->degree || now->is_hub != was->is_hub ||
            now->community != was->community)
            s->changed[s->changed_count++] = i;
    }
}

static size_t count_named(const struct shape *s)
{
    size_t count = 0;
    for (uint32_t c = 0; c < s->communities; c++)
        count += s->label[c].len > 0;
    return count;
}

bool tend_shape(struct tend *t, struct tend_report *out, struct err *e)
{
    struct shape s = {.t = t};
    bool ok = read_all(&s, e);
    if (ok) {
        size_t hubs = centralities(&s);
        ok = find_communities(&s, e) && tend_write_all(t, s.communities, write_community, &s, e);
        find_changes(&s);
        out->changed = s.changed_count;
        out->text = arena_printf(t->a, "%zu nodes in %zu communities, %zu macro-hubs",
                                 t->node_count, count_named(&s), hubs);
    }
    ok = ok && tend_write_all(t, s.changed_count + 1, write_node, &s, e);
    heap_free(s.edges);
    heap_free(s.mentions);
    return ok;
}
