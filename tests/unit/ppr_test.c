#include "memory/facts.h"
#include "memory/ppr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* xorshift64*: the same graphs on every machine */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

static struct graph random_graph(uint64_t *rng, uint32_t nodes, size_t edges)
{
    struct arena a = {0};
    struct graph g = {0};
    struct edge_row *rows = ARENA_ARRAY(&a, struct edge_row, edges);
    for (size_t i = 0; i < edges; i++)
        rows[i] = (struct edge_row){
            (node)(next_random(rng) % nodes), (node)(next_random(rng) % nodes),
            (uint8_t)(next_random(rng) % EDGE_KIND_COUNT), (float)(1 + next_random(rng) % 8) / 4};
    graph_build(&g, nodes, rows, edges);
    arena_free(&a);
    return g;
}

static double sum_of(const struct ppr_work *w)
{
    size_t count;
    double sum = 0;
    const node *touched = ppr_touched(w, &count);
    for (size_t i = 0; i < count; i++)
        sum += ppr_mass(w, touched[i]);
    return sum;
}

static void the_two_solvers_agree_on_random_graphs(void **state)
{
    (void)state;
    uint64_t rng = 7;
    struct ppr_work *power = ppr_work_new(), *push = ppr_work_new();
    for (int round = 0; round < 200; round++) {
        uint32_t nodes = 2 + (uint32_t)(next_random(&rng) % 120);
        struct graph g = random_graph(&rng, nodes, next_random(&rng) % (nodes * 4 + 1));
        struct seed seeds[3];
        for (int i = 0; i < 3; i++)
            seeds[i] = (struct seed){(node)(next_random(&rng) % nodes),
                                     (float)(1 + next_random(&rng) % 5)};
        struct ppr_params params = ppr_defaults;
        params.damping = 0.2f + 0.65f * (float)(next_random(&rng) % 100) / 100;
        params.epsilon = 1e-8f;
        params.max_steps = 400;
        params.tolerance = 1e-9f;
        ppr_power(&g, seeds, 3, &params, power);
        ppr_push(&g, seeds, 3, &params, push);
        for (node n = 0; n < nodes; n++) /* single precision sums over some hundred steps */
            assert_true(fabsf(ppr_mass(power, n) - ppr_mass(push, n)) < 2e-5f);
        graph_free(&g);
    }
    ppr_work_free(power);
    ppr_work_free(push);
}

static void mass_sums_to_one(void **state)
{
    (void)state;
    uint64_t rng = 11;
    struct ppr_work *w = ppr_work_new();
    for (int round = 0; round < 100; round++) {
        struct graph g = random_graph(&rng, 60, 150);
        struct seed seed = {(node)(next_random(&rng) % 60), 3};
        ppr_power(&g, &seed, 1, &ppr_defaults, w);
        assert_true(fabs(sum_of(w) - 1) < 1e-4);
        graph_free(&g);
    }
    ppr_work_free(w);
}

static void the_same_question_gives_the_same_bits(void **state)
{
    (void)state;
    uint64_t rng = 3;
    struct graph g = random_graph(&rng, 5000, 20000);
    struct seed seeds[] = {{17, 1}, {4000, 2}};
    struct ppr_work *first = ppr_work_new(), *again = ppr_work_new();
    ppr_solve(&g, seeds, 2, &ppr_defaults, first);
    ppr_solve(&g, &(struct seed){99, 1}, 1, &ppr_defaults,
              again); /* what was asked before leaves no trace */
    ppr_solve(&g, seeds, 2, &ppr_defaults, again);
    for (node n = 0; n < 5000; n++) {
        float a = ppr_mass(first, n), b = ppr_mass(again, n);
        assert_memory_equal(&a, &b, sizeof a);
    }
    ppr_work_free(first);
    ppr_work_free(again);
    graph_free(&g);
}

static void without_seeds_there_is_no_mass(void **state)
{
    (void)state;
    uint64_t rng = 5;
    struct graph g = random_graph(&rng, 10, 20);
    struct ppr_work *w = ppr_work_new();
    ppr_solve(&g, NULL, 0, &ppr_defaults, w);
    for (node n = 0; n < 10; n++)
        assert_true(ppr_mass(w, n) == 0);
    ppr_work_free(w);
    graph_free(&g);
}

static void a_node_without_edges_hands_its_mass_back_to_the_seeds(void **state)
{
    (void)state;
    /* 0 -> 1 by RELATION, 2 alone; seeds 0 and 2 alike: what 2 gets returns, so 0 and its neighbour
     * have 1 - .25..2 */
    struct graph g = {0};
    graph_build(&g, 3, &(struct edge_row){0, 1, EDGE_RELATION, 1}, 1);
    struct seed seeds[] = {{0, 1}, {2, 1}};
    struct ppr_params params = ppr_defaults;
    params.epsilon = 1e-9f;
    struct ppr_work *w = ppr_work_new();
    ppr_power(&g, seeds, 2, &params, w);
    float exact[3] = {ppr_mass(w, 0), ppr_mass(w, 1), ppr_mass(w, 2)};
    assert_true(fabsf(exact[0] + exact[1] + exact[2] - 1) < 1e-5f);
    assert_true(exact[2] > 0.3f && exact[1] > 0);
    ppr_push(&g, seeds, 2, &params, w);
    for (node n = 0; n < 3; n++)
        assert_true(fabsf(ppr_mass(w, n) - exact[n]) < 1e-5f);
    ppr_work_free(w);
    graph_free(&g);
}

