#include "memory/provider/http.h"

#include "memory/base/buf.h"

#include <assert.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <unistd.h>

/* ---- addresses ---- */

/* What isn't the public network, by RFC 6890 and what followed it. */
static const struct {
    uint32_t net;
    int bits;
} reserved[] = {
    {0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0x7F000000, 8},  {0xA9FE0000, 16},
    {0xAC100000, 12}, {0xC0000000, 24}, {0xC0000200, 24}, {0xC0586300, 24}, {0xC0A80000, 16},
    {0xC6120000, 15}, {0xC6336400, 24}, {0xCB007100, 24}, {0xE0000000, 3},
};

static bool is_public_4(uint32_t ip)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if ((ip ^ reserved[i].net) >> (32 - reserved[i].bits) == 0)
            return false;
    return true;
}

static uint32_t word_at(const struct in6_addr *ip, size_t at)
{
    const uint8_t *b = ip->s6_addr + at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Global unicast, without what only carries other addresses (Teredo, 6to4) or documents. */
static bool is_public_6(const struct in6_addr *ip)
{
    uint32_t head = word_at(ip, 0);
    return head >> 29 == 1 && head != 0x20010000 && head != 0x20010DB8 && head >> 16 != 0x2002;
}

static bool may_connect_4(uint32_t ip, enum http_reach reach)
{
    return is_public_4(ip) || (reach == HTTP_PUBLIC_AND_LOOPBACK && ip >> 24 == 127);
}

bool http_may_connect(const struct sockaddr *address, enum http_reach reach)
{
    if (address->sa_family == AF_INET)
        return may_connect_4(
            ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr), reach);
    if (address->sa_family != AF_INET6)
        return false;
    const struct in6_addr *ip = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(ip))
        return may_connect_4(word_at(ip, 12), reach);
    return is_public_6(ip) || (reach == HTTP_PUBLIC_AND_LOOPBACK && IN6_IS_ADDR_LOOPBACK(ip));
}

/* ---- one exchange ---- */

struct exchange {
    struct arena *arena;
    const struct http_request *request;
    struct http_response *out;
    struct buf body;
    bool is_too_big, is_out_of_reach, is_stopped;
};

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct exchange *x = ctx;
    (void)purpose;
    if (!x->request->proxy.len && !http_may_connect(&to->addr, x->request->reach)) {
        x->is_out_of_reach = true;
        return CURL_SOCKET_BAD;
    }
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct exchange *x = ctx;
    if (size * count > x->request->max_bytes - x->body.len) {
        x->is_too_big = true;
        return 0;
    }
    buf_add(&x->body, str_from(bytes, size * count));
    return size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct exchange *x = ctx;
    str line = str_from(bytes, size * count);
    const struct {
        str name;
        str *value;
    } kept[] = {{S("content-type"), &x->out->content_type},
                {S("etag"), &x->out->etag},
                {S("last-modified"), &x->out->last_modified}};
    size_t colon = str_find_char(line, ':', 0);
    for (size_t i = 0; colon < line.len && i < sizeof kept / sizeof *kept; i++)
        if (line.len <= MAX_HTTP_HEADER_BYTES &&
            str_eq_nocase(str_cut(line, 0, colon), kept[i].name))
            *kept[i].value = arena_str(x->arena, str_trim(str_cut(line, colon + 1, line.len)));
    return size * count;
}

static int look(void *ctx, curl_off_t all, curl_off_t now, curl_off_t up_all, curl_off_t up)
{
    struct exchange *x = ctx;
    (void)all, (void)now, (void)up_all, (void)up;
    x->is_stopped = x->request->stopped && x->request->stopped(x->request->ctx);
    return x->is_stopped;
}

static void set_up(struct exchange *x, CURL *curl, struct curl_slist *headers)
{
    const struct http_request *r = x->request;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, arena_cstr(x->arena, r->proxy)); /* "": none at all */
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)r->connect_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)r->total_ms);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "engram");
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, x);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, x);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (r->body.len) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->body.at);
    }
}

