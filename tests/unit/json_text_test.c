#include "tools/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static json_t *parsed(const char *source)
{
    json_error_t error;
    json_t *value = json_loads(source, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    assert_non_null(value);
    return value;
}

static void check(const json_t *value, const char *wanted)
{
    struct buf out = {0};
    json_text(&out, value);
    assert_string_equal(out.at, wanted);
    buf_free(&out);
}

static void check_against_jansson(json_t *value)
{
    char *wanted = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    check(value, wanted);
    free(wanted);
    json_decref(value);
}

static void values_are_written_as_jansson_writes_them(void **state)
{
    (void)state;
    static const char *const values[] = {
        "{}",
        "[]",
        "[[],{},[{}]]",
        "null",
        "[true,false,null]",
        "{\"b\":1,\"a\":{\"c\":[1,2]},\"\":\"\"}",
        "[9223372036854775807,-9223372036854775808]",
        "\"\"",
        "\"plain, gr\u00fc\u00df \U0001F389 \u2027 \u202a \u20a8\"",
        "\"\\\" \\\\ / \\b\\f\\n\\r\\t \\u0000\\u001f\\u007f\"",
        "{\"\\n\\\"\":\"\\n\"}",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_against_jansson(parsed(values[i]));
}

static void reals_are_written_as_jansson_writes_them(void **state)
{
    (void)state;
    static const double odd[] = {-0.0,     -0.5,  1e-9, 0.0001, 0.0004, 0.1 + 0.2,
                                 1 - 1e-9, 1.001, 3,    1e6,    1e22,   0.12345678};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        check_against_jansson(json_real(odd[i]));
    for (int i = 0; i <= 1000; i++) {
        check_against_jansson(json_real(i / 1000.0));
        check_against_jansson(json_real((double)((float)i / 1000)));
    }
}

static void characters_that_end_a_line_for_some_are_escaped(void **state)
{
    (void)state;
    json_t *value = parsed("{\"\\u2028\":\"a\\u2029b\\u2028\"}");
    check(value, "{\"\\u2028\":\"a\\u2029b\\u2028\"}");
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_as_jansson_writes_them),
        cmocka_unit_test(reals_are_written_as_jansson_writes_them),
        cmocka_unit_test(characters_that_end_a_line_for_some_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
