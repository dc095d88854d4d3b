/* Addresses that may be connected to, and requests against a server on this machine whose answers
 * are hostile. */
#include "memory/provider/http.h"

#include "memory/base/buf.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

/* ---- addresses ---- */

static bool reaches(const char *text, enum http_reach reach)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return http_may_connect((struct sockaddr *)&v4, reach);
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return http_may_connect((struct sockaddr *)&v6, reach);
}

static void only_public_addresses_are_within_reach(void **state)
{
    (void)state;
    static const char *const public[] = {"1.1.1.1",       "93.184.216.34", "172.32.0.1",
                                         "100.128.0.1",   "2606:4700::1",  "2a00:1450::8a",
                                         "::ffff:1.1.1.1"};
    static const char *const others[] = {"0.0.0.0",
                                         "10.1.2.3",
                                         "100.100.100.200",
                                         "127.0.0.1",
                                         "169.254.169.254",
                                         "172.16.0.1",
                                         "172.31.255.255",
                                         "192.0.2.1",
                                         "192.168.1.1",
                                         "198.18.0.1",
                                         "224.0.0.1",
                                         "255.255.255.255",
                                         "::",
                                         "::1",
                                         "fe80::1",
                                         "fd00:ec2::254",
                                         "ff02::1",
                                         "::ffff:10.0.0.1",
                                         "::ffff:127.0.0.1",
                                         "2002:7f00:1::",
                                         "2001::1",
                                         "2001:db8::1",
                                         "64:ff9b::a00:1"};
    for (size_t i = 0; i < sizeof public / sizeof *public; i++)
        assert_true(reaches(public[i], HTTP_PUBLIC));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(reaches(others[i], HTTP_PUBLIC));
    static const char *const private[] = {"10.1.2.3",   "172.16.0.1", "192.168.1.1",
                                          "100.64.0.1", "fd12::1",    "::ffff:10.0.0.1"};
    for (size_t i = 0; i < sizeof private / sizeof *private; i++) {
        assert_true(reaches(private[i], HTTP_PRIVATE));
        assert_false(reaches(private[i], HTTP_PUBLIC_AND_LOOPBACK));
    }
    static const char *const never[] = {
        "0.0.0.0",   "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192",
        "224.0.0.1", "fe80::1",         "fd00:ec2::254",   "fd20:ce::254",  "::ffff:a9fe:a9fe"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_false(reaches(never[i], HTTP_ANYWHERE));
    assert_false(reaches("1.1.1.1", HTTP_LOOPBACK | HTTP_PRIVATE));
    assert_true(reaches("127.0.0.1", HTTP_PUBLIC_AND_LOOPBACK));
    assert_true(reaches("::1", HTTP_PUBLIC_AND_LOOPBACK));
    assert_false(reaches("10.1.2.3", HTTP_PUBLIC_AND_LOOPBACK));
    assert_false(reaches("169.254.169.254", HTTP_PUBLIC_AND_LOOPBACK));
}

/* ---- a server that gives each connection the same answer ---- */

struct server {
    int listener, port;
    const char *answer;
    pthread_t thread;
    char request[2048]; /* the last one */
    int served;
};

static void *serve(void *ctx)
{
    struct server *s = ctx;
    for (int fd; (fd = accept(s->listener, NULL, NULL)) >= 0; close(fd)) {
        ssize_t n = recv(fd, s->request, sizeof s->request - 1, 0);
        s->request[n > 0 ? n : 0] = '\0';
        s->served++;
        send(fd, s->answer, strlen(s->answer), MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
    }
    return NULL;
}

static void start(struct server *s, const char *answer)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    *s = (struct server){.answer = answer};
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&here, length), 0);
    assert_int_equal(listen(s->listener, 16), 0);
    getsockname(s->listener, (struct sockaddr *)&here, &length);
    s->port = ntohs(here.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
}

