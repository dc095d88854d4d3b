#include "tools/json_write.h"

#include <setjmp.h>
#include <stdarg.h>

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
    json_write(&out, value);
    assert_string_equal(out.at, wanted);
    buf_free(&out);
}

static void one_line_and_six_digits(void **state)
{
    (void)state;
    static const struct {
        const char *source, *wanted;
    } cases[] = {
        {"{ \"b\" : 1,\n\"a\" : [ true , null ] }", "{\"b\":1,\"a\":[true,null]}"},
        {"0.69999998807907104", "0.7"},
        {"0.123456789", "0.123457"},
        {"9223372036854775807", "9223372036854775807"},
        {"\"\\u0000\\n\"", "\"\\u0000\\n\""},
        {"\"gr\u00fc\u00df \U0001F389 \u2027\u202a\"",
         "\"gr\u00fc\u00df \U0001F389 \u2027\u202a\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *value = parsed(cases[i].source);
        check(value, cases[i].wanted);
        json_decref(value);
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
        cmocka_unit_test(one_line_and_six_digits),
        cmocka_unit_test(characters_that_end_a_line_for_some_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
