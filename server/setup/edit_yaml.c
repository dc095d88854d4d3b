/* YAML by its lines: block style, one document, a mapping outermost, as Goose and Continue write
 * it. What is written otherwise around our entry is refused, never guessed at. The entry is the
 * last key of `keys` with `value` below it, or an element of the list at the only key. */
#include "server/setup/edit.h"

struct line {
    size_t from, stop;                                      /* stop: before the line end */
    size_t indent;                                          /* spaces */
    enum { LINE_EMPTY, LINE_CONTENT, LINE_CONTINUED } kind; /* empty: or a comment */
};

struct document {
    str text;
    struct line *lines;
    size_t count, capacity;
};

/* ---- reading ---- */

static str content_of(const struct document *d, const struct line *l)
{
    return str_cut(d->text, l->from + l->indent, l->stop);
}

/* Behind "..." or '...' or brackets that open at `at`, over lines; false where nothing closes. */
static bool skip_flow(str text, size_t *at)
{
    size_t depth = 0;
    for (size_t i = *at; i < text.len; i++) {
        char c = text.at[i];
        if (c == '"' || c == '\'') {
            for (i++; i < text.len && text.at[i] != c; i++)
                i += c == '"' && text.at[i] == '\\';
            if (i >= text.len)
                return false;
        } else if (c == '[' || c == '{') {
            if (++depth > MAX_EDIT_DEPTH)
                return false;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        } else if (c == '#' && i > 0 && (text.at[i - 1] == ' ' || text.at[i - 1] == '\n')) {
            i = edit_line_stop(text, i);
        }
        if (depth == 0) {
            *at = i + 1;
            return true;
        }
    }
    return false;
}

/* Where a line's colon is, that ends a key: behind it a space or the line's end. content.len: none.
 */
static size_t key_colon(str content)
{
    size_t at = 0;
    if (content.len && (content.at[0] == '"' || content.at[0] == '\'') && !skip_flow(content, &at))
        return content.len;
    for (; at < content.len; at++) {
        if (content.at[at] == '#' && at > 0 && content.at[at - 1] == ' ')
            break;
        if (content.at[at] == ':' && (at + 1 == content.len || content.at[at + 1] == ' '))
            return at;
    }
    return content.len;
}

/* A line's value: behind its key's colon, or behind its dash; without a comment. */
static str value_of(str content)
{
    if (str_starts(content, S("- ")))
        return value_of(str_trim(str_cut(content, 2, content.len)));
    size_t colon = key_colon(content), end = 0;
    str value = str_trim(colon < content.len ? str_cut(content, colon + 1, content.len) : content);
    if (str_starts(value, S("#")))
        return str_cut(value, 0, 0);
    if (value.len && strchr("\"'[{", value.at[0]) && skip_flow(value, &end))
        return str_cut(value, 0, end);
    return str_trim(str_cut(value, 0, str_find(value, S(" #"), 0)));
}

static bool opens_block_text(str value)
{
    return value.len && (value.at[0] == '|' || value.at[0] == '>') && value.len <= 3;
}

/* The lines from `l` on that belong to a text or brackets which it opens become continued ones. */
static bool mark_continued(struct document *d, size_t l, struct err *e)
{
    str value = value_of(content_of(d, &d->lines[l]));
    if (opens_block_text(value)) {
        for (size_t i = l + 1; i < d->count; i++) {
            if (d->lines[i].indent <= d->lines[l].indent &&
                d->lines[i].from + d->lines[i].indent < d->lines[i].stop)
                break;
            d->lines[i].kind = LINE_CONTINUED;
        }
        return true;
    }
    if (!value.len || !strchr("\"'[{", value.at[0]))
        return true;
    size_t from = (size_t)(value.at - d->text.at), end = from;
    if (!skip_flow(d->text, &end))
        return edit_fail_at(d->text, from, e, "nothing closes what opens here");
    for (size_t i = l + 1; i < d->count && d->lines[i].from < end; i++)
        d->lines[i].kind = LINE_CONTINUED;
    return true;
}

