#include "memory/base/buf.h"
#include "memory/provider/encoder_weights.h"
#include "tests/support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the vocabulary ---- */

static void a_trie_that_leads_outside_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct piece_node nodes[3];
        bool ok;
    } cases[] = {
        {{{1, 0, 1, 0}, {2, 0, 1, 'a'}, {0, 6, 0, 'b'}}, true},
        {{{0, 0, 1, 0}, {2, 0, 1, 'a'}, {0, 6, 0, 'b'}}, false}, /* its own child */
        {{{1, 0, 1, 0}, {1, 0, 1, 'a'}, {0, 6, 0, 'b'}}, false},
        {{{1, 0, 3, 0}, {2, 0, 1, 'a'}, {0, 6, 0, 'b'}}, false},
        {{{1, 0, 1, 0}, {2, 0, 1, 'a'}, {3, 6, 1, 'b'}}, false},
        {{{1, 0, 1, 0}, {UINT32_MAX, 0, 1, 'a'}, {0, 6, 0, 'b'}}, false},
        {{{1, 0, 1, 0}, {2, 0, 1, 'a'}, {0, 7, 0, 'b'}}, false}, /* no such piece */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wordpiece wp = {cases[i].nodes, 3, 7};
        if (wordpiece_valid(&wp) != cases[i].ok)
            fail_msg("case %zu", i);
    }
}

/* A piece's number is its place; "?" stands for UNKNOWN_PIECE. */
static const str pieces[] = {
    {"[PAD]", 5},
    {"un", 2},
    {"##aff", 5},
    {"##able", 6},
    {"##a", 3},
    {"##f", 3},
    {"a", 1},
    {"##b", 3},
    {"b", 1},
    {"cafe", 4},
    {".", 1},
    {"[", 1},
    {"]", 1},
    {"pad", 3},
    {"\xE6\x95\xB0", 3},
    {"go", 2},
    {"##ing", 5},
    {"\xE2\x80\x94", 3},
    {"##\xE1\x84\x80", 5},
};

static str joined_pieces(struct arena *a, const uint16_t *cut, size_t n)
{
    struct buf out = {0};
    for (size_t i = 0; i < n; i++) {
        buf_add(&out, i ? S(" ") : S(""));
        buf_add(&out, cut[i] == UNKNOWN_PIECE ? S("?") : pieces[cut[i]]);
    }
    str all = arena_str(a, buf_str(&out));
    buf_free(&out);
    return all;
}

static struct wordpiece vocabulary(struct arena *a)
{
    enum { PIECES = sizeof pieces / sizeof *pieces };
    struct piece_node *nodes;
    size_t node_count;
    assert_true(wordpiece_build(a, pieces, PIECES, &nodes, &node_count));
    struct wordpiece wp = {nodes, node_count, PIECES};
    assert_true(wordpiece_valid(&wp));
    return wp;
}

static void a_word_is_cut_by_the_longest_pieces_or_unknown_as_a_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text, *pieces;
    } cases[] = {
        {"", ""},
        {" \n\t ", ""},
        {"unaffable", "un ##aff ##able"},
        {"UNAFFABLE", "un ##aff ##able"},
        {"unafb", "un ##a ##f ##b"},
        {"unaffx a", "? a"}, /* its beginning is known, it isn't */
        {"going.a", "go ##ing . a"},
        {"ing", "?"}, /* only goes on */
        {"##b", "? ? b"},
        {"[PAD]", "[ pad ]"}, /* no mark */
        {"caf\xC3\xA9 Cafe\xCC\x81", "cafe cafe"},
        {"a\xE6\x95\xB0"
         "b",
         "a \xE6\x95\xB0 b"}, /* an ideograph is a word */
        {"a\xE2\x80\x94"
         "b",
         "a \xE2\x80\x94 b"}, /* so is a dash */
        {"a\xE2\x80\x8B"
         "b \xFF"
         "a\x01"
         "b",
         "a ##b a ##b"}, /* what isn't seen isn't there */
        {"a\xE3\x80\x80"
         "b\xC2\xA0"
         "a",
         "a b a"},
        {"a\xEA\xB0\x80", "?"}, /* a syllable has two letters, of which one is no piece */
    };
    struct arena a = {0};
    struct wordpiece wp = vocabulary(&a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t *cut;
        size_t n = wordpiece_encode(&wp, &a, str_of(cases[i].text), 64, &cut);
        str got = joined_pieces(&a, cut, n);
        if (!str_eq(got, str_of(cases[i].pieces)))
            fail_msg("\"%s\": \"%.*s\", wanted \"%s\"", cases[i].text, FMT(got), cases[i].pieces);
    }
    arena_free(&a);
}

