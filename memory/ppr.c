#include "memory/ppr.h"

#include <math.h>

const struct ppr_params ppr_defaults = {
    .damping = 0.5f,
    .epsilon = 3e-5f,
    .max_steps = 40,
    .tolerance = 1e-5f,  /* below what any rank depends on: half the steps of 1e-7 */
    .exact_below = 1000, /* where push touches all of the graph anyway */
    .max_pushes = 2000000,
};

struct ppr_work {
    uint32_t capacity;
    float *mass, *residue, *seed;
    uint8_t *seen;
    node *touched;
    size_t touched_count, touched_capacity;
    node *queue;
    uint8_t *queued;
};

struct ppr_work *ppr_work_new(void)
{
    return heap_alloc(1, sizeof(struct ppr_work));
}

void ppr_work_free(struct ppr_work *w)
{
    if (!w)
        return;
    heap_free(w->mass);
    heap_free(w->residue);
    heap_free(w->seed);
    heap_free(w->seen);
    heap_free(w->touched);
    heap_free(w->queue);
    heap_free(w->queued);
    heap_free(w);
}

static void touch(struct ppr_work *w, node n)
{
    if (w->seen[n])
        return;
    w->seen[n] = 1;
    HEAP_GROW(w->touched, w->touched_count, w->touched_capacity);
    w->touched[w->touched_count++] = n;
}

/* Clears what the last query touched, grows to the graph, and puts the normalised seeds into
 * w->seed. */
static double begin(const struct graph *g, const struct seed *seeds, size_t seed_count,
                    struct ppr_work *w)
{
    for (size_t i = 0; i < w->touched_count; i++) {
        node n = w->touched[i];
        w->mass[n] = w->residue[n] = w->seed[n] = 0;
        w->seen[n] = w->queued[n] = 0;
    }
    w->touched_count = 0;
    if (w->capacity < g->count) {
        uint32_t capacity = g->count + g->count / 4 + 16;
        heap_free(w->mass);
        heap_free(w->residue);
        heap_free(w->seed);
        heap_free(w->seen);
        heap_free(w->queue);
        heap_free(w->queued);
        w->mass = heap_alloc(capacity, sizeof *w->mass);
        w->residue = heap_alloc(capacity, sizeof *w->residue);
        w->seed = heap_alloc(capacity, sizeof *w->seed);
        w->seen = heap_alloc(capacity, sizeof *w->seen);
        w->queue = heap_alloc(capacity, sizeof *w->queue);
        w->queued = heap_alloc(capacity, sizeof *w->queued);
        w->capacity = capacity;
    }
    double sum = 0;
    for (size_t i = 0; i < seed_count; i++)
        if (seeds[i].mass > 0)
            sum += seeds[i].mass;
    for (size_t i = 0; i < seed_count && sum > 0; i++)
        if (seeds[i].mass > 0) {
            touch(w, seeds[i].at);
            w->seed[seeds[i].at] += (float)(seeds[i].mass / sum);
        }
    return sum;
}

void ppr_power(const struct graph *g, const struct seed *seeds, size_t seed_count,
               const struct ppr_params *params, struct ppr_work *w)
{
    if (begin(g, seeds, seed_count, w) <= 0)
        return;
    size_t own_seeds = w->touched_count; /* the seeds come first in touched */
    double d = params->damping;
    for (size_t i = 0; i < own_seeds; i++)
        w->mass[w->touched[i]] = w->seed[w->touched[i]];
    for (uint32_t step = 0; step < params->max_steps; step++) {
        /* residue collects the next vector; `home` the mass that returns to the seeds. */
        double home = 0, moved = 0;
        size_t known = w->touched_count;
        for (size_t i = 0; i < known; i++) {
            node n = w->touched[i];
            double mass = w->mass[n];
            if (mass <= 0)
                continue;
            double sum = graph_row_sum(g, n);
            if (sum <= 0) {
                home += mass;
                continue;
            }
            home += (1 - d) * mass;
            const struct half_edge *edge;
            for (struct row_walk r = graph_row(g, n); (edge = row_next(g, &r));) {
                if (edge->weight <= 0)
                    continue;
                touch(w, edge->to);
                w->residue[edge->to] +=
                    (float)(d * mass * ((double)edge->weight * g->pull[edge->to] / sum));
            }
        }
        for (size_t i = 0; i < own_seeds; i++)
            w->residue[w->touched[i]] += (float)(home * w->seed[w->touched[i]]);
        for (size_t i = 0; i < w->touched_count; i++) {
            node n = w->touched[i];
            moved += fabs((double)w->residue[n] - w->mass[n]);
            w->mass[n] = w->residue[n];
            w->residue[n] = 0;
        }
        if (moved < params->tolerance)
            break;
    }
}

