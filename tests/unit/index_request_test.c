#include "server/index_request.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static str directory;

static int set_up(void **state)
{
    (void)state;
    char *path = arena_cstr(&arena, S("/tmp/engram-request-XXXXXX"));
    assert_non_null(mkdtemp(path));
    directory = str_of(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    str command = arena_printf(&arena, "rm -r '%.*s'", FMT(directory));
    int code = system(command.at);
    arena_free(&arena);
    return code;
}

static void put(const char *root)
{
    struct err e = {0};
    assert_true(index_request_put(directory, str_of(root), &e));
}

static size_t listed(str **roots)
{
    size_t count;
    index_request_list(&arena, directory, roots, &count);
    return count;
}

static void without_a_request_there_is_none(void **state)
{
    (void)state;
    str *roots;
    assert_int_equal(listed(&roots), 0);
    assert_false(index_request_is_open(directory, S("/a")));
}

static void requests_are_listed_once_and_in_order(void **state)
{
    (void)state;
    str *roots;
    put("/b");
    put("/a");
    put("/b");
    assert_int_equal(listed(&roots), 2);
    assert_true(str_eq(roots[0], S("/a")) && str_eq(roots[1], S("/b")));
    assert_true(index_request_is_open(directory, S("/a")));
    assert_false(index_request_is_open(directory, S("/c")));
}

static void a_request_is_open_until_its_run_ends(void **state)
{
    (void)state;
    str *roots;
    put("/a");
    index_request_begin(directory, S("/a"));
    assert_int_equal(listed(&roots), 1); /* an interrupted run is found again */
    assert_true(index_request_is_open(directory, S("/a")));
    index_request_begin(directory, S("/a")); /* by the next one */
    index_request_end(directory, S("/a"));
    assert_int_equal(listed(&roots), 0);
    assert_false(index_request_is_open(directory, S("/a")));
}

static void what_is_asked_during_a_run_is_asked_for_the_next(void **state)
{
    (void)state;
    str *roots;
    put("/a");
    index_request_begin(directory, S("/a"));
    put("/a");
    assert_int_equal(listed(&roots), 1);
    index_request_end(directory, S("/a"));
    assert_int_equal(listed(&roots), 1);
}

static void files_that_are_no_requests_are_left_out(void **state)
{
    (void)state;
    static const char *const contents[] = {"", "relative/path"};
    str *roots;
    put("/a");
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        str path = arena_printf(&arena, "%.*s/index/%zu.ask", FMT(directory), i);
        int fd = open(path.at, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(write(fd, contents[i], strlen(contents[i])), strlen(contents[i]));
        close(fd);
    }
    assert_int_equal(
        symlink("/etc/passwd", arena_printf(&arena, "%.*s/index/l.ask", FMT(directory)).at), 0);
    assert_int_equal(mkfifo(arena_printf(&arena, "%.*s/index/f.run", FMT(directory)).at, 0600), 0);
    assert_int_equal(listed(&roots), 1);
    assert_true(str_eq(roots[0], S("/a")));
}

static void no_more_than_the_most_are_listed(void **state)
{
    (void)state;
    str *roots;
    for (int i = 0; i <= MAX_INDEX_REQUESTS; i++)
        put(arena_printf(&arena, "/root/%d", i).at);
    assert_int_equal(listed(&roots), MAX_INDEX_REQUESTS);
}

static void a_folder_that_can_not_be_written_is_named(void **state)
{
    (void)state;
    struct err e = {0};
    assert_false(index_request_put(S("/nowhere/at/all"), S("/a"), &e));
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "/nowhere/at/all/index/"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(without_a_request_there_is_none),
        TEST(requests_are_listed_once_and_in_order),
        TEST(a_request_is_open_until_its_run_ends),
        TEST(what_is_asked_during_a_run_is_asked_for_the_next),
        TEST(files_that_are_no_requests_are_left_out),
        TEST(no_more_than_the_most_are_listed),
        TEST(a_folder_that_can_not_be_written_is_named),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
