#include "parsers/line_diff.h"

#include "memory/base/arena.h"
#include "memory/base/buf.h"

#include <git2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void lines_are_counted_with_one_that_has_no_end(void **state)
{
    (void)state;
    assert_int_equal(line_count(S("")), 0);
    assert_int_equal(line_count(S("a")), 1);
    assert_int_equal(line_count(S("a\n")), 1);
    assert_int_equal(line_count(S("a\n\nb")), 3);
}

/* Lines [from, to) of a text, counted from 1. */
static str lines_of(str text, size_t from, size_t to)
{
    size_t line = 1, start = 0;
    for (; line < from && start < text.len; line++)
        start = str_find_char(text, '\n', start) + 1;
    size_t end = start;
    for (; line < to && end < text.len; line++)
        end = str_find_char(text, '\n', end) + 1;
    return str_cut(text, start, end);
}

struct patch {
    str before, behind;
    struct buf out;
    size_t line; /* of the text before: the first that isn't in `out` yet */
    size_t hunks;
};

static bool apply(void *ctx, const struct line_hunk *h)
{
    struct patch *p = ctx;
    size_t old = h->old_start + !h->old_count, new = h->new_start + !h->new_count;
    assert_true(old >= p->line && h->old_count + h->new_count > 0);
    buf_add(&p->out, lines_of(p->before, p->line, old));
    buf_add(&p->out, lines_of(p->behind, new, new + h->new_count));
    p->line = old + h->old_count;
    p->hunks++;
    return true;
}

static str random_text(struct arena *a)
{
    static const char *const lines[] = {"a",
                                        "ba",
                                        "aba",
                                        "",
                                        "b",
                                        "ab",
                                        "a long one of more than "
                                        "sixty-four bytes, so that steps are taken over it"};
    str text = S("");
    for (int n = rand() % 9; n > 0; n--)
        text = arena_printf(a, "%.*s%s\n", FMT(text),
                            lines[(size_t)rand() % (sizeof lines / sizeof *lines)]);
    return str_cut(text, 0, text.len - (text.len && rand() % 3 == 0));
}

/* Whatever the hunks are: with them the text before becomes the text behind. */
static void hunks_turn_one_text_into_the_other(void **state)
{
    (void)state;
    struct arena a = {0};
    srand(3);
    for (int round = 0; round < 20000; round++) {
        struct patch p = {.before = random_text(&a), .behind = random_text(&a), .line = 1};
        line_diff(p.before, p.behind, apply, &p);
        buf_add(&p.out, lines_of(p.before, p.line, SIZE_MAX));
        if (!str_eq(buf_str(&p.out), p.behind))
            fail_msg("round %d:\n%.*s\n->\n%.*s\ngot\n%.*s", round, FMT(p.before), FMT(p.behind),
                     FMT(buf_str(&p.out)));
        assert_int_equal(p.hunks == 0, str_eq(p.before, p.behind));
        buf_free(&p.out);
        arena_free(&a);
    }
}

static bool once(void *ctx, const struct line_hunk *h)
{
    (void)h;
    ++*(int *)ctx;
    return false;
}

static void a_visit_can_end_the_diff(void **state)
{
    (void)state;
    int seen = 0;
    line_diff(S("a\nx\nb\nx\nc\n"), S("A\nx\nB\nx\nC\n"), once, &seen);
    assert_int_equal(seen, 1);
}

int main(void)
{
    git_libgit2_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_counted_with_one_that_has_no_end),
        cmocka_unit_test(hunks_turn_one_text_into_the_other),
        cmocka_unit_test(a_visit_can_end_the_diff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
