/* JSON a value at a time, in bounded memory, out of files that may be cut, huge or wrong. */
#include "parsers/import.h"

#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"

#include <errno.h>
#include <unistd.h>

/* ---- bytes ---- */

struct stream {
    int fd;
    char *at;
    size_t from, to;
    bool failed;
};

enum { STREAM_BYTES = 64 << 10, END = -1 };

static bool fill(struct stream *s)
{
    ssize_t n;
    do
        n = read(s->fd, s->at, STREAM_BYTES);
    while (n < 0 && errno == EINTR);
    s->failed |= n < 0;
    s->from = 0;
    s->to = n > 0 ? (size_t)n : 0;
    return s->to > 0;
}

static int peek(struct stream *s)
{
    return s->from < s->to || fill(s) ? (unsigned char)s->at[s->from] : END;
}

static int next(struct stream *s)
{
    int c = peek(s);
    s->from += c != END;
    return c;
}

static bool open_stream(struct import_reader *r, struct stream *s)
{
    *s = (struct stream){.fd = r->fd, .at = arena_bytes(r->arena, STREAM_BYTES)};
    return lseek(r->fd, 0, SEEK_SET) == 0 ||
           fail(r->err, ERR_IO, "can't read it: %s", strerror(errno));
}

static bool close_stream(struct import_reader *r, const struct stream *s)
{
    return !s->failed || fail(r->err, ERR_IO, "can't read it: %s", strerror(errno));
}

