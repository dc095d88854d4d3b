#include "memory/review_effect.h"

#include "memory/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Memories 0..MEMORIES-1 and entities behind them. */
enum { MEMORIES = 12, ENTITIES = 4, NODES = MEMORIES + ENTITIES };

struct world {
    struct snapshot snap;
    struct node_meta meta[NODES];
    struct edge_row edges[64];
    size_t edge_count;
};

static node entity(int n)
{
    return MEMORIES + (node)n;
}

static void mention(struct world *w, int memory, int n)
{
    w->edges[w->edge_count++] = (struct edge_row){(node)memory, entity(n), EDGE_MENTIONS, 1};
    w->meta[entity(n)].degree++;
}

static struct snapshot *built(struct world *w)
{
    for (node n = 0; n < NODES; n++)
        w->meta[n].kind = n < MEMORIES ? NODE_MEMORY : NODE_ENTITY;
    graph_build(&w->snap.graph, NODES, w->edges, w->edge_count);
    w->snap.meta = w->meta;
    w->snap.bodies = MEMORIES;
    return &w->snap;
}

static double effect(struct world *w, struct what_if change)
{
    return review_effect(&w->snap, &change, review_all_weight(&w->snap));
}

/* Entity 0 on half of the memories, 1 on the other half, 2 on two, 3 on none. */
static void fill(struct world *w)
{
    *w = (struct world){0};
    for (int m = 0; m < MEMORIES; m++)
        mention(w, m, m % 2);
    mention(w, 0, 2);
    mention(w, 2, 2);
    built(w);
}

static void what_joins_much_moves_more_than_what_joins_little(void **state)
{
    (void)state;
    struct world w;
    fill(&w);
    double halves = effect(&w, (struct what_if){.from = entity(1), .into = entity(0)});
    double few = effect(&w, (struct what_if){.from = entity(2), .into = entity(0)});
    double none = effect(&w, (struct what_if){.from = entity(3), .into = entity(0)});
    assert_true(halves > 0.3 && halves <= 1);
    assert_true(few < halves && few > 0);
    assert_true(none < 1e-6);
    graph_free(&w.snap.graph);
}

static void a_name_that_goes_takes_its_mass_along(void **state)
{
    (void)state;
    struct world w;
    fill(&w);
    node hub = entity(0), small = entity(2), alone = entity(3);
    struct what_if none = {.gone = &alone, .gone_count = 1, .from = NO_NODE, .into = NO_NODE};
    struct what_if less = {.gone = &small, .gone_count = 1, .from = NO_NODE, .into = NO_NODE};
    struct what_if more = {.gone = &hub, .gone_count = 1, .from = NO_NODE, .into = NO_NODE};
    assert_true(effect(&w, none) == 0);
    assert_true(effect(&w, less) > 0 && effect(&w, more) > effect(&w, less));
    graph_free(&w.snap.graph);
}

static void what_is_used_counts_more(void **state)
{
    (void)state;
    struct world w;
    fill(&w);
    struct what_if change = {.from = entity(2), .into = entity(1)};
    double before = effect(&w, change);
    w.meta[0].uses = w.meta[2].uses = 20;
    assert_true(effect(&w, change) > before);
    graph_free(&w.snap.graph);
}

static void a_part_that_leaves_makes_a_name_of_its_own(void **state)
{
    (void)state;
    struct world w;
    fill(&w);
    node movers[] = {0, 2, 4};
    struct what_if change = {
        .from = entity(0), .into = NO_NODE, .movers = movers, .mover_count = 3};
    double some = effect(&w, change);
    assert_true(some > 0 && some < 1);
    change.mover_count = 0; /* all leave: nothing is split */
    assert_true(effect(&w, change) < some);
    graph_free(&w.snap.graph);
}

static void nothing_is_measured_of_what_is_not_there(void **state)
{
    (void)state;
    struct world w;
    fill(&w);
    assert_true(effect(&w, (struct what_if){.from = NO_NODE, .into = NO_NODE}) == 0);
    graph_free(&w.snap.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_joins_much_moves_more_than_what_joins_little),
        cmocka_unit_test(a_name_that_goes_takes_its_mass_along),
        cmocka_unit_test(what_is_used_counts_more),
        cmocka_unit_test(a_part_that_leaves_makes_a_name_of_its_own),
        cmocka_unit_test(nothing_is_measured_of_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
