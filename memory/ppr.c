#include "memory/ppr.h"

#include <math.h>

const struct ppr_params ppr_defaults = {
    .damping = 0.5f,
    .epsilon = 3e-5f,
    .max_steps = 40,
    .tolerance = 1e-5f,  /* below what any rank depends on: half the steps of 1e-7 */
    .exact_below = 1000, /* where push touches all of the graph anyway */
    .max_degree = 1000,  /* "the project" leads nowhere; its mass goes home */
    .max_walked = 20000000,
};

/* What the solvers keep of a node: 16 bytes, so that a visit is one cache line. pull and limit are
 * the graph's, copied at the first touch. */
struct cell {
    float mass;
    float residue; /* solved: the mass that it has as a seed */
    float pull;
    float limit; /* the residue from which the node is pushed; 0: not touched yet */
};

struct ppr_work {
    uint32_t capacity;
    struct cell *cells;
    uint8_t *queued;
    node *queue;
    node *touched; /* seeds first */
    size_t touched_count, touched_capacity;
    struct seed *seeds; /* one a node, sum 1 */
    size_t seed_count, seed_capacity;
    float scale;     /* ppr_mass is cell.mass times this */
    float own_share; /* of its seed mass that a seed's cell.mass holds before any walk */
};

struct ppr_work *ppr_work_new(void)
{
    return heap_alloc(1, sizeof(struct ppr_work));
}

void ppr_work_free(struct ppr_work *w)
{
    if (!w)
        return;
    heap_free(w->cells);
    heap_free(w->queued);
    heap_free(w->queue);
    heap_free(w->touched);
    heap_free(w->seeds);
    heap_free(w);
}

/* ---- cells ---- */

static float limit_of(const struct graph *g, float epsilon, node n)
{
    return fmaxf(epsilon * (float)g->edges[n], 1e-30f);
}

static void touch_first(const struct graph *g, float epsilon, struct ppr_work *w, node n)
{
    struct cell *c = &w->cells[n];
    c->pull = g->pull[n];
    c->limit = limit_of(g, epsilon, n);
    HEAP_GROW(w->touched, w->touched_count, w->touched_capacity);
    w->touched[w->touched_count++] = n;
}

/* Once for each edge that is walked. */
static inline struct cell *touch(const struct graph *g, float epsilon, struct ppr_work *w, node n)
{
    struct cell *c = &w->cells[n];
    if (!(c->limit > 0))
        touch_first(g, epsilon, w, n);
    return c;
}

static void reserve(struct ppr_work *w, uint32_t nodes)
{
    if (w->capacity >= nodes)
        return;
    w->capacity = nodes + nodes / 4 + 16;
    heap_free(w->cells);
    heap_free(w->queued);
    heap_free(w->queue);
    w->cells = heap_alloc(w->capacity, sizeof *w->cells);
    w->queued = heap_alloc(w->capacity, sizeof *w->queued);
    w->queue = heap_alloc(w->capacity, sizeof *w->queue);
}

/* Clears what the last query touched, grows to the graph, and puts the normalised seeds into
 * w->seeds, residue counting them. false without seeds. */
static bool begin(const struct graph *g, const struct seed *seeds, size_t seed_count,
                  const struct ppr_params *params, struct ppr_work *w)
{
    for (size_t i = 0; i < w->touched_count; i++) {
        w->cells[w->touched[i]] = (struct cell){0};
        w->queued[w->touched[i]] = 0;
    }
    w->touched_count = w->seed_count = 0;
    w->scale = 0;
    reserve(w, g->count);
    double sum = 0;
    for (size_t i = 0; i < seed_count; i++)
        if (seeds[i].mass > 0)
            sum += seeds[i].mass;
    for (size_t i = 0; i < seed_count && sum > 0; i++)
        if (seeds[i].mass > 0)
            touch(g, params->epsilon, w, seeds[i].at)->residue += (float)(seeds[i].mass / sum);
    for (size_t i = 0; i < w->touched_count; i++) {
        HEAP_GROW(w->seeds, w->seed_count, w->seed_capacity);
        w->seeds[w->seed_count++] = (struct seed){w->touched[i], w->cells[w->touched[i]].residue};
    }
    return sum > 0;
}

static void set_scale(struct ppr_work *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->touched_count; i++)
        sum += w->cells[w->touched[i]].mass;
    w->scale = sum > 0 ? (float)(1 / sum) : 0;
}

/* What a walker's choice at n is divided by; 0 where nothing is passed on. */
static double passing_sum(const struct graph *g, const struct ppr_params *params, node n)
{
    return g->edges[n] > params->max_degree ? 0 : graph_row_sum(g, n);
}

/* ---- power iteration ---- */

void ppr_power(const struct graph *g, const struct seed *seeds, size_t seed_count,
               const struct ppr_params *params, struct ppr_work *w)
{
    double d = params->damping;
    if (!begin(g, seeds, seed_count, params, w))
        return;
    for (size_t i = 0; i < w->seed_count; i++) {
        struct cell *c = &w->cells[w->seeds[i].at];
        c->mass = c->residue;
        c->residue = 0;
    }
    for (uint32_t step = 0; step < params->max_steps; step++) {
        double moved = 0;
        size_t known = w->touched_count; /* residue collects the next vector */
        for (size_t i = 0; i < known; i++) {
            double mass = w->cells[w->touched[i]].mass;
            double sum = mass > 0 ? passing_sum(g, params, w->touched[i]) : 0;
            if (sum <= 0)
                continue;
            const struct half_edge *edge;
            for (struct row_walk r = graph_row(g, w->touched[i]); (edge = row_next(g, &r));) {
                if (edge->weight <= 0)
                    continue;
                struct cell *to = touch(g, params->epsilon, w, edge->to);
                to->residue += (float)(d * mass * ((double)edge->weight * to->pull / sum));
            }
        }
        for (size_t i = 0; i < w->seed_count; i++)
            w->cells[w->seeds[i].at].residue += (float)((1 - d) * w->seeds[i].mass);
        for (size_t i = 0; i < w->touched_count; i++) {
            struct cell *c = &w->cells[w->touched[i]];
            moved += fabs((double)c->residue - c->mass);
            c->mass = c->residue;
            c->residue = 0;
        }
        if (moved < params->tolerance)
            break;
    }
    set_scale(w);
}

