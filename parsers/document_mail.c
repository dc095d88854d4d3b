/* A message (.eml): who, to whom, when and about what, and its text; attachments by their names. Of
 * alternatives the plain text, else the HTML. Parts within parts are read to MAX_PART_DEPTH. */
#include "memory/base/unicode.h"
#include "parsers/document.h"
#include "parsers/parsers.h"

#include <ctype.h>
#include <iconv.h>

enum { MAX_PART_DEPTH = 8, MAX_PARTS = 200, MAX_HEADER_VALUE = 2000 };

struct part {
    str headers, body;
};

struct mail {
    struct arena *arena;
    struct flow *flow;
    struct buf attachments;
    size_t parts;
    bool has_text; /* plain text was taken: HTML isn't wanted any more */
    struct err *err;
};

/* ---- headers ---- */

static struct part part_of(str s)
{
    for (size_t at = 0; at < s.len; at = str_find_char(s, '\n', at) + 1) {
        size_t end = str_find_char(s, '\n', at);
        if (str_trim(str_cut(s, at, end)).len == 0)
            return (struct part){str_cut(s, 0, at), str_cut(s, end + 1, s.len)};
    }
    return (struct part){s, S("")};
}

/* The value with its further lines; empty where there is none. */
static str header(struct arena *a, str headers, str name)
{
    str line;
    struct buf value = {.max_bytes = MAX_HEADER_VALUE};
    bool inside = false;
    while (str_next_line(&headers, &line)) {
        size_t colon = str_find_char(line, ':', 0);
        if (inside && line.len && (line.at[0] == ' ' || line.at[0] == '\t')) {
            buf_add_char(&value, ' ');
            buf_add(&value, str_trim(line));
            continue;
        }
        if (inside)
            break;
        inside = str_eq_nocase(str_cut(line, 0, colon), name);
        if (inside)
            buf_add(&value, str_trim(str_cut(line, colon + 1, line.len)));
    }
    str out = arena_str(a, buf_str(&value));
    buf_free(&value);
    return out;
}

static str lower(struct arena *a, str s)
{
    char *out = arena_bytes(a, s.len);
    for (size_t i = 0; i < s.len; i++)
        out[i] = (char)tolower((unsigned char)s.at[i]);
    return str_from(out, s.len);
}

/* "boundary" of `multipart/mixed; boundary="x y"`. */
static str parameter(struct arena *a, str value, str name)
{
    str small = lower(a, value), wanted = arena_printf(a, "%.*s=", FMT(name));
    size_t at = str_find(small, wanted, 0);
    if (at == small.len)
        return S("");
    str rest = str_cut(value, at + wanted.len, value.len);
    if (rest.len && rest.at[0] == '"')
        return str_cut(rest, 1, str_find_char(rest, '"', 1));
    size_t end = 0;
    while (end < rest.len && !strchr("; \t", rest.at[end]))
        end++;
    return str_cut(rest, 0, end);
}

/* ---- encodings ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

static str from_quoted(struct arena *a, str s, bool is_header)
{
    char *out = arena_bytes(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] == '=' && i + 2 < s.len && hex(s.at[i + 1]) >= 0 && hex(s.at[i + 2]) >= 0) {
            out[n++] = (char)(16 * hex(s.at[i + 1]) + hex(s.at[i + 2]));
            i += 2;
        } else if (s.at[i] == '=' && i + 1 < s.len &&
                   (s.at[i + 1] == '\n' || s.at[i + 1] == '\r')) {
            i += s.at[i + 1] == '\r' && i + 2 < s.len && s.at[i + 2] == '\n' ? 2 : 1;
        } else {
            out[n++] = is_header && s.at[i] == '_' ? ' ' : s.at[i];
        }
    }
    return str_from(out, n);
}

static str from_base64(struct arena *a, str s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = arena_bytes(a, s.len + 1);
    size_t n = 0;
    uint32_t bits = 0, count = 0;
    for (size_t i = 0; i < s.len && s.at[i] != '='; i++) {
        const char *digit = s.at[i] ? strchr(digits, s.at[i]) : NULL;
        if (!digit)
            continue;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8)
            out[n++] = (char)(bits >> (count -= 8));
    }
    return str_from(out, n);
}

/* In UTF-8; what is bad, or of an unknown set, is replaced. */
static str from_charset(struct arena *a, str s, str charset)
{
    char name[64];
    if (utf8_valid(s) || !charset.len || charset.len >= sizeof name)
        return utf8_repair(a, s);
    memcpy(name, charset.at, charset.len);
    name[charset.len] = '\0';
    iconv_t set = iconv_open("UTF-8", name);
    if (set == (iconv_t)-1)
        return utf8_repair(a, s);
    size_t room = s.len * 4 + 16, left = room, in_left = s.len;
    char *out = arena_bytes(a, room), *to = out, *in = (char *)s.at;
    while (in_left && iconv(set, &in, &in_left, &to, &left) == (size_t)-1 && in_left && left > 3) {
        memcpy(to, "\xEF\xBF\xBD", 3);
        to += 3;
        left -= 3;
        in++;
        in_left--;
    }
    iconv_close(set);
    return utf8_repair(a, str_from(out, room - left));
}

