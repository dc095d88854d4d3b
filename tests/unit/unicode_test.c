#include "memory/base/unicode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_str(str got, str wanted)
{
    if (!str_eq(got, wanted))
        fail_msg("got \"%.*s\", wanted \"%.*s\"", FMT(got), FMT(wanted));
}

struct form {
    str in, out;
};

static void check(str map(struct arena *a, str s), const struct form *forms, size_t n)
{
    struct arena a = {0};
    for (size_t i = 0; i < n; i++)
        assert_str(map(&a, forms[i].in), forms[i].out);
    arena_free(&a);
}

#define CHECK(map, forms) check(map, forms, sizeof(forms) / sizeof *(forms))
#define T(literal)                                                                                 \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static void every_code_point_is_decoded_as_it_was_encoded(void **state)
{
    (void)state;
    for (int32_t c = 0; c <= 0x10FFFF; c++) {
        char bytes[4];
        size_t got_bytes;
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        str s = {bytes, utf8_encode(c, bytes)};
        if (utf8_decode(s, 0, &got_bytes) != c || got_bytes != s.len || !utf8_valid(s))
            fail_msg("U+%04X", (unsigned)c);
    }
}

static void bad_sequences_are_found_and_replaced_once_each(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {T("plain"), T("plain")},
        {T("\x80"), T("\xEF\xBF\xBD")},
        {T("a\xC0\xAF"
           "b"),
         T("a\xEF\xBF\xBD\xEF\xBF\xBD"
           "b")}, /* overlong: two bad bytes */
        {T("\xED\xA0\x80"), T("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")}, /* a surrogate */
        {T("\xF4\x90\x80\x80"),
         T("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")}, /* beyond U+10FFFF */
        {T("\xE2\x82"), T("\xEF\xBF\xBD")},                      /* one that breaks off */
        {T("\xF0\x9F\x98x"), T("\xEF\xBF\xBDx")},
        {T("\xC3\xA4\xFF"), T("\xC3\xA4\xEF\xBF\xBD")},
        {T("a\0b"), T("a\0b")},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        str out = utf8_repair(&a, forms[i].in);
        assert_str(out, forms[i].out);
        assert_true(utf8_valid(out));
        assert_int_equal(utf8_valid(forms[i].in), str_eq(forms[i].in, out));
        if (utf8_valid(forms[i].in))
            assert_ptr_equal(out.at, forms[i].in.at);
    }
    arena_free(&a);
}