static struct line line_at(str text, size_t at)
{
    struct line l = {.from = at, .stop = edit_line_stop(text, at)};
    while (l.from + l.indent < l.stop && text.at[l.from + l.indent] == ' ')
        l.indent++;
    size_t first = l.from + l.indent;
    l.kind = first == l.stop || text.at[first] == '#' ? LINE_EMPTY : LINE_CONTENT;
    return l;
}

/* An outermost line: a key. */
static bool check_outermost(const struct document *d, const struct line *l, struct err *e)
{
    str content = content_of(d, l);
    bool first = true;
    for (const struct line *before = d->lines; before < l; before++)
        first = first && before->kind == LINE_EMPTY;
    if (str_eq(str_trim(content), S("---")) && first)
        return true;
    if (str_starts(content, S("---")) || str_starts(content, S("...")))
        return edit_fail_at(d->text, l->from, e, "more than one document");
    if (str_starts(content, S("- ")) || str_eq(content, S("-")))
        return !first || edit_fail_at(d->text, l->from, e, "keys are wanted outermost, not a list");
    return key_colon(content) < content.len ||
           edit_fail_at(d->text, l->from, e, "a key with a colon is wanted here");
}

static bool read_document(struct arena *a, str text, struct document *d, struct err *e)
{
    *d = (struct document){.text = text};
    size_t at = str_starts(text, S("\xEF\xBB\xBF")) ? 3 : 0;
    for (; at < text.len; at = edit_next_line(text, at)) {
        ARENA_GROW(a, d->lines, d->count, d->capacity);
        d->lines[d->count++] = line_at(text, at);
    }
    for (size_t i = 0; i < d->count; i++) {
        struct line *l = &d->lines[i];
        if (l->kind != LINE_CONTENT)
            continue;
        if (text.at[l->from + l->indent] == '\t')
            return edit_fail_at(text, l->from + l->indent, e, "a tab in the indentation");
        if ((l->indent == 0 && !check_outermost(d, l, e)) || !mark_continued(d, i, e))
            return false;
    }
    return true;
}

/* ---- finding ---- */

/* Lines [from, to) of the document. */
struct run {
    size_t from, to;
    bool is_there;
};

static bool is_key(str content, const char *key)
{
    str name = str_trim(str_cut(content, 0, key_colon(content)));
    if (name.len >= 2 && (name.at[0] == '"' || name.at[0] == '\''))
        name = str_cut(name, 1, name.len - 1);
    return str_eq(name, str_of(key));
}

static bool is_element(str content)
{
    return str_starts(content, S("- ")) || str_eq(content, S("-"));
}

/* The key's line and all below it, comments behind the last line of content left out. A list may
 * stand as deep as its key. */
static bool find_key(const struct document *d, struct run within, size_t indent, const char *key,
                     struct run *out, struct err *e)
{
    *out = (struct run){0};
    for (size_t i = within.from; i < within.to; i++) {
        const struct line *l = &d->lines[i];
        if (l->kind != LINE_CONTENT || l->indent != indent || !is_key(content_of(d, l), key))
            continue;
        if (out->is_there)
            return edit_fail_at(d->text, l->from, e, "\"%s\" stands there twice", key);
        *out = (struct run){i, i + 1, true};
        for (size_t j = i + 1; j < within.to; j++) {
            const struct line *below = &d->lines[j];
            if (below->kind == LINE_CONTENT && below->indent <= indent &&
                !(below->indent == indent && is_element(content_of(d, below))))
                break;
            if (below->kind != LINE_EMPTY)
                out->to = j + 1;
        }
    }
    return true;
}