/* A ring of nodes whose residue is over the threshold. It never holds a node twice, so it never
 * overflows. */
struct ring {
    node *at;
    uint32_t head, used, capacity;
};

/* Only what is worth a push is queued. */
static void ring_put(struct ring *r, const struct graph *g, float epsilon, struct ppr_work *w,
                     node n)
{
    if (w->queued[n] || w->residue[n] < epsilon * (float)g->edges[n])
        return;
    w->queued[n] = 1;
    r->at[(r->head + r->used++) % r->capacity] = n;
}

static node ring_take(struct ring *r, struct ppr_work *w)
{
    node n = r->at[r->head];
    r->head = (r->head + 1) % r->capacity;
    r->used--;
    w->queued[n] = 0;
    return n;
}

/* Settles (1-d) r[u], hands the rest to successors by weight; keeps mass + sum r[u] ppr(u)
 * constant. Andersen, Chung, Lang, "Local Graph Partitioning using PageRank Vectors", FOCS 2006,
 * section 3. At the end what is left of r is credited with its first step, (1-d) r: a hub whose r
 * never reaches its threshold would be missed otherwise. */
void ppr_push(const struct graph *g, const struct seed *seeds, size_t seed_count,
              const struct ppr_params *params, struct ppr_work *w)
{
    if (begin(g, seeds, seed_count, w) <= 0)
        return;
    size_t own_seeds = w->touched_count;
    double d = params->damping;
    struct ring ring = {w->queue, 0, 0, w->capacity};
    for (size_t i = 0; i < own_seeds; i++) {
        w->residue[w->touched[i]] = w->seed[w->touched[i]];
        ring_put(&ring, g, params->epsilon, w, w->touched[i]);
    }
    double home = 0; /* mass of nodes without edges, handed back to the seeds in portions */
    for (uint32_t pushes = 0; pushes < params->max_pushes; pushes++) {
        if (!ring.used) {
            if (home < params->epsilon)
                break;
            for (size_t i = 0; i < own_seeds; i++) {
                w->residue[w->touched[i]] += (float)(home * w->seed[w->touched[i]]);
                ring_put(&ring, g, params->epsilon, w, w->touched[i]);
            }
            home = 0;
        }
        node n = ring_take(&ring, w);
        double sum = graph_row_sum(g, n), r = w->residue[n];
        w->residue[n] = 0;
        if (sum <= 0) { /* power iteration moves it whole: pi(n) = what arrives, and all of it goes
                           on to p */
            w->mass[n] += (float)((1 - d) * r);
            home += d * r;
            continue;
        }
        w->mass[n] += (float)((1 - d) * r);
        const struct half_edge *edge;
        for (struct row_walk walk = graph_row(g, n); (edge = row_next(g, &walk));) {
            if (edge->weight <= 0)
                continue;
            touch(w, edge->to);
            w->residue[edge->to] +=
                (float)(d * r * ((double)edge->weight * g->pull[edge->to] / sum));
            ring_put(&ring, g, params->epsilon, w, edge->to);
        }
    }
    for (size_t i = 0; i < w->touched_count; i++) {
        node n = w->touched[i];
        w->mass[n] += (float)((1 - d) * w->residue[n]);
    }
}

void ppr_solve(const struct graph *g, const struct seed *seeds, size_t seed_count,
               const struct ppr_params *params, struct ppr_work *w)
{
    if (g->count < params->exact_below)
        ppr_power(g, seeds, seed_count, params, w);
    else
        ppr_push(g, seeds, seed_count, params, w);
}

float ppr_mass(const struct ppr_work *w, node n)
{
    return n < w->capacity ? w->mass[n] : 0;
}

const node *ppr_touched(const struct ppr_work *w, size_t *count)
{
    *count = w->touched_count;
    return w->touched;
}
