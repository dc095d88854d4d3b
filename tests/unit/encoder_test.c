#include "memory/provider/encoder.h"

#include "tests/support/random.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/built_encoder.h"

enum { MAX_REFERENCES = 64 };

/* What the package made of a text; tests/encoder/reference.mjs tells how it was asked. */
struct reference {
    str text;
    bool has_vector, has_bytes; /* has_bytes: so have the tuned encoders, of bytes and of floats */
    float vector[ENCODER_DIMENSIONS], bytes[ENCODER_DIMENSIONS], floats[ENCODER_DIMENSIONS];
};

struct world {
    struct arena arena;
    json_t *json;
    struct reference references[MAX_REFERENCES];
    size_t count;
    struct encoder *bytes, *floats, *packaged; /* NULL in a build without the weights; packaged:
                                                  floats without what was learned on top */
};

/* ---- fixtures ---- */

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = strchr(digits, c);
    assert_true(c && found);
    return (int)(found - digits);
}

/* n numbers of 16 bits each, in 1/32767. */
static void read_vector(const char *base64, size_t n, float *out)
{
    unsigned bits = 0, have = 0;
    for (size_t i = 0; i < n * 2;) {
        bits = bits << 6 | (unsigned)base64_digit(*base64++);
        have += 6;
        if (have < 8)
            continue;
        have -= 8;
        ((unsigned char *)out)[i++] = (unsigned char)(bits >> have);
    }
    for (size_t i = n; i-- > 0;) {
        const unsigned char *two = (unsigned char *)out + 2 * i;
        out[i] = (float)(int16_t)(two[0] | two[1] << 8) / 32767;
    }
}

static void read_reference(struct world *w, json_t *row)
{
    struct reference *r = &w->references[w->count++];
    json_t *text = json_object_get(row, "text"), *vector = json_object_get(row, "vector");
    r->text = str_from(json_string_value(text), json_string_length(text));
    r->has_vector = vector;
    if (vector)
        read_vector(json_string_value(vector), ENCODER_DIMENSIONS, r->vector);
}

static struct encoder *open_built(struct world *w, const char *name)
{
    const char *path = at(&w->arena, "ENGRAM_BUILD_DIR", name);
    struct err e = {0};
    struct encoder *en = NULL;
    if (!encoder_open(path, &en, &e)) {
        printf("no encoder: %s\n", e.text);
        assert_int_equal(e.code, ERR_NOT_FOUND);
    }
    return en;
}

static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->json = json_load_file(at(&w->arena, "ENGRAM_SOURCE_DIR", "tests/encoder/reference.json"),
                             JSON_ALLOW_NUL, NULL);
    size_t i;
    json_t *row;
    json_array_foreach(w->json, i, row)
    {
        assert_true(i < MAX_REFERENCES);
        read_reference(w, row);
    }
    w->bytes = open_built(w, ENCODER_FILE);
    w->floats = open_built(w, "tests/encoder_tuned.bin");
    w->packaged = open_built(w, "tests/encoder_packaged.bin");
    for (i = 0; w->bytes && i < w->count; i++) {
        struct reference *r = &w->references[i];
        r->has_bytes = r->has_vector && encoder_encode(w->bytes, &w->arena, r->text, r->bytes) &&
                       encoder_encode(w->floats, &w->arena, r->text, r->floats);
    }
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    encoder_close(w->bytes);
    encoder_close(w->floats);
    encoder_close(w->packaged);
    json_decref(w->json);
    arena_free(&w->arena);
    free(w);
    return 0;
}

static struct world *with_weights(void **state)
{
    struct world *w = *state;
    if (!w->bytes || !w->floats || !w->packaged)
        skip();
    return w;
}

static double cosine(const float *a, const float *b)
{
    double sum = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < ENCODER_DIMENSIONS; i++) {
        sum += (double)a[i] * b[i];
        aa += (double)a[i] * a[i];
        bb += (double)b[i] * b[i];
    }
    return sum / sqrt(aa * bb);
}

static bool has_unit_length(const float *v)
{
    double squares = 0;
    for (size_t i = 0; i < ENCODER_DIMENSIONS; i++)
        squares += (double)v[i] * v[i];
    return fabs(squares - 1) < 1e-5;
}

/* ---- against the package ---- */

/* The reference is rounded to 1.5e-5; the rest is the order in which floats are summed. */
static void untuned_weights_give_the_vectors_of_the_package(void **state)
{
    struct world *w = with_weights(state);
    size_t seen = 0;
    for (size_t i = 0; i < w->count; i++) {
        const struct reference *r = &w->references[i];
        float got[ENCODER_DIMENSIONS];
        if (!r->has_vector || !encoder_encode(w->packaged, &w->arena, r->text, got))
            continue;
        seen++;
        for (size_t d = 0; d < ENCODER_DIMENSIONS; d++)
            if (!(fabsf(got[d] - r->vector[d]) < 1e-4f))
                fail_msg("\"%.*s\"[%zu] is %g, wanted %g", FMT(r->text), d, (double)got[d],
                         (double)r->vector[d]);
    }
    assert_true(seen >= 36);
}

