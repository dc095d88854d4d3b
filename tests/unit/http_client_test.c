/* Requests through a helper that misbehaves: this program itself, under the name engram-worker,
 * does what the URL's path says. Nothing is sent anywhere. */
#include "server/http_client.h"

#include "server/http_wire.h"
#include "server/parse_wire.h"
#include "server/worker_process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "tests/support/own_worker.h"

enum { LONG_MS = 60000, SHORT_MS = 200 };

/* ---- the helper ---- */

static void reply(const struct http_response *response)
{
    struct buf b = {0};
    http_wire_write_answer(&b, response);
    wire_send_reply(WORKER_SOCKET, ERR_NONE, buf_str(&b));
    buf_free(&b);
}

static void send_raw(str bytes)
{
    if (send(WORKER_SOCKET, bytes.at, bytes.len, MSG_NOSIGNAL) < 0)
        _exit(0);
}

/* What it was asked, and who it is. */
static void echo(struct arena *a, const struct http_request *r)
{
    struct buf text = {0};
    buf_printf(&text, "pid %d reach %d most %zu proxy %.*s\n", (int)getpid(), (int)r->reach,
               r->max_bytes, FMT(r->proxy));
    for (size_t i = 0; i < r->header_count; i++)
        buf_printf(&text, "%.*s\n", FMT(r->headers[i]));
    for (char **variable = environ; *variable; variable++)
        buf_printf(&text, "env %s\n", *variable);
    buf_add(&text, r->body);
    reply(&(struct http_response){.status = 200,
                                  .body = arena_str(a, buf_str(&text)),
                                  .url = r->url,
                                  .retry_after_ms = 3000,
                                  .bytes_sent = (int64_t)r->body.len});
    buf_free(&text);
}

static void behave(struct arena *a, const struct http_request *r)
{
    str what = str_file_name(r->url);
    if (str_eq(what, S("echo")))
        echo(a, r);
    else if (str_eq(what, S("500")))
        reply(&(struct http_response){.status = 500, .body = S("oh no")});
    else if (str_eq(what, S("unreachable")))
        wire_send_reply(WORKER_SOCKET, ERR_NET, S("Could not connect"));
    else if (str_eq(what, S("out-of-reach")))
        wire_send_reply(WORKER_SOCKET, ERR_CONFLICT, S("out of reach"));
    else if (str_eq(what, S("hang")))
        pause();
    else if (str_eq(what, S("half"))) {
        send_raw(S("EGR1\0\0\0\0\x10\0\0\0half"));
        pause();
    } else if (str_eq(what, S("crash")))
        raise(SIGSEGV);
    else if (str_eq(what, S("exit")))
        _exit(0);
    else if (str_eq(what, S("garbage")))
        send_raw(S("this is no reply at all"));
    else if (str_eq(what, S("huge")))
        send_raw(S("EGR1\0\0\0\0\xFF\xFF\xFF\xFF"));
    else if (str_eq(what, S("nonsense")))
        wire_send_reply(WORKER_SOCKET, ERR_NONE, S("nonsense"));
    else if (str_eq(what, S("more")))
        wire_send_reply(WORKER_SOCKET, REPLY_MORE, S(""));
    else if (str_eq(what, S("then-gone"))) {
        reply(&(struct http_response){.status = 200});
        _exit(0);
    }
}

static int worker(void)
{
    signal(SIGSEGV, SIG_DFL); /* the sanitizers' handlers would make exits of it */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (;;) {
        struct arena a = {0};
        struct http_request request;
        char head[HTTP_WIRE_HEAD_BYTES];
        size_t length;
        if (!wire_receive_all(WORKER_SOCKET, head, sizeof head))
            return WORKER_DONE;
        if (!http_wire_read_head(head, &length))
            return WORKER_PROTOCOL;
        char *bytes = arena_bytes(&a, length);
        if (!wire_receive_all(WORKER_SOCKET, bytes, length) ||
            !http_wire_read_request(&a, str_from(bytes, length), &request))
            return WORKER_PROTOCOL;
        behave(&a, &request);
        arena_free(&a);
    }
}

