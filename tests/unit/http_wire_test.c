/* Requests and answers of the HTTP helper, packed and read again, and what damage does to them. */
#include "server/http_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    return 0;
}

static str text_of(size_t bytes)
{
    char *text = arena_bytes(&arena, bytes);
    memset(text, 'x', bytes);
    return str_from(text, bytes);
}

static const str headers[] = {{"Authorization: Bearer k", 23}, {"Accept: */*", 11}};

static struct http_request a_request(void)
{
    return (struct http_request){.url = S("https://example.org/v1"),
                                 .body = S("{\"a\": 1}"),
                                 .proxy = S("http://proxy:3128"),
                                 .headers = headers,
                                 .header_count = 2,
                                 .reach = HTTP_PUBLIC_AND_LOOPBACK,
                                 .max_bytes = MAX_HTTP_RECEIVED_BYTES,
                                 .connect_ms = 3000,
                                 .total_ms = MAX_HTTP_TOTAL_MS};
}

/* ERR_NONE: *out is what stands behind the head. */
static enum err_code pack(const struct http_request *r, str *out)
{
    struct buf b = {0};
    struct err e = {0};
    size_t length = 0;
    if (http_wire_write_request(&b, r, &e)) {
        assert_true(http_wire_read_head(b.at, &length));
        *out = arena_str(&arena, str_cut(buf_str(&b), HTTP_WIRE_HEAD_BYTES, b.len));
        assert_int_equal(out->len, length);
    }
    buf_free(&b);
    return e.code;
}

static void a_request_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct http_request asked = a_request(), got;
    str packed;
    assert_int_equal(pack(&asked, &packed), ERR_NONE);
    assert_true(http_wire_read_request(&arena, packed, &got));
    assert_true(str_eq(got.url, asked.url) && str_eq(got.body, asked.body));
    assert_true(str_eq(got.proxy, asked.proxy));
    assert_int_equal(got.header_count, 2);
    assert_true(str_eq(got.headers[0], headers[0]) && str_eq(got.headers[1], headers[1]));
    assert_int_equal(got.reach, asked.reach);
    assert_int_equal(got.max_bytes, asked.max_bytes);
    assert_int_equal(got.connect_ms, 3000);
    assert_int_equal(got.total_ms, MAX_HTTP_TOTAL_MS);
}

static void what_is_cut_or_too_much_is_refused(void **state)
{
    (void)state;
    struct http_request asked = a_request(), got;
    str packed;
    pack(&asked, &packed);
    for (size_t bytes = 0; bytes < packed.len; bytes++)
        assert_false(http_wire_read_request(&arena, str_cut(packed, 0, bytes), &got));
    asked.reach = HTTP_ANYWHERE + 1;
    pack(&asked, &packed);
    assert_false(http_wire_read_request(&arena, packed, &got));
}

static void as_much_as_may_be_sent_is_sent_and_no_more(void **state)
{
    (void)state;
    struct http_request asked = a_request(), got;
    str packed, many[MAX_HTTP_HEADERS + 1];
    asked.body = text_of(MAX_HTTP_SENT_BYTES);
    assert_int_equal(pack(&asked, &packed), ERR_NONE);
    assert_true(http_wire_read_request(&arena, packed, &got));
    asked.body = text_of(MAX_HTTP_SENT_BYTES + 1);
    assert_int_equal(pack(&asked, &packed), ERR_LIMIT);
    asked = a_request();
    for (size_t i = 0; i <= MAX_HTTP_HEADERS; i++)
        many[i] = S("a: b");
    asked.headers = many;
    asked.header_count = MAX_HTTP_HEADERS;
    assert_int_equal(pack(&asked, &packed), ERR_NONE);
    assert_true(http_wire_read_request(&arena, packed, &got));
    asked.header_count++;
    assert_int_equal(pack(&asked, &packed), ERR_LIMIT);
    asked = a_request();
    asked.url = text_of(MAX_HTTP_FIELDS_BYTES);
    assert_int_equal(pack(&asked, &packed), ERR_LIMIT);
    struct http_request too_long[] = {a_request(), a_request(), a_request(), a_request()};
    too_long[0].total_ms = MAX_HTTP_TOTAL_MS + 1;
    too_long[1].connect_ms = MAX_HTTP_TOTAL_MS + 1;
    too_long[2].total_ms = -1;
    too_long[3].max_bytes = MAX_HTTP_RECEIVED_BYTES + 1;
    for (size_t i = 0; i < sizeof too_long / sizeof *too_long; i++)
        assert_int_equal(pack(&too_long[i], &packed), ERR_LIMIT);
}

static void what_is_no_head_is_refused(void **state)
{
    (void)state;
    size_t length;
    assert_true(http_wire_read_head("EGH1\x10\0\0\0", &length) && length == 16);
    assert_false(http_wire_read_head("EGH2\x10\0\0\0", &length));
    assert_false(http_wire_read_head("EGH1\xff\xff\xff\xff", &length));
}

static void an_answer_is_read_as_it_was_written_and_nothing_else(void **state)
{
    (void)state;
    struct http_response said = {.status = 429,
                                 .body = S("slow down"),
                                 .url = S("https://example.org/v1"),
                                 .content_type = S("text/plain"),
                                 .etag = S("\"v1\""),
                                 .last_modified = S("Mon"),
                                 .retry_after_ms = 2000,
                                 .bytes_sent = 8},
                         got;
    struct buf b = {0};
    http_wire_write_answer(&b, &said);
    assert_true(http_wire_read_answer(buf_str(&b), &got));
    assert_int_equal(got.status, 429);
    assert_true(str_eq(got.body, said.body) && str_eq(got.url, said.url));
    assert_true(str_eq(got.content_type, said.content_type) && str_eq(got.etag, said.etag));
    assert_true(str_eq(got.last_modified, said.last_modified));
    assert_int_equal(got.retry_after_ms, 2000);
    assert_int_equal(got.bytes_sent, 8);
    for (size_t bytes = 0; bytes < b.len; bytes++)
        assert_false(http_wire_read_answer(str_cut(buf_str(&b), 0, bytes), &got));
    said.status = 1000;
    buf_clear(&b);
    http_wire_write_answer(&b, &said);
    assert_false(http_wire_read_answer(buf_str(&b), &got));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
        TEST(a_request_is_read_as_it_was_written),
        TEST(what_is_cut_or_too_much_is_refused),
        TEST(as_much_as_may_be_sent_is_sent_and_no_more),
        TEST(what_is_no_head_is_refused),
        TEST(an_answer_is_read_as_it_was_written_and_nothing_else),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
