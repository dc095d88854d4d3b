#include "parsers/passages.h"

#include "memory/text.h"
#include "parsers/parsers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A document is written down block by block: a heading by its level, anything else by its kind,
 * depth and size. */
struct spec {
    enum block_kind kind;
    int number; /* level of a heading, depth of another block */
    size_t tokens;
};

#define H(level)                                                                                   \
    {                                                                                              \
        BLOCK_HEADING, level, 0                                                                    \
    }
#define T(tokens)                                                                                  \
    {                                                                                              \
        BLOCK_TEXT, 1, tokens                                                                      \
    }
#define DEEP(tokens)                                                                               \
    {                                                                                              \
        BLOCK_TEXT, 3, tokens                                                                      \
    }
#define CODE(tokens)                                                                               \
    {                                                                                              \
        BLOCK_CODE, 1, tokens                                                                      \
    }
#define ROWS(tokens)                                                                               \
    {                                                                                              \
        BLOCK_ROWS, 1, tokens                                                                      \
    }
#define META                                                                                       \
    {                                                                                              \
        BLOCK_META, 0, 10                                                                          \
    }
#define END                                                                                        \
    {                                                                                              \
        BLOCK_TEXT, 0, 0                                                                           \
    }

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* Text of a few lines, sentences of ten words; code in groups of five lines behind a blank one;
 * rows of a line each. */
static void write_block(struct buf *out, enum block_kind kind, size_t tokens)
{
    size_t from = out->len;
    for (size_t i = 0;
         i == 0 || text_estimate_tokens(str_from(out->at + from, out->len - from)) < tokens; i++) {
        if (kind == BLOCK_TEXT || kind == BLOCK_META)
            buf_printf(out, "%s%zu%s",
                       i ? (i % 10   ? " "
                            : i % 30 ? ". "
                                     : ".\n")
                         : "",
                       1000 + i, i % 10 ? "" : " begins");
        else
            buf_printf(out, "%s%sline %zu of the block", i ? "\n" : "",
                       i && i % 5 == 0 && kind == BLOCK_CODE ? "\n" : "", i);
    }
}

static struct facts cut(const struct spec *spec)
{
    struct buf text = {0};
    struct outline o = {0};
    uint32_t line = 0;
    for (size_t i = 0; spec[i].number || spec[i].tokens || spec[i].kind != BLOCK_TEXT; i++) {
        struct block b = {
            .first = line, .kind = (uint8_t)spec[i].kind, .depth = (uint8_t)spec[i].number};
        size_t from = text.len;
        if (spec[i].kind == BLOCK_HEADING) {
            buf_printf(&text, "heading %zu", i);
            b.level = (uint8_t)spec[i].number;
            b.heading = outline_add_heading(&arena, &o, arena_printf(&arena, "h%zu", i));
        } else {
            write_block(&text, spec[i].kind, spec[i].tokens);
        }
        for (size_t k = from; k < text.len; k++)
            line += text.at[k] == '\n';
        b.last = line;
        outline_add(&o, b);
        buf_add(&text, S("\n\n"));
        line += 2;
    }
    struct lines l = lines_find(&arena, arena_str(&arena, buf_str(&text)));
    struct facts out = {.title = S("title")};
    struct err e = {0};
    if (!passages_cut(&arena, &l, &o, &out, &e))
        fail_msg("%s", e.text);
    outline_free(&o);
    buf_free(&text);
    return out;
}

/* The headings of the passages, separated by | . */
static const char *headings(const struct facts *f)
{
    struct buf out = {0};
    for (size_t i = 0; i < f->node_count; i++)
        buf_printf(&out, "%s%.*s", i ? "|" : "", FMT(f->nodes[i].heading));
    const char *text = arena_cstr(&arena, buf_str(&out));
    buf_free(&out);
    return text;
}

#define assert_headings(expected, ...)                                                             \
    do {                                                                                           \
        struct facts f_ = cut((const struct spec[]){__VA_ARGS__, END});                            \
        assert_string_equal(headings(&f_), expected);                                              \
    } while (0)

