#include "memory/text.h"

#include "memory/base/unicode.h"
#include "memory/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void assert_str(str got, const char *wanted)
{
    if (!str_eq(got, str_of(wanted)))
        fail_msg("got \"%.*s\", wanted \"%s\"", FMT(got), wanted);
}

/* Tokens as "text", colocated ones behind a +, wholes of identifiers before a !. */
static str spell(struct arena *a, str text)
{
    size_t count;
    struct token *tokens = text_token_list(a, text, 1000, &count);
    str out = S("");
    for (size_t i = 0; i < count; i++)
        out =
            arena_printf(a, "%.*s%s%s%s%s", FMT(out), i ? " " : "", tokens[i].colocated ? "+" : "",
                         tokens[i].text, tokens[i].identifier ? "!" : "");
    return out;
}

static void words_identifiers_and_characters_become_tokens(void **state)
{
    (void)state;
    static const struct {
        const char *text, *tokens;
    } cases[] = {
        {"", ""},
        {" \n.,;", ""},
        {"The running Dogs", "the run dog"},
        {"don't can\xE2\x80\x99t", "dont cant"},
        {"Caroline's O'Brien", "carolin obrien! +o +brien"},
        {"I'll we've they're she'd I'm it's", "i we they she i it"},
        {"dogs' 'quoted' (bracketed)", "dog quot bracket"},
        {"shopping_cart", "shopping_cart! +shop +cart"},
        {"getUserName", "getusername! +getusernam +get +user +name"},
        {"HTTPServer2", "httpserver2! +http +server +2"},
        {"iPhone iphones", "iphone! +iphon +i +phone iphon"},
        {"APIs URLs IDs", "api url id"},
        {"src/memory/store.c", "src/memory/store.c! +src +memori +store +c"},
        {"node_modules/@scope/pkg", "node_modules/@scope/pkg! +node +modul +scope +pkg"},
        {"std::vector a->b", "std::vector! +std +vector a b"},
        {"#123 @alice", "#123! +123 @alice! +alic"},
        {"v1.2.3", "v1.2.3! +v +1 +2 +3"},
        {"bob.smith@example.com", "bob.smith@example.com! +bob +smith +exampl +com"},
        {"https://a.bc/d", "https://a.bc/d! +https +a +bc +d"},
        {"C++ C# F# .NET ASP.NET C++17",
         "c++! c#! f#! .net! +net asp.net! +asp +net c++17! +c++ +17"},
        {"i++ c--", "i c"},
        {"word--word wait...what? foo_ _bar __init__", "word word wait what foo bar init"},
        {"state-of-the-art", "state-of-the-art! +state +of +the +art"},
        {"dc8401663686aa00", "dc8401663686aa00"},
        {"x 550e8400-e29b-41d4-a716-446655440000 y",
         "x 550e8400-e29b-41d4-a716-446655440000! +550e8400 +e +29 +b +41 +d +4 +a +716 "
         "+446655440000 y"},
        {"Donaudampfschifffahrt Stra\xC3\x9F"
         "e",
         "donaudampfschifffahrt strass"},
        {"\xEF\xBC\xA1\xEF\xBC\xA2\xEF\xBC\xA3 \xEF\xAC\x81ne", "abc fine"},
        {"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
         "\xE6\x97\xA5\xE6\x9C\xAC \xE6\x9C\xAC\xE8\xAA\x9E"}, /* bigrams */
        {"\xE6\x97\xA5", "\xE6\x97\xA5"},
        {"a\xE6\x97\xA5"
         "b",
         "a \xE6\x97\xA5 b"},
        {"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4",
         "\xED\x95\x9C\xEA\xB5\xAD \xEA\xB5\xAD\xEC\x96\xB4"},
        {"ab\xFF"
         "cd",
         "ab cd"}, /* invalid UTF-8 separates */
        {"\xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0",
         "\xD0\xBC\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0"},
        {"\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80",
         "\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\xA8\xE0\xA5\x8D\xE0\xA4\xA6\xE0\xA5\x80"}, /* marks stay
                                                                                         in their
                                                                                         word */
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(spell(&a, str_of(cases[i].text)), cases[i].tokens);
    arena_free(&a);
}

static void a_name_meets_its_other_spellings(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"getUserName", "getusername"},
        {"shopping_cart", "shopping carts"},
        {"iPhone", "iphones"},
        {"HttpServer", "http_server"},
        {"store.c", "src/memory/store.c"},
        {"#123", "issue 123"},
        {"ASP.NET", ".NET"},
        {"PostgreSQL", "postgresql"},
        {"Caroline\xE2\x80\x99s", "Caroline"},
        {"LibreOffice", "libreoffice"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        size_t m, n;
        struct token *x = text_token_list(&a, str_of(pairs[i][0]), 99, &m),
                     *y = text_token_list(&a, str_of(pairs[i][1]), 99, &n);
        bool met = false;
        for (size_t j = 0; j < m; j++)
            for (size_t k = 0; k < n; k++)
                met |= strcmp(x[j].text, y[k].text) == 0;
        if (!met)
            fail_msg("%s and %s share no token", pairs[i][0], pairs[i][1]);
    }
    arena_free(&a);
}

