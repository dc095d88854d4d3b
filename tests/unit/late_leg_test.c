/* Which candidates late interaction compares, and what the others get. The snapshot is made by hand
 * upon nodes of a store that has their tokens. */
#include "memory/late_leg.h"

#include "memory/store_tokens.h"
#include "memory/store_vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"

enum { NODES = MAX_LATE_PASSAGES + 20 };

static struct {
    struct snapshot snap;
    struct node_meta meta[NODES];
    int64_t ids[NODES];
    struct candidate candidates[NODES];
    size_t count;
    int64_t model;
} world;

static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    clock_ms = 0;
    make_directory();
    open_memory_with((struct memory_options){0});
    memset(&world, 0, sizeof world);
    world.snap.meta = world.meta;
    world.snap.ids = world.ids;
    assert_true(store_begin(m->store, &e));
    bool ok = store_put_vector_model(m->store, S("model"), 16, &world.model, &e);
    assert_true(store_end(m->store, ok, &e));
    return 0;
}

/* A vector in the direction of one dimension. */
static struct encoder_tokens token(size_t dimension)
{
    struct encoder_tokens t = {.at =
                                   arena_alloc(&arena, 1, sizeof(float[ENCODER_TOKEN_DIMENSIONS])),
                               .weight = ARENA_ARRAY(&arena, float, 1),
                               .count = 1};
    t.at[0][dimension] = 1;
    t.weight[0] = 1;
    return t;
}

/* A candidate more, with these rows as its tokens of the model. */
static node add(enum node_kind kind, str rows)
{
    struct err e = {0};
    struct remember_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = 1000 + clock_ms},
                                .text = arena_printf(&arena, "Text %zu.", world.count)};
    struct remember_result out;
    assert_true(memory_remember(m, &arena, &in, &out, &e));
    assert_true(store_begin(m->store, &e));
    assert_true(store_end(m->store, store_put_tokens(m->store, out.id, world.model, rows, &e), &e));
    node at = (node)world.count;
    world.ids[at] = out.id;
    world.meta[at].kind = (uint8_t)kind;
    world.candidates[world.count++].at = at;
    world.snap.graph.count = (uint32_t)world.count;
    return at;
}

static node add_passage(size_t dimension)
{
    struct encoder_tokens t = token(dimension);
    return add(NODE_PASSAGE, late_pack(&arena, &t));
}

static const float *scores(const char *model, struct encoder_tokens query)
{
    struct err e = {0};
    const float *out;
    assert_true(store_read_begin(m->store, &e));
    if (!late_leg_score(m->store, &arena, &world.snap, str_of(model), &query, world.candidates,
                        world.count, &out, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return out;
}

static void the_best_passage_has_one_and_the_others_their_share(void **state)
{
    (void)state;
    struct encoder_tokens both = token(1);
    both.at[0][2] = .5f;
    node other = add_passage(3), half = add_passage(2), best = add_passage(1);
    const float *s = scores("model", both);
    assert_non_null(s);
    assert_float_equal(s[best], 1, 0);
    assert_float_equal(s[half], .5, .01);
    assert_float_equal(s[other], 0, .01);
}

static void what_has_no_sound_rows_has_the_share_of_the_worst(void **state)
{
    (void)state;
    struct encoder_tokens both = token(1);
    both.at[0][2] = .5f;
    add_passage(1);
    node worst = add_passage(2), none = add(NODE_PASSAGE, S("")),
         odd = add(NODE_PASSAGE, S("seventeen bytes..")),
         large = add(NODE_PASSAGE, str_from(arena_bytes(&arena, MAX_LATE_BYTES + LATE_ROW_BYTES),
                                            MAX_LATE_BYTES + LATE_ROW_BYTES));
    const float *s = scores("model", both);
    assert_float_equal(s[worst], .5, .01);
    assert_float_equal(s[none], s[worst], 0);
    assert_float_equal(s[odd], s[worst], 0);
    assert_float_equal(s[large], s[worst], 0);
}

static void only_passages_are_compared_and_so_many(void **state)
{
    (void)state;
    struct encoder_tokens t = token(1);
    add(NODE_MEMORY, late_pack(&arena, &t));
    assert_null(scores("model", token(1)));
    for (size_t i = 0; i < MAX_LATE_PASSAGES; i++)
        add_passage(2);
    node behind = add_passage(1);
    const float *s = scores("model", token(1));
    assert_float_equal(s[behind], s[1], 0); /* it would be the best by far */
}

static void without_tokens_of_the_model_or_of_the_query_there_is_no_leg(void **state)
{
    (void)state;
    add_passage(1);
    assert_non_null(scores("model", token(1)));
    assert_null(scores("another model", token(1)));
    assert_null(scores("model", (struct encoder_tokens){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(the_best_passage_has_one_and_the_others_their_share),
        PROMISE(what_has_no_sound_rows_has_the_share_of_the_worst),
        PROMISE(only_passages_are_compared_and_so_many),
        PROMISE(without_tokens_of_the_model_or_of_the_query_there_is_no_leg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