static void assert_near(const char *what, str text, const float *got, const float *wanted, size_t n)
{
    for (size_t d = 0; d < n; d++)
        if (!(fabsf(got[d] - wanted[d]) < 3e-3f)) /* what was learned is stored as bytes */
            fail_msg("\"%.*s\": %s[%zu] is %g, wanted %g", FMT(text), what, d, (double)got[d],
                     (double)wanted[d]);
}

/* tests/bench/encoder/reference.py asked the model as it was trained. */
static void tuned_weights_give_what_the_trained_model_gave(void **state)
{
    struct world *w = with_weights(state);
    json_t *row,
        *rows =
            json_load_file(at(&w->arena, "ENGRAM_SOURCE_DIR", "tests/encoder/tuned.json"), 0, NULL);
    size_t i;
    assert_true(json_array_size(rows) >= 6);
    json_array_foreach(rows, i, row)
    {
        float vector[ENCODER_DIMENSIONS], token[ENCODER_TOKEN_DIMENSIONS], got[ENCODER_DIMENSIONS],
            sum = 0, weight = (float)json_real_value(json_object_get(row, "weight"));
        str text = str_of(json_string_value(json_object_get(row, "text")));
        struct encoder_tokens tokens;
        read_vector(json_string_value(json_object_get(row, "vector")), ENCODER_DIMENSIONS, vector);
        read_vector(json_string_value(json_object_get(row, "token")), ENCODER_TOKEN_DIMENSIONS,
                    token);
        assert_true(encoder_encode_tokens(w->floats, &w->arena, text, got, &tokens));
        for (size_t t = 0; t < tokens.count; t++)
            sum += tokens.weight[t];
        tokens.weight[tokens.count - 1] /= sum;
        assert_near("vector", text, got, vector, ENCODER_DIMENSIONS);
        assert_near("token", text, tokens.at[tokens.count - 1], token, ENCODER_TOKEN_DIMENSIONS);
        assert_near("weight", text, &tokens.weight[tokens.count - 1], &weight, 1);
    }
    json_decref(rows);
}

static void byte_weights_give_nearly_the_vectors_of_floats(void **state)
{
    struct world *w = with_weights(state);
    double least = 1;
    size_t seen = 0;
    for (size_t i = 0; i < w->count; i++) {
        const struct reference *r = &w->references[i];
        if (!r->has_bytes)
            continue;
        seen++;
        assert_true(has_unit_length(r->bytes));
        double c = cosine(r->bytes, r->floats);
        if (!(c >= .995))
            fail_msg("\"%.*s\": cosine %g", FMT(r->text), c);
        least = c < least ? c : least;
    }
    assert_true(seen >= 20);
    print_message("least cosine with floats: %.5f\n", least);
}

/* Bytes move a cosine by .004 (root mean square), .016 at the most: what is closer than twice that
 * may change places. */
static void byte_weights_rank_as_floats_do(void **state)
{
    struct world *w = with_weights(state);
    for (size_t i = 0; i < w->count; i++) {
        const struct reference *q = &w->references[i];
        double wanted[MAX_REFERENCES], got[MAX_REFERENCES];
        size_t n = 0;
        for (size_t j = 0; j < w->count; j++) {
            const struct reference *r = &w->references[j];
            if (j == i || !q->has_bytes || !r->has_bytes)
                continue;
            wanted[n] = cosine(q->floats, r->floats);
            got[n++] = cosine(q->bytes, r->bytes);
        }
        for (size_t x = 0; x < n; x++)
            for (size_t y = 0; y < n; y++)
                if (wanted[x] > wanted[y] + .032 && got[x] <= got[y])
                    fail_msg("\"%.*s\": %g > %g became %g <= %g", FMT(q->text), wanted[x],
                             wanted[y], got[x], got[y]);
    }
}

static const struct reference *reference_of(const struct world *w, str text)
{
    for (size_t i = 0; i < w->count; i++)
        if (str_starts(w->references[i].text, text))
            return &w->references[i];
    fail_msg("no reference \"%.*s\"", FMT(text));
    return NULL;
}