static void a_section_is_a_passage(void **state)
{
    (void)state;
    assert_headings("h0|h0 > h2|h0 > h4", H(1), T(200), H(2), T(200), H(2), T(200));
    assert_headings("", T(50));
    assert_headings("|h1", T(200), H(2), T(200));
}

static void small_sections_join_under_their_parent(void **state)
{
    (void)state;
    assert_headings("h0", H(1), T(50), H(2), T(50), H(2), T(50));
    assert_headings("h0", H(1), T(200), H(2), T(40), H(2), T(40));
    assert_headings("h0|h0 > h2", H(1), T(200), H(2), T(200), H(2), T(40));
}

static void a_heading_of_level_one_always_begins_a_passage(void **state)
{
    (void)state;
    assert_headings("h0|h2|h4", H(1), T(10), H(1), T(10), H(1), T(10));
    assert_headings("|h1", T(10), H(1), T(10));
}

static void a_small_section_does_not_join_its_uncle(void **state)
{
    (void)state;
    /* h4 belongs to h2, whose passage has no room; h6 is h2's sibling */
    assert_headings("h0|h0 > h2|h0 > h2 > h4|h0 > h6", H(1), T(200), H(2), CODE(700), H(3), T(50),
                    H(2), T(300));
}

static void headings_alone_lead_to_the_text_below(void **state)
{
    (void)state;
    assert_headings("h0 > h1 > h2", H(1), H(2), H(3), T(300));
    assert_headings("h0 > h1", H(1), H(2), CODE(700));
    assert_headings("h0", H(1));
    assert_headings("h0", H(1), H(2));
}

static void most_of_the_text_decides_on_the_heading(void **state)
{
    (void)state;
    assert_headings("h0 > h2", H(1), T(20), H(2), T(400));
    assert_headings("h0", H(1), T(90), H(2), T(300));
    assert_headings("h0 > h1", H(1), H(2), T(400), H(2), T(40));
}

static void front_matter_stays_alone(void **state)
{
    (void)state;
    assert_headings("|", META, T(20));
    assert_headings("|h1", META, H(2), T(20));
}

static void a_long_section_is_cut_near_the_size_aimed_at(void **state)
{
    (void)state;
    struct facts f = cut(
        (const struct spec[]){H(1), T(150), T(150), T(150), T(150), T(150), T(150), T(150), END});
    assert_int_equal(f.node_count, 3);
    for (size_t i = 0; i < f.node_count; i++)
        assert_in_range(text_estimate_tokens(f.nodes[i].body), PASSAGE_TOKENS / 4, PASSAGE_TOKENS);
}

static void what_is_left_over_joins_the_passage_before(void **state)
{
    (void)state;
    struct facts f = cut((const struct spec[]){T(240), T(240), T(60), END});
    assert_int_equal(f.node_count, 1);
    assert_in_range(text_estimate_tokens(f.nodes[0].body), PASSAGE_TOKENS, MAX_JOINED_TOKENS);
}

static void the_shallowest_block_in_the_second_half_begins_the_next_one(void **state)
{
    (void)state;
    struct facts f =
        cut((const struct spec[]){T(300), DEEP(60), T(60), DEEP(60), DEEP(60), DEEP(60), END});
    assert_int_equal(f.node_count, 2);
    assert_in_range(text_estimate_tokens(f.nodes[0].body), 355, 375); /* before the second T */
}

static void a_long_paragraph_is_cut_between_sentences(void **state)
{
    (void)state;
    struct facts f = cut((const struct spec[]){T(1300), END});
    assert_true(f.node_count >= 3);
    for (size_t i = 0; i + 1 < f.node_count; i++)
        assert_int_equal(f.nodes[i].body.at[f.nodes[i].body.len - 1], '.');
}