static bool explain(const struct exchange *x, CURLcode code, struct err *e)
{
    if (x->is_stopped)
        return fail(e, ERR_CANCELLED, "it was taken back");
    if (x->is_out_of_reach)
        return fail(e, ERR_CONFLICT,
                    "its address isn't one of the public network; wanted: a public page");
    if (x->is_too_big)
        return fail(e, ERR_LIMIT, "it has more than %zu bytes", x->request->max_bytes);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fail(e, ERR_LIMIT, "it takes longer than %lld ms", (long long)x->request->total_ms);
    if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT ||
        code == CURLE_LOGIN_DENIED)
        return fail(e, ERR_INPUT, "wanted: http://... or https://..., without a password");
    return fail(e, ERR_NET, "%s", curl_easy_strerror(code));
}

/* *next: where a redirect leads; empty: nowhere. */
static bool exchange(struct arena *a, const struct http_request *r, str url, bool with_headers,
                     struct http_response *out, str *next, struct err *e)
{
    struct exchange x = {.arena = a, .request = r, .out = out};
    struct curl_slist *headers = NULL;
    CURL *curl = curl_easy_init();
    char *target = NULL;
    bool ok = false;
    *out = (struct http_response){.url = url};
    *next = S("");
    if (!curl) {
        fail(e, ERR_IO, "libcurl can't be set up");
        goto done;
    }
    for (size_t i = 0; with_headers && i < r->header_count; i++)
        headers = curl_slist_append(headers, arena_cstr(a, r->headers[i]));
    set_up(&x, curl, headers);
    curl_easy_setopt(curl, CURLOPT_URL, arena_cstr(a, url));
    CURLcode code = curl_easy_perform(curl);
    ok = code == CURLE_OK || explain(&x, code, e);
    if (!ok)
        goto done;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &out->status);
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &target);
    *next = target ? arena_str(a, str_of(target)) : S("");
    out->body = arena_str(a, buf_str(&x.body));
done:
    buf_free(&x.body);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return ok;
}

/* ---- redirects ---- */

static str part_of(struct arena *a, str url, CURLUPart part)
{
    char *text = NULL;
    CURLU *u = curl_url();
    str out = S("");
    if (u && curl_url_set(u, CURLUPART_URL, arena_cstr(a, url), 0) == CURLUE_OK &&
        curl_url_get(u, part, &text, CURLU_DEFAULT_PORT) == CURLUE_OK)
        out = arena_str(a, str_of(text));
    curl_free(text);
    curl_url_cleanup(u);
    return out;
}

static bool is_same_origin(struct arena *a, str one, str other)
{
    static const CURLUPart parts[] = {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!str_eq_nocase(part_of(a, one, parts[i]), part_of(a, other, parts[i])))
            return false;
    return true;
}

static bool check_url(str url, struct err *e)
{
    if (url.len > MAX_HTTP_URL_BYTES)
        return fail(e, ERR_INPUT, "%zu bytes; wanted: at most %d", url.len, MAX_HTTP_URL_BYTES);
    for (size_t i = 0; i < url.len; i++)
        if ((unsigned char)url.at[i] <= ' ')
            return fail(e, ERR_INPUT, "it holds a blank or control character; wanted: %%20");
    return (url.len > 7 && str_eq_nocase(str_cut(url, 0, 7), S("http://"))) ||
           (url.len > 8 && str_eq_nocase(str_cut(url, 0, 8), S("https://"))) ||
           fail(e, ERR_INPUT, "wanted: http://... or https://...");
}

bool http_fetch(struct arena *a, const struct http_request *r, struct http_response *out,
                struct err *e)
{
    str url = r->url, next;
    bool with_headers = true;
    assert(r->header_count <= MAX_HTTP_HEADERS);
    for (int hops = 0;; hops++) {
        if (!check_url(url, e) || !exchange(a, r, url, with_headers, out, &next, e))
            return false;
        if (!next.len)
            return true;
        if (hops == MAX_HTTP_REDIRECTS)
            return fail(e, ERR_LIMIT, "it redirects more than %d times", MAX_HTTP_REDIRECTS);
        if (r->body.len)
            return fail(e, ERR_NET, "it redirects what was posted; set the address where it leads");
        if (str_eq_nocase(part_of(a, url, CURLUPART_SCHEME), S("https")) &&
            !str_eq_nocase(part_of(a, next, CURLUPART_SCHEME), S("https")))
            return fail(e, ERR_CONFLICT, "it redirects from https to http");
        with_headers = with_headers && is_same_origin(a, url, next);
        url = next;
    }
}
