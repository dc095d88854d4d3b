#include "server/jsonrpc.h"

#include "memory/base/unicode.h"
#include "tools/json_write.h"

#define ESCAPED_REPLACEMENT "\\ufffd"
enum { ESCAPE_BYTES = sizeof ESCAPED_REPLACEMENT - 1 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* ---- the envelope: one pass, no stack ---- */

static void keep_key(struct envelope *v, char c)
{
    if (v->key_len < sizeof v->key)
        v->key[v->key_len++] = c;
}

static void keep_id(struct envelope *v, char c)
{
    if (v->id_len < sizeof v->id)
        v->id[v->id_len++] = c;
    else
        v->id_over = true;
}

static bool key_is(const struct envelope *v, str name)
{
    return str_eq((str){v->key, v->key_len}, name);
}

/* A member's value begins: is it one that we look for? */
static void begin_value(struct envelope *v)
{
    v->in_key = false;
    v->in_id = key_is(v, S("id"));
    if (v->in_id) {
        v->id_len = 0;
        v->id_over = false;
    }
    v->has_method = v->has_method || key_is(v, S("method"));
}

static void add_in_string(struct envelope *v, char c)
{
    if (v->escaped)
        v->escaped = false;
    else if (c == '\\')
        v->escaped = true;
    else if (c == '"')
        v->in_string = false;
    if (v->in_key && v->in_string)
        keep_key(v, c);
}

static void open_bracket(struct envelope *v, char c)
{
    if (!v->started)
        v->is_object = v->in_key = c == '{';
    v->depth++;
    v->max_depth = v->depth > v->max_depth ? v->depth : v->max_depth;
}

static void close_bracket(struct envelope *v, char c)
{
    if (v->depth)
        v->depth--;
    v->whole = v->depth == 0 && v->is_object && c == '}';
    v->in_id = v->in_id && v->depth;
}

static bool at_members(const struct envelope *v)
{
    return v->depth == 1 && v->is_object;
}

static void add_outside(struct envelope *v, char c)
{
    v->whole = false;
    v->values += c == ',' || c == ':' || c == '[' || c == '{';
    if (c == '{' || c == '[') {
        open_bracket(v, c);
    } else if (c == '}' || c == ']') {
        close_bracket(v, c);
    } else if (c == '"') {
        v->in_string = true;
        v->key_len = v->in_key && at_members(v) ? 0 : v->key_len;
    } else if (c == ':' && at_members(v)) {
        begin_value(v);
    } else if (c == ',' && at_members(v)) {
        v->in_id = false;
        v->in_key = true;
    }
    v->started = true;
}

/* Invariant: in_key only between { or , and : of the top object; in_id only inside the value of its
 * "id". */
static void add_byte(struct envelope *v, char c)
{
    bool was_id = v->in_id;
    if (v->in_string)
        add_in_string(v, c);
    else if (!is_space(c))
        add_outside(v, c);
    else
        return;
    if (was_id && v->in_id)
        keep_id(v, c);
}

void envelope_add(struct envelope *v, str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        add_byte(v, bytes.at[i]);
}

/* ---- repair: what was meant well becomes what jansson takes; every change keeps its length ----
 */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The code of \uXXXX at `at`, or -1. */
static int escape_code(str s, size_t at)
{
    if (s.len - at < ESCAPE_BYTES || s.at[at] != '\\' || s.at[at + 1] != 'u')
        return -1;
    int code = 0;
    for (size_t i = 2; i < ESCAPE_BYTES; i++) {
        int digit = hex_digit(s.at[at + i]);
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static bool is_high(int code)
{
    return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low(int code)
{
    return code >= 0xDC00 && code <= 0xDFFF;
}

/* Length of the escape at `at` (a surrogate pair is one); *bad tells that it must be replaced. */
static size_t escape_length(str s, size_t at, bool in_key, bool *bad)
{
    int code = escape_code(s, at);
    *bad = false;
    if (code < 0)
        return s.len - at < 2 ? 1 : 2;
    if (is_high(code) && is_low(escape_code(s, at + ESCAPE_BYTES)))
        return 2 * ESCAPE_BYTES;
    *bad = is_high(code) || is_low(code) || (in_key && code == 0);
    return ESCAPE_BYTES;
}

/* Behind the closing quote of the string that begins behind its quote at `at`. */
static size_t string_end(str s, size_t at)
{
    while (at < s.len && s.at[at] != '"')
        at += s.at[at] == '\\' ? 2 : 1;
    return at < s.len ? at + 1 : s.len;
}

static bool colon_follows(str s, size_t at)
{
    while (at < s.len && is_space(s.at[at]))
        at++;
    return at < s.len && s.at[at] == ':';
}

/* Calls for every bad escape of the text: in place where `out` is given (out holds the same bytes
 * as s); else only says whether there is one. */
static bool repair_escapes(str s, char *out)
{
    bool found = false;
    for (size_t at = str_find_char(s, '"', 0); at < s.len; at = str_find_char(s, '"', at)) {
        size_t end = string_end(s, at + 1);
        bool in_key = colon_follows(s, end), bad;
        size_t step;
        for (size_t i = at + 1; i < end; i += step) {
            step = 1;
            if (s.at[i] != '\\')
                continue;
            step = escape_length(s, i, in_key, &bad);
            if (bad && out)
                memcpy(out + i, ESCAPED_REPLACEMENT, ESCAPE_BYTES);
            found = found || bad;
        }
        at = end;
    }
    return found;
}

static str repair(struct arena *a, str line)
{
    str text = utf8_valid(line) ? line : utf8_repair(a, line);
    if (str_find(text, S("\\u"), 0) == text.len || !repair_escapes(text, NULL))
        return text;
    char *copy = arena_cstr(a, text);
    repair_escapes(text, copy);
    return (str){copy, text.len};
}

static json_t *load(struct arena *a, str line, json_error_t *error)
{
    str text = repair(a, line);
    return json_loadb(text.at, text.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, error);
}

/* ---- ids ---- */

str jsonrpc_id(struct arena *a, const json_t *id)
{
    if (json_is_integer(id))
        return arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    if (!json_is_string(id) || json_string_length(id) > MAX_ID_BYTES)
        return S("");
    struct buf text = {0};
    json_write(&text, id);
    str copy = arena_str(a, buf_str(&text));
    buf_free(&text);
    return copy;
}

/* An integer beyond 64 bit: JSON, though nothing that we can hold. */
static bool is_long_integer(str s)
{
    size_t at = str_starts(s, S("-"));
    if (at == s.len || s.at[at] < '1' || s.at[at] > '9')
        return false;
    while (at < s.len && s.at[at] >= '0' && s.at[at] <= '9')
        at++;
    return at == s.len;
}

str envelope_id(struct arena *a, const struct envelope *v)
{
    str raw = {v->id, v->id_len};
    if (!v->whole || v->id_over || raw.len == 0)
        return S("");
    json_error_t ignored;
    json_t *id = load(a, raw, &ignored);
    str out = jsonrpc_id(a, id);
    if (!id && is_long_integer(raw))
        out = arena_str(a, raw);
    json_decref(id);
    return out;
}

/* ---- messages in ---- */

static void set_bad(struct message *m, str id, int code, const char *text)
{
    m->kind = MESSAGE_BAD;
    m->id = id;
    m->code = code;
    m->text = text;
}

/* A line that can't be read as a whole. A notification isn't answered; an id without a method is
 * the client's answer to us and isn't sent back to it. */
static void set_unreadable(struct arena *a, const struct envelope *v, int code, const char *text,
                           struct message *m)
{
    if (v->whole && v->has_method && v->id_len == 0 && code != CODE_PARSE)
        m->kind = MESSAGE_NONE;
    else
        set_bad(m, v->has_method ? envelope_id(a, v) : S(""), code, text);
}

void message_overlong(struct arena *a, const struct envelope *v, struct message *out)
{
    *out = (struct message){0};
    set_unreadable(a, v, CODE_INVALID_REQUEST, "the line is too long: at most 8 MiB are read", out);
}

static void read_request(struct arena *a, json_t *value, struct message *m)
{
    json_t *id = json_object_get(value, "id"), *method = json_object_get(value, "method");
    json_t *params = json_object_get(value, "params");
    m->id = jsonrpc_id(a, id);
    m->method = (str){json_string_value(method), json_string_length(method)};
    m->params = json_is_object(params) ? params : NULL;
    m->kind = id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
    if (id && !m->id.len)
        set_bad(m, S(""), CODE_INVALID_REQUEST, "id must be a string or an integer");
    else if (id && params && !m->params && !json_is_null(params))
        set_bad(m, m->id, CODE_INVALID_PARAMS, "params must be an object");
}

static void read_response(struct arena *a, json_t *value, struct message *m)
{
    m->kind = MESSAGE_RESPONSE;
    m->id = jsonrpc_id(a, json_object_get(value, "id"));
    m->result = json_object_get(value, "result");
    m->error = json_object_get(value, "error");
}

void message_read(struct arena *a, json_t *value, struct message *out)
{
    *out = (struct message){0};
    str id = jsonrpc_id(a, json_object_get(value, "id"));
    const json_t *version = json_object_get(value, "jsonrpc");
    if (!json_is_object(value))
        set_bad(out, id, CODE_INVALID_REQUEST, "a message must be an object");
    else if (json_string_length(version) != 3 || strcmp(json_string_value(version), "2.0") != 0)
        set_bad(out, id, CODE_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    else if (json_is_string(json_object_get(value, "method")))
        read_request(a, value, out);
    else if (json_object_get(value, "result") || json_object_get(value, "error"))
        read_response(a, value, out);
    else
        set_bad(out, id, CODE_INVALID_REQUEST, "method must be a string");
}

static const char *limit_met(const struct envelope *v)
{
    if (v->max_depth > MAX_JSON_DEPTH)
        return "nested too deeply: at most 64 levels are read";
    if (v->values > MAX_JSON_VALUES)
        return "too many values in one line: at most 262144 are read";
    return NULL;
}

void message_parse(struct arena *a, str line, struct message *out)
{
    *out = (struct message){0};
    if (str_starts(line, S("\xEF\xBB\xBF")))
        line = str_cut(line, 3, line.len);
    struct envelope v = {0};
    envelope_add(&v, line);
    const char *limit = limit_met(&v);
    if (limit) {
        set_unreadable(a, &v, CODE_INVALID_REQUEST, limit, out);
        return;
    }
    json_error_t error;
    json_t *root = load(a, line, &error);
    if (!root && json_error_code(&error) == json_error_numeric_overflow)
        set_unreadable(a, &v, CODE_INVALID_PARAMS, "a number is out of range", out);
    else if (!root)
        set_unreadable(a, &v, CODE_PARSE, "the line is not valid JSON", out);
    else if (json_is_array(root))
        out->kind = MESSAGE_BATCH;
    else
        message_read(a, root, out);
    out->root = root;
}

/* ---- messages out ---- */

static void open_reply(struct buf *out, str id)
{
    buf_add(out, S("{\"jsonrpc\":\"2.0\""));
    if (id.len) {
        buf_add(out, S(",\"id\":"));
        buf_add(out, id);
    }
}

void jsonrpc_result(struct buf *out, str id, const json_t *result)
{
    open_reply(out, id);
    buf_add(out, S(",\"result\":"));
    json_write(out, result);
    buf_add_char(out, '}');
}

static json_t *text_json(str text)
{
    struct arena a = {0};
    text = utf8_repair(&a, text);
    json_t *value = json_stringn(text.at, text.len);
    arena_free(&a);
    return value;
}

void jsonrpc_error(struct buf *out, str id, int code, str text, const json_t *data)
{
    json_t *message = text_json(text);
    open_reply(out, id);
    buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
    json_write(out, message);
    if (data) {
        buf_add(out, S(",\"data\":"));
        json_write(out, data);
    }
    buf_add(out, S("}}"));
    json_decref(message);
}

void jsonrpc_notification(struct buf *out, const char *method, const json_t *params)
{
    buf_printf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
    json_write(out, params);
    buf_add_char(out, '}');
}

void jsonrpc_request(struct buf *out, str id, const char *method, const json_t *params)
{
    open_reply(out, id);
    buf_printf(out, ",\"method\":\"%s\"", method);
    if (params) {
        buf_add(out, S(",\"params\":"));
        json_write(out, params);
    }
    buf_add_char(out, '}');
}
