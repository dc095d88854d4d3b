#include "server/fetch.h"

#include "memory/base/hash.h"
#include "server/file_write.h"
#include "server/http_client.h"
#include "server/parse.h"

enum {
    CONNECT_MS = 5000,
    HTTP_OK = 200,
    HTTP_NOT_MODIFIED = 304,
    HTTP_NOT_FOUND = 404,
    HTTP_GONE = 410
};

/* ---- what a page is ---- */

static const struct {
    const char *type, *ending;
    bool always; /* else only where the path has no ending of its own */
} types[] = {
    {"text/html", ".html", true},
    {"application/xhtml+xml", ".html", true},
    {"application/pdf", ".pdf", true},
    {"application/epub+zip", ".epub", true},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx", true},
    {"application/vnd.oasis.opendocument.text", ".odt", true},
    {"text/markdown", ".md", true},
    {"text/csv", ".csv", true},
    {"message/rfc822", ".eml", true},
    {"application/json", ".json", false},
    {"text/plain", ".txt", false},
};

static bool ends_nocase(str s, str ending)
{
    return s.len >= ending.len && str_eq_nocase(str_cut(s, s.len - ending.len, s.len), ending);
}

str fetch_name(struct arena *a, str url, str content_type)
{
    size_t host = str_find(url, S("//"), 0) + 2;
    str path = str_cut(url, str_find_char(url, '/', host), str_find_char(url, '?', 0));
    str name = str_file_name(path);
    str type = str_trim(str_cut(content_type, 0, str_find_char(content_type, ';', 0)));
    if (!name.len)
        name = S("page");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        str ending = str_of(types[i].ending);
        if (str_eq_nocase(type, str_of(types[i].type)) && !ends_nocase(name, ending) &&
            (types[i].always || str_find_char(name, '.', 0) == name.len))
            return arena_printf(a, "%.*s%.*s", FMT(name), FMT(ending));
    }
    return name;
}

/* ---- fetching ---- */

/* What can be sent back in a header as it came. */
static bool is_validator(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] < ' ' || s.at[i] > '~')
            return false;
    return s.len && s.len <= MAX_VALIDATOR_BYTES;
}

static bool ask(struct arena *a, const struct page_order *page, const struct config *c,
                bool (*stopped)(void *ctx), void *ctx, struct http_response *out, struct err *e)
{
    str headers[2];
    struct http_request request = {.url = page->url,
                                   .headers = headers,
                                   .reach = c->urls == URLS_LOOPBACK ? HTTP_PUBLIC_AND_LOOPBACK
                                                                     : HTTP_PUBLIC,
                                   .max_bytes = MAX_PAGE_BYTES,
                                   .connect_ms = CONNECT_MS,
                                   .total_ms = FETCH_MS};
    if (is_validator(page->etag))
        headers[request.header_count++] = arena_printf(a, "If-None-Match: %.*s", FMT(page->etag));
    if (is_validator(page->modified))
        headers[request.header_count++] =
            arena_printf(a, "If-Modified-Since: %.*s", FMT(page->modified));
    struct http_client *client = http_client_open(c->http_proxy);
    http_client_watch(client, stopped, ctx);
    bool ok = http_client_fetch(client, a, &request, out, e);
    http_client_close(client);
    return ok;
}

static bool check_status(const struct http_response *got, bool may_be_unchanged, struct err *e)
{
    if (got->status == HTTP_OK || (got->status == HTTP_NOT_MODIFIED && may_be_unchanged))
        return true;
    bool is_gone = got->status == HTTP_NOT_FOUND || got->status == HTTP_GONE;
    return fail(e, is_gone ? ERR_NOT_FOUND : ERR_NET, "its server answers with status %ld",
                got->status);
}

static void keep_validators(struct page_order *page, const struct http_response *got)
{
    bool is_new = got->status == HTTP_OK; /* else what isn't said again holds still */
    if (is_new || got->etag.len)
        page->etag = is_validator(got->etag) ? got->etag : S("");
    if (is_new || got->last_modified.len)
        page->modified = is_validator(got->last_modified) ? got->last_modified : S("");
}

/* *name is for the parser. */
static bool fetch(struct parse_order *order, const struct config *c, bool (*stopped)(void *ctx),
                  void *ctx, str *name, struct err *e)
{
    struct arena *a = order->arena;
    struct page_order *page = order->page;
    struct http_response got;
    bool may_be_unchanged = is_validator(page->etag) || is_validator(page->modified);
    if (!ask(a, page, c, stopped, ctx, &got, e) || !check_status(&got, may_be_unchanged, e))
        return fail_context(e, "url");
    keep_validators(page, &got);
    page->is_unchanged = got.status == HTTP_NOT_MODIFIED;
    if (page->is_unchanged)
        return true;
    page->hash = hash128_hex(a, got.body);
    *name = fetch_name(a, got.url, got.content_type);
    order->fd = file_write_memory("engram-page", got.body, e);
    return order->fd >= 0;
}

bool fetch_and_parse(struct arena *a, struct parse_order *order, const struct config *c,
                     bool (*stopped)(void *ctx), void *ctx, struct facts *facts, struct err *e)
{
    str name = order->name;
    *facts = (struct facts){0};
    if (order->page && !fetch(order, c, stopped, ctx, &name, e))
        return false;
    return (order->page && order->page->is_unchanged) ||
           parse_document(a, order->fd, name, c->parse_deadline_ms, stopped, ctx, facts,
                          &order->strike, e);
}