/* The first line of content below a key; run.to where nothing is. */
static size_t first_below(const struct document *d, struct run key)
{
    size_t i = key.from + 1;
    while (i < key.to && d->lines[i].kind == LINE_EMPTY)
        i++;
    return i;
}

/* Has this line of an element's the text `own` as its key and value? */
static bool line_says(str content, str own)
{
    while (is_element(content))
        content = str_trim(str_cut(content, 1, content.len));
    size_t colon = key_colon(content), own_colon = key_colon(own);
    str value = value_of(content);
    if (value.len >= 2 && strchr("\"'", value.at[0]))
        value = str_cut(value, 1, value.len - 1);
    return str_eq(str_cut(content, 0, colon), str_cut(own, 0, own_colon)) &&
           str_eq(value, value_of(own));
}

static void find_element(const struct document *d, struct run list, str own, struct run *out)
{
    *out = (struct run){0};
    size_t first = first_below(d, list);
    struct run element = {first, first, false};
    for (size_t i = first; i < list.to && !out->is_there; i = element.to) {
        element = (struct run){i, i + 1, false};
        for (size_t j = i; j < list.to; j++) {
            const struct line *l = &d->lines[j];
            bool is_next = j > i && l->kind == LINE_CONTENT && l->indent == d->lines[first].indent;
            if (is_next)
                break;
            if (l->kind != LINE_EMPTY || j == i)
                element.to = j + 1;
            if (l->kind == LINE_CONTENT && line_says(content_of(d, l), own))
                element.is_there = true;
        }
        while (element.to < list.to && d->lines[element.to].kind == LINE_EMPTY && !element.is_there)
            element.to++;
        if (element.is_there)
            *out = element;
    }
}

/* What of the keys is there: the outermost one, and the entry. */
struct found {
    struct document document;
    struct run outer, entry;
    size_t indent; /* of what stands below the outermost key */
    bool is_empty; /* the outermost key has nothing below it */
};

static bool look_up(struct arena *a, str text, const struct edit *edit, struct found *out,
                    struct err *e)
{
    *out = (struct found){.indent = 2, .is_empty = true};
    struct document *d = &out->document;
    if (!read_document(a, text, d, e) ||
        !find_key(d, (struct run){0, d->count, true}, 0, edit->keys[0], &out->outer, e))
        return false;
    if (!out->outer.is_there)
        return true;
    const struct line *key = &d->lines[out->outer.from];
    str value = value_of(content_of(d, key));
    bool none = !value.len || str_eq(value, S("[]")) || str_eq(value, S("{}")) ||
                str_eq(value, S("null")) || str_eq(value, S("~"));
    if (!none)
        return edit_fail_at(text, key->from, e,
                            "\"%s\" has its value on its own line; wanted: on lines below it",
                            edit->keys[0]);
    size_t first = first_below(d, out->outer);
    if (first == out->outer.to)
        return true;
    if (is_element(content_of(d, &d->lines[first])) != edit->is_element)
        return edit_fail_at(text, d->lines[first].from, e, "\"%s\" is no %s", edit->keys[0],
                            edit->is_element ? "list" : "mapping");
    out->is_empty = false;
    out->indent = d->lines[first].indent;
    if (edit->is_element)
        find_element(d, out->outer, edit->own, &out->entry);
    else
        return find_key(d, (struct run){first, out->outer.to, true}, out->indent, edit->keys[1],
                        &out->entry, e);
    return true;
}

/* ---- the two edits ---- */

/* Where a line of the document begins, or the text ends. */
static size_t begin_of(const struct document *d, size_t line)
{
    return line < d->count ? d->lines[line].from : d->text.len;
}

/* The entry's lines, each with its end. */
static str entry_lines(struct arena *a, const struct edit *edit, size_t indent, const char *eol)
{
    str lines = edit->value;
    if (!edit->is_element)
        lines = arena_printf(a, "%s:\n  %.*s", edit->keys[1],
                             FMT(edit_indented(a, edit->value, S("  "), S("  "), "\n")));
    str spaces = arena_printf(a, "%*s", (int)indent, "");
    return arena_printf(a, "%.*s%.*s%s", FMT(spaces),
                        FMT(edit_indented(a, lines, spaces, S("  "), eol)), eol);
}

