#include "memory/decay.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The first cycle without use after which it falls; 0: not within a million. */
static uint32_t falls_after(struct decay_input in)
{
    uint32_t low = 1, high = 1000000;
    in.age = in.dormant = high;
    if (!decay_of(&decay_defaults, &in).falls)
        return 0;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        in.age = in.dormant = mid;
        if (decay_of(&decay_defaults, &in).falls)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static void scores_and_rates_are_those_of_the_formulas(void **state)
{
    (void)state;
    static const struct {
        struct decay_input in;
        double score, rate, confidence;
    } cases[] = {
        /* an episodic leaf: .4 * .3 + .3 / 3 + .3 * .2; falls behind 50 cycles */
        {{DECAY_EPISODE, .3, 1, false, 50, 50}, .28, .0457, .1018},
        {{DECAY_EPISODE, 1, 1, false, 88, 88}, .56, .0261, .1005},
        {{DECAY_IDENTITY, 9, 60, false, 10, 10}, 2.1, .0000015, .99998}, /* both terms capped */
        {{DECAY_CHATTER, 0, 0, false, 14, 14}, 0, .16, .1065},
        {{DECAY_CHATTER, 0, 0, false, 1000, 1000}, 0, .16, .05}, /* never told as none */
        {{DECAY_LASTING, .5, 2, false, 0, 9}, .64, .00022, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct decay_result r = decay_of(&decay_defaults, &cases[i].in);
        assert_true(fabs(r.score - cases[i].score) < 1e-9);
        assert_true(fabs(r.rate - cases[i].rate) < cases[i].rate * .02);
        assert_true(fabs(r.confidence - cases[i].confidence) < 1e-4);
    }
}

static void what_is_held_up_falls_later_or_never(void **state)
{
    (void)state;
    static const struct {
        struct decay_input in;
        uint32_t after;
    } cases[] = {
        {{.of = DECAY_EPISODE, .centrality = .3, .degree = 1}, 51},
        {{.of = DECAY_EPISODE, .centrality = 1, .degree = 1}, 89},
        {{.of = DECAY_EPISODE, .centrality = .3, .degree = 2}, 0},
        {{.of = DECAY_EPISODE, .centrality = .3, .degree = 1, .hub = true}, 0},
        {{.of = DECAY_CHATTER, .centrality = .3, .degree = 1}, 23},
        {{.of = DECAY_CHATTER, .centrality = .3, .degree = 4}, 41},
        {{.of = DECAY_CHATTER, .centrality = .3, .degree = 5}, 0},
        {{.of = DECAY_PASSING, .centrality = .3, .degree = 1}, 483},
        {{.of = DECAY_LASTING, .centrality = .3, .degree = 1}, 7223},
        {{.of = DECAY_PREFERENCE}, 0},
        {{.of = DECAY_IDENTITY}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(falls_after(cases[i].in), cases[i].after);
}

static void what_is_new_has_its_grace(void **state)
{
    (void)state;
    struct decay_params params = decay_defaults;
    struct decay_input in = {.of = DECAY_CHATTER, .dormant = 30, .age = 30};
    for (params.grace = 1; params.grace <= 40; params.grace++)
        assert_int_equal(decay_of(&params, &in).falls, params.grace < 30);
    params.grace = 4;
    params.threshold = .9; /* falls at once, were it not for the least time of rest */
    for (in.dormant = 1; in.dormant < 9; in.dormant++)
        assert_int_equal(decay_of(&params, &in).falls, in.dormant > 4);
}

/* Even what nothing holds up takes 15 cycles to fade: with these rates a shorter grace decides
 * nothing. */
static void a_grace_of_one_to_eight_cycles_makes_no_difference(void **state)
{
    (void)state;
    struct decay_params params = decay_defaults;
    for (int of = 0; of < DECAY_CLASS_COUNT; of++)
        for (uint32_t age = 1; age < 200; age++) {
            struct decay_input in = {.of = (enum decay_class)of, .dormant = age, .age = age};
            bool falls = decay_of(&decay_defaults, &in).falls;
            assert_true(!falls || age >= 15);
            for (params.grace = 1; params.grace <= 8; params.grace *= 2)
                assert_int_equal(decay_of(&params, &in).falls, falls);
        }
}

static void kinds_have_their_class(void **state)
{
    (void)state;
    assert_int_equal(decay_class_of(KIND_FACT, false, false), DECAY_LASTING);
    assert_int_equal(decay_class_of(KIND_DECISION, false, false), DECAY_LASTING);
    assert_int_equal(decay_class_of(KIND_QUESTION, false, false), DECAY_PASSING);
    assert_int_equal(decay_class_of(KIND_EPISODE, false, false), DECAY_EPISODE);
    assert_int_equal(decay_class_of(KIND_EPISODE, true, false), DECAY_IDENTITY);
    assert_int_equal(decay_class_of(KIND_FACT, false, true), DECAY_CHATTER);
    assert_int_equal(decay_class_of(KIND_FACT, true, true), DECAY_IDENTITY);
}

static void only_cycles_in_which_something_happened_count(void **state)
{
    (void)state;
    static const int64_t cycles[] = {10, 11, 40, 41};
    assert_int_equal(decay_cycles_since(cycles, 4, 9 * (int64_t)CYCLE_MS), 4);
    assert_int_equal(decay_cycles_since(cycles, 4, 10 * (int64_t)CYCLE_MS + 5), 3);
    assert_int_equal(decay_cycles_since(cycles, 4, 11 * (int64_t)CYCLE_MS - 1), 3);
    assert_int_equal(decay_cycles_since(cycles, 4, 30 * (int64_t)CYCLE_MS),
                     2); /* a month of rest */
    assert_int_equal(decay_cycles_since(cycles, 4, 41 * (int64_t)CYCLE_MS), 0);
    assert_int_equal(decay_cycles_since(cycles, 0, 0), 0);
    assert_int_equal(decay_cycle(-1), -1);
    assert_int_equal(decay_cycle(CYCLE_MS), 1);
}

static void two_numbers_are_the_sum_over_all_uses(void **state)
{
    (void)state;
    static const int64_t at[] = {3, 4, 4, 9, 30};
    struct strength s = {0};
    double sum = 0;
    for (size_t i = 0; i < 5; i++) {
        s = strength_add(&s, at[i], .5);
        sum += .5 * exp(-.05 * (double)(40 - at[i]));
    }
    assert_true(fabs(strength_at(&s, 40) - sum) < 1e-9);
    assert_true(fabs(strength_at(&s, 20) - s.sum) < 1e-9); /* a clock that went back */
}

static void no_pair_grows_beyond_its_cap(void **state)
{
    (void)state;
    struct strength s = {0};
    for (int i = 0; i < 1000; i++)
        s = strength_add(&s, 7, 1);
    assert_true(s.sum == MAX_STRENGTH);
    assert_true(fabs(strength_weight(.5, s.sum) - (.4 * .5 + .4 * 4 + .2)) < 1e-9);
    assert_true(fabs(strength_weight(-1, 0) - .2) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_and_rates_are_those_of_the_formulas),
        cmocka_unit_test(what_is_held_up_falls_later_or_never),
        cmocka_unit_test(what_is_new_has_its_grace),
        cmocka_unit_test(a_grace_of_one_to_eight_cycles_makes_no_difference),
        cmocka_unit_test(kinds_have_their_class),
        cmocka_unit_test(only_cycles_in_which_something_happened_count),
        cmocka_unit_test(two_numbers_are_the_sum_over_all_uses),
        cmocka_unit_test(no_pair_grows_beyond_its_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