static void no_more_pieces_than_wanted_are_cut_and_a_long_word_is_unknown(void **state)
{
    (void)state;
    struct arena a = {0};
    struct wordpiece wp = vocabulary(&a);
    char word[101];
    memset(word, 'b', sizeof word);
    uint16_t *cut;
    assert_int_equal(wordpiece_encode(&wp, &a, str_from(word, 100), 200, &cut), 100);
    assert_int_equal(wordpiece_encode(&wp, &a, str_from(word, 101), 200, &cut), 1);
    assert_int_equal(cut[0], UNKNOWN_PIECE);
    struct buf wide = {0}; /* four bytes a letter, one more than a word has */
    for (int i = 0; i < 101; i++)
        buf_add(&wide, S("\xF0\x9D\x90\x80"));
    assert_int_equal(wordpiece_encode(&wp, &a, buf_str(&wide), 200, &cut), 1);
    assert_int_equal(wordpiece_encode(&wp, &a, str_cut(buf_str(&wide), 0, 400), 200, &cut), 1);
    buf_free(&wide);
    for (size_t most = 0; most <= 7; most++) {
        assert_int_equal(wordpiece_encode(&wp, &a, S("unaffable a b unaffable"), most, &cut), most);
        str got = joined_pieces(&a, cut, most);
        assert_true(str_starts(S("un ##aff ##able a b un ##aff"), got));
    }
    arena_free(&a);
}

/* ---- arithmetic ---- */

struct numbers {
    struct math_scratch scratch;
    float in[MATH_MAX_ROWS * MATH_MAX_IN], out[MATH_PATHS][MATH_MAX_ROWS * 512];
    int8_t bytes[512 * 512];
    float floats[512 * 512], scales[512], bias[512];
};

static void fill_numbers(struct numbers *n, uint64_t seed)
{
    for (size_t i = 0; i < sizeof n->in / sizeof *n->in; i++)
        n->in[i] = 3 * random_float(&seed);
    for (size_t i = 0; i < sizeof n->bytes; i++)
        n->bytes[i] = (int8_t)(next_random(&seed) % 255) - 127;
    for (size_t i = 0; i < 512; i++) {
        n->scales[i] = .01f * random_float(&seed);
        n->bias[i] = random_float(&seed);
    }
    for (size_t o = 0; o < 512; o++)
        for (size_t i = 0; i < 512; i++)
            n->floats[i * 512 + o] = n->scales[o] * n->bytes[o * 512 + i];
}

static double plain_product(const struct numbers *n, size_t row, size_t o)
{
    double sum = n->bias[o];
    for (size_t i = 0; i < 512; i++)
        sum += (double)n->in[row * 512 + i] * n->bytes[o * 512 + i] * n->scales[o];
    return sum;
}

/* A factor is off by at most half of 3/8191, which adds up like the root of 512 times 73 * .01. */
static void products_are_right_and_the_same_on_every_path(void **state)
{
    (void)state;
    struct numbers *n = calloc(1, sizeof *n);
    fill_numbers(n, 5);
    struct matrix bytes = {512, 512, NULL, n->bytes, n->scales, n->bias};
    struct matrix floats = {512, 512, n->floats, NULL, NULL, n->bias};
    const struct matrix *matrices[] = {&bytes, &floats};
    for (size_t m = 0; m < 2; m++)
        for (size_t rows = 1; rows <= 8; rows += rows == 2 ? 5 : 1)
            for (int path = 0; path < MATH_PATHS; path++) {
                if (!math_has((enum math_path)path))
                    continue;
                math_multiply((enum math_path)path, matrices[m], n->in, rows, n->out[path],
                              &n->scratch);
                assert_memory_equal(n->out[path], n->out[MATH_PLAIN], rows * 512 * sizeof(float));
                for (size_t i = 0; i < rows * 512; i++)
                    if (fabs(n->out[path][i] - plain_product(n, i / 512, i % 512)) > .02)
                        fail_msg("[%zu] is %g, wanted %g", i, (double)n->out[path][i],
                                 plain_product(n, i / 512, i % 512));
            }
    free(n);
}

/* The largest factors and weights do not overflow. */
static void the_largest_product_fits(void **state)
{
    (void)state;
    struct numbers *n = calloc(1, sizeof *n);
    memset(n->bytes, 127, sizeof n->bytes);
    for (size_t i = 0; i < MATH_MAX_IN; i++)
        n->in[i] = -1e6f;
    n->scales[0] = n->scales[1] = n->scales[2] = n->scales[3] = 1;
    struct matrix m = {MATH_MAX_IN, 4, NULL, n->bytes, n->scales, n->bias};
    for (int path = 0; path < MATH_PATHS; path++)
        if (math_has((enum math_path)path)) {
            math_multiply((enum math_path)path, &m, n->in, 1, n->out[path], &n->scratch);
            assert_true(fabs((double)n->out[path][0] / (-1e6 * 127 * MATH_MAX_IN) - 1) < 1e-5);
        }
    free(n);
}

