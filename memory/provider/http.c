#include "memory/provider/http.h"

#include "memory/base/buf.h"

#include <assert.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <unistd.h>

/* ---- addresses ---- */

/* What isn't the public network, by RFC 6890 and what followed it; the first row that fits counts.
 * Clouds answer who asks for a machine's keys at addresses of their own among them. */
static const struct {
    uint32_t net;
    int bits;
    int within; /* of enum http_reach; 0: never */
} reserved[] = {
    {0x646464C8, 32, 0}, /* Alibaba's metadata */
    {0xA83F8110, 32, 0}, /* Azure's */
    {0x00000000, 8, 0},
    {0x0A000000, 8, HTTP_PRIVATE},
    {0x64400000, 10, HTTP_PRIVATE},
    {0x7F000000, 8, HTTP_LOOPBACK},
    {0xA9FE0000, 16, 0}, /* link-local, and the metadata of most clouds */
    {0xAC100000, 12, HTTP_PRIVATE},
    {0xC0000000, 24, 0},
    {0xC0000200, 24, 0},
    {0xC0586300, 24, 0},
    {0xC0A80000, 16, HTTP_PRIVATE},
    {0xC6120000, 15, 0},
    {0xC6336400, 24, 0},
    {0xCB007100, 24, 0},
    {0xE0000000, 3, 0},
};

static int within_4(uint32_t ip)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if ((ip ^ reserved[i].net) >> (32 - reserved[i].bits) == 0)
            return reserved[i].within;
    return HTTP_PUBLIC;
}

static uint32_t word_at(const struct in6_addr *ip, size_t at)
{
    const uint8_t *b = ip->s6_addr + at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Public is global unicast, without what only carries other addresses (Teredo, 6to4) or documents.
 */
static int within_6(const struct in6_addr *ip)
{
    uint32_t head = word_at(ip, 0);
    bool is_metadata = head == 0xFD000EC2 || head == 0xFD2000CE; /* Amazon's, Google's */
    if (IN6_IS_ADDR_V4MAPPED(ip))
        return within_4(word_at(ip, 12));
    if (IN6_IS_ADDR_LOOPBACK(ip))
        return HTTP_LOOPBACK;
    if (head >> 25 == 0xFC >> 1)
        return is_metadata ? 0 : HTTP_PRIVATE;
    bool is_public = head >> 29 == 1 && head != 0x20010000 && head != 0x20010DB8;
    return is_public && head >> 16 != 0x2002 ? HTTP_PUBLIC : 0;
}

bool http_may_connect(const struct sockaddr *address, enum http_reach reach)
{
    int within = 0;
    if (address->sa_family == AF_INET)
        within =
            within_4(ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr));
    else if (address->sa_family == AF_INET6)
        within = within_6(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
    return (within & (int)reach) != 0;
}

/* ---- connections ---- */

struct http_connections {
    CURL *curl; /* NULL: not set up yet */
    enum http_reach reach;
    char *proxy;
};

struct http_connections *http_connections_open(void)
{
    return heap_alloc(1, sizeof(struct http_connections));
}

static void drop_connections(struct http_connections *kept)
{
    curl_easy_cleanup(kept->curl);
    heap_free(kept->proxy);
    *kept = (struct http_connections){0};
}

void http_connections_close(struct http_connections *kept)
{
    if (kept)
        drop_connections(kept);
    heap_free(kept);
}

/* What was connected to under other rules is not used again. NULL where libcurl can't be set up. */
static CURL *take_handle(const struct http_request *r)
{
    struct http_connections *kept = r->kept;
    if (!kept)
        return curl_easy_init();
    if (kept->curl && (kept->reach != r->reach || !str_eq(str_of(kept->proxy), r->proxy)))
        drop_connections(kept);
    if (!kept->curl) {
        kept->curl = curl_easy_init();
        kept->reach = r->reach;
        kept->proxy = heap_text(r->proxy);
    }
    return kept->curl;
}

static void give_back(const struct http_request *r, CURL *curl)
{
    if (!r->kept)
        curl_easy_cleanup(curl);
    else if (curl)
        curl_easy_reset(curl); /* its connections stay, nothing of the request does */
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

static const char *wanted_address(enum http_reach reach)
{
    return reach == HTTP_LOOPBACK ? "one of this machine"
           : reach & HTTP_PUBLIC  ? "one of the public network"
                                  : "one of this machine or a private network";
}

static bool explain(const struct exchange *x, CURLcode code, struct err *e)
{
    if (x->is_stopped)
        return fail(e, ERR_CANCELLED, "it was taken back");
    if (x->is_out_of_reach)
        return fail(e, ERR_CONFLICT, "its address is out of reach; wanted: %s",
                    wanted_address(x->request->reach));
    if (x->is_too_big)
        return fail(e, ERR_LIMIT, "it has more than %zu bytes", x->request->max_bytes);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fail(e, ERR_LIMIT, "it takes longer than %lld ms", (long long)x->request->total_ms);
    if (code == CURLE_UNSUPPORTED_PROTOCOL) /* the URL's is known to be one of ours */
        return fail(e, ERR_NET, "its server doesn't speak HTTP");
    if (code == CURLE_URL_MALFORMAT || code == CURLE_LOGIN_DENIED)
        return fail(e, ERR_INPUT, "wanted: http://... or https://..., without a password");
    return fail(e, ERR_NET, "%s", curl_easy_strerror(code));
}

/* *next: where a redirect leads; empty: nowhere. */
static bool exchange(struct arena *a, const struct http_request *r, str url, bool with_headers,
                     struct http_response *out, str *next, struct err *e)
{
    struct exchange x = {.arena = a, .request = r, .out = out};
    struct curl_slist *headers = NULL;
    CURL *curl = take_handle(r);
    char *target = NULL;
    curl_off_t seconds = 0, sent = 0;
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
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
    curl_easy_getinfo(curl, CURLINFO_SIZE_UPLOAD_T, &sent);
    if (seconds > 0) /* a date may be past */
        out->retry_after_ms =
            (int64_t)(seconds < MAX_HTTP_RETRY_SECONDS ? seconds : MAX_HTTP_RETRY_SECONDS) * 1000;
    out->bytes_sent = sent;
    *next = target ? arena_str(a, str_of(target)) : S("");
    out->body = arena_str(a, buf_str(&x.body));
done:
    buf_free(&x.body);
    curl_slist_free_all(headers);
    give_back(r, curl);
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
