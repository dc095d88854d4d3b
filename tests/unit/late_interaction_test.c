/* Late interaction: rows by hand for what a score means, and the built encoder for what comes out
 * of texts. */
#include "memory/late_interaction.h"

#include "tests/support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WIDTH = ENCODER_TOKEN_DIMENSIONS };

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* ---- rows by hand ---- */

/* Unit vectors in directions that hardly have anything in common. */
static void set_direction(float row[WIDTH], uint64_t direction)
{
    float squares = 0;
    uint64_t seed = direction + 1;
    for (size_t i = 0; i < WIDTH; i++) {
        row[i] = next_random(&seed) % 2 ? 1 : -1;
        squares += row[i] * row[i];
    }
    for (size_t i = 0; i < WIDTH; i++)
        row[i] /= sqrtf(squares);
}

/* A digit for each token: its direction. */
static struct encoder_tokens tokens_of(const char *directions, const float *weights)
{
    size_t n = strlen(directions);
    struct encoder_tokens t = {.at = arena_alloc(&arena, n + 1, sizeof(float[WIDTH])),
                               .weight = ARENA_ARRAY(&arena, float, n + 1),
                               .count = n};
    for (size_t i = 0; i < n; i++) {
        set_direction(t.at[i], (uint64_t)directions[i]);
        t.weight[i] = weights ? weights[i] : 1;
    }
    return t;
}

static float score_of(struct encoder_tokens query, const char *text)
{
    struct encoder_tokens t = tokens_of(text, NULL);
    return late_score(late_query_build(&arena, &query), late_pack(&arena, &t));
}

static void a_text_that_holds_every_piece_of_the_query_scores_one(void **state)
{
    (void)state;
    assert_float_equal(score_of(tokens_of("123", NULL), "321"), 1, .08);
    assert_float_equal(score_of(tokens_of("123", NULL), "7128943"), 1, .08);
}

static void more_text_never_lowers_a_score(void **state)
{
    (void)state;
    struct encoder_tokens query = tokens_of("1234", NULL);
    static const struct {
        size_t row;
        const char *pieces;
    } found[] = {{3, "1"},
                 {LATE_STRETCH_ROWS / 2 - 1, "21"},
                 {LATE_STRETCH_ROWS - 1, "34"},
                 {2 * LATE_STRETCH_ROWS, "1"},
                 {4 * LATE_STRETCH_ROWS - 2, "1234"}};
    char text[6 * LATE_STRETCH_ROWS]; /* z matches nothing */
    memset(text, 'z', sizeof text);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        memcpy(text + found[i].row, found[i].pieces, strlen(found[i].pieces));
    float last = -1;
    for (size_t rows = 1; rows <= sizeof text; rows++) {
        float score = score_of(query, arena_printf(&arena, "%.*s", (int)rows, text).at);
        assert_true(score >= last);
        last = score;
    }
    assert_float_equal(last, 1, .08);
}

/* Pieces that stand together say more than those that are scattered over a page. */
static void pieces_count_that_stand_in_one_stretch(void **state)
{
    (void)state;
    static const struct {
        size_t between; /* rows that match nothing, between the two that do */
        bool near;
    } cases[] = {{0, true},
                 {LATE_STRETCH_ROWS / 2 - 1, true},
                 {LATE_STRETCH_ROWS - 1, false},
                 {5 * LATE_STRETCH_ROWS, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8 * LATE_STRETCH_ROWS];
        memset(text, 'z', sizeof text);
        text[20] = '1';
        text[21 + cases[i].between] = '2';
        text[sizeof text - 1] = 0;
        float score = score_of(tokens_of("12", NULL), text);
        assert_int_equal(score > .9f, cases[i].near);
    }
}

/* As the header says it, for any number of rows. */
static void a_score_is_that_of_the_best_stretch(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 31, 32, 33, 63, 64, 65, 96, 97, 1000};
    struct encoder_tokens query = tokens_of("1234", NULL);
    for (size_t k = 0; k < query.count; k++)
        for (size_t i = 0; i < WIDTH; i++)
            query.at[k][i] *= .9f; /* so that no single score is cut at 1 */
    struct late_query *q = late_query_build(&arena, &query);
    uint64_t seed = 11;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        char text[1001] = {0};
        float best = -1;
        for (size_t i = 0; i < counts[c]; i++)
            text[i] = (char)('0' + next_random(&seed) % 60);
        struct encoder_tokens t = tokens_of(text, NULL);
        str rows = late_pack(&arena, &t);
        for (size_t at = 0; at == 0 || at + LATE_STRETCH_ROWS / 2 < counts[c];
             at += LATE_STRETCH_ROWS / 2) {
            size_t to = at + LATE_STRETCH_ROWS < counts[c] ? at + LATE_STRETCH_ROWS : counts[c];
            float sum = 0;
            for (size_t k = 0; k < query.count; k++) {
                struct encoder_tokens one = {query.at + k, query.weight + k, 1, 0};
                struct late_query *piece = late_query_build(&arena, &one);
                float most = -1;
                for (size_t r = at; r < to; r++)
                    most = fmaxf(most, late_score(piece, str_cut(rows, r * LATE_ROW_BYTES,
                                                                 (r + 1) * LATE_ROW_BYTES)));
                sum += most / (float)query.count;
            }
            best = fmaxf(best, sum);
        }
        assert_float_equal(late_score(q, rows), best, 1e-5);
    }
}

