#include "memory/review_effect.h"

#include "memory/facts.h"
#include "memory/ppr.h"

#include <math.h>

enum {
    MAX_OF_NODE = 200, /* neighbours of one node that are looked at */
    MAX_LOCAL_EDGES = 1 << 14,
};

/* A piece of the snapshot's graph: local numbers are places in `at`. */
struct piece {
    struct arena arena;
    const struct snapshot *snap;
    node *at;
    uint32_t count, changed; /* the first ones are what the change is about */
    uint32_t *local;         /* of the snapshot's nodes, + 1 */
    struct edge_row *edges;
    size_t edge_count;
};

static bool takes_part(const struct snapshot *snap, node n)
{
    const struct node_meta *m = &snap->meta[n];
    return (m->kind == NODE_MEMORY || m->kind == NODE_ENTITY || m->kind == NODE_PASSAGE) &&
           m->state == STATE_CURRENT;
}

static bool is_text(const struct snapshot *snap, node n)
{
    return snap->meta[n].kind != NODE_ENTITY;
}

static void add(struct piece *p, node n)
{
    if (n == NO_NODE || p->local[n] || p->count == MAX_LOCAL || !takes_part(p->snap, n))
        return;
    p->at[p->count++] = n;
    p->local[n] = p->count;
}

/* Nearest first, so that what doesn't fit is what matters least. */
static void gather(struct piece *p, const struct what_if *change)
{
    const struct half_edge *edge;
    for (size_t i = 0; i < change->gone_count; i++)
        add(p, change->gone[i]);
    add(p, change->from);
    add(p, change->into);
    p->changed = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        size_t looked_at = 0;
        for (struct row_walk w = graph_row(&p->snap->graph, p->at[i]);
             looked_at < MAX_OF_NODE && (edge = row_next(&p->snap->graph, &w)); looked_at++)
            if (edge->weight > 0)
                add(p, edge->to);
    }
}

static void read_edges(struct piece *p)
{
    const struct half_edge *edge;
    p->edges = ARENA_ARRAY(&p->arena, struct edge_row, MAX_LOCAL_EDGES);
    for (uint32_t i = 0; i < p->count; i++)
        for (struct row_walk w = graph_row(&p->snap->graph, p->at[i]);
             p->edge_count < MAX_LOCAL_EDGES && (edge = row_next(&p->snap->graph, &w));)
            if (!edge->reverse && edge->weight > 0 && p->local[edge->to])
                p->edges[p->edge_count++] = (struct edge_row){
                    i, p->local[edge->to] - 1, edge->kind, edge->weight / edge_forward[edge->kind]};
}

static bool is_among(const node *list, size_t count, node n)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == n)
            return true;
    return false;
}

/* Where an end of an edge is after the change; NO_NODE: nowhere. `other` is its other end. */
static uint32_t moved(const struct piece *p, const struct what_if *c, uint32_t end, uint32_t other)
{
    node n = p->at[end];
    if (is_among(c->gone, c->gone_count, n))
        return NO_NODE;
    if (n != c->from || (c->mover_count && !is_among(c->movers, c->mover_count, p->at[other])))
        return end;
    return c->into == NO_NODE ? p->count : p->local[c->into] - 1;
}

/* The graph of the piece; with a change, the one behind it. One node more than the piece has. */
static void build(struct piece *p, const struct what_if *change, struct graph *out)
{
    struct edge_row *rows = ARENA_ARRAY(&p->arena, struct edge_row, p->edge_count + 1);
    uint32_t *degree = ARENA_ARRAY(&p->arena, uint32_t, (size_t)p->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < p->edge_count; i++) {
        struct edge_row edge = p->edges[i];
        if (change) {
            edge.from = moved(p, change, p->edges[i].from, p->edges[i].to);
            edge.to = moved(p, change, p->edges[i].to, p->edges[i].from);
            if (edge.from == NO_NODE || edge.to == NO_NODE || edge.from == edge.to)
                continue;
        }
        degree[edge.from]++;
        degree[edge.to]++;
        rows[count++] = edge;
    }
    graph_build(out, p->count + 1, rows, count);
    double all = 1 + (double)p->snap->bodies;
    for (uint32_t i = 0; i <= p->count; i++) {
        if (i < p->count && is_text(p->snap, p->at[i]))
            continue;
        /* The snapshot's degree counts edges that are not in the piece, too. */
        double links = degree[i];
        bool changed =
            change && (i == p->count || p->at[i] == change->from || p->at[i] == change->into);
        if (!changed && i < p->count)
            links = p->snap->meta[p->at[i]].degree;
        graph_set_pull(out, i, (float)(log(1 + all / fmax(1, links)) / log(1 + all)));
    }
}

/* A question that finds a memory and names what it mentions. */
static size_t seeds_of(const struct graph *g, uint32_t probe, const struct piece *p,
                       struct seed *out, size_t most)
{
    const struct half_edge *edge;
    size_t count = 0;
    if (g->edges[probe])
        out[count++] = (struct seed){probe, 1};
    for (struct row_walk w = graph_row(g, probe); count < most && (edge = row_next(g, &w));)
        if (edge->to == p->count || !is_text(p->snap, p->at[edge->to]))
            out[count++] = (struct seed){edge->to, g->pull[edge->to]};
    return count;
}

