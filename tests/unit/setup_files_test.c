#include "server/setup/target.h"
#include "server/setup/text_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/scratch.h"

static void who_writes_meanwhile_wins(void **state)
{
    (void)state;
    struct err e = {0};
    struct target t;
    size_t folders;
    sh("printf one >a");
    assert_true(target_read(&arena, str_of(at("a")), S(""), &t, &e));
    sh("printf other >a");
    assert_false(target_write(&arena, &t, S("two"), true, &folders, &e));
    assert_int_equal(e.code, ERR_CONFLICT);
    e = (struct err){0};
    assert_false(target_remove(&arena, &t, 0, &e));
    assert_int_equal(e.code, ERR_CONFLICT);
    e = (struct err){0};
    assert_true(target_read(&arena, str_of(at("a")), S(""), &t, &e));
    assert_true(str_eq(t.text, S("other")));
    assert_true(target_write(&arena, &t, S("two"), true, &folders, &e));
}

static void folders_that_were_made_are_removed_again(void **state)
{
    (void)state;
    struct err e = {0};
    struct target t;
    size_t folders;
    str path = str_of(at("b/c/d"));
    assert_true(target_read(&arena, path, S(""), &t, &e));
    assert_null(t.text.at);
    assert_true(target_write(&arena, &t, S("x"), true, &folders, &e));
    assert_int_equal(folders, 2);
    assert_true(target_read(&arena, path, S(""), &t, &e));
    assert_true(target_remove(&arena, &t, folders, &e));
    assert_int_not_equal(access(at("b"), F_OK), 0);
    assert_int_equal(access(at(""), F_OK), 0);
}

struct diff_case {
    const char *before, *after, *diff;
};

static void diffs_are_as_patch_reads_them(void **state)
{
    (void)state;
    static const struct diff_case cases[] = {
        {"a\n", "a\n", ""},
        {NULL, "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"},
        {"a\n", NULL, "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
        {"a", "a\nb",
         "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline "
         "at end "
         "of file\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
         "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
        {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "x\n1\n2\n3\n4\n5\n6\n7\ny\n",
         "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n "
         "7\n-b\n+y\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str before = cases[i].before ? str_of(cases[i].before) : (str){NULL, 0};
        str after = cases[i].after ? str_of(cases[i].after) : (str){NULL, 0};
        str diff = text_diff(&arena, before, after, S("f"));
        if (!str_eq(diff, str_of(cases[i].diff)))
            fail_msg("is\n%.*s\nwanted\n%s", FMT(diff), cases[i].diff);
    }
}

int main(void)
{
    scratch_set_up_git();
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(who_writes_meanwhile_wins),
        SCRATCH_TEST(folders_that_were_made_are_removed_again),
        SCRATCH_TEST(diffs_are_as_patch_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
