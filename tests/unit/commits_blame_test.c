/* Lines followed back through histories, as git blames them. */
#include "parsers/commit_object.h"
#include "parsers/parsers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/commits_world.h"

enum { MAX_BLAMED = 64 };

/* *was: what is known of an earlier version; gets what is found. */
static struct commit_blame *blame_behind(const char *root, const char *path, const str *content,
                                         size_t count, struct blame_known *was)
{
    size_t lines[MAX_BLAMED];
    struct commit_blame *out = ARENA_ARRAY(&arena, struct commit_blame, MAX_BLAMED);
    str note;
    struct err e = {0};
    struct blame_ask ask = {str_of(root), str_of(path), content, lines, count, *was};
    assert_true(count <= MAX_BLAMED);
    for (size_t i = 0; i < count; i++)
        lines[i] = i + 1;
    if (!commits_blame(&arena, &ask, out, &was->id, &note, &e))
        fail_msg("%s: %s", path, e.text);
    was->lines = out;
    was->count = count;
    return out;
}

/* "commit path line" for each of the lines 1 to `count`; "-" for one without an answer, "cut"
 * behind one whose history ends. */
static const char *told(const struct commit_blame *out, size_t count)
{
    str text = S("");
    for (size_t i = 0; i < count; i++)
        text = out[i].id.len
                   ? arena_printf(&arena, "%.*s%.*s %.*s %zu%s\n", FMT(text), FMT(out[i].id),
                                  FMT(out[i].path), out[i].line, out[i].is_cut ? " cut" : "")
                   : arena_printf(&arena, "%.*s-\n", FMT(text));
    return arena_cstr(&arena, text);
}