static void stop_words_are_marked_but_not_left_out(void **state)
{
    (void)state;
    struct arena a = {0};
    size_t count;
    struct token *t = text_token_list(&a, S("The store is_open for don't"), 99, &count);
    static const bool wanted[] = {true, false, false, true, false, true, true};
    assert_int_equal(count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(t[i].stop, wanted[i]);
    assert_true(text_is_stop(S("the")) && !text_is_stop(S("store")) && !text_is_stop(S("")));
    arena_free(&a);
}

struct walk {
    str text;
    size_t count, max, last_from;
};

static bool check_token(void *ctx, const struct token *t)
{
    struct walk *w = ctx;
    assert_true(t->len > 0 && t->len <= MAX_TOKEN_BYTES);
    assert_int_equal(t->text[t->len], '\0');
    assert_true(utf8_valid(str_from(t->text, t->len)));
    assert_true(t->from < t->to && t->to <= w->text.len);
    if (!t->colocated)
        assert_true(t->from >= w->last_from);
    if (!t->colocated)
        w->last_from = t->from;
    return ++w->count < w->max;
}

static uint64_t next(uint64_t *seed)
{
    return (*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u) >> 33;
}

static void tokens_of_any_bytes_lie_within_the_text_in_order(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",
                                         "B",
                                         "foo",
                                         "Bar",
                                         "_",
                                         ".",
                                         "-",
                                         "/",
                                         "@",
                                         "#",
                                         ":",
                                         "+",
                                         "'",
                                         "s",
                                         "1",
                                         "23",
                                         " ",
                                         "\n",
                                         "\xC3\xA4",
                                         "\xE6\x97\xA5",
                                         "\xE0\xB8\xAA",
                                         "\xE0\xB8\xB1",
                                         "\xCC\x81",
                                         "\xFF",
                                         "\xE2\x80\x99",
                                         "++",
                                         "c",
                                         "net",
                                         "\xE1\x85\x9F",
                                         "abcdefghijklmnopqrstuvwxyz",
                                         "0a1b2c3d4e"};
    uint64_t seed = 5;
    for (int i = 0; i < 30000; i++) {
        char text[600];
        size_t n = 0, count = next(&seed) % 20;
        for (size_t k = 0; k < count; k++) {
            const char *piece = pieces[next(&seed) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        struct arena a = {0};
        char *exact =
            n ? arena_bytes(&a, 65536) + 65536 - n : text; /* nothing readable behind the end */
        memcpy(exact, text, n);
        struct walk w = {.text = str_from(exact, n), .max = SIZE_MAX};
        text_tokens(w.text, check_token, &w);
        arena_free(&a);
    }
}

static void a_visitor_can_end_the_scan(void **state)
{
    (void)state;
    struct walk w = {.text = S("one two_three four \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E five"),
                     .max = 3};
    text_tokens(w.text, check_token, &w);
    assert_int_equal(w.count, 3);
    struct arena a = {0};
    size_t count;
    text_token_list(&a, S("a b c d"), 2, &count);
    assert_int_equal(count, 2);
    text_token_list(&a, S("a b c d"), 0, &count);
    assert_int_equal(count, 0);
    arena_free(&a);
}

static void a_blob_gives_few_tokens(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    static const char *const units[] = {"a",        "aB", "a1",    "a/", "a.b_",
                                        "\xC3\xA4", "0",  "aB3/+", "a-"};
    struct arena a = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct arena mark = a;
        char *text = arena_bytes(&a, BYTES);
        size_t unit = strlen(units[i]);
        for (size_t k = 0; k < BYTES; k++)
            text[k] = units[i][k % unit];
        struct walk w = {.text = str_from(text, BYTES), .max = SIZE_MAX};
        text_tokens(w.text, check_token, &w);
        assert_true(w.count <= MAX_PARTS + 3);
        arena_rewind(&a, mark);
    }
    arena_free(&a);
}

static void names_have_one_normal_form(void **state)
{
    (void)state;
    static const struct {
        const char *name, *normal;
    } cases[] = {
        {"HTTP_Server", "http server"},
        {"HttpServer", "http server"},
        {" http  server ", "http server"},
        {"The Billing Service", "billing service"},
        {"an apple", "apple"},
        {"Caroline\xE2\x80\x99s", "caroline"},
        {"\"Caroline's\"", "caroline"},
        {"Schindler's List", "schindler's list"},
        {"O\xE2\x80\x99"
         "Brien",
         "o'brien"},
        {"J.K. Rowling", "j k rowling"},
        {"King, Jr.", "king jr"},
        {"Johnson & Johnson", "johnson and johnson"},
        {"#123", "#123"},
        {"v2.3.1", "v2.3.1"},
        {"C++", "c++"},
        {"C#", "c#"},
        {".NET", ".net"},
        {"APIs", "apis"},
        {"src/a.c", "src a c"},
        {"getUserName()", "get user name"},
        {"\xEF\xBC\xA1\xEF\xBC\xA2", "ab"},
        {"the the", "the"},
        {"The", "the"},
        {"!!", ""},
        {"", ""},
        {"\xF0\x9F\x98\x80", ""},
        {"\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xAC"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(text_normal_name(&a, str_of(cases[i].name)), cases[i].normal);
    arena_free(&a);
}

static void a_normal_form_is_its_own_normal_form(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",
                                         "The ",
                                         "an ",
                                         "B",
                                         "'s",
                                         "'",
                                         "_",
                                         ".",
                                         "&",
                                         "#",
                                         "1",
                                         " ",
                                         "C++",
                                         "C#",
                                         ".NET",
                                         "\xC3\x9F",
                                         "\xEF\xAC\x81",
                                         "\xE2\x80\x99",
                                         "\xF0\x9F\x98\x80",
                                         "\xE6\x97\xA5",
                                         "(",
                                         "Foo",
                                         "\xC2\xBD",
                                         "\xFF",
                                         "\xE2\x84\xAB"};
    struct arena a = {0};
    uint64_t seed = 9;
    for (int i = 0; i < 30000; i++) {
        struct arena mark = a;
        char text[400];
        size_t n = 0, count = next(&seed) % 30;
        for (size_t k = 0; k < count; k++) {
            const char *piece = pieces[next(&seed) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        str once = text_normal_name(&a, str_from(text, n)), twice = text_normal_name(&a, once);
        if (!str_eq(once, twice))
            fail_msg("\"%.*s\" became \"%.*s\", then \"%.*s\"", (int)n, text, FMT(once),
                     FMT(twice));
        assert_true(once.len <= MAX_NAME_BYTES);
        arena_rewind(&a, mark);
    }
    arena_free(&a);
}

static void general_words_are_no_entities(void **state)
{
    (void)state;
    static const char *const general[] = {"data",   "system", "today",     "thing",        "code",
                                          "monday", "may",    "september", "pull request", "users"};
    static const char *const particular[] = {"redis", "billing service", "alice", "acid",
                                             "",      "data lake"};
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (!text_is_generic(str_of(general[i])))
            fail_msg("%s", general[i]);
    for (size_t i = 0; i < sizeof particular / sizeof *particular; i++)
        if (text_is_generic(str_of(particular[i])))
            fail_msg("%s", particular[i]);
}

static void word_lists_are_searched_to_their_ends(void **state)
{
    (void)state;
    str list = S("a ab abc b c++ zebra");
    static const char *const in[] = {"a", "ab", "abc", "b", "c++", "zebra"};
    static const char *const out[] = {"",     " ",      "aa", "abcd", "c",   "c+",
                                      "zebr", "zebras", "zz", "0",    "a ab"};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(word_list_has(list, str_of(in[i])));
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (word_list_has(list, str_of(out[i])))
            fail_msg("\"%s\"", out[i]);
    assert_false(word_list_has(S(""), S("a")));
    assert_true(word_is_stop(S("yourselves")) && word_is_stop(S("a")) &&
                word_is_opener(S("running")) && word_is_opener(S("copies")) &&
                word_is_opener(S("moved")) && !word_is_opener(S("united")));
    assert_true(word_is_common(S("houses")) && !word_is_common(S("caroline")) &&
                word_is_technology(S("node.js")));
    assert_true(word_is_german_stop(S("aber")) && word_is_german_stop(S("zwischen")) &&
                word_is_german_stop(S("für")) && !word_is_german_stop(S("die")));
}

/* Within 15 % of the mean of cl100k_base and o200k_base, which counted these texts once. */
static void the_estimate_is_near_a_tokenizer(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t tokens;
    } cases[] = {
        {"", 0},
        {"hello", 1},
        {"We decided to keep the session store in Redis, because the team already runs it for the "
         "queue and nobody wants a "
         "second database to look after at three in the morning.",
         34},
        {"static bool find_row(struct table *t, const char *name, size_t *out)\n{\n    for (size_t "
         "i = 0; i < t->count; i++) {\n"
         "        if (strcmp(t->rows[i].name, name) == 0) {\n            *out = i;\n            "
         "return true;\n        }\n    }\n"
         "    return false;\n}\n",
         76},
        {"def total(items, tax=0.19):\n    \"\"\"Sum of the prices with tax.\"\"\"\n    return "
         "sum(i.price * i.count for i in items) * (1 + "
         "tax)\n",
         38},
        {"import { createServer } from 'node:http';\n\nconst server = createServer((req, res) => "
         "{\n  res.writeHead(200, { 'Content-Type': "
         "'application/json' });\n  res.end(JSON.stringify({ ok: true }));\n});\n",
         50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double got = (double)text_estimate_tokens(str_of(cases[i].text)),
               wanted = (double)cases[i].tokens;
        if (got < wanted * 0.85 || got > wanted * 1.15)
            fail_msg("%.0f tokens for %.0f: %.40s", got, wanted, cases[i].text);
    }
}

static void more_text_has_no_fewer_tokens(void **state)
{
    (void)state;
    str text = S("We chose HTTPServer2 (v1.2.3) \xE2\x80\x94 see docs/adr/0007.md!\n\n    if (x == "
                 "0x1F) return \"\xE6\x97\xA5\xE6\x9C\xAC\";\t----------\n");
    for (size_t n = 0; n <= text.len; n++)
        assert_true(text_estimate_tokens(str_cut(text, 0, n)) <= n);
    assert_true(text_estimate_tokens(text) > 25);
}

/* Oracle: optimal string alignment over the whole table. */
static int slow_distance(str a, str b)
{
    int d[20][20];
    for (size_t i = 0; i <= a.len; i++)
        for (size_t j = 0; j <= b.len; j++) {
            int best = i ? d[i - 1][j] + 1 : (int)j;
            if (j && (!i || d[i][j - 1] + 1 < best))
                best = d[i][j - 1] + 1;
            if (i && j && d[i - 1][j - 1] + (a.at[i - 1] != b.at[j - 1]) < best)
                best = d[i - 1][j - 1] + (a.at[i - 1] != b.at[j - 1]);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[a.len][b.len];
}

static void the_distance_counts_edits_and_neighbours_that_changed_places(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < 20000; i++) {
        char a[12], b[12];
        size_t m = next(&seed) % 12, n = next(&seed) % 12;
        for (size_t k = 0; k < m; k++)
            a[k] = (char)('a' + next(&seed) % 3);
        for (size_t k = 0; k < n; k++)
            b[k] = (char)('a' + next(&seed) % 3);
        str x = {a, m}, y = {b, n};
        int wanted = slow_distance(x, y);
        for (int most = 0; most < 5; most++)
            assert_int_equal(text_edit_distance(x, y, most), wanted < most    ? wanted
                                                             : wanted == most ? most
                                                                              : most + 1);
    }
    assert_int_equal(text_edit_distance(S("redis"), S("rdeis"), 3), 1);
    assert_int_equal(text_edit_distance(S("b\xC3\xA4r"), S("bar"), 3),
                     1); /* code points, not bytes */
}

static void long_texts_are_far_apart_unless_they_are_equal(void **state)
{
    (void)state;
    char a[70], b[70];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    assert_int_equal(text_edit_distance(str_from(a, 65), str_from(b, 65), 2), 0);
    assert_int_equal(text_edit_distance(str_from(a, 65), str_from(b, 64), 2), 3);
    assert_int_equal(text_edit_distance(str_from(a, 64), str_from(b, 63), 2), 1);
}

static void sentences_end_where_a_reader_would_end_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentences; /* with | between them */
    } cases[] = {
        {"", ""},
        {" \n ", ""},
        {"One. Two! Three? Four", "One.|Two!|Three?|Four"},
        {"We met Dr. Smith at 3.14 p.m. on Main St. in v2.3. Then we left.",
         "We met Dr. Smith at 3.14 p.m. on Main St. in v2.3.|Then we left."},
        {"See store.c, e.g. the top. Good.", "See store.c, e.g. the top.|Good."},
        {"J. K. Rowling et al. wrote it. Yes.", "J. K. Rowling et al. wrote it.|Yes."},
        {"In the U.S. Navy he served. In the U.S. The end.",
         "In the U.S. Navy he served.|In the U.S.|The end."},
        {"\"Really?\" she said. \"Yes.\" Good.", "\"Really?\" she said.|\"Yes.\"|Good."},
        {"Acme Inc. is here. It is Acme Inc. They left.",
         "Acme Inc. is here.|It is Acme Inc.|They left."},
        {"No. 5 is alive. I said no. 5 people left", "No. 5 is alive.|I said no. 5 people left"},
        {"Wait... what?! Yes", "Wait...|what?!|Yes"},
        {"- one\n- two. And\n* three\n1. four", "one|two.|And|three|four"},
        {"A line\nthat goes on.\n\nA paragraph", "A line\nthat goes on.|A paragraph"},
        {"# Heading\nText", "# Heading|Text"},
        {"use redis. it is fast.", "use redis.|it is fast."},
        {"\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82\xE6\x96\x87\xEF\xBC\x81",
         "\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82|\xE6\x96\x87\xEF\xBC\x81"},
        {"-\n- x", "x"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str rest = str_of(cases[i].text), sentence, joined = S("");
        for (int n = 0; text_next_sentence(&rest, &sentence); n++) {
            assert_true(sentence.len > 0 && str_eq(str_trim(sentence), sentence));
            joined = arena_printf(&a, "%.*s%s%.*s", FMT(joined), n ? "|" : "", FMT(sentence));
        }
        assert_str(joined, cases[i].sentences);
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_identifiers_and_characters_become_tokens),
        cmocka_unit_test(a_name_meets_its_other_spellings),
        cmocka_unit_test(stop_words_are_marked_but_not_left_out),
        cmocka_unit_test(tokens_of_any_bytes_lie_within_the_text_in_order),
        cmocka_unit_test(a_visitor_can_end_the_scan),
        cmocka_unit_test(a_blob_gives_few_tokens),
        cmocka_unit_test(names_have_one_normal_form),
        cmocka_unit_test(a_normal_form_is_its_own_normal_form),
        cmocka_unit_test(general_words_are_no_entities),
        cmocka_unit_test(word_lists_are_searched_to_their_ends),
        cmocka_unit_test(the_estimate_is_near_a_tokenizer),
        cmocka_unit_test(more_text_has_no_fewer_tokens),
        cmocka_unit_test(the_distance_counts_edits_and_neighbours_that_changed_places),
        cmocka_unit_test(long_texts_are_far_apart_unless_they_are_equal),
        cmocka_unit_test(sentences_end_where_a_reader_would_end_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
