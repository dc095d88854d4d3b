#include "server/setup/edit.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"

bool edit_fail_at(str text, size_t at, struct err *e, const char *format, ...)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < text.len; i++) {
        if (text.at[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text.at[i] & 0xC0) != 0x80) {
            column++; /* counts code points */
        }
    }
    struct arena scratch = {0};
    va_list args;
    va_start(args, format);
    str what = arena_vprintf(&scratch, format, args);
    va_end(args);
    fail(e, ERR_INPUT, "line %zu, column %zu: %.*s", line, column, FMT(what));
    arena_free(&scratch);
    return false;
}

bool edit_readable(str text, struct err *e)
{
    if (text.len > MAX_EDIT_BYTES)
        return fail(e, ERR_LIMIT, "%zu bytes, at most %d", text.len, MAX_EDIT_BYTES);
    size_t bytes;
    for (size_t at = 0; at < text.len; at += bytes) {
        int32_t code_point = utf8_decode(text, at, &bytes);
        if (code_point <= 0)
            return edit_fail_at(text, at, e,
                                code_point == 0 ? "a NUL byte, wanted: text" : "no valid UTF-8");
    }
    return true;
}

bool edit_is_blank(str text)
{
    if (str_starts(text, S("\xEF\xBB\xBF")))
        text = str_cut(text, 3, text.len);
    return str_trim(text).len == 0;
}

const char *edit_line_end(str text)
{
    size_t first = str_find_char(text, '\n', 0);
    return first > 0 && first < text.len && text.at[first - 1] == '\r' ? "\r\n" : "\n";
}

size_t edit_line_start(str text, size_t at)
{
    while (at > 0 && text.at[at - 1] != '\n')
        at--;
    return at;
}

size_t edit_line_stop(str text, size_t at)
{
    size_t stop = str_find_char(text, '\n', at);
    return stop < text.len && stop > at && text.at[stop - 1] == '\r' ? stop - 1 : stop;
}

size_t edit_next_line(str text, size_t at)
{
    size_t end = str_find_char(text, '\n', at);
    return end < text.len ? end + 1 : end;
}

str edit_splice(struct arena *a, str text, size_t from, size_t to, str with)
{
    str head = str_cut(text, 0, from), tail = str_cut(text, to, text.len);
    return arena_printf(a, "%.*s%.*s%.*s", FMT(head), FMT(with), FMT(tail));
}

str edit_indented(struct arena *a, str value, str indent, str unit, const char *line_end)
{
    struct buf out = {0};
    str line;
    for (bool first = true; str_next_line(&value, &line); first = false) {
        if (!first)
            buf_printf(&out, "%s", line_end);
        size_t spaces = 0;
        while (spaces < line.len && line.at[spaces] == ' ')
            spaces++;
        if (!first && spaces < line.len)
            buf_add(&out, indent);
        for (size_t level = 0; level < spaces / 2; level++)
            buf_add(&out, unit);
        buf_add(&out, str_cut(line, spaces / 2 * 2, line.len));
    }
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

str edit_append(struct arena *a, str text, str value)
{
    const char *eol = edit_line_end(text);
    str lines = edit_indented(a, value, S(""), S("  "), eol);
    if (edit_is_blank(text))
        return arena_printf(a, "%.*s\n", FMT(lines));
    bool ended = text.at[text.len - 1] == '\n';
    return arena_printf(a, "%.*s%s%s%.*s%s", FMT(text), ended ? "" : eol, eol, FMT(lines),
                        ended ? eol : "");
}

static bool is_empty_line(str text, size_t at)
{
    return edit_line_stop(text, at) == at;
}

str edit_remove_lines(struct arena *a, str text, size_t from, size_t to)
{
    size_t before = from ? edit_line_start(text, from - 1) : 0;
    if (from && is_empty_line(text, before) && (to == text.len || is_empty_line(text, to)))
        from = before;
    return edit_splice(a, text, from, to, S(""));
}

/* ---- a file that is ours alone ---- */

static bool put_whole(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    (void)a;
    if (!edit_is_blank(text) && str_find(text, edit->own, 0) == text.len)
        return fail(e, ERR_CONFLICT, "somebody else's file stands there; move it away first");
    *out = str_eq(text, edit->value) ? text : edit->value;
    return true;
}

static bool take_whole(struct arena *a, str text, str before, const struct edit *edit, str *out,
                       struct err *e)
{
    (void)a, (void)before, (void)e;
    *out = str_find(text, edit->own, 0) < text.len ? S("") : text;
    return true;
}

const struct edit_format edit_whole = {put_whole, take_whole, NULL};
