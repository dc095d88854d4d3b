#include "parsers/patterns.h"

#include "memory/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void globs_fit_as_git_says(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool fits;
    } rows[] = {
        {"foo", "foo", true},
        {"foo", "foo2", false},
        {"f*o", "fo", true},
        {"f*o", "f/o", false},
        {"*", "", true},
        {"*", "a/b", false},
        {"?", "a", true},
        {"?", "/", false},
        {"a?c", "abc", true},
        {"*a*b*c", "xxaxxbxxbxc", true},
        {"*a*b*c", "xxaxxbxxbx", false},
        {"[abc]x", "bx", true},
        {"[!abc]x", "bx", false},
        {"[^abc]x", "dx", true},
        {"[a-c]x", "bx", true},
        {"[a-]x", "-x", true},
        {"[]]x", "]x", true},
        {"[!]]x", "]x", false},
        {"[[:digit:]]x", "7x", true},
        {"[[:digit:]]x", "ax", false},
        {"[[:space:][:upper:]]x", "Ax", true},
        {"[ab", "a", false},
        {"[!x]", "/", false},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"[\\]]", "]", true},
        {"**/foo", "foo", true},
        {"**/foo", "a/foo", true},
        {"**/foo", "a/b/foo", true},
        {"**/foo", "a/xfoo", false},
        {"a/**", "a/b", true},
        {"a/**", "a/b/c", true},
        {"a/**", "a", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/xb", false},
        {"a/**/b/*.c", "a/b/b/x/b/y.c", true},
        {"a/**/b/**/c", "a/1/b/2/b/c", true},
        {"a**b", "axxb", true},
        {"a**b", "ax/xb", false},
        {"**", "a/b", true},
        {"", "", true},
        {"", "a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (glob_match(str_of(rows[i].pattern), str_of(rows[i].path)) != rows[i].fits)
            fail_msg("\"%s\" on \"%s\": wanted %d", rows[i].pattern, rows[i].path, rows[i].fits);
}

/* Backtracking over all stars would take longer than anyone waits. */
static void many_stars_take_no_time(void **state)
{
    (void)state;
    char pattern[MAX_PATTERN_BYTES], path[4000];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[sizeof pattern - 1] = 'b';
    memset(path, 'a', sizeof path);
    assert_false(glob_match(str_from(pattern, sizeof pattern), str_from(path, sizeof path)));
    static const char folders[] = "**/a*a/**/a*a/**/a*a/**/a*a/**/a*a/**/a*a/**/b";
    for (size_t i = 3; i < sizeof path; i += 4)
        path[i] = '/';
    assert_false(glob_match(str_of(folders), str_from(path, sizeof path)));
}

static void a_list_says_what_its_last_rule_says(void **state)
{
    (void)state;
    struct arena a = {0};
    static const char outer_text[] = "\xEF\xBB\xBF*.log\r\n"
                                     "# comment\n"
                                     "\\#hash\n"
                                     "!keep.log\n"
                                     "build/\n"
                                     "/top\n"
                                     "a/b\n"
                                     "trailing   \n"
                                     "held\\ \n"
                                     "\n"
                                     "!\n"
                                     "/\n";
    static const char inner_text[] = "!*.log\nlocal\n/anchored\n";
    const struct pattern_list *outer = patterns_of_ignore_file(&a, 0, str_of(outer_text), NULL);
    const struct pattern_list *inner = patterns_of_ignore_file(&a, 4, str_of(inner_text), outer);
    static const struct {
        const char *path;
        bool inner, folder;
        enum verdict wanted;
    } rows[] = {
        {"x.log", false, false, VERDICT_YES},          {"d/x.log", false, false, VERDICT_YES},
        {"keep.log", false, false, VERDICT_NO},        {"#hash", false, false, VERDICT_YES},
        {"build", false, true, VERDICT_YES},           {"build", false, false, VERDICT_NONE},
        {"d/build", false, true, VERDICT_YES},         {"top", false, false, VERDICT_YES},
        {"d/top", false, false, VERDICT_NONE},         {"a/b", false, false, VERDICT_YES},
        {"d/a/b", false, false, VERDICT_NONE},         {"trailing", false, false, VERDICT_YES},
        {"held ", false, false, VERDICT_YES},          {"held", false, false, VERDICT_NONE},
        {"sub/x.log", true, false, VERDICT_NO},        {"sub/local", true, false, VERDICT_YES},
        {"sub/q/local", true, true, VERDICT_YES},      {"sub/anchored", true, false, VERDICT_YES},
        {"sub/q/anchored", true, false, VERDICT_NONE}, {"sub/build", true, true, VERDICT_YES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pattern_list *list = rows[i].inner ? inner : outer;
        if (patterns_ask(list, str_of(rows[i].path), rows[i].folder) != rows[i].wanted)
            fail_msg("%s: wanted %d", rows[i].path, rows[i].wanted);
    }
    assert_true(patterns_include(inner, VERDICT_NO));
    assert_ptr_equal(patterns_of_ignore_file(&a, 0, S("# nothing\n"), outer), outer);
    arena_free(&a);
}

static void attributes_are_set_unset_and_taken_back(void **state)
{
    (void)state;
    struct arena a = {0};
    static const char text[] = "# comment\n"
                               "*.gen linguist-generated\n"
                               "api/** linguist-generated=true -diff\n"
                               "api/hand.c -linguist-generated\n"
                               "api/hand2.c linguist-generated=false\n"
                               "api/back.c !linguist-generated\n"
                               "*.txt text linguist-generatedx\n"
                               "[attr]generated linguist-generated\n"
                               "[Mm]ade.c text linguist-generated\n"
                               "\"quo ted\" linguist-generated\n"
                               "only-a-pattern\n";
    const struct pattern_list *list =
        patterns_of_attribute(&a, 0, str_of(text), S("linguist-generated"), NULL);
    static const struct {
        const char *path;
        enum verdict wanted;
    } rows[] = {{"x.gen", VERDICT_YES},       {"api/x/y.c", VERDICT_YES},
                {"api/hand.c", VERDICT_NO},   {"api/hand2.c", VERDICT_NO},
                {"api/back.c", VERDICT_NONE}, {"x.txt", VERDICT_NONE},
                {"Made.c", VERDICT_YES},      {"only-a-pattern", VERDICT_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (patterns_ask(list, str_of(rows[i].path), false) != rows[i].wanted)
            fail_msg("%s: wanted %d", rows[i].path, rows[i].wanted);
    arena_free(&a);
}

static void a_list_is_bounded(void **state)
{
    (void)state;
    struct arena a = {0};
    struct buf text = {0};
    for (int i = 0; i <= MAX_PATTERNS; i++)
        buf_printf(&text, "p%d\n", i);
    const struct pattern_list *list = patterns_of_ignore_file(&a, 0, buf_str(&text), NULL);
    assert_int_equal(list->count, MAX_PATTERNS);
    buf_clear(&text);
    for (int i = 0; i < MAX_PATTERN_BYTES; i++)
        buf_add_char(&text, 'x');
    assert_non_null(patterns_of_ignore_file(&a, 0, buf_str(&text), NULL));
    buf_add_char(&text, 'x');
    assert_null(patterns_of_ignore_file(&a, 0, buf_str(&text), NULL));
    buf_free(&text);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_fit_as_git_says),
        cmocka_unit_test(many_stars_take_no_time),
        cmocka_unit_test(a_list_says_what_its_last_rule_says),
        cmocka_unit_test(attributes_are_set_unset_and_taken_back),
        cmocka_unit_test(a_list_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