/* What a request to a server with this answer gives. */
static enum err_code fetch(struct arena *a, const char *answer, enum http_reach reach,
                           struct http_response *out, struct server *s, str *text)
{
    struct err e = {0};
    start(s, answer);
    str headers[] = {S("If-None-Match: \"v1\"")};
    struct http_request r = {.url = arena_printf(a, "http://127.0.0.1:%d/page.html", s->port),
                             .headers = headers,
                             .header_count = 1,
                             .reach = reach,
                             .max_bytes = 1000,
                             .connect_ms = 10000,
                             .total_ms = 60000};
    bool ok = http_fetch(a, &r, out, &e);
    stop(s);
    assert_int_equal(ok, e.code == ERR_NONE);
    *text = arena_str(a, str_of(e.text));
    return e.code;
}

static void a_page_comes_with_what_its_server_says_of_it(void **state)
{
    (void)state;
    struct arena a = {0};
    struct server s;
    struct http_response out;
    str text;
    assert_int_equal(
        fetch(&a,
              "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: \"v2\"\r\n"
              "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: 5\r\n\r\nhello",
              HTTP_PUBLIC_AND_LOOPBACK, &out, &s, &text),
        ERR_NONE);
    assert_int_equal(out.status, 200);
    assert_true(str_eq(out.body, S("hello")));
    assert_true(str_eq(out.content_type, S("text/html; charset=utf-8")));
    assert_true(str_eq(out.etag, S("\"v2\"")));
    assert_true(str_eq(out.last_modified, S("Mon, 01 Jan 2024 00:00:00 GMT")));
    assert_non_null(strstr(s.request, "If-None-Match: \"v1\""));
    arena_free(&a);
}

/* What a server answers, and what that must come to. */
static void hostile_answers_are_refused_with_their_cause(void **state)
{
    (void)state;
    static char big[2200] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    memset(big + strlen(big), 'x', sizeof big - strlen(big) - 1);
    static const struct {
        const char *answer;
        enum http_reach reach;
        enum err_code code;
        const char *words;
        int served;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", HTTP_PUBLIC, ERR_CONFLICT, "public", 0},
        {"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
         HTTP_PUBLIC_AND_LOOPBACK, ERR_LIMIT, "more than 5 times", 6},
        {"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: "
         "0\r\n\r\n",
         HTTP_PUBLIC_AND_LOOPBACK, ERR_CONFLICT, "public", 1},
        {"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
         HTTP_PUBLIC_AND_LOOPBACK, ERR_INPUT, "http://", 1},
        {big, HTTP_PUBLIC_AND_LOOPBACK, ERR_LIMIT, "more than 1000 bytes", 1},
        {"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut", HTTP_PUBLIC_AND_LOOPBACK, ERR_NET, "",
         1},
        {"", HTTP_PUBLIC_AND_LOOPBACK, ERR_NET, "", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct server s;
        struct http_response out;
        str text;
        assert_int_equal(fetch(&a, cases[i].answer, cases[i].reach, &out, &s, &text),
                         cases[i].code);
        assert_true(str_find(text, str_of(cases[i].words), 0) < text.len);
        assert_int_equal(s.served, cases[i].served);
        arena_free(&a);
    }
}

static void what_is_no_address_of_a_page_is_refused(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "",        "page",        "file:///etc/passwd",     "ftp://a/b",
        "http://", "http://a b/", "http://a:b@127.0.0.1:1/"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct arena a = {0};
        struct err e = {0};
        struct http_response out;
        struct http_request r = {
            .url = str_of(urls[i]), .max_bytes = 10, .total_ms = 1000, .connect_ms = 1000};
        assert_false(http_fetch(&a, &r, &out, &e));
        assert_int_equal(e.code, ERR_INPUT);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_public_addresses_are_within_reach),
        cmocka_unit_test(a_page_comes_with_what_its_server_says_of_it),
        cmocka_unit_test(hostile_answers_are_refused_with_their_cause),
        cmocka_unit_test(what_is_no_address_of_a_page_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
