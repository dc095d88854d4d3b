#include "memory/louvain.h"
#include "memory/topology.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 400 };

/* xorshift64*: the same graphs on every machine */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

static size_t random_edges(uint64_t *rng, uint32_t nodes, size_t count, struct topo_edge *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (struct topo_edge){
            (uint32_t)(next_random(rng) % nodes), (uint32_t)(next_random(rng) % nodes),
            (float)(next_random(rng) % 9) / 4, (float)(next_random(rng) % 9) / 4};
    return count;
}

/* `groups` cliques of `size`, each joined to the next by one edge. */
static size_t ring_of_cliques(uint32_t groups, uint32_t size, struct topo_edge *out)
{
    size_t count = 0;
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t i = 0; i < size; i++)
            for (uint32_t k = i + 1; k < size; k++)
                out[count++] = (struct topo_edge){g * size + i, g * size + k, 1, 1};
        out[count++] = (struct topo_edge){g * size, (g + 1) % groups * size + 1, 1, 1};
    }
    return count;
}

/* ---- PageRank ---- */

/* The same by a full matrix. */
static void slow_pagerank(uint32_t n, const struct topo_edge *edges, size_t count, double *out)
{
    static double weight[MOST][MOST], next[MOST];
    memset(weight, 0, sizeof weight);
    for (size_t i = 0; i < count; i++) {
        weight[edges[i].a][edges[i].b] += (double)edges[i].forward;
        weight[edges[i].b][edges[i].a] += (double)edges[i].backward;
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = 1.0 / n;
    for (int step = 0; step < 300; step++) {
        for (uint32_t i = 0; i < n; i++)
            next[i] = .15 / n;
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += weight[i][k];
            for (uint32_t k = 0; k < n; k++)
                next[k] += .85 * out[i] * (sum > 0 ? weight[i][k] / sum : 1.0 / n);
        }
        memcpy(out, next, n * sizeof *out);
    }
}

static void pagerank_agrees_with_the_full_matrix(void **state)
{
    (void)state;
    uint64_t rng = 5;
    static struct topo_edge edges[MOST];
    double fast[MOST], slow[MOST];
    for (int round = 0; round < 20; round++) {
        struct arena a = {0};
        struct topo_graph g;
        uint32_t nodes = 1 + (uint32_t)(next_random(&rng) % 60);
        size_t count = random_edges(&rng, nodes, next_random(&rng) % 200, edges);
        topo_build(&a, nodes, edges, count, &g);
        topo_pagerank(&g, fast);
        slow_pagerank(nodes, edges, count, slow);
        double sum = 0;
        for (uint32_t i = 0; i < nodes; i++) {
            assert_true(fabs(fast[i] - slow[i]) < 1e-6);
            sum += fast[i];
        }
        assert_true(fabs(sum - 1) < 1e-6);
        arena_free(&a);
    }
}

static void a_star_has_one_hub(void **state)
{
    (void)state;
    enum { LEAVES = 40 };
    struct arena a = {0};
    struct topo_graph g;
    struct topo_edge edges[LEAVES];
    uint32_t degree[LEAVES + 1] = {LEAVES};
    double pi[LEAVES + 1];
    bool hub[LEAVES + 1];
    for (uint32_t i = 0; i < LEAVES; i++) {
        edges[i] = (struct topo_edge){0, i + 1, 1, 1};
        degree[i + 1] = 1;
    }
    topo_build(&a, LEAVES + 1, edges, LEAVES, &g);
    topo_pagerank(&g, pi);
    assert_int_equal(topo_hubs(pi, degree, LEAVES + 1, hub), 1);
    assert_true(hub[0]);
    degree[0] = 2; /* heavy, but nothing runs through it */
    assert_int_equal(topo_hubs(pi, degree, LEAVES + 1, hub), 0);
    arena_free(&a);
}

static void an_empty_graph_has_nothing(void **state)
{
    (void)state;
    struct arena a = {0};
    struct topo_graph g;
    double pi[3];
    topo_build(&a, 0, NULL, 0, &g);
    topo_pagerank(&g, pi);
    assert_int_equal(topo_hubs(pi, NULL, 0, NULL), 0);
    topo_build(&a, 3, NULL, 0, &g);
    topo_pagerank(&g, pi);
    assert_true(fabs(pi[2] - 1.0 / 3) < 1e-9);
    assert_int_equal(louvain(0, NULL, 0, NULL), 0);
    arena_free(&a);
}