static void a_question_is_nearest_to_its_answer(void **state)
{
    struct world *w = with_weights(state);
    static const struct {
        str question, answer;
    } pairs[] = {
        {{"Which database did", 18}, {"We chose SQLite", 15}},
        {{"Production was down", 19}, {"The deploy failed", 17}},
        {{"Who is responsible", 18}, {"Alice owns", 10}},
        {{"Secrets must not", 16}, {"Never log request", 17}},
        {{"We serve stale", 14}, {"The cache is", 12}},
        {{"The kitten naps", 15}, {"My cat sleeps", 13}},
    };
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    for (size_t i = 0; i < PAIRS; i++) {
        const float *question = reference_of(w, pairs[i].question)->bytes;
        double right = cosine(question, reference_of(w, pairs[i].answer)->bytes);
        for (size_t j = 0; j < PAIRS; j++)
            if (j != i && cosine(question, reference_of(w, pairs[j].answer)->bytes) >= right)
                fail_msg("\"%.*s\" is nearer to \"%.*s\"", FMT(pairs[i].question),
                         FMT(pairs[j].answer));
    }
}

/* ---- texts without a vector, long texts, noise ---- */

static void text_of_nothing_or_of_another_script_has_no_vector(void **state)
{
    struct world *w = with_weights(state);
    static const str none[] = {
        {"", 0},
        {" \n\t ", 4},
        {"\xE3\x83\x87\xE3\x83\xBC\xE3\x82\xBF", 9},
        {"\xF0\x9F\x9A\x80 \xF0\x9F\x91\x8D", 9},
        {"\xFF\xFE", 2},
        {"\xD0\xBC\xD1\x8B \xD0\xB2\xD1\x8B\xD0\xB1\xD1\x80\xD0\xB0\xD0\xBB\xD0\xB8", 19},
    };
    struct arena a = {0};
    float v[ENCODER_DIMENSIONS];
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(encoder_encode(w->bytes, &a, none[i], v));
    assert_true(encoder_encode(w->bytes, &a, S("ship it \xF0\x9F\x9A\x80 now"), v));
    arena_free(&a);
}

static void signs_and_latin_letters_beyond_ascii_are_no_other_script(void **state)
{
    struct world *w = with_weights(state);
    static const char *const texts[] = {
        "Who said \u201Cno\u201D?",
        "\u201CShip it\u201D \u2014 Bob",
        "client \u2192 server",
        "\u2022 Redis",
        "\u2502 a \u2502 b \u2502 c \u2502",
        "Don\u2019t",
        "Stra\u00DFe",
        "5 \u20AC \u00B1 3 \u00B0",
    };
    struct arena a = {0};
    float v[ENCODER_DIMENSIONS];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!encoder_encode(w->bytes, &a, str_of(texts[i]), v))
            fail_msg("\"%s\" has no vector", texts[i]);
    arena_free(&a);
}

static void white_space_of_any_kind_is_one_space(void **state)
{
    struct world *w = with_weights(state);
    struct arena a = {0};
    float v[ENCODER_DIMENSIONS], other[ENCODER_DIMENSIONS];
    assert_true(encoder_encode(w->bytes, &a, S("one two three"), v));
    assert_true(encoder_encode(w->bytes, &a, S(" one\n\ttwo \xE2\x80\x83 three\r\n"), other));
    assert_memory_equal(v, other, sizeof v);
    arena_free(&a);
}

static str repeat(struct arena *a, str word, size_t n)
{
    char *out = arena_bytes(a, n * word.len);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * word.len, word.at, word.len);
    return str_from(out, n * word.len);
}

static void long_text_has_a_vector_for_each_window(void **state)
{
    struct world *w = with_weights(state);
    static const struct {
        size_t pieces, max, windows;
    } cases[] = {{0, 9, 0},   {1, 9, 1},   {126, 9, 1}, {127, 9, 2},   {194, 9, 2},
                 {195, 9, 3}, {278, 9, 3}, {279, 9, 4}, {10000, 5, 5}, {279, 0, 0}};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float(*vectors)[ENCODER_DIMENSIONS];
        str text = repeat(&a, S(" word"), cases[i].pieces);
        assert_int_equal(encoder_windows(w->bytes, &a, S(""), text, cases[i].max, &vectors, NULL),
                         cases[i].windows);
        for (size_t j = 0; j < cases[i].windows; j++)
            assert_true(has_unit_length(vectors[j]));
    }
    arena_free(&a);
}

static void short_text_has_one_window_which_is_its_vector(void **state)
{
    struct world *w = with_weights(state);
    struct arena a = {0};
    str text = S("The build takes four minutes on the new runners.");
    float v[ENCODER_DIMENSIONS], (*windows)[ENCODER_DIMENSIONS];
    assert_true(encoder_encode(w->bytes, &a, text, v));
    assert_int_equal(encoder_windows(w->bytes, &a, S(""), text, 9, &windows, NULL), 1);
    assert_memory_equal(windows[0], v, sizeof v);
    arena_free(&a);
}