/* Each text's share of what texts get, the probe left out; all 0 where nothing gets anything. */
static void shares(const struct piece *p, const struct graph *g, uint32_t probe,
                   struct ppr_work *work, double *out)
{
    enum { MAX_SEEDS = 32 };
    struct seed seeds[MAX_SEEDS];
    struct ppr_params params = ppr_defaults;
    double sum = 0;
    params.damping = 0.7f;
    params.max_steps = 14; /* what moves behind them is below a hundredth */
    ppr_power(g, seeds, seeds_of(g, probe, p, seeds, MAX_SEEDS), &params, work);
    for (uint32_t i = 0; i < p->count; i++) {
        out[i] = i != probe && is_text(p->snap, p->at[i]) ? ppr_mass(work, i) : 0;
        sum += out[i];
    }
    for (uint32_t i = 0; i < p->count && sum > 0; i++)
        out[i] /= sum;
}

static double weight_of(const struct snapshot *snap, node n)
{
    return 1 + (double)snap->meta[n].uses;
}

/* What of the mass moves for one probe: half of the sum of all differences. */
static double difference(const struct piece *p, const double *before, const double *after)
{
    double sum = 0, had = 0, has = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        sum += fabs(before[i] - after[i]);
        had += before[i];
        has += after[i];
    }
    return had > 0 && has > 0 ? sum / 2 : had > 0 || has > 0 ? 1 : 0;
}

/* Texts that touch what changes: the probes come from them, evenly. */
static size_t touched(struct piece *p, uint32_t **out)
{
    size_t count = 0;
    bool *is_touched = ARENA_ARRAY(&p->arena, bool, (size_t)p->count + 1);
    *out = ARENA_ARRAY(&p->arena, uint32_t, (size_t)p->count + 1);
    for (size_t i = 0; i < p->edge_count; i++) {
        is_touched[p->edges[i].from] |= p->edges[i].to < p->changed;
        is_touched[p->edges[i].to] |= p->edges[i].from < p->changed;
    }
    /* What goes is found by what mentions the same: two steps. */
    for (size_t i = 0; i < p->edge_count; i++) {
        const struct edge_row *edge = &p->edges[i];
        if (edge->kind == EDGE_MENTIONS && !is_text(p->snap, p->at[edge->to]) &&
            is_touched[edge->to] && edge->from >= p->changed)
            is_touched[edge->from] = true;
    }
    for (uint32_t i = 0; i < p->count; i++)
        if (is_touched[i] && i >= p->changed && is_text(p->snap, p->at[i]))
            (*out)[count++] = i;
    return count;
}

/* All texts around what changes, also those that are not in the piece. */
static double around(const struct piece *p)
{
    const struct half_edge *edge;
    double sum = 0;
    for (uint32_t i = 0; i < p->changed; i++)
        for (struct row_walk w = graph_row(&p->snap->graph, p->at[i]);
             (edge = row_next(&p->snap->graph, &w));)
            if (edge->kind == EDGE_MENTIONS && edge->weight > 0 && takes_part(p->snap, edge->to) &&
                is_text(p->snap, edge->to))
                sum += weight_of(p->snap, edge->to);
    return sum;
}

static double share_of_all(const struct piece *p, const uint32_t *touched, size_t count, double all)
{
    double some = 0;
    for (size_t i = 0; i < count; i++)
        some += weight_of(p->snap, p->at[touched[i]]);
    return all > 0 ? fmin(1, fmax(some, around(p)) / all) : 0;
}

double review_all_weight(const struct snapshot *snap)
{
    double all = 0;
    for (node n = 0; n < snap->graph.count; n++)
        if (takes_part(snap, n) && is_text(snap, n))
            all += weight_of(snap, n);
    return all;
}

double review_effect(const struct snapshot *snap, const struct what_if *change, double all)
{
    struct piece p = {.snap = snap};
    struct graph before = {0}, after = {0};
    struct ppr_work *work = ppr_work_new();
    double sum = 0, weights = 0;
    uint32_t *probes;
    p.at = ARENA_ARRAY(&p.arena, node, MAX_LOCAL);
    p.local = ARENA_ARRAY(&p.arena, uint32_t, (size_t)snap->graph.count + 1);
    gather(&p, change);
    read_edges(&p);
    build(&p, NULL, &before);
    build(&p, change, &after);
    size_t count = touched(&p, &probes);
    size_t asked = count < MAX_PROBES ? count : MAX_PROBES;
    double *was = ARENA_ARRAY(&p.arena, double, (size_t)p.count + 1),
           *is = ARENA_ARRAY(&p.arena, double, (size_t)p.count + 1);
    for (size_t i = 0; i < asked; i++) {
        uint32_t probe = probes[i * count / asked];
        double weight = weight_of(snap, p.at[probe]);
        shares(&p, &before, probe, work, was);
        shares(&p, &after, probe, work, is);
        sum += weight * difference(&p, was, is);
        weights += weight;
    }
    double out = weights > 0 ? sum / weights * share_of_all(&p, probes, count, all) : 0;
    graph_free(&before);
    graph_free(&after);
    ppr_work_free(work);
    arena_free(&p.arena);
    return out;
}