/* "=?utf-8?Q?caf=C3=A9?=" and what is around it. */
static str readable(struct arena *a, str s)
{
    struct buf out = {.max_bytes = MAX_HEADER_VALUE};
    while (s.len) {
        size_t at = str_find(s, S("=?"), 0), set = str_find_char(s, '?', at + 2);
        size_t text = set + 3, end = str_find(s, S("?="), text);
        if (at == s.len || set == s.len || text >= s.len || end == s.len)
            break;
        str raw = str_cut(s, text, end);
        str bytes = tolower((unsigned char)s.at[set + 1]) == 'b' ? from_base64(a, raw)
                                                                 : from_quoted(a, raw, true);
        buf_add(&out, str_cut(s, 0, at));
        buf_add(&out, from_charset(a, bytes, str_cut(s, at + 2, set)));
        s = str_cut(s, end + 2, s.len);
    }
    buf_add(&out, s);
    str text = unicode_squeeze(a, utf8_repair(a, buf_str(&out)));
    buf_free(&out);
    return text;
}

static str decoded(struct arena *a, struct part p)
{
    str encoding = lower(a, header(a, p.headers, S("Content-Transfer-Encoding")));
    return str_eq(encoding, S("base64"))             ? from_base64(a, p.body)
           : str_eq(encoding, S("quoted-printable")) ? from_quoted(a, p.body, false)
                                                     : p.body;
}

/* ---- parts ---- */

static void put_plain(struct flow *f, str text)
{
    struct buf paragraph = {0};
    str line;
    while (str_next_line(&text, &line)) {
        if (!str_trim(line).len) {
            flow_block(f, BLOCK_TEXT, 0, false, 1, buf_str(&paragraph));
            buf_clear(&paragraph);
            continue;
        }
        buf_add(&paragraph, line);
        buf_add_char(&paragraph, '\n');
    }
    flow_block(f, BLOCK_TEXT, 0, false, 1, buf_str(&paragraph));
    buf_free(&paragraph);
}

static bool put_part(struct mail *m, struct part p, str type)
{
    struct arena *a = m->arena;
    str small = lower(a, type);
    str disposition = lower(a, header(a, p.headers, S("Content-Disposition")));
    bool plain = !type.len || str_starts(small, S("text/plain"));
    bool html = str_starts(small, S("text/html"));
    if (str_starts(disposition, S("attachment")) || (!plain && !html)) {
        str name = parameter(a, header(a, p.headers, S("Content-Disposition")), S("filename"));
        name = name.len ? name : parameter(a, type, S("name"));
        if (name.len)
            buf_printf(&m->attachments, "- %.*s\n", FMT(readable(a, name)));
        return true;
    }
    str text = decoded(a, p);
    if (plain) {
        m->has_text = true;
        put_plain(m->flow, from_charset(a, text, parameter(a, type, S("charset"))));
        return true;
    }
    struct buf title = {0};
    bool ok = m->has_text ||
              document_read_html(m->flow, from_charset(a, text, parameter(a, type, S("charset"))),
                                 &title, m->err);
    buf_free(&title);
    return ok;
}

/* At most MAX_PART_DEPTH deep. */
static bool put_parts(struct mail *m, struct part p, int depth)
{
    str type = header(m->arena, p.headers, S("Content-Type"));
    str boundary = parameter(m->arena, type, S("boundary"));
    bool many = str_starts(lower(m->arena, type), S("multipart/")) && boundary.len;
    if (++m->parts > MAX_PARTS || depth > MAX_PART_DEPTH)
        return fail(m->err, ERR_LIMIT, "it has more than %d parts, or %d within each other",
                    MAX_PARTS, MAX_PART_DEPTH);
    if (!many)
        return put_part(m, p, type);
    str bound = arena_printf(m->arena, "\n--%.*s", FMT(boundary));
    str body = arena_printf(m->arena, "\n%.*s", FMT(p.body));
    for (size_t at = str_find(body, bound, 0); at < body.len;) {
        size_t from = str_find_char(body, '\n', at + 1),
               next = str_find(body, bound, at + bound.len);
        if (str_starts(str_cut(body, at + bound.len, body.len), S("--")))
            break;
        if (!put_parts(m, part_of(str_cut(body, from + 1, next)), depth + 1))
            return false;
        at = next;
    }
    return true;
}

/* ---- the format ---- */

static void put_headers(struct mail *m, str headers)
{
    static const char *const names[] = {"From", "To", "Cc", "Date", "Subject"};
    struct buf out = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        str value = readable(m->arena, header(m->arena, headers, str_of(names[i])));
        if (value.len)
            buf_printf(&out, "%s: %.*s\n", names[i], FMT(value));
    }
    flow_block(m->flow, BLOCK_TEXT, 0, false, 1, buf_str(&out));
    buf_free(&out);
}

bool document_mail(struct arena *a, const struct document *d, struct facts *out, struct err *e)
{
    struct flow f = {.arena = a};
    struct mail m = {
        .arena = a, .flow = &f, .attachments = {.max_bytes = MAX_TEXT_BYTES}, .err = e};
    struct part all = part_of(document_unify_line_ends(a, d->bytes));
    bool ok = document_check_text(d->shown, d->bytes, e);
    if (ok && !header(a, all.headers, S("From")).len && !header(a, all.headers, S("Subject")).len)
        ok = fail(e, ERR_INPUT, "it is no message: no From and no Subject above a blank line");
    if (ok) {
        out->title = document_title(a, readable(a, header(a, all.headers, S("Subject"))));
        put_headers(&m, all.headers);
        ok = put_parts(&m, all, 1);
    }
    if (ok && m.attachments.len) {
        flow_block(&f, BLOCK_TEXT, 0, false, 1, S("Attachments, not read:"));
        flow_block(&f, BLOCK_TEXT, 0, false, 2, buf_str(&m.attachments));
    }
    ok = ok && flow_passages(&f, document_file_name(d->name), out, e);
    buf_free(&m.attachments);
    flow_free(&f);
    return ok;
}
