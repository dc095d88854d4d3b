/* Personalized PageRank alone, on a synthetic graph with hubs: what a query costs, what memory it
 * takes, and how many of the best nodes power iteration agrees on. Deterministic: seeded.
 *
 *   ppr_bench [NODES [EDGES [QUERIES [COMPARED]]]]    1,000,000 10,000,000 1,000 10
 */
#include "memory/best.h"
#include "memory/facts.h"
#include "memory/ppr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { SEEDS = 42, NAMED_SEEDS = 2, TOP = 50, NODES_A_NAME = 10 };

static uint64_t rng = 42;

static double next_random(void) /* xorshift64*, 0..1 */
{
    rng ^= rng >> 12;
    rng ^= rng << 25;
    rng ^= rng >> 27;
    return (double)(rng * 0x2545f4914f6cdd1dULL >> 11) / 9007199254740992.0;
}

/* Processor time: what a query costs, whoever else is busy on the machine. */
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The first tenth are names; the rest mention them by a power law (Pareto with exponent .8, so that
 * one mention in fourteen is of the first) and follow each other. */
static node some_name(uint32_t names)
{
    double at = 10 * (pow(1 - next_random(), -1.25) - 1);
    return at < names ? (node)at : (node)(next_random() * names);
}

static void fill(struct edge_row *rows, size_t edges, uint32_t nodes)
{
    uint32_t names = nodes / NODES_A_NAME;
    for (size_t i = 0; i < edges; i++) {
        node from = names + (node)(next_random() * (nodes - names));
        bool follows = i % 10 == 0 && from + 1 < nodes;
        rows[i] = (struct edge_row){from, follows ? from + 1 : some_name(names),
                                    follows ? EDGE_NEXT : EDGE_MENTIONS, 1};
    }
}

static void set_pulls(struct graph *g)
{
    for (node n = 0; n < g->count / NODES_A_NAME; n++)
        graph_set_pull(
            g, n, (float)(log(1 + g->count / fmax(g->edges[n], 1)) / log(1 + (double)g->count)));
}

/* What recall starts from: forty texts by the square of a falling score, two names. */
static void choose_seeds(struct seed *seeds, uint32_t nodes)
{
    uint32_t names = nodes / NODES_A_NAME;
    for (int i = 0; i < SEEDS; i++) {
        float score = 1 - (float)i / SEEDS;
        seeds[i] = i < NAMED_SEEDS ? (struct seed){some_name(names), 4}
                                   : (struct seed){names + (node)(next_random() * (nodes - names)),
                                                   score * score};
    }
}

static size_t top_of(const struct ppr_work *w, struct scored **list)
{
    size_t count;
    const node *touched = ppr_touched(w, &count);
    *list = heap_alloc(count + 1, sizeof **list);
    for (size_t i = 0; i < count; i++)
        (*list)[i] = (struct scored){touched[i], ppr_mass(w, touched[i])};
    return best_first(*list, count, TOP);
}

/* Share of our best that belong there: whose exact mass reaches that of the exact list's last.
 * Names that stand in the same texts have the same mass, so ties count as found. */
static double overlap(const struct ppr_work *ours, const struct ppr_work *exact)
{
    struct scored *a, *b;
    size_t in_a = top_of(ours, &a), in_b = top_of(exact, &b), right = 0;
    float enough = in_b ? b[in_b - 1].score * 0.9999f : 0;
    for (size_t i = 0; i < in_a; i++)
        right += ppr_mass(exact, a[i].at) >= enough;
    heap_free(a);
    heap_free(b);
    return in_b ? (double)right / (double)in_b : 1;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static long peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static long long argument(int count, char **words, int i, long long otherwise)
{
    return i < count ? strtoll(words[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    uint32_t nodes = (uint32_t)argument(argc, argv, 1, 1000000);
    size_t edges = (size_t)argument(argc, argv, 2, 10000000);
    size_t queries = (size_t)argument(argc, argv, 3, 1000);
    size_t compared = (size_t)argument(argc, argv, 4, 10);
    struct graph g = {0};
    struct seed seeds[SEEDS];
    struct edge_row *rows = heap_alloc(edges, sizeof *rows);
    double *taken = heap_alloc(queries + 1, sizeof *taken), start = now_ms();
    fill(rows, edges, nodes);
    double filled = now_ms();
    graph_build(&g, nodes, rows, edges);
    heap_free(rows);
    set_pulls(&g);
    uint32_t hub = 0;
    for (node n = 0; n < nodes; n++)
        hub = g.edges[n] > hub ? g.edges[n] : hub;
    printf("%u nodes, %zu edges, greatest hub %u; made in %.0f ms, built in %.0f ms, peak %ld MB\n",
           nodes, edges, hub, filled - start, now_ms() - filled, peak_mb());
    struct ppr_params params = ppr_defaults, exact = ppr_defaults;
    params.damping = exact.damping = 0.7f;
    exact.tolerance = 1e-6f;
    exact.max_steps = 100;
    struct ppr_work *w = ppr_work_new(), *v = ppr_work_new();
    size_t touched = 0;
    for (size_t i = 0; i < queries; i++) {
        size_t count;
        choose_seeds(seeds, nodes);
        start = now_ms();
        ppr_push(&g, seeds, SEEDS, &params, w);
        taken[i] = now_ms() - start;
        ppr_touched(w, &count);
        touched += count;
    }
    qsort(taken, queries, sizeof *taken, by_size);
    printf("push: p50 %.2f ms, p95 %.2f ms, p99 %.2f ms, most %.2f ms; %zu nodes touched a query\n",
           taken[queries / 2], taken[queries * 95 / 100], taken[queries * 99 / 100],
           taken[queries - 1], touched / queries);
    printf("peak %ld MB\n", peak_mb());
    double same = 0, same_uncapped = 0;
    for (size_t i = 0; i < compared; i++) {
        choose_seeds(seeds, nodes);
        ppr_push(&g, seeds, SEEDS, &params, w);
        exact.max_degree = params.max_degree;
        ppr_power(&g, seeds, SEEDS, &exact, v);
        same += overlap(w, v);
        exact.max_degree = UINT32_MAX;
        ppr_power(&g, seeds, SEEDS, &exact, v);
        same_uncapped += overlap(w, v);
    }
    if (compared)
        printf(
            "best %d of power iteration found: %.3f; where the greatest hubs pass on in it: %.3f\n",
            TOP, same / (double)compared, same_uncapped / (double)compared);
    ppr_work_free(w);
    ppr_work_free(v);
    graph_free(&g);
    heap_free(taken);
    return 0;
}
