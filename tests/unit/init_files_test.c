/* Which files of a project are read first, in what order, and where that ends. */
#include "server/init_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/scratch.h"

struct listing {
    struct init_file *files;
    size_t count, unseen, wanted;
};

static struct listing list(void)
{
    struct listing l = {0};
    struct err e = {0};
    if (!init_files_list(&arena, str_of(at(".")), &l.files, &l.count, &l.unseen, &e))
        fail_msg("%s", e.text);
    for (size_t i = 0; i < l.count; i++)
        l.wanted += !l.files[i].why.len;
    return l;
}

static const char *why(const struct listing *l, const char *path)
{
    for (size_t i = 0; i < l->count; i++)
        if (str_eq(l->files[i].path, str_of(path)))
            return arena_cstr(&arena, l->files[i].why);
    fail_msg("%s isn't listed", path);
    return NULL;
}

static void what_tells_most_comes_first_then_by_path(void **state)
{
    (void)state;
    static const char *const order[] = {
        "README.de.md",
        "README.md",
        "CLAUDE.md",
        "AGENTS.md",
        ".github/copilot-instructions.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "adr/0001-a.md",
        "docs/adr/2.md",
        "docs/b.md",
        "docs/z/a.md",
    };
    sh("mkdir -p .github docs/adr docs/z adr\n"
       "for f in docs/z/a.md docs/b.md docs/adr/2.md adr/0001-a.md CHANGELOG.md CONTRIBUTING.md"
       " AGENTS.md CLAUDE.md README.md README.de.md .github/copilot-instructions.md; do"
       " echo text > $f; done\n: > docs/empty.md");
    struct listing l = list();
    assert_int_equal(l.count, sizeof order / sizeof *order + 1);
    for (size_t i = 0; i + 1 < l.count; i++)
        assert_string_equal(arena_cstr(&arena, l.files[i].path), order[i]);
    assert_string_equal(why(&l, "docs/empty.md"), "empty"); /* what is left out stands last */
    assert_true(l.files[7].may_be_decision && l.files[8].may_be_decision);
    assert_false(l.files[9].may_be_decision);
}

static void a_file_at_the_limit_is_read_and_one_byte_more_is_not(void **state)
{
    (void)state;
    sh(arena_printf(&arena, "mkdir docs; truncate -s %d docs/at.md; truncate -s %d docs/over.md",
                    MAX_INIT_FILE_BYTES, MAX_INIT_FILE_BYTES + 1)
           .at);
    struct listing l = list();
    assert_string_equal(why(&l, "docs/at.md"), "");
    assert_non_null(strstr(why(&l, "docs/over.md"), "larger than 2 MiB"));
}

static void all_together_end_at_their_limit_and_smaller_ones_still_fit(void **state)
{
    (void)state;
    int full = MAX_INIT_BYTES / MAX_INIT_FILE_BYTES;
    sh(arena_printf(&arena,
                    "mkdir docs; for i in $(seq 10 %d); do truncate -s %d docs/$i.md; done\n"
                    "truncate -s %d docs/%d.md; echo > docs/zz.md",
                    10 + full - 1, MAX_INIT_FILE_BYTES, MAX_INIT_FILE_BYTES - 1, 10 + full - 1)
           .at);
    struct listing l = list(); /* one byte is left, which the last one has */
    assert_int_equal(l.wanted, full + 1);
    sh("echo x > docs/zz.md");
    l = list();
    assert_int_equal(l.wanted, full);
    assert_string_equal(why(&l, "docs/zz.md"), "beyond 24 MiB together");
}

static void files_end_at_their_number(void **state)
{
    (void)state;
    sh(arena_printf(&arena, "mkdir docs; for i in $(seq 1000 %d); do echo x > docs/$i.md; done",
                    1000 + MAX_INIT_FILES - 1)
           .at);
    assert_int_equal(list().wanted, MAX_INIT_FILES);
    sh("echo x > docs/2000.md");
    struct listing l = list();
    assert_int_equal(l.wanted, MAX_INIT_FILES);
    assert_string_equal(why(&l, "docs/2000.md"), "beyond 300 files");
    sh(arena_printf(&arena, "for i in $(seq 3000 %d); do echo x > docs/$i.md; done",
                    3000 + MAX_INIT_FILES - 1)
           .at);
    l = list(); /* of those left out as many are told */
    assert_int_equal(l.count, 2 * MAX_INIT_FILES);
    assert_int_equal(l.unseen, 1);
}

static void folders_end_at_their_depth(void **state)
{
    (void)state;
    sh("mkdir -p docs/2/3/4/5/6/7; echo x > docs/2/3/4/5/6/at.md; echo x > docs/2/3/4/5/6/7/b.md");
    struct listing l = list();
    assert_int_equal(l.count, 1);
    assert_string_equal(why(&l, "docs/2/3/4/5/6/at.md"), "");
    assert_int_equal(l.unseen, 1);
}

/* Each entry is looked at twice, the root's one among them. */
static void looking_ends_at_its_entries(void **state)
{
    (void)state;
    sh(arena_printf(&arena, "mkdir docs; cd docs; seq -f x%%g.c 1 %d | xargs touch",
                    MAX_INIT_ENTRIES / 2 - 1)
           .at);
    assert_int_equal(list().unseen, 0);
    sh("touch docs/y.c");
    assert_true(list().unseen > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(what_tells_most_comes_first_then_by_path),
        SCRATCH_TEST(a_file_at_the_limit_is_read_and_one_byte_more_is_not),
        SCRATCH_TEST(all_together_end_at_their_limit_and_smaller_ones_still_fit),
        SCRATCH_TEST(files_end_at_their_number),
        SCRATCH_TEST(folders_end_at_their_depth),
        SCRATCH_TEST(looking_ends_at_its_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
