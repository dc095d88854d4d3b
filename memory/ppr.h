/* Personalized PageRank: where a walker is who, at each step, follows an edge by weight with
 * probability d (damping) and else returns to the personalization vector p. pi = (1-d) p + d P^T pi
 * (seed 001, Eq. 3). A node without edges hands its mass back to p, in both solvers: then
 * pi is (I - d P^T)^-1 p with nothing passed on there, scaled so that all sum to 1. That is
 * linear in p up to the scale, so a part of p that many queries share is solved once. Pure. */
#ifndef ENGRAM_PPR_H
#define ENGRAM_PPR_H

#include "memory/graph.h"

struct seed {
    node at;
    float mass; /* >= 0; the solver normalises so that all sum to 1 */
};

struct ppr_work; /* arrays as long as the graph, reused from query to query; only what was touched
                    is cleared */
struct ppr_work *ppr_work_new(void);
void ppr_work_free(struct ppr_work *w);

struct ppr_params {
    float damping;        /* d, the probability to go on; 0..1 */
    float epsilon;        /* forward push settles a node while r(u) >= epsilon * edges(u) */
    uint32_t max_steps;   /* of power iteration */
    float tolerance;      /* power iteration stops when a step moves less mass than this (L1) */
    uint32_t exact_below; /* graphs of fewer nodes are solved by power iteration */
    uint32_t max_degree;  /* a hub of more half edges passes nothing on, as if it had none */
    uint64_t max_walked; /* half edges that forward push follows: a bound on time, not on quality */
};

extern const struct ppr_params ppr_defaults;

/* Solves by the solver that suits the graph's size. Afterwards ppr_mass(w, n) is node n's share,
 * and ppr_touched lists the nodes that have any (in the order of first touch: deterministic).
 * Without seeds everything is 0. */
void ppr_solve(const struct graph *g, const struct seed *seeds, size_t seed_count,
               const struct ppr_params *params, struct ppr_work *w);

/* The two solvers, for tests. */
void ppr_power(const struct graph *g, const struct seed *seeds, size_t seed_count,
               const struct ppr_params *params, struct ppr_work *w);
void ppr_push(const struct graph *g, const struct seed *seeds, size_t seed_count,
              const struct ppr_params *params, struct ppr_work *w);

float ppr_mass(const struct ppr_work *w, node n);
/* The part of it that came over edges, not from being a seed. After ppr_solve. */
float ppr_walked(const struct ppr_work *w, node n);
const node *ppr_touched(const struct ppr_work *w, size_t *count);

/* A solution kept for later ones on the same graph. Heap-held, zero-initialised is empty. */
struct ppr_part {
    struct seed *at;
    size_t count;
};
void ppr_keep(const struct ppr_work *w, struct ppr_part *part);
void ppr_part_free(struct ppr_part *part);

/* Makes w the solution for (1 - share) of its own seeds and `share` of the part's; the part's stays
 * out where w has no seeds. */
void ppr_blend(struct ppr_work *w, const struct ppr_part *part, float share);

#endif