static void a_prefix_ends_at_a_code_point(void **state)
{
    (void)state;
    static const size_t wanted[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
    str s = S("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"); /* 1, 2, 3 and 4 bytes */
    for (size_t n = 0; n < sizeof wanted / sizeof *wanted; n++)
        assert_int_equal(utf8_prefix(s, n).len, wanted[n]);
    assert_int_equal(utf8_prefix(s, 999).len, s.len);
}

static void a_place_within_a_code_point_leads_to_its_beginning_and_the_next(void **state)
{
    (void)state;
    static const size_t back[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    static const size_t ahead[] = {0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10, 11};
    str s = S("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"); /* 1, 2, 3 and 4 bytes */
    for (size_t at = 0; at < sizeof back / sizeof *back; at++) {
        assert_int_equal(utf8_back(s, at), back[at]);
        assert_int_equal(utf8_ahead(s, at), ahead[at]);
        assert_int_equal(utf8_is_tail(s, at), back[at] != at);
    }
    assert_int_equal(utf8_back(S("\x80\x80"), 1), 0);
    assert_int_equal(utf8_ahead(S("\x80\x80"), 0), 2);
}

static void nfc_composes(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {T("cafe\xCC\x81"), T("caf\xC3\xA9")},
        {T("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), T("\xED\x95\x9C")}, /* Hangul jamo */
        {T("a\xCC\xA3\xCC\x82"), T("\xE1\xBA\xAD")},                    /* marks in either order */
        {T("a\xCC\x82\xCC\xA3"), T("\xE1\xBA\xAD")},
        {T("\xEF\xAC\x81"), T("\xEF\xAC\x81")}, /* a ligature is only folded by NFKC */
        {T("bad \xFF"), T("bad \xEF\xBF\xBD")},
    };
    CHECK(unicode_nfc, forms);
}

static void folding_is_full_and_compatible_and_drops_what_is_invisible(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {T("Hello World"), T("hello world")},
        {T("STRASSE Stra\xC3\x9F"
           "e"),
         T("strasse strasse")},
        {T("\xEF\xAC\x81ne"), T("fine")},
        {T("\xEF\xBC\xA1\xEF\xBC\xA2"), T("ab")}, /* full width */
        {T("\xCE\xA3\xCE\x8A\xCE\xA3\xCF\x85\xCF\x82"),
         T("\xCF\x83\xCE\xAF\xCF\x83\xCF\x85\xCF\x83")}, /* sigmas */
        {T("so\xC2\xAD"
           "ft\xE2\x80\x8B"),
         T("soft")},
        {T("\xC3\x84"
           "A\xCC\x88"),
         T("\xC3\xA4\xC3\xA4")},
        {T(""), T("")},
    };
    CHECK(unicode_fold, forms);
}

static void one_word_folds_like_a_text(void **state)
{
    (void)state;
    static const char *const words[] = {"Hello",
                                        "Stra\xC3\x9F"
                                        "e",
                                        "\xC3\x84rger", "\xEF\xAC\x81ne",
                                        "\xE6\x97\xA5\xE6\x9C\xAC"};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char out[64];
        str word = str_of(words[i]);
        assert_str(str_from(out, unicode_fold_word(word, out, sizeof out)), unicode_fold(&a, word));
        for (size_t n = 0; n < word.len; n++)
            assert_true(unicode_fold_word(word, out, n) <= n);
    }
    char out[8];
    assert_int_equal(unicode_fold_word(S("\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"), out, 7),
                     6); /* no half code point */
    arena_free(&a);
}

static void white_space_becomes_one_space(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {T("  a \t\r\n b  "), T("a b")},
        {T("a\xC2\xA0\xE3\x80\x80\xE2\x80\xA8"
           "b"),
         T("a b")},
        {T(" \n "), T("")},
        {T("a"), T("a")},
    };
    CHECK(unicode_squeeze, forms);
}

