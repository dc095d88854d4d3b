#include "server/mcp_session.h"

#include "memory/base/unicode.h"

const char *const mcp_version_names[] = {"",           "2024-11-05", "2025-03-26",
                                         "2025-06-18", "2025-11-25", "2026-07-28"};

/* ---- sending ---- */

void mcp_send(struct mcp *m, struct buf *out)
{
    m->port.send(m->port.ctx, buf_str(out));
    buf_free(out);
}

void mcp_send_batch_when_complete(struct mcp *m, struct batch *b)
{
    if (b->waiting)
        return;
    if (b->out.len) {
        buf_add_char(&b->out, ']');
        m->port.send(m->port.ctx, buf_str(&b->out));
    }
    buf_free(&b->out);
    heap_free(b);
}

/* Frees `message`. */
static void deliver(struct mcp *m, struct batch *b, struct buf *message)
{
    if (!b) {
        mcp_send(m, message);
        return;
    }
    buf_add_char(&b->out, b->out.len ? ',' : '[');
    buf_add(&b->out, buf_str(message));
    buf_free(message);
}

void mcp_answer_error(struct mcp *m, const struct call *c, int code, json_t *data, str text)
{
    struct buf out = {0};
    jsonrpc_error(&out, c->id, code, text, data);
    json_decref(data);
    deliver(m, c->batch, &out);
}

void mcp_refuse(struct mcp *m, const struct call *c, int code, json_t *data, const char *format,
                ...)
{
    va_list args;
    va_start(args, format);
    str text = arena_vprintf(&m->scratch, format, args);
    va_end(args);
    mcp_answer_error(m, c, code, data, text);
}

str mcp_quoted(struct mcp *m, str text)
{
    return unicode_visible(&m->scratch, utf8_prefix(text, QUOTED_BYTES));
}

json_t *mcp_server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "engram", "title", "engram: project memory",
                     "version", ENGRAM_VERSION);
}

/* What 2026-07-28 wants in every result. */
static void make_modern(json_t *result)
{
    json_object_set_new(result, "resultType", json_string("complete"));
    json_t *meta = json_object_get(result, "_meta");
    if (!meta) {
        meta = json_object();
        json_object_set_new(result, "_meta", meta);
    }
    json_object_set_new(meta, META_SERVER, mcp_server_info());
}

void mcp_answer(struct mcp *m, const struct call *c, json_t *result)
{
    if (c->version == modern)
        make_modern(result);
    struct buf out = {0};
    jsonrpc_result(&out, c->id, result);
    json_decref(result);
    deliver(m, c->batch, &out);
}

void mcp_answer_cacheable(struct mcp *m, const struct call *c, json_t *result, int ttl_ms,
                          enum cache scope)
{
    if (c->version == modern) {
        json_object_set_new(result, "ttlMs", json_integer(ttl_ms));
        json_object_set_new(result, "cacheScope",
                            json_string(scope == CACHE_PUBLIC ? "public" : "private"));
    }
    mcp_answer(m, c, result);
}

/* ---- looking into params ---- */

json_t *mcp_param(const struct call *c, const char *key)
{
    return json_object_get(c->params, key);
}

json_t *mcp_meta_of(const json_t *params, const char *key)
{
    return json_object_get(json_object_get(params, "_meta"), key);
}

str mcp_text_of(const json_t *value)
{
    return json_is_string(value) ? (str){json_string_value(value), json_string_length(value)}
                                 : S("");
}

str mcp_session_hint(const struct mcp *m, const json_t *params)
{
    static const char *const keys[] = {"threadId", "sessionId", "session_id", "conversationId"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        str hint = mcp_text_of(mcp_meta_of(params, keys[i]));
        if (hint.len)
            return utf8_prefix(hint, MAX_SESSION_BYTES);
    }
    str hint =
        m->config->claude_session.len ? m->config->claude_session : m->config->copilot_session;
    return utf8_prefix(hint, MAX_SESSION_BYTES);
}
