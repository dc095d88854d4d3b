#include "memory/memory_state.h"
#include "memory/text.h"
#include "memory/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;

/* The index term of a word. */
static str term_of(const char *word)
{
    size_t count;
    struct token *tokens = text_token_list(&arena, str_of(word), 1, &count);
    return count ? str_of(tokens[0].text) : S("");
}

static str joined(const struct variants *v)
{
    struct buf b = {0};
    for (size_t i = 0; i < v->count; i++)
        buf_printf(&b, "%s%.*s", i ? " " : "", FMT(v->texts[i]));
    str text = arena_str(&arena, buf_str(&b));
    buf_free(&b);
    return text;
}

static void irregular_forms_are_one_word(void **state)
{
    (void)state;
    static const struct {
        const char *word, *others;
    } cases[] = {{"rises", "rose risen"},
                 {"rose", "rise risen"},
                 {"chosen", "choos chose"},
                 {"people", "person"},
                 {"arise", "aros arisen"},
                 {"written", "write wrote"},
                 {"writing", "wrote written"},
                 {"table", ""},
                 {"is", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct variants v;
        variants_of_form(term_of(cases[i].word), &v);
        if (!str_eq(joined(&v), str_of(cases[i].others)))
            fail_msg("%s: %.*s", cases[i].word, FMT(joined(&v)));
    }
    struct variants none;
    variants_of_form(S(""), &none);
    assert_int_equal(none.count, 0);
    variants_of_form(S("rise rose"), &none);
    assert_int_equal(none.count, 0);
    arena_free(&arena);
}

static void seven_to_forty_mixed_digits_are_a_hash(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_hash;
    } cases[] = {{"9f3c2ab", true},
                 {"9f3c2a", false},
                 {"1234567", false},
                 {"defaced", false},
                 {"9f3c2ag", false},
                 {"4be91d7f20c3a9e8b7d6c5f4e3a2b1c0d9e8f7a6", true},
                 {"4be91d7f20c3a9e8b7d6c5f4e3a2b1c0d9e8f7a60", false},
                 {"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (variants_is_hash(str_of(cases[i].text)) != cases[i].is_hash)
            fail_msg("%s", cases[i].text);
}

/* ---- against an index ---- */

static char directory[64];
static struct memory *m;

static int64_t tick(void *ctx)
{
    (void)ctx;
    return 0;
}

static void pass(void *ctx, int64_t ms)
{
    (void)ctx;
    (void)ms;
}

static void remember(const char *text, const char *entity)
{
    struct arena a = {0};
    struct err e = {0};
    struct entity_input name = {.name = str_of(entity), .type = S("technology")};
    struct remember_input in = {.from = {.now_ms = 1000},
                                .text = str_of(text),
                                .entities = &name,
                                .entity_count = *entity != 0};
    struct remember_result out;
    if (!memory_remember(m, &a, &in, &out, &e))
        fail_msg("%s", e.text);
    arena_free(&a);
}

static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    snprintf(directory, sizeof directory, "/tmp/engram-variants-XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    struct memory_options options = {
        .directory = str_of(directory), .monotonic_ms = tick, .sleep_ms = pass};
    if (!memory_open(&options, &m, &e))
        return -1;
    remember("Posters hang beside the threshold of the laboratory password store.", "");
    remember("We chose it for its row level security.", "Postgres");
    remember("Jede Rechnung hat eine Nummer, jeder Vertrag eine Lieferscheinkopie.", "");
    remember("Commit 9f3c2ab41d07e6b8c5a2f1e09d8b7c6a5f4e3d2c reverts 4be91d7 and 9f3c2ab41e.", "");
    remember("Alpha and alphas, alphabets and authentication.", "");
    return memory_read(m, &e) && postings_sync(m->postings, m->store, &m->snap, &e) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    store_read_end(m->store);
    memory_close(m);
    arena_free(&arena);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static void a_hash_stands_for_the_longer_and_the_shorter_one(void **state)
{
    (void)state;
    static const struct {
        const char *hash, *others;
    } cases[] = {{"9f3c2ab", "9f3c2ab41d07e6b8c5a2f1e09d8b7c6a5f4e3d2c 9f3c2ab41e"},
                 {"9f3c2ab41d", "9f3c2ab41d07e6b8c5a2f1e09d8b7c6a5f4e3d2c"},
                 {"4be91d7f20c3a9e8b7d6c5f4e3a2b1c0d9e8f7a6", "4be91d7"},
                 {"4be91d8", ""}};
    struct variant_source source = {m->store, m->postings, &m->snap};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct variants v;
        struct err e = {0};
        assert_true(variants_of_hash(&source, &arena, str_of(cases[i].hash), &v, &e));
        if (!str_eq(joined(&v), str_of(cases[i].others)))
            fail_msg("%s: %.*s", cases[i].hash, FMT(joined(&v)));
    }
}

static void an_unknown_word_is_taken_for_the_nearest_known_one(void **state)
{
    (void)state;
    static const struct {
        const char *word, *others, *why;
        bool together, guessed;
    } cases[] = {
        {"Postgers", "postgr", "a name goes before another word as near", false, true},
        {"treshold", "threshold", "a letter is missing behind the first", false, true},
        {"hteshold", "threshold", "swapped and missing letters", false, true},
        {"dhreshold", "", "a wrong first letter is not looked for", false, false},
        {"laborattory", "laboratori", "one letter too many", false, true},
        {"laboartry", "laboratori", "swapped letters and a missing one", false, true},
        {"alpah", "alpha", "swapped letters", false, true},
        {"passport", "", "two wrong letters make another word", false, false},
        {"renew", "", "an everyday word is spelled as it was meant", false, false},
        {"rechnungen", "rechnung", "an ending less", false, false},
        {"verträge", "vertrag", "an ending and an umlaut less", false, false},
        {"lieferschein", "lieferscheinkopi", "it begins a compound", false, false},
        {"rechnungsnummer", "rechnung nummer", "a compound of known words", true, false},
        {"nummerpapier", "", "half of it is unknown", false, false},
        {"row2", "", "a number next to it is another one", false, false},
        {"xy", "", "too short", false, false},
        {"", "", "nothing", false, false},
    };
    struct variant_source source = {m->store, m->postings, &m->snap};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct variants v;
        struct err e = {0};
        assert_true(variants_of_unknown(&source, &arena, str_of(cases[i].word),
                                        term_of(cases[i].word), &v, &e));
        if (!str_eq(joined(&v), str_of(cases[i].others)) || v.guessed != cases[i].guessed ||
            v.together != cases[i].together)
            fail_msg("%s (%s): %.*s%s%s", cases[i].word, cases[i].why, FMT(joined(&v)),
                     v.guessed ? ", guessed" : "", v.together ? ", together" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(irregular_forms_are_one_word),
        cmocka_unit_test(seven_to_forty_mixed_digits_are_a_hash),
        cmocka_unit_test_setup_teardown(a_hash_stands_for_the_longer_and_the_shorter_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_unknown_word_is_taken_for_the_nearest_known_one, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