static void characters_have_their_class(void **state)
{
    (void)state;
    static const struct {
        int32_t c;
        enum char_class class;
    } cases[] = {
        {'a', CHAR_LOWER},    {'Z', CHAR_UPPER},      {'5', CHAR_DIGIT},    {' ', CHAR_SPACE},
        {'\n', CHAR_SPACE},   {'_', CHAR_OTHER},      {0xE4, CHAR_LOWER},   {0xC4, CHAR_UPPER},
        {0x1C5, CHAR_UPPER},  {0x5D0, CHAR_LETTER},   {0x661, CHAR_DIGIT},  {0x2163, CHAR_DIGIT},
        {0xB2, CHAR_DIGIT},   {0x4E2D, CHAR_CJK},     {0x3042, CHAR_CJK},   {0x30AB, CHAR_CJK},
        {0x30FC, CHAR_CJK},   {0x30FB, CHAR_OTHER},   {0xD55C, CHAR_CJK},   {0xE01, CHAR_CJK},
        {0xE31, CHAR_MARK},   {0x1780, CHAR_CJK},     {0x301, CHAR_MARK},   {0x20000, CHAR_CJK},
        {0x3002, CHAR_OTHER}, {0xA0, CHAR_SPACE},     {0x2028, CHAR_SPACE}, {0x1F600, CHAR_OTHER},
        {-1, CHAR_OTHER},     {0x10FFFF, CHAR_OTHER}, {0x915, CHAR_LETTER}, {0x110000, CHAR_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (unicode_class(cases[i].c) != cases[i].class)
            fail_msg("U+%04X has class %d", (unsigned)cases[i].c, unicode_class(cases[i].c));
}

static void what_can_forge_or_hide_is_made_visible(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {T("plain text\twith\nlines"), T("plain text\twith\nlines")},
        {T("\x1B[31mred\x1B[0m"), T("\\u{1B}[31mred\\u{1B}[0m")},
        {T("\x1B]8;;http://x\x07"), T("\\u{1B}]8;;http://x\\u{7}")},
        {T("a\0b\x7F"), T("a\\u{0}b\\u{7F}")},
        {T("\xC2\x9B"
           "31m"),
         T("\\u{9B}31m")}, /* C1 */
        {T("a\r\nb\rc"), T("a\nb\\u{D}c")},
        {T("\xE2\x80\xAE"
           "abc\xE2\x81\xA6"),
         T("\\u{202E}abc\\u{2066}")},
        {T("a\xE2\x80\x8B"
           "b\xEF\xBB\xBF"),
         T("a\\u{200B}b\\u{FEFF}")},
        {T("a\xE2\x80\x8D"
           "b"),
         T("a\\u{200D}b")},
        {T("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"),
         T("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB")}, /* an emoji */
        {T("\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5"),
         T("\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5")},
        {T("\xF0\x9F\x91\xA9\xE2\x80\x8D\xE2\x80\x8D\xF0\x9F\x92\xBB"),
         T("\xF0\x9F\x91\xA9\\u{200D}\\u{200D}\xF0\x9F\x92\xBB")},
        {T("1\xEF\xB8\x8F\xE2\x83\xA3"), T("1\xEF\xB8\x8F\xE2\x83\xA3")}, /* a keycap */
        {T("a\xEF\xB8\x8F"), T("a\\u{FE0F}")},
        {T("a\xF3\xA0\x84\x80"), T("a\\u{E0100}")},
        {T("\xE8\xBE\xBB\xF3\xA0\x84\x80"),
         T("\xE8\xBE\xBB\xF3\xA0\x84\x80")},      /* a variant of a Han character */
        {T("\xF3\xA0\x81\x81"), T("\\u{E0041}")}, /* a tag */
        {T("\xE2\x80\xA8\xE2\x80\xA9"), T("\\u{2028}\\u{2029}")},
        {T("\xEF\xBF\xBE\xEF\xB7\x90"), T("\\u{FFFE}\\u{FDD0}")},
        {T("\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE"),
         T("\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE")}, /* Persian */
        {T("\xFF"), T("\xEF\xBF\xBD")},
        {T("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), T("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80")},
    };
    CHECK(unicode_visible, forms);
}

/* Texts of everything that has a rule of its own, in random order, and random bytes. */
static str random_text(struct arena *a, uint64_t *seed)
{
    static const int32_t points[] = {'a',     'B',     ' ',    '\n',   '\r',   0x1B,    0x301,
                                     0x323,   0xE4,    0x130,  0x3A3,  0x200B, 0x200D,  0xFE0F,
                                     0x202E,  0xAC00,  0x1100, 0x1161, 0x11A8, 0x4E2D,  0xFB01,
                                     0x345,   0xFDFA,  0xE31,  '\'',   0x2019, 0x1F469, 0x1F4BB,
                                     0xE0100, 0xE0041, 0xFFFE, '1',    0x13A0, 0xAB70};
    char *out = arena_bytes(a, 400);
    size_t n = 0;
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    size_t length = (size_t)(*seed >> 40) % 90;
    for (size_t i = 0; i < length; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t pick = (size_t)(*seed >> 33) % (sizeof points / sizeof *points + 1);
        if (pick == sizeof points / sizeof *points)
            out[n++] = (char)(*seed >> 50);
        else
            n += utf8_encode(points[pick], out + n);
    }
    return str_from(out, n);
}

static void mapping_twice_is_mapping_once(void **state)
{
    (void)state;
    str (*const maps[])(struct arena *, str) = {utf8_repair, unicode_nfc, unicode_squeeze,
                                                unicode_visible};
    struct arena a = {0};
    uint64_t seed = 11;
    for (int i = 0; i < 20000; i++) {
        struct arena mark = a;
        str text = random_text(&a, &seed);
        for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
            str once = maps[k](&a, text), twice = maps[k](&a, once);
            assert_true(utf8_valid(once));
            assert_str(twice, once);
        }
        assert_true(utf8_valid(unicode_fold(&a, text)));
        arena_rewind(&a, mark);
    }
    arena_free(&a);
}

/* The pieces in which long texts are normalised must not show: whole lines give what their halves
 * give. */
static void a_long_text_is_mapped_like_its_lines(void **state)
{
    (void)state;
    struct arena a = {0};
    struct form line = {T("\xC3\x84rger e\xCC\x81t\xC3\xA9 \xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4 "
                          "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\xEF\xAC\x81"
                          "\n"),
                        T("")};
    str nfc = unicode_nfc(&a, line.in), fold = unicode_fold(&a, line.in);
    enum { LINES = 300 };
    char *text = arena_bytes(&a, LINES * line.in.len), *nfcs = arena_bytes(&a, LINES * nfc.len),
         *folds = arena_bytes(&a, LINES * fold.len);
    for (size_t i = 0; i < LINES; i++) {
        memcpy(text + i * line.in.len, line.in.at, line.in.len);
        memcpy(nfcs + i * nfc.len, nfc.at, nfc.len);
        memcpy(folds + i * fold.len, fold.at, fold.len);
    }
    assert_str(unicode_nfc(&a, str_from(text, LINES * line.in.len)),
               str_from(nfcs, LINES * nfc.len));
    assert_str(unicode_fold(&a, str_from(text, LINES * line.in.len)),
               str_from(folds, LINES * fold.len));
    arena_free(&a);
}

static void a_flood_of_marks_ends(void **state)
{
    (void)state;
    enum { MARKS = 200000 };
    struct arena a = {0};
    char *text = arena_bytes(&a, 4 * MARKS);
    for (size_t i = 0; i < MARKS; i++)
        memcpy(text + 4 * i, "\xCC\x81\xCC\xA3", 4);
    assert_true(utf8_valid(unicode_nfc(&a, str_from(text, 4 * MARKS))));
    assert_true(utf8_valid(unicode_fold(&a, str_from(text, 4 * MARKS))));
    arena_free(&a);
}

static void a_bare_letter_has_neither_case_nor_accent(void **state)
{
    (void)state;
    static const struct {
        int32_t from, to[3];
        size_t n;
    } cases[] = {
        {'A', {'a'}, 1},
        {0xE9, {'e'}, 1},
        {0x130, {'i'}, 1}, /* dotted capital I */
        {0x212A, {'k'}, 1},
        {0x301, {0}, 0},
        {0x37E, {';'}, 1}, /* Greek question mark */
        {0xAC00, {0x1100, 0x1161}, 2},
        {0x4E2D, {0x4E2D}, 1},
        {0x1D400, {0x1D400}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t out[MAX_BARE];
        assert_int_equal(unicode_bare(cases[i].from, out), cases[i].n);
        assert_memory_equal(out, cases[i].to, cases[i].n * sizeof *out);
    }
}

static void punctuation_and_controls_are_told(void **state)
{
    (void)state;
    static const int32_t punctuation[] = {'!', '_', 0x2014, 0x201C, 0x3002},
                         controls[] = {0, 0x7F, 0x200B, 0xE000, 0x378},
                         neither[] = {'a', '+', 0x2192, ' '};
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
        assert_true(unicode_is_punctuation(punctuation[i]) && !unicode_is_control(punctuation[i]));
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        assert_true(!unicode_is_punctuation(controls[i]) && unicode_is_control(controls[i]));
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        assert_false(unicode_is_punctuation(neither[i]) || unicode_is_control(neither[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_letter_has_neither_case_nor_accent),
        cmocka_unit_test(punctuation_and_controls_are_told),
        cmocka_unit_test(every_code_point_is_decoded_as_it_was_encoded),
        cmocka_unit_test(bad_sequences_are_found_and_replaced_once_each),
        cmocka_unit_test(a_prefix_ends_at_a_code_point),
        cmocka_unit_test(a_place_within_a_code_point_leads_to_its_beginning_and_the_next),
        cmocka_unit_test(nfc_composes),
        cmocka_unit_test(folding_is_full_and_compatible_and_drops_what_is_invisible),
        cmocka_unit_test(one_word_folds_like_a_text),
        cmocka_unit_test(white_space_becomes_one_space),
        cmocka_unit_test(characters_have_their_class),
        cmocka_unit_test(what_can_forge_or_hide_is_made_visible),
        cmocka_unit_test(mapping_twice_is_mapping_once),
        cmocka_unit_test(a_long_text_is_mapped_like_its_lines),
        cmocka_unit_test(a_flood_of_marks_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