static void each_window_is_read_behind_the_lead(void **state)
{
    struct world *w = with_weights(state);
    static const struct {
        size_t lead, pieces, windows;
    } cases[] = {{0, 126, 1},  {1, 125, 1},  {1, 126, 2},  {24, 102, 1},  {24, 103, 2},
                 {24, 186, 2}, {24, 187, 3}, {25, 102, 1}, {5000, 102, 1}};
    struct arena a = {0};
    float(*vectors)[ENCODER_DIMENSIONS], v[ENCODER_DIMENSIONS];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(encoder_windows(w->bytes, &a, repeat(&a, S(" word"), cases[i].lead),
                                         repeat(&a, S(" word"), cases[i].pieces), 9, &vectors,
                                         NULL),
                         cases[i].windows);
    assert_true(encoder_encode(w->bytes, &a, S("The build takes four minutes"), v));
    assert_int_equal(
        encoder_windows(w->bytes, &a, S("The build"), S("takes four minutes"), 9, &vectors, NULL),
        1);
    assert_memory_equal(vectors[0], v, sizeof v);
    assert_int_equal(encoder_windows(w->bytes, &a, S("The build"), S(""), 9, &vectors, NULL), 0);
    arena_free(&a);
}

static void of_a_long_lead_the_end_counts(void **state)
{
    struct world *w = with_weights(state);
    struct arena a = {0};
    str end = repeat(&a, S(" word"), ENCODER_LEAD_PIECES);
    float(*one)[ENCODER_DIMENSIONS], (*other)[ENCODER_DIMENSIONS];
    assert_int_equal(encoder_windows(w->bytes, &a, end, S("four minutes"), 9, &one, NULL), 1);
    assert_int_equal(encoder_windows(w->bytes, &a, arena_printf(&a, "The build%.*s", FMT(end)),
                                     S("four minutes"), 9, &other, NULL),
                     1);
    assert_memory_equal(one[0], other[0], sizeof one[0]);
    arena_free(&a);
}

static void windows_of_another_script_are_left_out(void **state)
{
    struct world *w = with_weights(state);
    struct arena a = {0};
    str text = arena_printf(&a, "%.*s%.*s", FMT(repeat(&a, S(" \xD0\xAF"), 112)),
                            FMT(repeat(&a, S(" word"), 112)));
    float(*vectors)[ENCODER_DIMENSIONS];
    /* The first 112 pieces are of another script: all of window 1 of 3, a quarter of window 2. */
    assert_int_equal(encoder_windows(w->bytes, &a, S(""), text, 9, &vectors, NULL), 2);
    assert_true(has_unit_length(vectors[0]) && has_unit_length(vectors[1]));
    arena_free(&a);
}

static void noise_gives_a_sound_vector_or_none(void **state)
{
    struct world *w = with_weights(state);
    struct arena a = {0};
    uint64_t seed = 3;
    for (int round = 0; round < 40; round++) {
        char bytes[300];
        size_t n = next_random(&seed) % sizeof bytes;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)(next_random(&seed) % (round % 2 ? 256 : 96) + (round % 2 ? 0 : 32));
        float v[ENCODER_DIMENSIONS], again[ENCODER_DIMENSIONS];
        bool ok = encoder_encode(w->bytes, &a, str_from(bytes, n), v);
        assert_int_equal(encoder_encode(w->bytes, &a, str_from(bytes, n), again), ok);
        assert_true(!ok || (has_unit_length(v) && memcmp(v, again, sizeof v) == 0));
    }
    arena_free(&a);
}

static void the_model_has_a_name_for_each_kind_of_weights(void **state)
{
    struct world *w = with_weights(state);
    assert_true(str_eq(encoder_model_name(w->bytes), S("minilm-l6-3-int8")));
    assert_true(str_eq(encoder_model_name(w->floats), S("minilm-l6-3-float32")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untuned_weights_give_the_vectors_of_the_package),
        cmocka_unit_test(tuned_weights_give_what_the_trained_model_gave),
        cmocka_unit_test(byte_weights_give_nearly_the_vectors_of_floats),
        cmocka_unit_test(byte_weights_rank_as_floats_do),
        cmocka_unit_test(a_question_is_nearest_to_its_answer),
        cmocka_unit_test(text_of_nothing_or_of_another_script_has_no_vector),
        cmocka_unit_test(signs_and_latin_letters_beyond_ascii_are_no_other_script),
        cmocka_unit_test(white_space_of_any_kind_is_one_space),
        cmocka_unit_test(long_text_has_a_vector_for_each_window),
        cmocka_unit_test(short_text_has_one_window_which_is_its_vector),
        cmocka_unit_test(each_window_is_read_behind_the_lead),
        cmocka_unit_test(of_a_long_lead_the_end_counts),
        cmocka_unit_test(windows_of_another_script_are_left_out),
        cmocka_unit_test(noise_gives_a_sound_vector_or_none),
        cmocka_unit_test(the_model_has_a_name_for_each_kind_of_weights),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