static const char *blamed(const char *root, const char *path, const str *content, size_t count)
{
    return told(blame_behind(root, path, content, count, &(struct blame_known){0}), count);
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static const char as_git_blames[] =
    "git blame --line-porcelain %s -- %.*s | awk "
    "'/^\t/ {print id, file, line; next} length($1) == 40 {id = $1; "
    "line = $2} /^filename / {file = $2}'";

static size_t line_at_head(const char *path, const str *content, size_t line)
{
    size_t out;
    str note;
    struct err e = {0};
    if (!commits_line_at_head(&arena, str_of(at("")), str_of(path), content, line, &out, &note, &e))
        fail_msg("%s: %s", path, e.text);
    return out;
}

/* No two lines of these histories are the same, so that there is one right answer. */
static void lines_are_blamed_as_git_blames_them(void **state)
{
    (void)state;
    sh(random_history);
    str files = str_of(told_by("git ls-files")), file;
    size_t blamed_lines = 0, moved = 0;
    while (str_next_line(&files, &file)) {
        const char *git = told_by(arena_printf(&arena, as_git_blames, "", FMT(file)).at);
        assert_string_equal(blamed(at(""), arena_cstr(&arena, file), NULL, count_lines(git)), git);
        blamed_lines += count_lines(git);
        moved += strstr(arena_cstr(&arena, file), "moved/") != NULL;
    }
    assert_true(blamed_lines > 30 && moved > 0);
}

static void what_is_known_of_an_earlier_version_is_what_is_found_anyway(void **state)
{
    (void)state;
    sh(random_history);
    str files = str_of(told_by("git ls-files")), file;
    sh("git checkout -q --detach main~2");
    size_t known = 0, lines = count_lines(told_by("git ls-files"));
    struct blame_known *was = ARENA_ARRAY(&arena, struct blame_known, 1000);
    for (str rest = files; str_next_line(&rest, &file); known++)
        blame_behind(at(""), arena_cstr(&arena, file), NULL, MAX_BLAMED, &was[known]);
    sh("git checkout -q main");
    known = 0;
    for (str rest = files; str_next_line(&rest, &file); known++) {
        const char *git = told_by(arena_printf(&arena, as_git_blames, "", FMT(file)).at);
        size_t count = count_lines(git);
        const char *path = arena_cstr(&arena, file);
        assert_string_equal(told(blame_behind(at(""), path, NULL, count, &was[known]), count), git);
    }
    assert_true(known > 3 && lines > 3);
}

static void the_way_back_ends_at_what_is_known(void **state)
{
    (void)state;
    sh("git init -q . && printf 'a\nb\n' >f && git add . && git commit -qm 1");
    struct commit_blame lines[] = {{S("x"), S("f"), 7, false}};
    str before = str_of(told_by("printf %s $(git rev-parse HEAD)"));
    struct blame_known was = {before, lines, 1};
    sh("printf 'new\na\nb\n' >f && git commit -qam 2");
    const char *head = told_by("git rev-parse HEAD");
    assert_string_equal(told(blame_behind(at(""), "f", NULL, 3, &was), 3),
                        arena_printf(&arena, "%.40s f 1\nx f 7\n%.*s f 2\n", head, FMT(before)).at);
    assert_true(str_eq(was.id, str_from(head, 40)));
}

static void a_file_that_changed_as_it_moved_is_followed(void **state)
{
    (void)state;
    sh("git init -q . && printf '1\\n2\\n3\\n4\\n5\\n6\\n' >a.c && printf 'x\\ny\\nz\\n' >b.c\n"
       "git add . && git commit -qm 1 && mkdir d && git mv a.c d/new.c && git rm -q b.c\n"
       "printf '1\\n2\\nthree\\n4\\n5\\n6\\n' >d/new.c && git add . && git commit -qm 2");
    const char *git = told_by(arena_printf(&arena, as_git_blames, "", FMT(S("d/new.c"))).at);
    assert_non_null(strstr(git, " a.c 4"));
    assert_string_equal(blamed(at(""), "d/new.c", NULL, 6), git);
}

static void lines_that_are_not_committed_have_no_commit(void **state)
{
    (void)state;
    sh("git init -q . && printf 'a\\nb\\nc\\n' >f && git add . && git commit -qm 1");
    const char *head = told_by("git rev-parse HEAD");
    str content = S("new\na\nB\nc\nlast\n");
    assert_string_equal(
        blamed(at(""), "f", &content, 7),
        arena_printf(&arena, "-\n%.40s f 1\n-\n%.40s f 3\n-\n-\n-\n", head, head).at);
    static const size_t wanted[] = {0, 1, 0, 3, 0, 0};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(line_at_head("f", &content, i + 1), wanted[i]);
    assert_int_equal(line_at_head("f", NULL, 3), 3);
    assert_int_equal(line_at_head("f", NULL, 4), 0);
    assert_int_equal(line_at_head("nothing", NULL, 1), 0);
    assert_string_equal(blamed(at(""), "nothing", NULL, 1), "-\n");
    assert_string_equal(blamed(at(""), "", NULL, 1), "-\n");
    assert_string_equal(blamed(at("../nowhere"), "f", NULL, 1), "-\n");
}

static void a_line_older_than_a_shallow_clone_is_cut(void **state)
{
    (void)state;
    sh(arena_printf(&arena,
                    "%s(cd ../full && echo 6 >>f && git commit -qam 6)\n"
                    "git clone -q --depth 2 $full .",
                    five_commits)
           .at);
    const char *ids = told_by("git rev-parse HEAD~1 HEAD");
    assert_string_equal(blamed(at(""), "f", NULL, 2),
                        arena_printf(&arena, "%.40s f 1 cut\n%.40s f 2\n", ids, ids + 41).at);
}

static void a_line_of_a_commit_beyond_the_bound_is_cut(void **state)
{
    (void)state;
    make_commit_of(MAX_COMMIT_BYTES);
    const char *ids = told_by("git rev-parse HEAD~1 HEAD");
    assert_string_equal(blamed(at(""), "f", NULL, 2),
                        arena_printf(&arena, "%.40s f 1\n%.40s f 2\n", ids, ids + 41).at);
    make_commit_of(MAX_COMMIT_BYTES + 1);
    ids = told_by("git rev-parse HEAD");
    assert_string_equal(blamed(at(""), "f", NULL, 2),
                        arena_printf(&arena, "%.40s f 1 cut\n%.40s f 2 cut\n", ids, ids).at);
}

static void what_was_cut_is_looked_for_again(void **state)
{
    (void)state;
    sh(arena_printf(&arena,
                    "%s(cd ../full && for i in 6 7; do echo $i >>f && git commit -qam $i; done)\n"
                    "git clone -q --depth 2 $full .",
                    five_commits)
           .at);
    struct blame_known was = {0};
    assert_non_null(strstr(told(blame_behind(at(""), "f", NULL, 3, &was), 3), " f 1 cut\n"));
    sh("git fetch -q --unshallow && echo 8 >>f && git commit -qam 8");
    const char *git = told_by(arena_printf(&arena, as_git_blames, "", FMT(S("f"))).at);
    assert_string_equal(told(blame_behind(at(""), "f", NULL, 4, &was), 4), git);
}

int main(void)
{
    scratch_set_up_git();
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(lines_are_blamed_as_git_blames_them),
        SCRATCH_TEST(what_is_known_of_an_earlier_version_is_what_is_found_anyway),
        SCRATCH_TEST(the_way_back_ends_at_what_is_known),
        SCRATCH_TEST(a_file_that_changed_as_it_moved_is_followed),
        SCRATCH_TEST(lines_that_are_not_committed_have_no_commit),
        SCRATCH_TEST(a_line_older_than_a_shallow_clone_is_cut),
        SCRATCH_TEST(a_line_of_a_commit_beyond_the_bound_is_cut),
        SCRATCH_TEST(what_was_cut_is_looked_for_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
