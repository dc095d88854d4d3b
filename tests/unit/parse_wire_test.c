/* Questions and answers on lines, packed and read again, and what damage does to them. */
#include "server/parse_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef01234567"

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    return 0;
}

static str path_of(size_t bytes)
{
    char *path = arena_bytes(&arena, bytes + 1);
    memset(path, 'x', bytes);
    return str_from(path, bytes);
}

static str packed_ask(struct wire_blame ask)
{
    struct buf b = {0};
    wire_write_blame(&b, &ask);
    str out = arena_str(&arena, buf_str(&b));
    buf_free(&b);
    return out;
}

static str packed(const struct wire_blamed *answer)
{
    struct buf b = {.max_bytes = MAX_BLAMED_BYTES};
    wire_write_blamed(&b, answer);
    assert_false(b.overflow);
    str out = arena_str(&arena, buf_str(&b));
    buf_free(&b);
    return out;
}

static bool reads(const struct wire_blamed *answer)
{
    struct wire_blamed out;
    return wire_read_blamed(&arena, packed(answer), &out);
}

static void a_question_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct wire_blame out;
    assert_true(wire_read_blame(packed_ask((struct wire_blame){S("/shop"), S("a.c"), 120}), &out));
    assert_true(str_eq(out.root, S("/shop")) && str_eq(out.path, S("a.c")) && out.line == 120);
    assert_true(wire_read_blame(
        packed_ask((struct wire_blame){S("/"), path_of(MAX_BLAME_PATH_BYTES), 0}), &out));
    assert_false(wire_read_blame(
        packed_ask((struct wire_blame){S("/"), path_of(MAX_BLAME_PATH_BYTES + 1), 0}), &out));
    assert_false(wire_read_blame(packed_ask((struct wire_blame){S("/"), S(""), 1}), &out));
}

static struct wire_blamed two_makers(void)
{
    static struct wire_maker makers[] = {{{ID, 40}, {"a.c", 3}, false},
                                         {{ID, 40}, {"old/a.c", 7}, true}};
    static struct wire_made lines[] = {{1, 7}, {NO_MAKER, 0}, {0, 1}};
    return (struct wire_blamed){.head = {ID, 40},
                                .line_at_head = 3,
                                .makers = makers,
                                .maker_count = 2,
                                .lines = lines,
                                .line_count = 3};
}

static void an_answer_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct wire_blamed answer = two_makers(), out;
    assert_true(wire_read_blamed(&arena, packed(&answer), &out));
    assert_int_equal(out.line_at_head, 3);
    assert_int_equal(out.maker_count, 2);
    assert_int_equal(out.line_count, 3);
    assert_true(str_eq(out.makers[1].path, S("old/a.c")) && out.makers[1].is_cut);
    assert_true(out.lines[0].maker == 1 && out.lines[0].line == 7);
    assert_true(out.lines[1].maker == NO_MAKER);
}

static void what_is_cut_or_too_long_is_refused(void **state)
{
    (void)state;
    struct wire_blamed answer = two_makers(), out;
    struct wire_blame ask;
    str whole = packed(&answer), question = packed_ask((struct wire_blame){S("/"), S("a"), 1});
    for (size_t bytes = 0; bytes < whole.len; bytes++)
        assert_false(wire_read_blamed(&arena, str_cut(whole, 0, bytes), &out));
    for (size_t bytes = 0; bytes < question.len; bytes++)
        assert_false(wire_read_blame(str_cut(question, 0, bytes), &ask));
    str longer = arena_printf(&arena, "%.*s!", FMT(question));
    longer.len = question.len + 1;
    assert_false(
        wire_read_blame(str_from(arena_bytes(&arena, whole.len + 1), whole.len + 1), &ask));
    assert_false(wire_read_blame(longer, &ask));
}

static void any_bytes_are_read_or_refused(void **state)
{
    (void)state;
    struct wire_blamed answer = two_makers(), out;
    str whole = packed(&answer);
    char *damaged = arena_bytes(&arena, whole.len);
    for (size_t at = 0; at < whole.len; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(damaged, whole.at, whole.len);
            damaged[at] ^= (char)(1 << bit);
            if (!wire_read_blamed(&arena, str_from(damaged, whole.len), &out))
                continue;
            for (size_t i = 0; i < out.line_count; i++)
                assert_true(out.lines[i].maker == NO_MAKER ||
                            (out.lines[i].maker < out.maker_count && out.lines[i].line > 0));
            for (size_t i = 0; i < out.maker_count; i++)
                assert_true(out.makers[i].id.len == 40 && out.makers[i].path.len > 0);
        }
}

static void what_no_worker_can_have_found_is_refused(void **state)
{
    (void)state;
    struct wire_maker maker = {S(ID), S("a.c"), false};
    struct wire_made line = {0, 1};
    struct wire_blamed answer = {
        .makers = &maker, .maker_count = 1, .lines = &line, .line_count = 1};
    assert_true(reads(&answer));
    line.maker = 1; /* there is no second */
    assert_false(reads(&answer));
    line = (struct wire_made){0, 0};
    assert_false(reads(&answer));
    line.line = 1;
    static const char *const ids[] = {"", "0123456", "0123456789ABCDEF0123456789abcdef01234567",
                                      "../3456789abcdef0123456789abcdef01234567", ID "0"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        maker.id = str_of(ids[i]);
        assert_false(reads(&answer));
    }
    maker = (struct wire_maker){S(ID), S(""), false};
    assert_false(reads(&answer));
    maker.path = path_of(MAX_BLAME_PATH_BYTES);
    assert_true(reads(&answer));
    maker.path = path_of(MAX_BLAME_PATH_BYTES + 1);
    assert_false(reads(&answer));
}

static void as_many_lines_as_a_file_may_have_are_read(void **state)
{
    (void)state;
    struct wire_maker maker = {S(ID), S("a.c"), false};
    struct wire_made *lines = ARENA_ARRAY(&arena, struct wire_made, MAX_BLAMED_LINES + 1);
    for (size_t i = 0; i <= MAX_BLAMED_LINES; i++)
        lines[i] = (struct wire_made){0, (uint32_t)i + 1};
    struct wire_blamed answer = {
        .makers = &maker, .maker_count = 1, .lines = lines, .line_count = MAX_BLAMED_LINES};
    assert_true(reads(&answer));
    answer.line_count++;
    assert_false(reads(&answer));
}

static void ancestry_is_read_as_it_was_written_and_nothing_else(void **state)
{
    (void)state;
    uint8_t said[] = {WIRE_BEHIND_HEAD, WIRE_ABANDONED, WIRE_ON_OTHERS}, out[4];
    struct buf b = {0};
    wire_write_ancestry(&b, said, 3);
    assert_true(wire_read_ancestry(buf_str(&b), out, 3));
    assert_memory_equal(out, said, 3);
    assert_false(wire_read_ancestry(buf_str(&b), out, 2));
    assert_false(wire_read_ancestry(buf_str(&b), out, 4));
    said[1] = WIRE_ANCESTRY_COUNT;
    buf_clear(&b);
    wire_write_ancestry(&b, said, 3);
    assert_false(wire_read_ancestry(buf_str(&b), out, 3));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
        TEST(a_question_is_read_as_it_was_written),
        TEST(an_answer_is_read_as_it_was_written),
        TEST(what_is_cut_or_too_long_is_refused),
        TEST(any_bytes_are_read_or_refused),
        TEST(what_no_worker_can_have_found_is_refused),
        TEST(as_many_lines_as_a_file_may_have_are_read),
        TEST(ancestry_is_read_as_it_was_written_and_nothing_else),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
