#include "memory/topology.h"

#include <math.h>

void topo_build(struct arena *a, uint32_t nodes, const struct topo_edge *edges, size_t count,
                struct topo_graph *out)
{
    *out = (struct topo_graph){nodes, ARENA_ARRAY(a, size_t, (size_t)nodes + 2),
                               ARENA_ARRAY(a, uint32_t, 2 * count + 1),
                               ARENA_ARRAY(a, float, 2 * count + 1)};
    size_t *at = out->row + 1; /* while filling: where the row's next edge goes, one place on */
    for (size_t i = 0; i < count; i++) {
        at[edges[i].a + 1] += edges[i].forward > 0;
        at[edges[i].b + 1] += edges[i].backward > 0;
    }
    for (uint32_t n = 0; n < nodes; n++)
        at[n + 1] += at[n];
    for (size_t i = 0; i < count; i++) {
        const struct topo_edge *edge = &edges[i];
        if (edge->forward > 0) {
            out->to[at[edge->a]] = edge->b;
            out->weight[at[edge->a]++] = edge->forward;
        }
        if (edge->backward > 0) {
            out->to[at[edge->b]] = edge->a;
            out->weight[at[edge->b]++] = edge->backward;
        }
    }
}

static double *row_sums(struct arena *a, const struct topo_graph *g)
{
    double *sum = ARENA_ARRAY(a, double, (size_t)g->count + 1);
    for (uint32_t n = 0; n < g->count; n++)
        for (size_t i = g->row[n]; i < g->row[n + 1]; i++)
            sum[n] += g->weight[i];
    return sum;
}

void topo_pagerank(const struct topo_graph *g, double *out)
{
    enum { MAX_STEPS = 100 };
    static const double DAMPING = 0.85, TOLERANCE = 1e-9;
    struct arena scratch = {0};
    uint32_t n = g->count;
    const double *sum = row_sums(&scratch, g);
    double *next = ARENA_ARRAY(&scratch, double, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = 1.0 / n;
    for (int step = 0; step < MAX_STEPS; step++) {
        double stranded = 0, moved = 0;
        for (uint32_t i = 0; i < n; i++) {
            double unit = sum[i] > 0 ? DAMPING * out[i] / sum[i] : 0;
            stranded += sum[i] > 0 ? 0 : out[i];
            for (size_t k = g->row[i]; k < g->row[i + 1]; k++)
                next[g->to[k]] += unit * (double)g->weight[k];
        }
        double base = (1 - DAMPING + DAMPING * stranded) / n;
        for (uint32_t i = 0; i < n; i++) {
            moved += fabs(next[i] + base - out[i]);
            out[i] = next[i] + base;
            next[i] = 0;
        }
        if (moved < TOLERANCE)
            break;
    }
    arena_free(&scratch);
}

size_t topo_hubs(const double *centrality, const uint32_t *degree, uint32_t nodes, bool *hub)
{
    enum { MIN_DEGREE = 3 };
    static const double DEVIATIONS = 1.2;
    double sum = 0, squares = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < nodes; i++)
        sum += centrality[i];
    double mean = nodes ? sum / nodes : 0;
    for (uint32_t i = 0; i < nodes; i++)
        squares += (centrality[i] - mean) * (centrality[i] - mean);
    double bar = mean + DEVIATIONS * (nodes ? sqrt(squares / nodes) : 0);
    for (uint32_t i = 0; i < nodes; i++)
        count += hub[i] = centrality[i] >= bar && degree[i] >= MIN_DEGREE;
    return count;
}