/* Puts lines at `at`, behind a line that may lack its end; then the last of ours lacks it. */
static str put_lines(struct arena *a, str text, size_t at, str lines, const char *eol)
{
    bool unended = at == text.len && text.len && text.at[text.len - 1] != '\n';
    if (unended)
        lines = arena_printf(a, "%s%.*s", eol, FMT(str_cut(lines, 0, lines.len - strlen(eol))));
    return edit_splice(a, text, at, at, lines);
}

static bool put(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    str base = edit_is_blank(text) ? edit->fresh : text;
    struct found found;
    *out = text;
    if (!edit_readable(text, e) || !look_up(a, base, edit, &found, e))
        return false;
    const struct document *d = &found.document;
    const char *eol = edit_line_end(base);
    str lines = entry_lines(a, edit, found.indent, eol);
    if (found.entry.is_there) {
        size_t from = begin_of(d, found.entry.from), to = begin_of(d, found.entry.to);
        str entry = str_cut(base, from, to);
        if (str_find(entry, edit->current, 0) == entry.len)
            *out = edit_splice(a, base, from, to, lines);
    } else if (!found.outer.is_there) {
        *out = put_lines(a, base, base.len,
                         arena_printf(a, "%s:%s%.*s", edit->keys[0], eol, FMT(lines)), eol);
    } else if (found.is_empty) {
        const struct line *key = &d->lines[found.outer.from];
        size_t colon = key->from + key_colon(content_of(d, key)) + 1;
        str value = value_of(content_of(d, key));
        size_t value_stop = value.len ? (size_t)(value.at - base.at) + value.len : colon;
        str opened = edit_splice(a, base, colon, value_stop, S(""));
        *out = put_lines(a, opened, edit_next_line(opened, key->from), lines, eol);
    } else {
        *out = put_lines(a, base, begin_of(d, found.outer.to), lines, eol);
    }
    return true;
}

static bool had_key(struct arena *a, str before, const struct edit *edit)
{
    struct err ignored = {0};
    struct found found;
    return !before.at || (look_up(a, before, edit, &found, &ignored) && found.outer.is_there) ||
           ignored.code;
}

static bool take(struct arena *a, str text, str before, const struct edit *edit, str *out,
                 struct err *e)
{
    struct found found;
    *out = text;
    if (!edit_readable(text, e) || !look_up(a, text, edit, &found, e))
        return false;
    if (!found.entry.is_there)
        return true;
    const struct document *d = &found.document;
    size_t from = begin_of(d, found.entry.from), to = begin_of(d, found.entry.to);
    bool is_alone =
        first_below(d, found.outer) == found.entry.from && found.entry.to == found.outer.to;
    if (is_alone && !had_key(a, before, edit)) {
        *out = edit_splice(a, text, begin_of(d, found.outer.from), to, S(""));
        return true;
    }
    *out = edit_splice(a, text, from, to, S(""));
    if (is_alone) { /* a key without a value is another thing than an empty list */
        const struct line *key = &d->lines[found.outer.from];
        size_t colon = key->from + key_colon(content_of(d, key)) + 1;
        *out = edit_splice(a, *out, colon, colon, edit->is_element ? S(" []") : S(" {}"));
    }
    return true;
}

static bool find(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    struct found found;
    *out = S("");
    if (!edit_readable(text, e) || !look_up(a, text, edit, &found, e))
        return false;
    if (found.entry.is_there)
        *out = str_cut(text, begin_of(&found.document, found.entry.from),
                       begin_of(&found.document, found.entry.to));
    return true;
}

const struct edit_format edit_yaml = {put, take, find};
