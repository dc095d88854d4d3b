/* One reads a project, others wait for it: not for ever. */
#include "server/init_turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/scratch.h"

static int take(struct err *e)
{
    return init_turn_take(str_of(at(".")), 0, e);
}

static void a_turn_ends_for_the_next(void **state)
{
    (void)state;
    struct err e = {0};
    int first = take(&e);
    assert_true(first >= 0);
    init_turn_end(first);
    int second = take(&e);
    assert_true(second >= 0);
    init_turn_end(second);
    init_turn_end(-1);
}

static void who_has_waited_long_enough_is_told_for_whom(void **state)
{
    (void)state;
    struct err e = {0};
    int turn = take(&e);
    assert_int_equal(take(&e), -1);
    assert_int_equal(e.code, ERR_BUSY);
    assert_non_null(strstr(e.text, arena_printf(&arena, "(process %ld)", (long)getpid()).at));
    init_turn_end(turn);
}

static void what_stands_in_the_file_is_only_told_where_it_is_a_process(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "-4", "0", "(process 3)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err e = {0};
        int turn = take(&e);
        assert_true(turn >= 0);
        sh(arena_printf(&arena, "printf %%s '%s' >init.lock", texts[i]).at);
        assert_int_equal(take(&e), -1);
        assert_null(strstr(e.text, "(process"));
        init_turn_end(turn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_ends_for_the_next),
        cmocka_unit_test(who_has_waited_long_enough_is_told_for_whom),
        cmocka_unit_test(what_stands_in_the_file_is_only_told_where_it_is_a_process),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
