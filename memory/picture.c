#include "memory/picture.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/louvain.h"
#include "memory/memory_state.h"
#include "memory/store_picture.h"
#include "memory/text.h"

#include <stdlib.h>

enum {
    MIN_COLOURED = 3,    /* members of a community that has a colour */
    MAX_NEIGHBOURS = 200 /* of one node that a focus spreads to */
};

/* The ids that are in the picture, each once, in the order in which they came. */
struct chosen {
    int64_t *ids;
    size_t count, capacity;
    struct map seen; /* keys are the bytes of ids */
};

static void choose(struct chosen *c, int64_t id)
{
    if (c->count == c->capacity || map_find(&c->seen, (str){(const char *)&id, sizeof id}))
        return;
    c->ids[c->count] = id;
    map_put(&c->seen, (str){(const char *)&c->ids[c->count++], sizeof id}, 0, NULL);
}

static bool choose_best(struct memory *m, struct arena *a, struct chosen *c, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!store_picture_best(m->store, a, c->capacity, &ids, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        choose(c, ids[i]);
    return true;
}

/* Breadth first, PICTURE_FOCUS_STEPS far, until it is full; from the focus and from what is wanted
 * anyhow, since that stands before it. */
static bool choose_around(struct memory *m, struct arena *a, struct chosen *c, int64_t focus,
                          struct err *e)
{
    size_t from = 0;
    choose(c, focus);
    for (int step = 0; step < PICTURE_FOCUS_STEPS; step++) {
        size_t to = c->count;
        for (; from < to && c->count < c->capacity; from++) {
            int64_t *near;
            size_t count;
            if (!store_picture_near(m->store, a, c->ids[from], MAX_NEIGHBOURS, &near, &count, e))
                return false;
            for (size_t i = 0; i < count; i++)
                choose(c, near[i]);
        }
    }
    return true;
}

/* An id, else a name. */
static bool find_focus(struct memory *m, struct arena *a, str focus, int64_t *out, struct err *e)
{
    enum node_kind kind = NODE_KIND_COUNT;
    struct picture_node row;
    bool found = false;
    if (node_id_parse(focus, &kind, out) && !store_picture_node(m->store, a, *out, &row, &found, e))
        return false;
    if (found && row.kind == kind)
        return true;
    if (!store_find_alias(m->store, text_normal_name(a, focus), out, e) ||
        !store_picture_node(m->store, a, *out, &row, &found, e))
        return false;
    return found || fail(e, ERR_NOT_FOUND,
                         "focus: \"%.*s\" is nothing that is shown; wanted: an id such as m12, or "
                         "the name of an entity",
                         FMT(utf8_prefix(focus, 80)));
}

static int by_id(const void *x, const void *y)
{
    int64_t a = ((const struct picture_node *)x)->id, b = ((const struct picture_node *)y)->id;
    return (a > b) - (a < b);
}

static size_t node_at(const struct picture *p, int64_t id)
{
    const struct picture_node key = {.id = id};
    const struct picture_node *found =
        p->node_count ? bsearch(&key, p->nodes, p->node_count, sizeof key, by_id) : NULL;
    return found ? (size_t)(found - p->nodes) : SIZE_MAX;
}

static bool read_nodes(struct memory *m, struct arena *a, const struct chosen *c,
                       struct picture *out, struct err *e)
{
    out->nodes = ARENA_ARRAY(a, struct picture_node, c->count + 1);
    for (size_t i = 0; i < c->count; i++) {
        bool found;
        if (!store_picture_node(m->store, a, c->ids[i], &out->nodes[out->node_count], &found, e))
            return false;
        out->node_count += found;
    }
    qsort(out->nodes, out->node_count, sizeof *out->nodes, by_id);
    return true;
}

/* What is said outweighs what is counted: labelled relations first, neighbourhood last. */
static int worth(enum edge_kind kind)
{
    switch (kind) {
    case EDGE_RELATION:
    case EDGE_SUPERSEDES:
    case EDGE_ANCHORS:
        return 0;
    case EDGE_CO_OCCURS:
    case EDGE_NEXT:
        return 2;
    default:
        return 1;
    }
}

static int by_worth(const void *x, const void *y)
{
    const struct picture_edge *a = x, *b = y;
    int worths = worth(a->kind) - worth(b->kind);
    if (worths || a->weight != b->weight)
        return worths ? worths : (a->weight < b->weight) - (a->weight > b->weight);
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

static bool read_edges(struct memory *m, struct arena *a, struct picture *out, struct err *e)
{
    size_t capacity = 0;
    for (size_t i = 0; i < out->node_count; i++) {
        struct picture_edge *edges;
        size_t count;
        if (!store_picture_edges(m->store, a, out->nodes[i].id, &edges, &count, e))
            return false;
        for (size_t k = 0; k < count; k++)
            if (edges[k].to != edges[k].from && node_at(out, edges[k].to) != SIZE_MAX) {
                ARENA_GROW(a, out->edges, out->edge_count, capacity);
                out->edges[out->edge_count++] = edges[k];
            }
    }
    if (out->edge_count)
        qsort(out->edges, out->edge_count, sizeof *out->edges, by_worth);
    if (out->edge_count > MAX_PICTURE_EDGES) {
        out->edges_left_out = out->edge_count - MAX_PICTURE_EDGES;
        out->edge_count = MAX_PICTURE_EDGES;
    }
    return true;
}

/* ---- communities ---- */

static int by_members(const void *x, const void *y)
{
    const struct picture_community *a = x, *b = y;
    return a->members != b->members ? (a->members < b->members) - (a->members > b->members)
                                    : (a->id > b->id) - (a->id < b->id);
}

static double label_share(const struct picture_node *n)
{
    return n->centrality + (n->kind == NODE_ENTITY ? 1e6 : 0);
}

static str stored_label(const struct picture_community *stored, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (stored[i].id == id)
            return stored[i].label;
    return S("");
}

void picture_colour(struct arena *a, struct picture *p, const struct picture_community *stored,
                    size_t stored_count)
{
    uint32_t n = (uint32_t)p->node_count;
    struct topo_edge *edges = ARENA_ARRAY(a, struct topo_edge, p->edge_count + 1);
    uint32_t *community = ARENA_ARRAY(a, uint32_t, (size_t)n + 1);
    int64_t *known = ARENA_ARRAY(a, int64_t, (size_t)n + 1);
    for (size_t i = 0; i < p->edge_count; i++) {
        const struct picture_edge *e = &p->edges[i];
        float weight = (float)(e->weight > 0 ? e->weight : 1);
        edges[i] =
            (struct topo_edge){(uint32_t)node_at(p, e->from), (uint32_t)node_at(p, e->to),
                               weight * edge_forward[e->kind], weight * edge_backward[e->kind]};
    }
    for (uint32_t i = 0; i < n; i++)
        known[i] = p->nodes[i].community;
    uint32_t communities = louvain(n, edges, p->edge_count, community);
    int64_t *id = ARENA_ARRAY(a, int64_t, (size_t)communities + 1);
    const struct picture_node **best =
        ARENA_ARRAY(a, const struct picture_node *, (size_t)communities + 1);
    p->communities = ARENA_ARRAY(a, struct picture_community, (size_t)communities + 1);
    louvain_match(n, community, communities, known, id);
    for (uint32_t i = 0; i < n; i++) {
        const struct picture_node **b = &best[community[i]];
        p->communities[community[i]].members++;
        if (!*b || label_share(&p->nodes[i]) > label_share(*b))
            *b = &p->nodes[i];
    }
    for (uint32_t c = 0; c < communities; c++) {
        p->communities[c].id = id[c] ? id[c] : -(int64_t)c - 1;
        p->communities[c].label = stored_label(stored, stored_count, id[c]);
        if (!p->communities[c].label.len)
            p->communities[c].label = best[c]->label;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct picture_community *c = &p->communities[community[i]];
        p->nodes[i].community = c->members >= MIN_COLOURED ? c->id : 0;
    }
    if (communities)
        qsort(p->communities, communities, sizeof *p->communities, by_members);
    for (p->community_count = 0; p->community_count < communities &&
                                 p->communities[p->community_count].members >= MIN_COLOURED;)
        p->community_count++;
}

/* ---- all of it ---- */

static bool draw(struct memory *m, struct arena *a, const struct picture_input *in,
                 struct picture *out, struct err *e)
{
    struct chosen c = {.capacity = in->most, .ids = ARENA_ARRAY(a, int64_t, in->most)};
    struct picture_community *stored;
    size_t stored_count, all;
    bool ok = !in->focus.len || find_focus(m, a, in->focus, &out->focus, e);
    for (size_t i = 0; ok && i < in->wanted_count; i++)
        choose(&c, in->wanted[i]);
    ok = ok && (out->focus ? choose_around(m, a, &c, out->focus, e) : choose_best(m, a, &c, e)) &&
         read_nodes(m, a, &c, out, e) && read_edges(m, a, out, e) &&
         store_picture_communities(m->store, a, &stored, &stored_count, e) &&
         store_picture_count(m->store, &all, e);
    if (ok) {
        picture_colour(a, out, stored, stored_count);
        out->nodes_left_out = all - out->node_count;
    }
    map_free(&c.seen);
    return ok;
}

bool memory_picture(struct memory *m, struct arena *a, const struct picture_input *in,
                    struct picture *out, struct err *e)
{
    *out = (struct picture){0};
    if (!in->most || in->most > MAX_PICTURE_NODES)
        return fail(e, ERR_INPUT, "most is %zu, wanted: 1 to %d nodes", in->most,
                    MAX_PICTURE_NODES);
    if (in->wanted_count > MAX_PICTURE_WANTED)
        return fail(e, ERR_INPUT, "wanted has %zu ids, at most %d", in->wanted_count,
                    MAX_PICTURE_WANTED);
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = draw(m, a, in, out, e);
    store_read_end(m->store);
    return ok;
}
