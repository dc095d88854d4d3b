#include "memory/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_str(str got, const char *wanted)
{
    if (!str_eq(got, str_of(wanted)))
        fail_msg("got \"%.*s\", wanted \"%s\"", FMT(got), wanted);
}

static void a_cut_is_clamped_to_the_text(void **state)
{
    (void)state;
    static const struct {
        size_t from, to;
        const char *wanted;
    } cases[] = {{0, 3, "abc"}, {1, 2, "b"}, {0, 99, "abc"},      {3, 3, ""},
                 {99, 100, ""}, {2, 1, ""},  {0, SIZE_MAX, "abc"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(str_cut(S("abc"), cases[i].from, cases[i].to), cases[i].wanted);
}

static void an_empty_text_equals_any_other_empty_text(void **state)
{
    (void)state;
    assert_true(str_eq((str){NULL, 0}, S("")));
    assert_true(str_eq(str_of(NULL), S("")));
    assert_false(str_eq(S(""), S("a")));
}

static void order_is_by_bytes_and_the_shorter_of_equals_comes_first(void **state)
{
    (void)state;
    static const char *const ordered[] = {"", "A", "a", "aa", "ab", "b", "\xC3\xA4"};
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
        for (size_t j = 0; j < sizeof ordered / sizeof *ordered; j++) {
            int order = str_cmp(str_of(ordered[i]), str_of(ordered[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void only_ascii_white_space_is_trimmed(void **state)
{
    (void)state;
    assert_str(str_trim(S(" \t\r\n\v\f a b \n")), "a b");
    assert_str(str_trim(S("   ")), "");
    assert_str(str_file_name(S("a/b.c/d.md")), "d.md");
    assert_str(str_file_name(S("d.md")), "d.md");
    assert_str(str_file_name(S("a/")), "");
    assert_str(str_trim(S("\xC2\xA0x")), "\xC2\xA0x"); /* a no-break space stays */
}

static void what_is_not_found_is_at_the_end(void **state)
{
    (void)state;
    assert_int_equal(str_find(S("abcabc"), S("bc"), 0), 1);
    assert_int_equal(str_find(S("abcabc"), S("bc"), 2), 4);
    assert_int_equal(str_find(S("abcabc"), S("x"), 0), 6);
    assert_int_equal(str_find(S("abc"), S("abcd"), 0), 3);
    assert_int_equal(str_find(S("abc"), S(""), 2), 2);
    assert_int_equal(str_find(S("abc"), S("a"), 9), 3);
    assert_int_equal(str_find_char(S("abc"), 'c', 0), 2);
    assert_int_equal(str_find_char(S("abc"), 'a', 1), 3);
    assert_int_equal(str_find_char(S("abc"), 'a', 9), 3);
}

static void ascii_letters_compare_without_case(void **state)
{
    (void)state;
    assert_true(str_eq_nocase(S("AbC1"), S("aBc1")));
    assert_false(str_eq_nocase(S("abc"), S("abd")));
    assert_false(str_eq_nocase(S("abc"), S("ab")));
    assert_false(str_eq_nocase(S("@["), S("`{"))); /* neighbours of the letters */
}

static void lines_come_without_their_ends_and_the_last_needs_none(void **state)
{
    (void)state;
    static const char *const wanted[] = {"one", "", "two\r", "three"};
    str rest = S("one\r\n\ntwo\r\r\nthree"), line;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(str_next_line(&rest, &line));
        assert_str(line, wanted[i]);
    }
    assert_false(str_next_line(&rest, &line));
}

static void words_are_what_white_space_parts(void **state)
{
    (void)state;
    static const char *const wanted[] = {"one", "two", "three"};
    str rest = S("  one two\t\n three "), word;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(str_next_word(&rest, &word));
        assert_str(word, wanted[i]);
    }
    assert_false(str_next_word(&rest, &word));
}

static void a_number_has_1_to_18_digits_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {{"0", true, 0},
                 {"007", true, 7},
                 {"999999999999999999", true, 999999999999999999},
                 {"1000000000000000000", false, 0},
                 {"", false, 0},
                 {"-1", false, 0},
                 {"+1", false, 0},
                 {" 1", false, 0},
                 {"1a", false, 0},
                 {"1.0", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = -7;
        assert_int_equal(str_to_int(str_of(cases[i].text), &value), cases[i].good);
        assert_int_equal(value, cases[i].good ? cases[i].value : -7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_is_clamped_to_the_text),
        cmocka_unit_test(an_empty_text_equals_any_other_empty_text),
        cmocka_unit_test(order_is_by_bytes_and_the_shorter_of_equals_comes_first),
        cmocka_unit_test(only_ascii_white_space_is_trimmed),
        cmocka_unit_test(what_is_not_found_is_at_the_end),
        cmocka_unit_test(ascii_letters_compare_without_case),
        cmocka_unit_test(lines_come_without_their_ends_and_the_last_needs_none),
        cmocka_unit_test(words_are_what_white_space_parts),
        cmocka_unit_test(a_number_has_1_to_18_digits_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