static void nothing_flows_to_a_node_without_pull(void **state)
{
    (void)state;
    struct graph g = {0};
    struct edge_row rows[] = {{0, 1, EDGE_MENTIONS, 1}, {0, 2, EDGE_MENTIONS, 1}};
    graph_build(&g, 3, rows, 2);
    graph_set_pull(&g, 1, 0);
    struct ppr_work *w = ppr_work_new();
    ppr_power(&g, &(struct seed){0, 1}, 1, &ppr_defaults, w);
    assert_true(ppr_mass(w, 1) == 0);
    assert_true(ppr_mass(w, 2) > 0);
    ppr_work_free(w);
    graph_free(&g);
}

static void edges_added_later_count_like_built_ones(void **state)
{
    (void)state;
    uint64_t rng = 23;
    struct arena a = {0};
    enum { NODES = 40, EDGES = 120, FIRST = 50 };
    struct edge_row *rows = ARENA_ARRAY(&a, struct edge_row, EDGES);
    for (int i = 0; i < EDGES; i++)
        rows[i] = (struct edge_row){(node)(next_random(&rng) % NODES),
                                    (node)(next_random(&rng) % NODES), EDGE_RELATION, 1};
    struct graph whole = {0}, grown = {0};
    graph_build(&whole, NODES, rows, EDGES);
    graph_build(&grown, NODES / 2, NULL, 0);
    for (int i = NODES / 2; i < NODES; i++)
        graph_add_node(&grown);
    for (int i = 0; i < EDGES; i++)
        graph_add_edge(&grown, rows[i]);
    struct ppr_work *w = ppr_work_new(), *v = ppr_work_new();
    ppr_power(&whole, &(struct seed){3, 1}, 1, &ppr_defaults, w);
    ppr_power(&grown, &(struct seed){3, 1}, 1, &ppr_defaults, v);
    for (node n = 0; n < NODES;
         n++) /* chains are walked newest first: sums differ in their last bits */
        assert_true(fabsf(ppr_mass(w, n) - ppr_mass(v, n)) < 1e-6f);
    graph_cut_node(&grown, 3);
    ppr_power(&grown, &(struct seed){3, 1}, 1, &ppr_defaults, v);
    assert_true(fabsf(ppr_mass(v, 3) - 1) < 1e-5f); /* nothing leads out any more */
    ppr_work_free(w);
    ppr_work_free(v);
    graph_free(&whole);
    graph_free(&grown);
    arena_free(&a);
}

static void a_part_solved_before_is_added_as_if_it_had_been_a_seed(void **state)
{
    (void)state;
    uint64_t rng = 31;
    struct ppr_work *apart = ppr_work_new(), *whole = ppr_work_new();
    struct ppr_part part = {0};
    for (int round = 0; round < 50; round++) {
        /* sparse, so that some nodes have no edges and hand their mass back */
        struct graph g = random_graph(&rng, 60, 45);
        struct seed query = {(node)(next_random(&rng) % 60), 1};
        struct seed used = {(node)(next_random(&rng) % 60), 1};
        struct seed both[] = {{query.at, 0.7f}, {used.at, 0.3f}};
        struct ppr_params params = ppr_defaults;
        params.epsilon = 1e-8f;
        ppr_push(&g, &used, 1, &params, apart);
        ppr_keep(apart, &part);
        ppr_push(&g, &query, 1, &params, apart);
        ppr_blend(apart, &part, 0.3f);
        ppr_push(&g, both, 2, &params, whole);
        assert_true(fabs(sum_of(apart) - 1) < 1e-4);
        for (node n = 0; n < 60; n++)
            assert_true(fabsf(ppr_mass(apart, n) - ppr_mass(whole, n)) < 1e-5f);
        ppr_solve(&g, NULL, 0, &params, apart);
        ppr_blend(apart, &part, 0.3f); /* who asks for nothing gets nothing */
        assert_true(ppr_mass(apart, used.at) == 0);
        graph_free(&g);
    }
    ppr_part_free(&part);
    ppr_work_free(apart);
    ppr_work_free(whole);
}

static void a_hub_passes_on_what_its_degree_allows_in_both_solvers(void **state)
{
    (void)state;
    enum { SPOKES = 50 };
    struct graph g = {0};
    struct edge_row rows[SPOKES];
    for (node i = 0; i < SPOKES; i++)
        rows[i] = (struct edge_row){i + 1, 0, EDGE_MENTIONS, 1};
    graph_build(&g, SPOKES + 1, rows, SPOKES);
    struct ppr_work *w = ppr_work_new();
    void (*solvers[])(const struct graph *, const struct seed *, size_t, const struct ppr_params *,
                      struct ppr_work *) = {ppr_power, ppr_push};
    for (int i = 0; i < 2; i++) {
        struct ppr_params params = ppr_defaults;
        params.epsilon = 1e-7f;
        params.max_degree = SPOKES;
        solvers[i](&g, &(struct seed){1, 1}, 1, &params, w);
        assert_true(ppr_mass(w, 2) > 0);
        params.max_degree = SPOKES - 1;
        solvers[i](&g, &(struct seed){1, 1}, 1, &params, w);
        assert_true(ppr_mass(w, 0) > 0 && ppr_mass(w, 2) == 0);
        assert_true(fabs(sum_of(w) - 1) < 1e-4);
    }
    ppr_work_free(w);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_solvers_agree_on_random_graphs),
        cmocka_unit_test(mass_sums_to_one),
        cmocka_unit_test(the_same_question_gives_the_same_bits),
        cmocka_unit_test(without_seeds_there_is_no_mass),
        cmocka_unit_test(a_node_without_edges_hands_its_mass_back_to_the_seeds),
        cmocka_unit_test(nothing_flows_to_a_node_without_pull),
        cmocka_unit_test(edges_added_later_count_like_built_ones),
        cmocka_unit_test(a_part_solved_before_is_added_as_if_it_had_been_a_seed),
        cmocka_unit_test(a_hub_passes_on_what_its_degree_allows_in_both_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