static void the_pieces_that_weigh_decide(void **state)
{
    (void)state;
    const float heavy_first[] = {9, 1}, heavy_last[] = {1, 9};
    assert_true(score_of(tokens_of("12", heavy_first), "1") >
                score_of(tokens_of("12", heavy_first), "2"));
    assert_true(score_of(tokens_of("12", heavy_last), "1") <
                score_of(tokens_of("12", heavy_last), "2"));
}

static void a_query_without_pieces_scores_nothing(void **state)
{
    (void)state;
    assert_float_equal(score_of(tokens_of("", NULL), "12"), 0, 0);
}

static void four_bits_keep_what_a_row_says(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 50; round++) {
        struct encoder_tokens t = tokens_of("11", NULL);
        double dot = 0, lengths[2] = {0};
        for (size_t r = 0; r < 2; r++) {
            for (size_t i = 0; i < WIDTH; i++) {
                t.at[r][i] = (float)(next_random(&seed) % 2001) - 1000;
                lengths[r] += (double)t.at[r][i] * t.at[r][i];
            }
            for (size_t i = 0; i < WIDTH; i++)
                t.at[r][i] /= (float)sqrt(lengths[r]);
        }
        for (size_t i = 0; i < WIDTH; i++)
            dot += (double)t.at[0][i] * t.at[1][i];
        struct encoder_tokens query = {t.at, t.weight, 1, 0}, text = {t.at + 1, t.weight + 1, 1, 0};
        float score = late_score(late_query_build(&arena, &query), late_pack(&arena, &text));
        assert_float_equal(score, dot, .06);
    }
}

static void a_text_keeps_so_many_rows_and_no_more(void **state)
{
    (void)state;
    struct encoder_tokens t = {.at = arena_alloc(&arena, MAX_LATE_ROWS + 1, sizeof(float[WIDTH])),
                               .weight = ARENA_ARRAY(&arena, float, MAX_LATE_ROWS + 1)};
    t.count = MAX_LATE_ROWS;
    assert_int_equal(late_pack(&arena, &t).len, MAX_LATE_ROWS * LATE_ROW_BYTES);
    t.count = MAX_LATE_ROWS + 1;
    assert_int_equal(late_pack(&arena, &t).len, MAX_LATE_ROWS * LATE_ROW_BYTES);
    t.count = 0;
    assert_int_equal(late_pack(&arena, &t).len, 0);
}

static void rows_of_another_length_are_none(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        bool valid;
    } cases[] = {{0, false},
                 {1, false},
                 {LATE_ROW_BYTES - 1, false},
                 {LATE_ROW_BYTES, true},
                 {LATE_ROW_BYTES + 1, false},
                 {MAX_LATE_ROWS * LATE_ROW_BYTES, true},
                 {(MAX_LATE_ROWS + 1) * LATE_ROW_BYTES, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(late_rows_valid(str_from("", cases[i].bytes)), cases[i].valid);
}

static void any_bytes_give_a_sound_score(void **state)
{
    (void)state;
    struct encoder_tokens query = tokens_of("12", NULL);
    struct late_query *q = late_query_build(&arena, &query);
    uint64_t seed = 9;
    for (int round = 0; round < 200; round++) {
        char bytes[3 * LATE_ROW_BYTES];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)(round ? next_random(&seed) : 0xff);
        float score = late_score(q, str_from(bytes, sizeof bytes));
        assert_true(score >= -1 && score <= 1);
    }
}

/* ---- of texts ---- */

static struct encoder *built_encoder(void)
{
    struct err e = {0};
    struct encoder *en;
    str path = arena_printf(&arena, "%s/" ENCODER_FILE, getenv("ENGRAM_BUILD_DIR"));
    if (!encoder_open(path.at, &en, &e))
        skip();
    return en;
}

static str repeat(str word, size_t n)
{
    char *out = arena_bytes(&arena, n * word.len);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * word.len, word.at, word.len);
    return str_from(out, n * word.len);
}

