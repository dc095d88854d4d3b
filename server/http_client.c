#include "server/http_client.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/http_wire.h"
#include "server/worker_process.h"

#include <poll.h>
#include <sys/wait.h>

enum {
    GRACE_MS = 20, /* behind the budget, for a helper that gives up by itself */
    MAX_CONNECT_MS = 3000,
};

struct http_client {
    char *proxy;
    bool (*stopped)(void *ctx);
    void *ctx;
    bool is_started;
    struct worker_process helper;
};

struct http_client *http_client_open(str proxy)
{
    struct http_client *c = heap_alloc(1, sizeof *c);
    c->proxy = heap_text(proxy);
    return c;
}

void http_client_watch(struct http_client *c, bool (*stopped)(void *ctx), void *ctx)
{
    c->stopped = stopped;
    c->ctx = ctx;
}

/* ---- the helper ---- */

static struct worker_end end(struct http_client *c, enum talk_outcome outcome)
{
    c->is_started = false;
    return worker_end(&c->helper, outcome);
}

/* One that says something unasked, or hung up, is none any more. */
static bool is_alive(const struct http_client *c)
{
    struct pollfd socket = {.fd = c->helper.socket, .events = POLLIN};
    return poll(&socket, 1, 0) == 0;
}

static bool start(struct http_client *c, struct err *e)
{
    if (c->is_started && !is_alive(c))
        end(c, TALK_GARBLED);
    c->is_started = c->is_started || worker_start(&c->helper, WORKER_HTTP, e);
    return c->is_started;
}

void http_client_close(struct http_client *c)
{
    if (!c)
        return;
    if (c->is_started)
        end(c, TALK_ANSWERED);
    heap_free(c->proxy);
    heap_free(c);
}

/* ---- one request ---- */

static bool explain(struct http_client *c, enum talk_outcome outcome, int64_t budget_ms,
                    struct err *e)
{
    struct worker_end over = end(c, outcome);
    if (over.stopped || outcome == TALK_TAKEN_BACK)
        return fail(e, ERR_CANCELLED, "it was taken back");
    if (outcome == TALK_TOO_LATE)
        return fail(e, ERR_LIMIT, "it takes longer than %lld ms", (long long)budget_ms);
    if (!over.killed && over.status != -1 && WIFSIGNALED(over.status))
        return fail(e, ERR_NET, "the HTTP helper was ended by signal %d", WTERMSIG(over.status));
    return fail(e, ERR_NET, "the HTTP helper gave no sound answer");
}

static bool read_answer(struct arena *a, const struct reply_header *header, str reply,
                        struct http_response *out, struct err *e)
{
    if (header->status == ERR_NONE && http_wire_read_answer(reply, out))
        return true;
    if (header->status == ERR_NONE || header->status >= REPLY_BEGUN)
        return fail(e, ERR_NET, "the HTTP helper gave no sound answer");
    return fail(e, (enum err_code)header->status, "%.*s", FMT(utf8_repair(a, reply)));
}

static bool converse(struct http_client *c, struct arena *a, str packed, int64_t until_ms,
                     int64_t budget_ms, struct http_response *out, struct err *e)
{
    struct talk talk = {until_ms + GRACE_MS, MAX_HTTP_ANSWER_BYTES, c->stopped, c->ctx};
    struct reply_header header;
    str reply;
    enum talk_outcome outcome = worker_send(&c->helper, &talk, packed);
    if (outcome == TALK_ANSWERED)
        outcome = worker_receive(a, &c->helper, &talk, &header, &reply);
    return outcome == TALK_ANSWERED ? read_answer(a, &header, reply, out, e)
                                    : explain(c, outcome, budget_ms, e);
}

bool http_client_fetch(struct http_client *c, struct arena *a, const struct http_request *request,
                       struct http_response *out, struct err *e)
{
    int64_t until_ms = monotonic_ms() + request->total_ms;
    struct http_request asked = *request;
    struct buf packed = {0};
    *out = (struct http_response){0};
    asked.proxy = str_of(c->proxy);
    bool ok = start(c, e);
    asked.total_ms = until_ms - monotonic_ms();
    if (ok && asked.total_ms <= 0)
        ok = fail(e, ERR_LIMIT, "it takes longer than %lld ms", (long long)request->total_ms);
    ok = ok && http_wire_write_request(&packed, &asked, e) &&
         converse(c, a, buf_str(&packed), until_ms, request->total_ms, out, e);
    buf_free(&packed);
    return ok;
}

/* ---- for providers ---- */

/* Names of headers that tell nothing; any other one may be a key. */
static bool is_public_header(str header)
{
    static const char *const names[] = {"content-type", "accept", "anthropic-version"};
    str name = str_trim(str_cut(header, 0, str_find_char(header, ':', 0)));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(name, str_of(names[i])))
            return true;
    return false;
}

enum http_reach http_client_reach(const struct provider_request *request)
{
    if (str_eq_nocase(str_cut(request->url, 0, strlen("https:")), S("https:")))
        return HTTP_ANYWHERE;
    for (size_t i = 0; i < request->header_count; i++)
        if (!is_public_header(request->headers[i]))
            return HTTP_LOOPBACK;
    return HTTP_LOOPBACK | HTTP_PRIVATE;
}

static bool send_request(void *ctx, struct arena *a, const struct provider_request *request,
                         int64_t budget_ms, struct provider_response *out, struct err *e)
{
    struct http_response response;
    struct http_request asked = {.url = request->url,
                                 .body = request->body,
                                 .headers = request->headers,
                                 .header_count = request->header_count,
                                 .reach = http_client_reach(request),
                                 .max_bytes = MAX_ANSWER_BYTES,
                                 .connect_ms = MAX_CONNECT_MS,
                                 .total_ms = budget_ms};
    if (!http_client_fetch(ctx, a, &asked, &response, e))
        return false;
    *out = (struct provider_response){.status = response.status,
                                      .body = response.body,
                                      .retry_after_ms = response.retry_after_ms,
                                      .bytes_sent = response.bytes_sent};
    return true;
}

struct transport http_client_transport(struct http_client *c)
{
    return (struct transport){send_request, c};
}
