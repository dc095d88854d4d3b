#include "memory/negation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_text_that_denies_is_told_from_one_that_does_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool negates;
    } cases[] = {
        {"Why don't we use GraphQL?", true},
        {"We decided against it.", true},
        {"The importer does not support macros.", true},
        {"Never run it on staging", true},
        {"Kafka is no longer used", true},
        {"SQLite instead of Postgres", true},
        {"Nobody owns the plants.", true},
        {"Das geht nicht ohne Schlüssel.", true},
        {"We rejected the merge", true},
        {"It can\xe2\x80\x99t wait", true},
        {"", false},
        {"The importer supports CSV and notes.", false},
        {"What knots hold?", false},
        {"Is it safe? Yes or no", false},
        {"notable nonsense", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (text_negates(str_of(cases[i].text)) != cases[i].negates)
            fail_msg("%s", cases[i].text);
}

static void only_the_beginning_of_a_long_text_is_read(void **state)
{
    (void)state;
    static char text[MAX_NEGATION_BYTES + 16];
    memset(text, 'x', sizeof text);
    memcpy(text + MAX_NEGATION_BYTES - 4, " not", 4);
    assert_true(text_negates(str_from(text, MAX_NEGATION_BYTES)));
    memset(text, 'x', sizeof text);
    memcpy(text + MAX_NEGATION_BYTES, " not ", 5);
    assert_false(text_negates(str_from(text, sizeof text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_denies_is_told_from_one_that_does_not),
        cmocka_unit_test(only_the_beginning_of_a_long_text_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
