/* What a passage introduces. */
#include "memory/terms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Heading and text -> terms, a bar between two. */
static const struct {
    const char *heading, *text, *terms;
} cases[] = {
    {"14 Expansion > 14.1.3 Word Designators", "", "Word Designators"},
    {"Guide > How the cache works", "", ""},
    {"Overview", "", ""},
    {"Introduction \xC2\xB6", "", ""},
    {"A heading that goes on for longer than any term", "", ""},
    {"", "Run it with --dry-run first, or `--keep-daily=7`.", "--dry-run|--keep-daily"},
    {"", "a -- b, C--, x--y, --, ---, --A", ""},
    {"", "A write barrier is a call that waits.", "write barrier"},
    {"", "The memory\nbarrier is a call that waits.", ""}, /* names are of one line */
    {"", "It stops. The chunk index means all that is known.", "chunk index"},
    {"", "A thing is a thing. The one you want is a file.", ""},
    {"", "glob qualifiers\n\nQualifiers stand behind a pattern, and they select among the files.",
     "glob qualifiers"},
    {"", "and so on\n\nQualifiers stand behind a pattern, and they select among the files.", ""},
    {"", "zmodload\n\nLoads a module, of which there may be several, into the running shell.",
     "zmodload"},
    {"", "value\n\nQualifiers stand behind a pattern, and they select among the files.", ""},
    {"", "It takes --force; --force again.", "--force"},
    {"", "A key encryption key (KEK) is derived.", "key encryption key"},
    {"", "In the write-ahead log (WAL), see also the other (WAL), (W) and log (WA1).",
     "write-ahead log"},
    {"", "It is a log (WAL). (KEK)", ""},
    {"", "Sealed by a\nkey encryption key (KEK).", "key encryption key"},
    {"", "(write barrier (WB)) _chunk index (CI)_ *glob qualifier (GQ)*",
     "write barrier|chunk index|glob qualifier"},
    {"",
     "my_write barrier (WB), cat's index (SI), gr\xC3\xB6"
     "sse index (SI)",
     ""},
    {"", "As strftime(3) and open(2) say, not f(3), g(x) or (3).", "strftime"},
    {"", "See *strftime(3)*, <mmap(2)> and \xE2\x80\x98lseek(2)\xE2\x80\x99.",
     "strftime|mmap|lseek"},
    {"", "As path->unlinkat(1), std::strtoul(8), a/strtoul(1), $strtoul(1); strtoul(1);", ""},
    {"",
     "As \xC3\x9C"
     "bersicht(1) and \xC3\xB6"
     "strftime(3) say.",
     ""},
    {"", "a234567890b234567890c234567890d234567890(3)", "a234567890b234567890c234567890d234567890"},
    {"", "xa234567890b234567890c234567890d234567890(3)", ""},
    {"", "It takes SHARE UPDATE EXCLUSIVE, then ACCESS SHARE.",
     "SHARE UPDATE EXCLUSIVE|ACCESS SHARE"},
    {"", "Sealed by AES-256-CTR or HMAC-SHA256, in UTF-8; JIRA-123, A-Z and the X-Y axis.",
     "AES-256-CTR|HMAC-SHA256"},
    {"", "RETURN VALUE\nPLEASE DO NOT USE THIS. It is DO NOT USE. A b C d.", ""},
    {"", "in SRC/MAKE FILES_OF a.B C", ""},
    {"", "it takes SHARE UPDATE- and more", ""},
    {"", "", ""},
};

static void expect_terms(str heading, str text, const char *terms, size_t row)
{
    struct arena a = {0};
    struct buf got = {0};
    size_t count;
    struct found_entity *found = terms_of(&a, heading, text, &count);
    for (size_t k = 0; k < count; k++)
        buf_printf(&got, "%s%.*s", k ? "|" : "", FMT(found[k].name));
    if (!str_eq(buf_str(&got), str_of(terms)))
        fail_msg("%zu: %.*s, not %s", row, FMT(buf_str(&got)), terms);
    buf_free(&got);
    arena_free(&a);
}

static void terms_are_what_is_named_by_being_introduced(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_terms(str_of(cases[i].heading), str_of(cases[i].text), cases[i].terms, i);
}

static void a_zero_byte_is_no_sign(void **state)
{
    (void)state;
    expect_terms(S(""), S("A key encryption key (KEK\0 is derived."), "", 0);
    expect_terms(S(""), S("It takes SHARE UPDATE\0x."), "SHARE UPDATE", 1);
    expect_terms(S(""), S("It takes \0SHARE UPDATE."), "SHARE UPDATE", 2);
    expect_terms(S(""), S("As \0strftime(3) says."), "strftime", 3);
}

static void only_so_many_of_a_passage_count(void **state)
{
    (void)state;
    struct arena a = {0};
    struct buf text = {0};
    size_t count;
    for (int i = 0; i <= MAX_TERMS; i++)
        buf_printf(&text, "--option%c ", 'a' + i);
    struct found_entity *found = terms_of(&a, S(""), buf_str(&text), &count);
    assert_int_equal(count, MAX_TERMS);
    assert_true(str_eq(found[MAX_TERMS - 1].name, S("--optionx")));
    buf_free(&text);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_what_is_named_by_being_introduced),
        cmocka_unit_test(a_zero_byte_is_no_sign),
        cmocka_unit_test(only_so_many_of_a_passage_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