static double plain_attention(const float *qkv, size_t rows, size_t width, size_t head, size_t row,
                              size_t column)
{
    size_t from = column / head * head;
    double weights = 0, sum = 0;
    for (size_t r = 0; r < rows; r++) {
        double score = 0;
        for (size_t i = 0; i < head; i++)
            score +=
                (double)qkv[row * 3 * width + from + i] * qkv[r * 3 * width + width + from + i];
        double weight = exp(score / sqrt((double)head));
        weights += weight;
        sum += weight * qkv[r * 3 * width + 2 * width + column];
    }
    return sum / weights;
}

static void attention_is_right_and_the_same_on_every_path(void **state)
{
    (void)state;
    struct numbers *n = calloc(1, sizeof *n);
    fill_numbers(n, 7);
    static const size_t row_counts[] = {1, 2, 17, MATH_MAX_ROWS};
    for (size_t i = 0; i < sizeof row_counts / sizeof *row_counts; i++)
        for (int path = 0; path < MATH_PATHS; path++) {
            if (!math_has((enum math_path)path))
                continue;
            size_t rows = row_counts[i];
            math_attend((enum math_path)path, n->in, rows, 256, 4, n->out[path], &n->scratch);
            assert_memory_equal(n->out[path], n->out[MATH_PLAIN], rows * 256 * sizeof(float));
            for (size_t c = 0; c < 256; c += 5) {
                double wanted = plain_attention(n->in, rows, 256, 64, rows - 1, c);
                if (fabs(n->out[path][(rows - 1) * 256 + c] - wanted) > 1e-4)
                    fail_msg("[%zu] is %g, wanted %g", c,
                             (double)n->out[path][(rows - 1) * 256 + c], wanted);
            }
        }
    free(n);
}

static void rows_of_nothing_stay_nothing(void **state)
{
    (void)state;
    struct numbers *n = calloc(1, sizeof *n);
    struct matrix m = {512, 512, NULL, n->bytes, n->scales, n->bias};
    memset(n->bytes, 1, sizeof n->bytes);
    n->scales[0] = 1;
    n->bias[0] = 2;
    for (float tiny = 0; tiny<1e-30f; tiny = tiny> 0 ? tiny * 1e3f : 1e-45f) {
        n->in[3] = tiny;
        math_multiply(MATH_PLAIN, &m, n->in, 1, n->out[0], &n->scratch);
        assert_true(n->out[0][0] == 2);
    }
    free(n);
}

static void exponential_agrees_with_libm(void **state)
{
    (void)state;
    for (float x = -90; x < 88; x += .0137f) {
        double wanted = exp((double)(x < -87 ? -87 : x));
        if (fabs(math_exp(x) - wanted) > 1e-6 * wanted)
            fail_msg("exp(%g) is %g", (double)x, (double)math_exp(x));
    }
    assert_true(math_exp(0) == 1);
}

static void gelu_is_right_and_the_same_on_every_path(void **state)
{
    (void)state;
    enum { COUNT = 2001 };
    float values[MATH_PATHS][COUNT];
    for (int path = 0; path < MATH_PATHS; path++) {
        if (!math_has((enum math_path)path))
            continue;
        for (int i = 0; i < COUNT; i++)
            values[path][i] = (float)(i - COUNT / 2) * .013f;
        math_gelu((enum math_path)path, values[path], COUNT);
        assert_memory_equal(values[path], values[MATH_PLAIN], sizeof values[path]);
    }
    for (int i = 0; i < COUNT; i++) {
        double x = (float)(i - COUNT / 2) * .013f, wanted = x * .5 * erfc(-x / sqrt(2));
        if (fabs(values[MATH_PLAIN][i] - wanted) > 1e-6 * (1 + fabs(x)))
            fail_msg("gelu(%g) is %g, wanted %g", x, (double)values[MATH_PLAIN][i], wanted);
    }
}

static void a_normal_row_has_mean_0_and_variance_1(void **state)
{
    (void)state;
    float in[64], out[64], scale[64], bias[64];
    uint64_t seed = 9;
    for (size_t i = 0; i < 64; i++) {
        in[i] = 5 + 2 * random_float(&seed);
        scale[i] = 1;
        bias[i] = 0;
    }
    struct norm norm = {64, scale, bias};
    math_normalise(&norm, in, 1, out);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 64; i++) {
        sum += out[i];
        squares += (double)out[i] * out[i];
    }
    assert_true(fabs(sum / 64) < 1e-5 && fabs(squares / 64 - 1) < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trie_that_leads_outside_is_refused),
        cmocka_unit_test(a_word_is_cut_by_the_longest_pieces_or_unknown_as_a_whole),
        cmocka_unit_test(no_more_pieces_than_wanted_are_cut_and_a_long_word_is_unknown),
        cmocka_unit_test(products_are_right_and_the_same_on_every_path),
        cmocka_unit_test(the_largest_product_fits),
        cmocka_unit_test(attention_is_right_and_the_same_on_every_path),
        cmocka_unit_test(rows_of_nothing_stay_nothing),
        cmocka_unit_test(exponential_agrees_with_libm),
        cmocka_unit_test(gelu_is_right_and_the_same_on_every_path),
        cmocka_unit_test(a_normal_row_has_mean_0_and_variance_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
