#include "server/http_wire.h"

#include "memory/base/pack.h"

enum { REQUEST_MAGIC = 0x31484745, /* "EGH1" */ MIN_HEADER_BYTES = 4, MAX_HTTP_STATUS = 999 };

static bool check_sizes(const struct http_request *r, struct err *e)
{
    size_t fields = r->url.len + r->proxy.len;
    for (size_t i = 0; i < r->header_count; i++)
        fields += r->headers[i].len;
    if (r->body.len > MAX_HTTP_SENT_BYTES)
        return fail(e, ERR_LIMIT, "%zu bytes to send; at most %d", r->body.len,
                    MAX_HTTP_SENT_BYTES);
    if (r->max_bytes > MAX_HTTP_RECEIVED_BYTES)
        return fail(e, ERR_LIMIT, "%zu bytes to come; at most %d", r->max_bytes,
                    MAX_HTTP_RECEIVED_BYTES);
    if (r->connect_ms < 0 || r->connect_ms > MAX_HTTP_TOTAL_MS || r->total_ms < 0 ||
        r->total_ms > MAX_HTTP_TOTAL_MS)
        return fail(e, ERR_LIMIT, "%lld ms to connect and %lld in all; at most %d",
                    (long long)r->connect_ms, (long long)r->total_ms, MAX_HTTP_TOTAL_MS);
    return (r->header_count <= MAX_HTTP_HEADERS && fields <= MAX_HTTP_FIELDS_BYTES / 2) ||
           fail(e, ERR_LIMIT, "%zu headers and %zu bytes of them; at most %d and %d",
                r->header_count, fields, MAX_HTTP_HEADERS, MAX_HTTP_FIELDS_BYTES / 2);
}

/* ---- requests ---- */

static void pack_request(struct buf *out, const struct http_request *r)
{
    pack_text(out, r->url);
    pack_text(out, r->body);
    pack_text(out, r->proxy);
    pack_u32(out, r->reach);
    pack_u64(out, r->max_bytes);
    pack_u64(out, (uint64_t)r->connect_ms);
    pack_u64(out, (uint64_t)r->total_ms);
    pack_u32(out, (uint32_t)r->header_count);
    for (size_t i = 0; i < r->header_count; i++)
        pack_text(out, r->headers[i]);
}

bool http_wire_write_request(struct buf *out, const struct http_request *r, struct err *e)
{
    struct buf packed = {0};
    if (!check_sizes(r, e))
        return false;
    pack_request(&packed, r);
    pack_u32(out, REQUEST_MAGIC);
    pack_text(out, buf_str(&packed));
    buf_free(&packed);
    return true;
}

bool http_wire_read_head(const char head[HTTP_WIRE_HEAD_BYTES], size_t *length)
{
    struct unpack u = {str_from(head, HTTP_WIRE_HEAD_BYTES), false};
    uint32_t magic = unpack_u32(&u);
    *length = unpack_u32(&u);
    return magic == REQUEST_MAGIC && *length <= MAX_HTTP_REQUEST_BYTES;
}

/* bad beyond what a sound sender says. */
static int64_t unpack_most(struct unpack *u, uint64_t most)
{
    uint64_t n = unpack_u64(u);
    u->bad = u->bad || n > most;
    return u->bad ? 0 : (int64_t)n;
}

bool http_wire_read_request(struct arena *a, str bytes, struct http_request *r)
{
    struct unpack u = {bytes, false};
    *r = (struct http_request){.url = unpack_text(&u)};
    r->body = unpack_text(&u);
    r->proxy = unpack_text(&u);
    r->reach = unpack_below(&u, HTTP_ANYWHERE + 1);
    r->max_bytes = (size_t)unpack_most(&u, MAX_HTTP_RECEIVED_BYTES);
    r->connect_ms = unpack_most(&u, MAX_HTTP_TOTAL_MS);
    r->total_ms = unpack_most(&u, MAX_HTTP_TOTAL_MS);
    r->header_count = unpack_count(&u, MAX_HTTP_HEADERS, MIN_HEADER_BYTES);
    str *headers = ARENA_ARRAY(a, str, r->header_count);
    for (size_t i = 0; i < r->header_count; i++)
        headers[i] = unpack_text(&u);
    r->headers = headers;
    return unpack_done(&u) && r->body.len <= MAX_HTTP_SENT_BYTES;
}

/* ---- answers ---- */

void http_wire_write_answer(struct buf *out, const struct http_response *answer)
{
    pack_u32(out, (uint32_t)answer->status);
    pack_text(out, answer->body);
    pack_text(out, answer->url);
    pack_text(out, answer->content_type);
    pack_text(out, answer->etag);
    pack_text(out, answer->last_modified);
    pack_u64(out, (uint64_t)answer->retry_after_ms);
    pack_u64(out, (uint64_t)answer->bytes_sent);
}

bool http_wire_read_answer(str bytes, struct http_response *answer)
{
    struct unpack u = {bytes, false};
    *answer = (struct http_response){.status = unpack_below(&u, MAX_HTTP_STATUS + 1)};
    answer->body = unpack_text(&u);
    answer->url = unpack_text(&u);
    answer->content_type = unpack_text(&u);
    answer->etag = unpack_text(&u);
    answer->last_modified = unpack_text(&u);
    answer->retry_after_ms = unpack_most(&u, (uint64_t)MAX_HTTP_RETRY_SECONDS * 1000);
    answer->bytes_sent = unpack_most(&u, MAX_HTTP_SENT_BYTES);
    return unpack_done(&u);
}