/* ---- parsing one value ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The number of \uXXXX at `at`, or -1. */
static int unit_at(str s, size_t at)
{
    int value = 0;
    if (at + 6 > s.len || s.at[at] != '\\' || s.at[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        if (hex(s.at[i]) < 0)
            return -1;
        value = value * 16 + hex(s.at[i]);
    }
    return value;
}

/* A tool that cuts texts by UTF-16 units leaves halves of pairs, for which jansson refuses the
 * whole value: each becomes U+FFFD. */
static void mend_surrogates(struct buf *b)
{
    str s = buf_str(b);
    for (size_t at = 0; (at = str_find_char(s, '\\', at)) + 1 < s.len;) {
        int unit = unit_at(s, at), after = unit_at(s, at + 6);
        bool high = unit >= 0xD800 && unit < 0xDC00, low = unit >= 0xDC00 && unit < 0xE000;
        bool paired = high && after >= 0xDC00 && after < 0xE000;
        if (low || (high && !paired))
            memcpy(b->at + at, "\\uFFFD", 6);
        at += paired ? 12 : unit >= 0 ? 6 : 2;
    }
}

static json_t *parse(struct import_reader *r, struct buf *bytes)
{
    mend_surrogates(bytes);
    json_error_t ignored;
    str text = utf8_repair(r->item, buf_str(bytes));
    return json_loadb(text.at, text.len, JSON_ALLOW_NUL, &ignored);
}

/* Gives an object to the format. */
static bool give(struct import_reader *r, const struct import_format *f, str section,
                 struct buf *bytes, str where)
{
    struct arena mark = *r->item;
    bool ok = true;
    json_t *value = parse(r, bytes);
    if (!json_is_object(value))
        import_skip(r, "no JSON object", where);
    else
        ok = f->value(r, section, value, where);
    json_decref(value);
    arena_rewind(r->item, mark);
    return ok;
}

/* ---- lines ---- */

/* false at the end. What is over the cap is dropped, and told by bytes->overflow. */
static bool next_line(struct stream *s, struct buf *bytes)
{
    buf_clear(bytes);
    bytes->overflow = false;
    int c = peek(s);
    while (c != END && c != '\n') {
        const char *from = s->at + s->from, *end = memchr(from, '\n', s->to - s->from);
        size_t n = end ? (size_t)(end - from) : s->to - s->from;
        buf_add(bytes, str_from(from, n));
        s->from += n;
        c = peek(s);
    }
    return next(s) != END || bytes->len > 0 || bytes->overflow;
}

bool import_each_line(struct import_reader *r, const struct import_format *f)
{
    struct stream s;
    struct buf bytes = {.max_bytes = MAX_IMPORT_LINE_BYTES};
    bool ok = open_stream(r, &s);
    for (size_t number = 1; ok && next_line(&s, &bytes); number++) {
        struct arena mark = *r->item;
        str where = arena_printf(r->item, "line %zu", number);
        if (bytes.overflow)
            import_skip(r, "line over 16 MiB", where);
        else if (str_trim(buf_str(&bytes)).len)
            ok = give(r, f, S(""), &bytes, where);
        arena_rewind(r->item, mark);
    }
    buf_free(&bytes);
    return ok && close_stream(r, &s);
}

/* ---- elements of arrays ---- */

static int skip_space(struct stream *s)
{
    int c;
    while ((c = peek(s)) == ' ' || c == '\t' || c == '\n' || c == '\r')
        s->from++;
    return c;
}

static void add(struct buf *out, int c)
{
    if (out)
        buf_add_char(out, (char)c);
}

/* From the opening quote to the closing one. false where the file ends before. */
static bool take_string(struct stream *s, struct buf *out)
{
    int c;
    add(out, next(s));
    while ((c = next(s)) != END) {
        add(out, c);
        if (c == '"')
            return true;
        if (c == '\\' && (c = next(s)) != END)
            add(out, c);
    }
    return false;
}

/* Whatever stands there, brackets with what is in them; `out` may be NULL. */
static bool take_value(struct stream *s, struct buf *out)
{
    size_t depth = 0;
    int c = skip_space(s);
    if (c == '"')
        return take_string(s, out);
    if (c != '{' && c != '[') {
        while ((c = peek(s)) != END && !strchr(",]} \t\r\n", c))
            add(out, next(s));
        return c != END;
    }
    do {
        if (peek(s) == '"') {
            if (!take_string(s, out))
                return false;
            continue;
        }
        if ((c = next(s)) == END)
            return false;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        add(out, c);
    } while (depth);
    return true;
}

/* Behind an array's opening bracket. *whole: its end was there. */
static bool each_element(struct import_reader *r, const struct import_format *f, struct stream *s,
                         str section, bool *whole)
{
    struct buf bytes = {.max_bytes = MAX_IMPORT_ELEMENT_BYTES};
    bool ok = true;
    *whole = true;
    for (size_t number = 1; ok && *whole && skip_space(s) != ']'; number++) {
        struct arena mark = *r->item;
        str where = arena_printf(r->item, "%.*s[%zu]", FMT(section), number - 1);
        buf_clear(&bytes);
        bytes.overflow = false;
        *whole = take_value(s, &bytes);
        if (!*whole)
            import_skip(r, "the file ends within it", where);
        else if (bytes.overflow)
            import_skip(r, "element over 32 MiB", where);
        else
            ok = give(r, f, section, &bytes, where);
        arena_rewind(r->item, mark);
        int c = skip_space(s);
        if (c == ',')
            next(s);
        else if (c != ']')
            *whole = false;
    }
    if (*whole)
        next(s);
    buf_free(&bytes);
    return ok;
}

static bool each_member(struct import_reader *r, const struct import_format *f, struct stream *s,
                        bool *whole)
{
    enum { MAX_MEMBER_BYTES = 256 };
    struct buf key = {.max_bytes = MAX_MEMBER_BYTES};
    bool ok = true;
    *whole = true;
    while (ok && *whole && skip_space(s) != '}') {
        buf_clear(&key);
        *whole = peek(s) == '"' && take_string(s, &key) && skip_space(s) == ':' && next(s) == ':';
        if (*whole && skip_space(s) == '[') {
            next(s);
            str section = str_cut(buf_str(&key), 1, key.len - 1);
            ok = each_element(r, f, s, section, whole);
        } else if (*whole) {
            *whole = take_value(s, NULL);
        }
        if (skip_space(s) == ',')
            next(s);
        else if (peek(s) != '}')
            *whole = false;
    }
    buf_free(&key);
    return ok;
}

bool import_each_element(struct import_reader *r, const struct import_format *f)
{
    struct stream s;
    bool whole = true, ok = open_stream(r, &s);
    if (!ok)
        return false;
    int c = skip_space(&s);
    if (c == 0xEF) { /* a byte order mark */
        for (int i = 0; i < 3; i++)
            next(&s);
        c = skip_space(&s);
    }
    if (c != '[' && c != '{')
        return fail(r->err, ERR_INPUT, "it is no JSON array or object");
    next(&s);
    ok = c == '[' ? each_element(r, f, &s, S(""), &whole) : each_member(r, f, &s, &whole);
    if (ok && !whole)
        import_skip(r, "the file is cut or no JSON behind here", r->name);
    return ok && close_stream(r, &s);
}

/* ---- values ---- */

str import_text(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);
    return json_is_string(value) ? str_from(json_string_value(value), json_string_length(value))
                                 : S("");
}

str import_joined(struct arena *a, const json_t *value)
{
    struct buf out = {.max_bytes = MAX_IMPORT_TEXT_BYTES};
    size_t i;
    json_t *part;
    if (json_is_string(value))
        return str_from(json_string_value(value), json_string_length(value));
    json_array_foreach((json_t *)value, i, part)
    {
        str text = json_is_string(part)
                       ? str_from(json_string_value(part), json_string_length(part))
                       : import_text(part, "text");
        if (text.len && out.len)
            buf_add_char(&out, '\n');
        buf_add(&out, text);
    }
    str joined = arena_str(a, buf_str(&out));
    buf_free(&out);
    return joined;
}

bool import_time(const json_t *value, int64_t *ms)
{
    if (json_is_string(value))
        return iso_parse(str_from(json_string_value(value), json_string_length(value)), ms, NULL);
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number > 0) || number > 1e15)
        return false;
    *ms = (int64_t)(number < 1e11 ? number * 1000 : number);
    return true;
}
