/* Bounds of the lexical leg: what a very common word may cost, and what is found nevertheless. */
#include "memory/lexical.h"
#include "memory/memory_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static int64_t stand_still(void *ctx)
{
    (void)ctx;
    return 0;
}

static void no_sleep(void *ctx, int64_t ms)
{
    (void)ctx;
    (void)ms;
}

static struct memory *open_memory(void)
{
    struct memory_options options = {
        .directory = str_of(directory), .monotonic_ms = stand_still, .sleep_ms = no_sleep};
    struct memory *m = NULL;
    struct err e = {0};
    if (!memory_open(&options, &m, &e))
        fail_msg("%s", e.text);
    return m;
}

static void put(struct memory *m, const char *text)
{
    int64_t id;
    struct err e = {0};
    if (!store_put_node(m->store, &(struct node_row){.kind = NODE_PASSAGE}, &id, &e) ||
        !store_put_body(m->store, id, S(""), str_of(text), &e))
        fail_msg("%s", e.text);
}

static struct lexical search(struct memory *m, struct arena *a, const char *query, size_t most_hits)
{
    struct lexical l;
    struct err e = {0};
    struct lexical_query q = {.text = str_of(query), .most_hits = most_hits};
    if (!memory_read(m, &e) || !lexical_search(m->store, m->postings, a, &m->snap, &q, &l, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return l;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/engram-lexical-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static void a_very_common_word_scores_its_newest_texts_and_those_that_rare_words_hit(void **state)
{
    (void)state;
    enum { TEXTS = MAX_SCORED_HITS + 2 };
    struct arena a = {0};
    struct err e = {0};
    struct memory *m = open_memory();
    assert_true(store_begin(m->store, &e));
    put(m, "apple zebra");
    for (node n = 1; n < TEXTS; n++)
        put(m, "apple");
    assert_true(store_end(m->store, true, &e));
    struct lexical rare = search(m, &a, "zebra", 0), both = search(m, &a, "apple zebra", 0);
    assert_int_equal(both.touched_count, MAX_SCORED_HITS + 1);
    assert_true(both.score[0] > rare.score[0]);
    assert_true(both.score[1] == 0);
    assert_true(both.score[2] > 0 && both.score[TEXTS - 1] > 0);
    size_t count;
    const struct scored *best = lexical_best(&both, 2, &count);
    assert_int_equal(count, 2);
    assert_int_equal(best[0].at, 0);
    assert_int_equal(best[1].at, TEXTS - 1); /* of equals the newest */
    memory_close(m);
    arena_free(&a);
}

static void a_long_text_asks_its_rare_words_and_a_query_all_of_them(void **state)
{
    (void)state;
    enum { TEXTS = 40, MOST = 10 };
    struct arena a = {0};
    struct err e = {0};
    struct memory *m = open_memory();
    assert_true(store_begin(m->store, &e));
    put(m, "quartz apple");
    for (node n = 1; n < TEXTS; n++)
        put(m, "apple");
    assert_true(store_end(m->store, true, &e));
    struct lexical few = search(m, &a, "apple quartz", MOST);
    assert_int_equal(few.term_count, 1);
    assert_int_equal(few.touched_count, 1);
    assert_int_equal(few.touched[0], 0);
    /* A text that comes while the word is unread is found once all is asked. */
    assert_true(store_begin(m->store, &e));
    put(m, "apple");
    assert_true(store_end(m->store, true, &e));
    assert_int_equal(search(m, &a, "apple quartz", MOST).touched_count, 1);
    struct lexical all = search(m, &a, "apple quartz", 0);
    assert_int_equal(all.term_count, 2);
    assert_int_equal(all.touched_count, TEXTS + 1);
    assert_int_equal(all.terms[0].bodies, TEXTS + 1);
    /* What is kept is counted even where few are asked for. */
    assert_int_equal(search(m, &a, "apple quartz", MOST).terms[0].bodies, 1);
    memory_close(m);
    arena_free(&a);
}

struct noted {
    struct posting at[8];
    size_t count, most;
};

static bool note(void *ctx, const struct posting *p)
{
    struct noted *n = ctx;
    n->at[n->count++] = *p;
    return n->count < n->most;
}

static void postings_come_by_text_column_and_position_and_a_term_is_never_syntax(void **state)
{
    (void)state;
    struct memory *m = open_memory();
    struct err e = {0};
    struct node_row row = {.kind = NODE_PASSAGE};
    int64_t first, second;
    assert_true(store_begin(m->store, &e));
    assert_true(store_put_node(m->store, &row, &first, &e) &&
                store_put_body(m->store, first, S("apple"), S("a pear and an apple"), &e));
    assert_true(store_put_node(m->store, &row, &second, &e) &&
                store_put_body(m->store, second, S("quartz"), S("apple, apple"), &e));
    assert_true(store_end(m->store, true, &e) && memory_read(m, &e));

    struct noted n = {.most = 8};
    assert_true(store_postings(m->store, S("appl"), note, &n, &e));
    const struct posting want[] = {{first, 0, 0}, {first, 1, 4}, {second, 1, 0}, {second, 1, 1}};
    assert_int_equal(n.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(n.at[i].id, want[i].id);
        assert_int_equal(n.at[i].column, want[i].column);
        assert_int_equal(n.at[i].offset, want[i].offset);
    }
    n = (struct noted){.most = 3};
    assert_true(store_postings(m->store, S("appl"), note, &n, &e));
    assert_int_equal(n.count, 3);
    const char *const none[] = {"apple", "appl quartz", "quartz\" OR \"appl", "\"", "appl*", ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        n = (struct noted){.most = 8};
        assert_true(store_postings(m->store, str_of(none[i]), note, &n, &e));
        assert_int_equal(n.count, 0);
    }
    store_read_end(m->store);
    memory_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_very_common_word_scores_its_newest_texts_and_those_that_rare_words_hit, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(a_long_text_asks_its_rare_words_and_a_query_all_of_them,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            postings_come_by_text_column_and_position_and_a_term_is_never_syntax, set_up,
            tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