static bool are_sound(const struct encoder_tokens *t)
{
    for (size_t r = 0; r < t->count; r++) {
        float squares = 0;
        for (size_t i = 0; i < WIDTH; i++)
            squares += t->at[r][i] * t->at[r][i];
        if (fabsf(squares - 1) > 1e-4f || !(t->weight[r] > 0))
            return false;
    }
    return true;
}

static void each_piece_of_lead_and_text_has_one_token(void **state)
{
    (void)state;
    static const struct {
        size_t lead, pieces, max, tokens;
    } cases[] = {{0, 0, 9, 0},     {0, 1, 9, 1},      {0, 126, 9, 126},    {0, 127, 9, 127},
                 {0, 279, 9, 279}, {24, 102, 9, 126}, {24, 500, 9, 524},   {30, 500, 9, 524},
                 {0, 500, 1, 110}, {0, 500, 2, 194},  {24, 1000, 64, 1024}};
    struct encoder *en = built_encoder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float(*vectors)[ENCODER_DIMENSIONS];
        struct encoder_tokens t;
        encoder_windows(en, &arena, repeat(S(" word"), cases[i].lead),
                        repeat(S(" word"), cases[i].pieces), cases[i].max, &vectors, &t);
        assert_int_equal(t.count, cases[i].tokens);
        assert_true(are_sound(&t));
    }
    encoder_close(en);
}

static void tokens_change_nothing_of_the_vector(void **state)
{
    (void)state;
    struct encoder *en = built_encoder();
    str text = S("The build takes four minutes on the new runners.");
    float alone[ENCODER_DIMENSIONS], beside[ENCODER_DIMENSIONS];
    struct encoder_tokens t;
    assert_true(encoder_encode(en, &arena, text, alone));
    assert_true(encoder_encode_tokens(en, &arena, text, beside, &t));
    assert_memory_equal(alone, beside, sizeof alone);
    assert_true(t.count > 8 && are_sound(&t));
    assert_false(encoder_encode_tokens(en, &arena, S("\xE3\x83\x87"), beside, &t));
    encoder_close(en);
}

static void a_question_finds_its_answer_in_other_words(void **state)
{
    (void)state;
    static const struct {
        str question, answer;
    } pairs[] = {
        {S("How do I undo what I changed last?"), S("To revert the most recent edit, press Ctrl-Z; "
                                                    "each further press takes back one more.")},
        {S("keep the old copy when writing a file again"),
         S("With --backup the previous version is saved under its name and a tilde before it is "
           "overwritten.")},
        {S("My laptop loses the wireless connection after sleeping"),
         S("Some drivers must be reloaded on resume, otherwise the Wi-Fi network stays down.")},
        {S("Which users are allowed to look at the log files?"),
         S("Only members of the group adm have permission to read the system journal.")},
    };
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    struct encoder *en = built_encoder();
    for (size_t i = 0; i < PAIRS; i++) {
        float scores[PAIRS], vector[ENCODER_DIMENSIONS], (*windows)[ENCODER_DIMENSIONS];
        struct encoder_tokens t;
        assert_true(encoder_encode_tokens(en, &arena, pairs[i].question, vector, &t));
        struct late_query *q = late_query_build(&arena, &t);
        for (size_t j = 0; j < PAIRS; j++) {
            encoder_windows(en, &arena, S(""), pairs[j].answer, 9, &windows, &t);
            scores[j] = late_score(q, late_pack(&arena, &t));
        }
        for (size_t j = 0; j < PAIRS; j++)
            if (j != i && scores[j] >= scores[i])
                fail_msg("\"%.*s\" is nearer to \"%.*s\"", FMT(pairs[i].question),
                         FMT(pairs[j].answer));
    }
    encoder_close(en);
}

#define PROMISE(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_text_that_holds_every_piece_of_the_query_scores_one),
        PROMISE(more_text_never_lowers_a_score),
        PROMISE(pieces_count_that_stand_in_one_stretch),
        PROMISE(a_score_is_that_of_the_best_stretch),
        PROMISE(the_pieces_that_weigh_decide),
        PROMISE(a_query_without_pieces_scores_nothing),
        PROMISE(four_bits_keep_what_a_row_says),
        PROMISE(a_text_keeps_so_many_rows_and_no_more),
        PROMISE(rows_of_another_length_are_none),
        PROMISE(any_bytes_give_a_sound_score),
        PROMISE(each_piece_of_lead_and_text_has_one_token),
        PROMISE(tokens_change_nothing_of_the_vector),
        PROMISE(a_question_finds_its_answer_in_other_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
