#include "server/jsonrpc.h"

#include "memory/base/unicode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct line_case {
    const char *line;
    int kind;
    const char *id; /* as JSON text */
    int code;       /* of MESSAGE_BAD */
};

static const struct line_case line_cases[] = {
    /* the four kinds */
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", MESSAGE_REQUEST, "1", 0},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", MESSAGE_NOTIFICATION, "", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}", MESSAGE_RESPONSE, "\"a\"", 0},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{}}", MESSAGE_RESPONSE, "\"a\"", 0},
    {"[]", MESSAGE_BATCH, "", 0},
    {"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", MESSAGE_REQUEST, "1", 0},
    /* ids keep type and value */
    {"{\"id\":-9223372036854775808,\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_REQUEST,
     "-9223372036854775808", 0},
    {"{\"id\":\"\",\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_REQUEST, "\"\"", 0},
    {"{\"id\":\"\\u2028\",\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_REQUEST, "\"\\u2028\"",
     0},
    {"{\"id\":1,\"id\":2,\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_REQUEST, "2", 0},
    {"{\"id\":null,\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "", CODE_INVALID_REQUEST},
    {"{\"id\":1.5,\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "", CODE_INVALID_REQUEST},
    {"{\"id\":{},\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "", CODE_INVALID_REQUEST},
    /* not a message */
    {"42", MESSAGE_BAD, "", CODE_INVALID_REQUEST},
    {"\"x\"", MESSAGE_BAD, "", CODE_INVALID_REQUEST},
    {"{\"id\":7,\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "7", CODE_INVALID_REQUEST},
    {"{\"id\":8,\"method\":\"ping\"}", MESSAGE_BAD, "8", CODE_INVALID_REQUEST},
    {"{\"id\":8,\"method\":5,\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "8", CODE_INVALID_REQUEST},
    {"{\"id\":9,\"method\":\"p\",\"params\":[1],\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "9",
     CODE_INVALID_PARAMS},
    {"{\"id\":9,\"method\":\"p\",\"params\":null,\"jsonrpc\":\"2.0\"}", MESSAGE_REQUEST, "9", 0},
    /* refused by jansson, answered all the same; an id counts only in an object that is whole */
    {"{\"jsonrpc\":\"2.0\",\"id\":1,", MESSAGE_BAD, "", CODE_PARSE},
    {"{\"id\":3,\"method\":\"p\",\"params\":{\"a\":\"\\q\"},\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "3",
     CODE_PARSE},
    {"{\"id\":\"b\",\"method\":\"p\",\"params\":{\"a\":123456789012345678901234567890},\"jsonrpc\":"
     "\"2.0\"}",
     MESSAGE_BAD, "\"b\"", CODE_INVALID_PARAMS},
    {"{\"method\":\"p\",\"params\":{\"id\":5,\"a\":1e999},\"jsonrpc\":\"2.0\",\"id\" : 4 }",
     MESSAGE_BAD, "4", CODE_INVALID_PARAMS},
    {"{\"id\":18446744073709551616,\"method\":\"p\",\"jsonrpc\":\"2.0\"}", MESSAGE_BAD,
     "18446744073709551616", CODE_INVALID_PARAMS},
    {"{\"method\":\"notifications/x\",\"params\":{\"a\":1e999},\"jsonrpc\":\"2.0\"}", MESSAGE_NONE,
     "", 0},
    {"{\"id\":1,\"result\":1e999,\"jsonrpc\":\"2.0\"}", MESSAGE_BAD, "", CODE_INVALID_PARAMS},
    {"{\"\\\"id\\\"\":\"{\",\"id\":6,\"method\":\"}\",\"x\":1e999}", MESSAGE_BAD, "6",
     CODE_INVALID_PARAMS},
};

static void each_line_is_read_as_it_should_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof line_cases / sizeof line_cases[0]; i++) {
        const struct line_case *c = &line_cases[i];
        struct arena a = {0};
        struct message m;
        message_parse(&a, str_of(c->line), &m);
        if ((int)m.kind != c->kind || !str_eq(m.id, str_of(c->id)) || m.code != c->code)
            fail_msg("%s: kind %d, id %.*s, code %d", c->line, (int)m.kind, FMT(m.id), m.code);
        json_decref(m.root);
        arena_free(&a);
    }
}

struct repair_case {
    const char *params; /* as sent */
    const char *value;  /* what params.a then is */
};

static const struct repair_case repair_cases[] = {
    {"{\"a\":\"x\\ud83d y\"}", "x\xEF\xBF\xBD y"},
    {"{\"a\":\"\\ude00\"}", "\xEF\xBF\xBD"},
    {"{\"a\":\"\\ud83d\\ude00\"}", "\xF0\x9F\x98\x80"},
    {"{\"a\":\"\\ud83d\\ud83d\\ude00\"}", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
    {"{\"a\":\"\\\\ud83d\"}", "\\ud83d"},
    {"{\"a\":\"\xff\xfe!\"}", "\xEF\xBF\xBD\xEF\xBF\xBD!"},
    {"{\"a\":\"\xED\xA0\x80\"}", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"{\"a\":\"v\",\"\\u0000\" : 1}", "v"},
    {"{\"a\":\"v\",\"\\ud800\":1,\"\\\\u0000\":2}", "v"},
};

static void what_was_meant_well_is_repaired(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof repair_cases / sizeof repair_cases[0]; i++) {
        struct arena a = {0};
        str line = arena_printf(&a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":%s}",
                                repair_cases[i].params);
        struct message m;
        message_parse(&a, line, &m);
        assert_int_equal(m.kind, MESSAGE_REQUEST);
        assert_string_equal(json_string_value(json_object_get(m.params, "a")),
                            repair_cases[i].value);
        json_decref(m.root);
        arena_free(&a);
    }
}

static void a_nul_in_a_value_stays(void **state)
{
    (void)state;
    struct arena a = {0};
    struct message m;
    message_parse(
        &a, S("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"a\\u0000b\"}}"),
        &m);
    assert_int_equal(json_string_length(json_object_get(m.params, "a")), 3);
    json_decref(m.root);
    arena_free(&a);
}

/* {"jsonrpc":"2.0","id":5,"method":"m","params":{"a":{"a":...}}} with `depth` levels in all. */
static str nested(struct arena *a, size_t depth)
{
    struct buf out = {0};
    buf_add(&out, S("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\",\"params\":"));
    for (size_t i = 1; i < depth; i++)
        buf_add(&out, S("{\"a\":"));
    buf_add(&out, S("1"));
    for (size_t i = 1; i < depth; i++)
        buf_add(&out, S("}"));
    buf_add(&out, S("}"));
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

static void nesting_is_bounded_and_answered(void **state)
{
    (void)state;
    struct arena a = {0};
    struct message m;
    message_parse(&a, nested(&a, MAX_JSON_DEPTH), &m);
    assert_int_equal(m.kind, MESSAGE_REQUEST);
    json_decref(m.root);
    for (size_t depth = MAX_JSON_DEPTH + 1; depth < 100000; depth *= 10) {
        message_parse(&a, nested(&a, depth), &m);
        assert_int_equal(m.kind, MESSAGE_BAD);
        assert_int_equal(m.code, CODE_INVALID_REQUEST);
        assert_true(str_eq(m.id, S("5")));
        assert_null(m.root);
    }
    arena_free(&a);
}

static void the_number_of_values_is_bounded(void **state)
{
    (void)state;
    struct arena a = {0};
    struct buf line = {0};
    buf_add(&line, S("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\",\"params\":{\"a\":[1"));
    for (size_t i = 0; i < MAX_JSON_VALUES; i++)
        buf_add(&line, S(",1"));
    buf_add(&line, S("]}}"));
    struct message m;
    message_parse(&a, buf_str(&line), &m);
    assert_int_equal(m.kind, MESSAGE_BAD);
    assert_true(str_eq(m.id, S("5")));
    buf_free(&line);
    arena_free(&a);
}

static void an_envelope_is_found_in_pieces_of_any_size(void **state)
{
    (void)state;
    str line =
        S("{\"method\":\"x\",\"params\":{\"id\":[1,\"}\"]},\"jsonrpc\":\"2.0\",\"id\": \"a b\"} ");
    struct arena a = {0};
    for (size_t cut = 0; cut <= line.len; cut++) {
        struct envelope v = {0};
        envelope_add(&v, str_cut(line, 0, cut));
        envelope_add(&v, str_cut(line, cut, line.len));
        struct message m;
        message_overlong(&a, &v, &m);
        assert_int_equal(m.code, CODE_INVALID_REQUEST);
        assert_true(str_eq(m.id, S("\"a b\"")));
    }
    arena_free(&a);
}

static void an_id_too_long_to_echo_is_left_out(void **state)
{
    (void)state;
    struct arena a = {0};
    char id[MAX_ID_BYTES * 2];
    memset(id, 'i', sizeof id);
    str line = arena_printf(&a, "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\"%.*s\"}",
                            (int)sizeof id, id);
    struct message m;
    message_parse(&a, line, &m);
    assert_int_equal(m.kind, MESSAGE_BAD);
    assert_int_equal(m.id.len, 0);
    json_decref(m.root);
    arena_free(&a);
}

static void assert_message(struct buf *out, const char *wanted)
{
    assert_string_equal(out->at, wanted);
    buf_free(out);
}

static void messages_are_one_line_of_valid_json(void **state)
{
    (void)state;
    struct buf out = {0};
    json_t *value =
        json_pack("{s:s, s:f}", "text", "a\n\xE2\x80\xA8-\xE2\x80\xA9-\xE2\x80\xA6", "score", 0.7f);
    jsonrpc_result(&out, S("1"), value);
    assert_message(
        &out,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"a\\n\\u2028-\\u2029-\xE2\x80\xA6\","
        "\"score\":0.7}}");
    jsonrpc_notification(&out, "n", value);
    assert_true(utf8_valid(buf_str(&out)));
    buf_free(&out);
    json_decref(value);
    jsonrpc_error(&out, S(""), CODE_PARSE, S("bad \xff\n"), NULL);
    assert_message(
        &out,
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"bad \xEF\xBF\xBD\\n\"}}");
    jsonrpc_request(&out, S("\"r\""), "roots/list", NULL);
    assert_message(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}");
}

/* Bytes of JSON-like noise: whatever comes, the result is one of the kinds, and an id is valid
 * JSON. */
static void noise_never_hurts(void **state)
{
    (void)state;
    static const char *const tokens[] = {
        "{",  "}",   "[",       "]",       ",",    ":",      "\"",
        "\\", "\\u", "\\ud83d", "\\u0000", "id",   "\"id\"", "\"method\"",
        "1",  "-",   "e9",      " ",       "null", "\xff",   "\xE2\x80\xA8"};
    uint64_t seed = 42;
    for (int round = 0; round < 20000; round++) {
        struct arena a = {0};
        struct buf line = {0};
        size_t length = 1 + round % 40;
        for (size_t i = 0; i < length; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            buf_add(&line, str_of(tokens[(seed >> 33) % (sizeof tokens / sizeof tokens[0])]));
        }
        struct message m;
        message_parse(&a, buf_str(&line), &m);
        if (m.id.len) {
            json_t *id =
                json_loadb(m.id.at, m.id.len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
            assert_non_null(id);
            json_decref(id);
        }
        json_decref(m.root);
        buf_free(&line);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_read_as_it_should_be),
        cmocka_unit_test(what_was_meant_well_is_repaired),
        cmocka_unit_test(a_nul_in_a_value_stays),
        cmocka_unit_test(nesting_is_bounded_and_answered),
        cmocka_unit_test(the_number_of_values_is_bounded),
        cmocka_unit_test(an_envelope_is_found_in_pieces_of_any_size),
        cmocka_unit_test(an_id_too_long_to_echo_is_left_out),
        cmocka_unit_test(messages_are_one_line_of_valid_json),
        cmocka_unit_test(noise_never_hurts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