static void code_stays_whole_up_to_a_bound_and_is_then_cut_at_blank_lines(void **state)
{
    (void)state;
    struct facts whole = cut((const struct spec[]){T(50), CODE(700), T(50), END});
    assert_int_equal(whole.node_count, 1 + 1);
    struct facts parts = cut((const struct spec[]){CODE(1500), END});
    assert_true(parts.node_count >= 3);
    for (size_t i = 0; i < parts.node_count; i++) {
        unsigned number;
        assert_int_equal(sscanf(arena_cstr(&arena, parts.nodes[i].body), "line %u", &number), 1);
        assert_int_equal(number % 5, 0);
    }
}

static void a_table_is_cut_between_rows(void **state)
{
    (void)state;
    struct facts f = cut((const struct spec[]){ROWS(700), END});
    assert_int_equal(f.node_count, 2);
    assert_int_equal(f.nodes[1].line_start, f.nodes[0].line_end + 1);
}

static void what_has_no_bounds_is_cut_at_code_points(void **state)
{
    (void)state;
    enum { CHARACTERS = 4000 };
    char *bytes = arena_bytes(&arena, CHARACTERS * 3);
    for (size_t i = 0; i < CHARACTERS; i++)
        memcpy(bytes + 3 * i, "\xE8\xA8\x98", 3);
    struct lines l = lines_find(&arena, str_from(bytes, CHARACTERS * 3));
    struct outline o = {0};
    outline_add(&o, (struct block){.depth = 1});
    struct facts f = {.title = S("title")};
    struct err e = {0};
    assert_true(passages_cut(&arena, &l, &o, &f, &e));
    outline_free(&o);
    assert_true(f.node_count > 1);
    size_t sum = 0;
    for (size_t i = 0; i < f.node_count; i++) {
        assert_int_equal(f.nodes[i].body.len % 3, 0);
        assert_true(text_estimate_tokens(f.nodes[i].body) <= MAX_JOINED_TOKENS);
        assert_int_equal(f.nodes[i].line_start, 1);
        assert_int_equal(f.nodes[i].line_end, 1);
        sum += f.nodes[i].body.len;
    }
    assert_int_equal(sum, CHARACTERS * 3);
}

static void lines_know_their_bounds(void **state)
{
    (void)state;
    struct lines l = lines_find(&arena, S("one\n\ntwo\nthree"));
    assert_int_equal(l.count, 4);
    assert_true(str_eq(lines_text(&l, 0, 0), S("one")));
    assert_true(str_eq(lines_text(&l, 2, 3), S("two\nthree")));
    assert_true(line_is_blank(&l, 1));
    assert_false(line_is_blank(&l, 3));
    static const size_t line_of[] = {0, 0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
    for (size_t i = 0; i < sizeof line_of / sizeof *line_of; i++)
        assert_int_equal(lines_at(&l, i), line_of[i]);
    assert_int_equal(lines_find(&arena, S("")).count, 0);
    assert_int_equal(lines_find(&arena, S("a\n")).count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_is_a_passage),
        cmocka_unit_test(small_sections_join_under_their_parent),
        cmocka_unit_test(a_heading_of_level_one_always_begins_a_passage),
        cmocka_unit_test(a_small_section_does_not_join_its_uncle),
        cmocka_unit_test(headings_alone_lead_to_the_text_below),
        cmocka_unit_test(most_of_the_text_decides_on_the_heading),
        cmocka_unit_test(front_matter_stays_alone),
        cmocka_unit_test(a_long_section_is_cut_near_the_size_aimed_at),
        cmocka_unit_test(what_is_left_over_joins_the_passage_before),
        cmocka_unit_test(the_shallowest_block_in_the_second_half_begins_the_next_one),
        cmocka_unit_test(a_long_paragraph_is_cut_between_sentences),
        cmocka_unit_test(code_stays_whole_up_to_a_bound_and_is_then_cut_at_blank_lines),
        cmocka_unit_test(a_table_is_cut_between_rows),
        cmocka_unit_test(what_has_no_bounds_is_cut_at_code_points),
        cmocka_unit_test(lines_know_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