/* ---- what is asked of it ---- */

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    arena = (struct arena){0};
    return 0;
}

struct outcome {
    bool ok;
    struct http_response response;
    struct err err;
};

static struct outcome ask(struct http_client *c, const char *what, int64_t budget_ms)
{
    struct outcome out = {0};
    struct http_request r = {.url = arena_printf(&arena, "http://test/%s", what),
                             .body = S("{}"),
                             .reach = HTTP_LOOPBACK,
                             .max_bytes = 1000,
                             .connect_ms = 1000,
                             .total_ms = budget_ms};
    out.ok = http_client_fetch(c, &arena, &r, &out.response, &out.err);
    assert_int_equal(out.ok, out.err.code == ERR_NONE);
    return out;
}

static bool says(struct outcome o, const char *words)
{
    return str_find(o.response.body, str_of(words), 0) < o.response.body.len;
}

static int pid_of(struct outcome o)
{
    int pid = 0;
    assert_int_equal(sscanf(arena_cstr(&arena, o.response.body), "pid %d", &pid), 1);
    return pid;
}

/* ---- tests ---- */

static void requests_go_through_one_helper(void **state)
{
    (void)state;
    struct http_client *c = http_client_open(S("http://proxy:3128"));
    struct outcome first = ask(c, "echo", LONG_MS), second = ask(c, "echo", LONG_MS);
    assert_true(first.ok && second.ok);
    assert_int_equal(first.response.status, 200);
    assert_int_equal(first.response.retry_after_ms, 3000);
    assert_int_equal(first.response.bytes_sent, 2);
    assert_true(says(first, "reach 2 most 1000 proxy http://proxy:3128\n"));
    assert_int_equal(pid_of(first), pid_of(second));
    assert_int_equal(ask(c, "500", LONG_MS).response.status, 500);
    http_client_close(c);
}

static void the_helper_sees_nothing_of_ours(void **state)
{
    (void)state;
    setenv("ENGRAM_EMBED_KEY", "sk-secret", 1);
    setenv("https_proxy", "http://evil:1", 1);
    struct http_client *c = http_client_open(S(""));
    struct outcome o = ask(c, "echo", LONG_MS);
    assert_true(o.ok);
    assert_false(says(o, "sk-secret"));
    assert_false(says(o, "evil"));
    http_client_close(c);
    unsetenv("ENGRAM_EMBED_KEY");
    unsetenv("https_proxy");
}

static void each_fault_is_told_and_costs_one_request(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int64_t budget_ms;
        enum err_code code;
        const char *words;
    } rows[] = {
        {"unreachable", LONG_MS, ERR_NET, "Could not connect"},
        {"out-of-reach", LONG_MS, ERR_CONFLICT, "out of reach"},
        {"hang", SHORT_MS, ERR_LIMIT, "longer than 200 ms"},
        {"half", SHORT_MS, ERR_LIMIT, "longer than 200 ms"},
        {"crash", LONG_MS, ERR_NET, "signal 11"},
        {"exit", LONG_MS, ERR_NET, "no sound answer"},
        {"garbage", LONG_MS, ERR_NET, "no sound answer"},
        {"huge", LONG_MS, ERR_NET, "no sound answer"},
        {"nonsense", LONG_MS, ERR_NET, "no sound answer"},
        {"more", LONG_MS, ERR_NET, "no sound answer"},
        {"echo", 0, ERR_LIMIT, "longer than 0 ms"},
    };
    struct http_client *c = http_client_open(S(""));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = ask(c, rows[i].what, rows[i].budget_ms);
        if (o.err.code != rows[i].code || !strstr(o.err.text, rows[i].words))
            fail_msg("%s: %d %s", rows[i].what, (int)o.err.code, o.err.text);
        assert_true(ask(c, "echo", LONG_MS).ok);
    }
    http_client_close(c);
}

