#include "memory/base/regex.h"

#include "memory/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct regex *compile(const char *pattern, bool nocase)
{
    struct err e = {0};
    struct regex *r = regex_compile(pattern, nocase, &e);
    if (!r)
        fail_msg("%s", e.text);
    return r;
}

static void groups_are_cut_out_of_the_subject(void **state)
{
    (void)state;
    str g[REGEX_MAX_GROUPS], subject = S("on 2026-05-08, at noon");
    struct regex *r = compile("(\\d+)-(\\d+)-(\\d+)(x)?", false);
    assert_true(regex_find(r, subject, 0, g));
    assert_true(str_eq(g[0], S("2026-05-08")) && str_eq(g[1], S("2026")) && str_eq(g[3], S("08")));
    assert_ptr_equal(g[0].at, subject.at + 3);
    for (int i = 4; i < REGEX_MAX_GROUPS; i++)
        assert_int_equal(g[i].len, 0);
    regex_free(r);
}

static void the_search_begins_at_from(void **state)
{
    (void)state;
    str g[REGEX_MAX_GROUPS];
    struct regex *r = compile("a.", false), *anchored = compile("\\Gb", false),
                 *behind = compile("\\G(?<=a)b", false);
    assert_true(regex_find(r, S("axay"), 1, g));
    assert_true(str_eq(g[0], S("ay")));
    assert_false(regex_find(r, S("axay"), 3, g));
    assert_false(regex_find(r, S("axay"), 99, g));
    assert_true(regex_find(anchored, S("ab"), 1, g));
    assert_false(regex_find(anchored, S("ab"), 0, g));
    assert_true(regex_find(behind, S("ab"), 1, g)); /* what is before `from` can be seen */
    regex_free(r);
    regex_free(anchored);
    regex_free(behind);
}

static void case_counts_unless_it_is_told_not_to(void **state)
{
    (void)state;
    str g[REGEX_MAX_GROUPS];
    struct regex *exact = compile("straße", false), *nocase = compile("straße", true);
    assert_false(regex_find(exact, S("STRAßE"), 0, g));
    assert_true(regex_find(nocase, S("STRAßE"), 0, g));
    regex_free(exact);
    regex_free(nocase);
}

static void a_wrong_pattern_is_named_in_the_error(void **state)
{
    (void)state;
    struct err e = {0};
    assert_null(regex_compile("a(b", false, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(strstr(e.text, "a(b"));
    regex_free(NULL);
}

static void more_groups_than_are_handed_out_do_no_harm(void **state)
{
    (void)state;
    str g[REGEX_MAX_GROUPS];
    struct regex *r = compile("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)", false);
    assert_true(regex_find(r, S("abcdefghijkl"), 0, g));
    assert_true(str_eq(g[0], S("abcdefghijkl")) && str_eq(g[9], S("i")));
    regex_free(r);
}

static void a_pattern_that_never_ends_is_no_match(void **state)
{
    (void)state;
    str g[REGEX_MAX_GROUPS];
    char subject[5000];
    memset(subject, 'x', sizeof subject);
    struct regex *r = compile("(x+x+)+y", false);
    assert_false(regex_find(r, str_from(subject, sizeof subject), 0, g));
    regex_free(r);
}

static void a_subject_that_is_no_utf8_never_matches(void **state)
{
    (void)state;
    str g[REGEX_MAX_GROUPS];
    struct regex *r = compile(".", false);
    assert_false(regex_find(r, S("a\xFF"), 0, g));
    assert_false(regex_find(r, S("\xE2\x82"), 0, g));
    assert_false(regex_find(r, S("\xC3\xA4"), 1, g)); /* inside a code point */
    regex_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_cut_out_of_the_subject),
        cmocka_unit_test(the_search_begins_at_from),
        cmocka_unit_test(case_counts_unless_it_is_told_not_to),
        cmocka_unit_test(a_wrong_pattern_is_named_in_the_error),
        cmocka_unit_test(more_groups_than_are_handed_out_do_no_harm),
        cmocka_unit_test(a_pattern_that_never_ends_is_no_match),
        cmocka_unit_test(a_subject_that_is_no_utf8_never_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
