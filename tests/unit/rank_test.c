#include "memory/best.h"
#include "memory/code_rank.h"
#include "memory/rank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

static int slow_order(const void *x, const void *y)
{
    const struct scored *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->at < b->at ? 1 : -1;
}

static void the_best_come_first_as_if_all_were_sorted(void **state)
{
    (void)state;
    uint64_t rng = 42;
    struct scored list[300], sorted[300];
    for (int round = 0; round < 3000; round++) {
        size_t n = next_random(&rng) % 300, k = next_random(&rng) % 320;
        for (size_t i = 0; i < n; i++) /* many equal scores */
            list[i] = sorted[i] = (struct scored){(node)i, (float)(next_random(&rng) % 20)};
        qsort(sorted, n, sizeof *sorted, slow_order);
        size_t got = best_first(list, n, k);
        assert_int_equal(got, k < n ? k : n);
        for (size_t i = 0; i < got; i++)
            assert_int_equal(list[i].at, sorted[i].at);
    }
}

static void rare_terms_weigh_more_and_none_less_than_nothing(void **state)
{
    (void)state;
    assert_true(bm25_idf(1000, 1) > bm25_idf(1000, 10));
    assert_true(bm25_idf(1000, 1000) > 0);
    assert_true(bm25_tf(2, 10, 10) > bm25_tf(1, 10, 10));
    assert_true(bm25_tf(1, 5, 10) > bm25_tf(1, 50, 10));
    assert_true(bm25_tf(1000, 10, 10) < 1.91f); /* saturates below k1 + 1 */
}

static void weights_are_read_by_name(void **state)
{
    (void)state;
    struct rank_weights w;
    struct err e = {0};
    assert_true(rank_weights_read(S("# a set\nppr 1.5\n\nbm25 -0.25 # why\n"), &w, &e));
    assert_true(w.weight[FEATURE_PPR] == 1.5f && w.weight[FEATURE_BM25] == -0.25f &&
                w.weight[FEATURE_GROUP] == 0);
}

static void wrong_weights_are_told_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *told;
    } cases[] = {{"ppr 1\nspeed 2\n", "line 2"},
                 {"ppr\n", "line 1"},
                 {"ppr nan\n", "line 1"},
                 {"ppr 1x\n", "line 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rank_weights w;
        struct err e = {0};
        assert_false(rank_weights_read(str_of(cases[i].text), &w, &e));
        assert_int_equal(e.code, ERR_INPUT);
        assert_non_null(strstr(e.text, cases[i].told));
    }
}

static void each_ranker_takes_its_own_weights_from_one_file(void **state)
{
    (void)state;
    const str file = S("ppr 1.5\ncode_best 2\n# code_size 9\ncode_size -0.5\npassage_text 3\n");
    struct rank_weights prose, passages;
    struct code_weights code;
    struct err e = {0};
    bool any;
    assert_true(rank_weights_read(file, &prose, &e) && code_weights_read(file, &code, &any, &e));
    assert_true(any && prose.weight[FEATURE_PPR] == 1.5f);
    assert_true(code.weight[CODE_BEST] == 2.0f && code.weight[CODE_SIZE] == -0.5f);
    assert_true(code_weights_read(S("ppr 1\n"), &code, &any, &e) && !any);
    assert_true(prose.weight[FEATURE_TEXT] == 0);
    assert_true(rank_passage_weights_read(file, &passages, &any, &e) && any);
    assert_true(passages.weight[FEATURE_TEXT] == 3.0f && passages.weight[FEATURE_PPR] == 0);
    assert_true(rank_passage_weights_read(S("ppr 1\n"), &passages, &any, &e) && !any);
    assert_false(rank_passage_weights_read(S("passage_speed 1\n"), &passages, &any, &e));
    assert_non_null(strstr(e.text, "line 1: 'passage_speed'"));
}

static void wrong_weights_of_the_sources_are_told_with_line_name_and_value(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"ppr 1\ncode_speed 2\n", "line 2: 'code_speed'"},
        {"code_best\n", "line 1: code_best is ''"},
        {"code_best nan\n", "line 1: code_best is 'nan'"},
        {"code_best 1x\n", "line 1: code_best is '1x'"},
        {"code_best 1e9\n", "line 1: code_best is '1e9'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct code_weights w;
        struct err e = {0};
        bool any;
        assert_false(code_weights_read(str_of(cases[i][0]), &w, &any, &e));
        assert_int_equal(e.code, ERR_INPUT);
        assert_non_null(strstr(e.text, cases[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ranker_takes_its_own_weights_from_one_file),
        cmocka_unit_test(wrong_weights_of_the_sources_are_told_with_line_name_and_value),
        cmocka_unit_test(the_best_come_first_as_if_all_were_sorted),
        cmocka_unit_test(rare_terms_weigh_more_and_none_less_than_nothing),
        cmocka_unit_test(weights_are_read_by_name),
        cmocka_unit_test(wrong_weights_are_told_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