static void a_helper_that_ended_is_replaced(void **state)
{
    (void)state;
    struct http_client *c = http_client_open(S(""));
    int before = pid_of(ask(c, "echo", LONG_MS));
    assert_true(ask(c, "then-gone", LONG_MS).ok);
    ask(c, "echo", LONG_MS); /* its end may only be seen while it is asked */
    assert_int_not_equal(pid_of(ask(c, "echo", LONG_MS)), before);
    http_client_close(c);
}

static bool at_once(void *ctx)
{
    (*(int *)ctx)++;
    return true;
}

static void what_nobody_waits_for_any_more_is_taken_back(void **state)
{
    (void)state;
    int asked = 0;
    struct http_client *c = http_client_open(S(""));
    http_client_watch(c, at_once, &asked);
    assert_int_equal(ask(c, "hang", LONG_MS).err.code, ERR_CANCELLED);
    assert_true(asked > 0);
    http_client_watch(c, NULL, NULL);
    assert_true(ask(c, "echo", LONG_MS).ok);
    http_client_close(c);
}

static void one_that_stays_keeps_nobody_from_ending(void **state)
{
    (void)state;
    struct http_client *c = http_client_open(S(""));
    int before = pid_of(ask(c, "echo", LONG_MS));
    workers_stop();
    ask(c, "echo", LONG_MS);
    assert_int_not_equal(pid_of(ask(c, "echo", LONG_MS)), before);
    http_client_close(c);
}

/* ---- for providers ---- */

static void clear_text_goes_no_further_than_it_may(void **state)
{
    (void)state;
    static const struct {
        const char *url, *header;
        enum http_reach reach;
    } rows[] = {
        {"https://api.example.com/v1", "Authorization: Bearer k", HTTP_ANYWHERE},
        {"HTTPS://api.example.com/v1", "Content-Type: application/json", HTTP_ANYWHERE},
        {"http://box:11434/api", "content-type: application/json", HTTP_LOOPBACK | HTTP_PRIVATE},
        {"http://box:11434/api", "anthropic-version: 2023-06-01", HTTP_LOOPBACK | HTTP_PRIVATE},
        {"http://box:11434/api", "Authorization: Bearer k", HTTP_LOOPBACK},
        {"http://box:11434/api", "x-api-key: k", HTTP_LOOPBACK},
        {"http://box:11434/api", "x-new-vendors-key: k", HTTP_LOOPBACK},
        {"http", "x-api-key: k", HTTP_LOOPBACK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct provider_request r = {.url = str_of(rows[i].url), .header_count = 1};
        r.headers[0] = str_of(rows[i].header);
        assert_int_equal(http_client_reach(&r), rows[i].reach);
    }
}

static void a_transport_sends_what_a_provider_asks(void **state)
{
    (void)state;
    struct http_client *c = http_client_open(S(""));
    struct transport t = http_client_transport(c);
    struct provider_request r = {.url = S("http://localhost/echo"), .body = S("[1]")};
    struct provider_response out;
    struct err e = {0};
    r.headers[r.header_count++] = S("Authorization: Bearer k");
    assert_true(t.send(t.ctx, &arena, &r, LONG_MS, &out, &e));
    assert_int_equal(out.status, 200);
    assert_int_equal(out.retry_after_ms, 3000);
    assert_int_equal(out.bytes_sent, 3);
    struct outcome o = {.response = {.body = out.body}};
    assert_true(says(o, "reach 2 most 4194304 proxy \nAuthorization: Bearer k\n"));
    assert_true(str_ends(out.body, S("\n[1]")));
    r.url = S("http://localhost/hang");
    assert_false(t.send(t.ctx, &arena, &r, SHORT_MS, &out, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    http_client_close(c);
}

static int run_inner(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
        TEST(requests_go_through_one_helper),
        TEST(the_helper_sees_nothing_of_ours),
        TEST(each_fault_is_told_and_costs_one_request),
        TEST(a_helper_that_ended_is_replaced),
        TEST(what_nobody_waits_for_any_more_is_taken_back),
        TEST(one_that_stays_keeps_nobody_from_ending),
        TEST(clear_text_goes_no_further_than_it_may),
        TEST(a_transport_sends_what_a_provider_asks),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argc;
    return own_worker_main(argv, worker, run_inner);
}