/* ---- Louvain ---- */

static void cliques_are_communities(void **state)
{
    (void)state;
    static struct topo_edge edges[1000];
    uint32_t community[60];
    size_t count = ring_of_cliques(10, 6, edges);
    assert_int_equal(louvain(60, edges, count, community), 10);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(community[i], i / 6);
}

/* Zachary's karate club (W. W. Zachary, 1977), from 0: the best modularity known is .4198. */
static void the_karate_club_falls_apart_as_it_should(void **state)
{
    (void)state;
    static const uint8_t pairs[][2] = {
        {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},
        {0, 11},  {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},
        {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},
        {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
        {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},
        {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32},
        {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33}, {24, 25},
        {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
        {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}};
    enum { COUNT = sizeof pairs / sizeof *pairs };
    struct topo_edge edges[COUNT];
    uint32_t community[34];
    for (size_t i = 0; i < COUNT; i++)
        edges[i] = (struct topo_edge){pairs[i][0], pairs[i][1], 1, 1};
    uint32_t communities = louvain(34, edges, COUNT, community);
    assert_in_range(communities, 3, 5);
    assert_true(louvain_modularity(34, edges, COUNT, community) > .40);
    assert_int_not_equal(community[0], community[33]); /* the two who quarrelled */
}

static void no_single_move_would_do_better(void **state)
{
    (void)state;
    uint64_t rng = 17;
    static struct topo_edge edges[300];
    uint32_t community[61], again[60];
    for (int round = 0; round < 20; round++) {
        uint32_t nodes = 4 + (uint32_t)(next_random(&rng) % 50);
        size_t count = random_edges(&rng, nodes, 3 * nodes, edges);
        louvain(nodes, edges, count, community);
        louvain(nodes, edges, count, again);
        assert_memory_equal(community, again, nodes * sizeof *community);
        double q = louvain_modularity(nodes, edges, count, community);
        for (uint32_t i = 0; i < nodes; i++)
            again[i] = i;
        assert_true(q >= louvain_modularity(nodes, edges, count, again) - 1e-9);
        memset(again, 0, sizeof again);
        assert_true(q >= louvain_modularity(nodes, edges, count, again) - 1e-9);
    }
}

static void communities_keep_their_ids(void **state)
{
    (void)state;
    static const struct {
        const char *fresh; /* a community's letter for each node */
        const char *known; /* the id before, a digit for each node */
        const char *ids;   /* what a, b, c ... go on from */
    } cases[] = {
        {"aaabbb", "111222", "12"},
        {"aaabbb", "222111", "21"},  /* numbers mean nothing, members do */
        {"aaabbb", "110222", "12"},  /* one came new */
        {"aaabbc", "111222", "120"}, /* the larger part goes on */
        {"aaaaaa", "111222", "1"},   /* a merge: of equal shares the older id */
        {"aaaaaa", "000000", "0"},
        {"aabbcc", "123123", "010"}, /* torn apart: 1 of 3 of either, once */
        {"abcdef", "111111", "000000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t community[6], communities = (uint32_t)strlen(cases[i].ids);
        int64_t known[6], id[6];
        for (int n = 0; n < 6; n++) {
            community[n] = (uint32_t)(cases[i].fresh[n] - 'a');
            known[n] = cases[i].known[n] - '0';
        }
        louvain_match(6, community, communities, known, id);
        for (uint32_t c = 0; c < communities && i != 6; c++)
            assert_int_equal(id[c], cases[i].ids[c] - '0');
        for (uint32_t c = 0; c < communities; c++)
            for (uint32_t k = c + 1; k < communities; k++)
                assert_true(!id[c] || id[c] != id[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pagerank_agrees_with_the_full_matrix),
        cmocka_unit_test(a_star_has_one_hub),
        cmocka_unit_test(an_empty_graph_has_nothing),
        cmocka_unit_test(cliques_are_communities),
        cmocka_unit_test(the_karate_club_falls_apart_as_it_should),
        cmocka_unit_test(no_single_move_would_do_better),
        cmocka_unit_test(communities_keep_their_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