/* ---- forward push ---- */

/* A ring of nodes whose residue is over their limit. It never holds a node twice, so it never
 * overflows. */
struct ring {
    node *at;
    uint32_t head, used, capacity;
};

static void ring_put(struct ring *r, struct ppr_work *w, node n)
{
    uint32_t end = r->head + r->used++;
    r->at[end < r->capacity ? end : end - r->capacity] = n;
    w->queued[n] = 1;
}

static node ring_take(struct ring *r, struct ppr_work *w)
{
    node n = r->at[r->head++];
    if (r->head == r->capacity)
        r->head = 0;
    r->used--;
    w->queued[n] = 0;
    return n;
}

/* Hands d r to the successors of n by weight. */
static void pass_on(const struct graph *g, const struct ppr_params *params, struct ppr_work *w,
                    struct ring *ring, node n, double unit)
{
    const struct half_edge *edge;
    for (struct row_walk walk = graph_row(g, n); (edge = row_next(g, &walk));) {
        if (edge->weight <= 0)
            continue;
        struct cell *to = touch(g, params->epsilon, w, edge->to);
        to->residue += (float)(unit * ((double)edge->weight * to->pull));
        if (to->residue >= to->limit && !w->queued[edge->to])
            ring_put(ring, w, edge->to);
    }
}

/* Settles (1-d) r[u], hands the rest to successors by weight; keeps mass + sum r[u] ppr(u)
 * constant. Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006,
 * section 3. At the end what is left of r is credited with its first step, (1-d) r: a hub whose r
 * never reaches its limit would be missed otherwise. */
void ppr_push(const struct graph *g, const struct seed *seeds, size_t seed_count,
              const struct ppr_params *params, struct ppr_work *w)
{
    double d = params->damping;
    uint64_t walked = 0;
    if (!begin(g, seeds, seed_count, params, w))
        return;
    struct ring ring = {w->queue, 0, 0, w->capacity};
    for (size_t i = 0; i < w->seed_count; i++)
        if (w->seeds[i].mass >= w->cells[w->seeds[i].at].limit)
            ring_put(&ring, w, w->seeds[i].at);
    while (ring.used && walked < params->max_walked) {
        node n = ring_take(&ring, w);
        struct cell *c = &w->cells[n];
        double r = c->residue, sum = passing_sum(g, params, n);
        c->residue = 0;
        c->mass += (float)((1 - d) * r);
        if (sum > 0) {
            walked += g->edges[n];
            pass_on(g, params, w, &ring, n, d * r / sum);
        }
    }
    for (size_t i = 0; i < w->touched_count; i++) {
        struct cell *c = &w->cells[w->touched[i]];
        c->mass += (float)((1 - d) * c->residue);
        c->residue = 0;
    }
    set_scale(w);
}

void ppr_solve(const struct graph *g, const struct seed *seeds, size_t seed_count,
               const struct ppr_params *params, struct ppr_work *w)
{
    if (g->count < params->exact_below)
        ppr_power(g, seeds, seed_count, params, w);
    else
        ppr_push(g, seeds, seed_count, params, w);
    w->own_share = 1 - params->damping;
    for (size_t i = 0; i < w->seed_count; i++)
        w->cells[w->seeds[i].at].residue = w->seeds[i].mass;
}

float ppr_mass(const struct ppr_work *w, node n)
{
    return n < w->capacity ? w->cells[n].mass * w->scale : 0;
}

float ppr_walked(const struct ppr_work *w, node n)
{
    float mass = ppr_mass(w, n),
          own = n < w->capacity ? w->own_share * w->cells[n].residue * w->scale : 0;
    return mass > own ? mass - own : 0;
}

const node *ppr_touched(const struct ppr_work *w, size_t *count)
{
    *count = w->touched_count;
    return w->touched;
}

/* ---- parts ---- */

void ppr_keep(const struct ppr_work *w, struct ppr_part *part)
{
    part->at = heap_resize(part->at, w->touched_count + 1, sizeof *part->at);
    part->count = 0;
    for (size_t i = 0; i < w->touched_count; i++)
        if (w->cells[w->touched[i]].mass > 0)
            part->at[part->count++] = (struct seed){w->touched[i], w->cells[w->touched[i]].mass};
}

void ppr_part_free(struct ppr_part *part)
{
    heap_free(part->at);
    *part = (struct ppr_part){0};
}

void ppr_blend(struct ppr_work *w, const struct ppr_part *part, float share)
{
    if (!w->seed_count || !part->count)
        return;
    for (size_t i = 0; i < w->touched_count; i++)
        w->cells[w->touched[i]].mass *= 1 - share;
    w->own_share *= 1 - share;
    for (size_t i = 0; i < part->count; i++) {
        struct cell *c = &w->cells[part->at[i].at];
        if (!(c->limit > 0)) {
            c->limit = 1;
            HEAP_GROW(w->touched, w->touched_count, w->touched_capacity);
            w->touched[w->touched_count++] = part->at[i].at;
        }
        c->mass += share * part->at[i].mass;
    }
    set_scale(w);
}
