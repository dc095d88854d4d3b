/* TOML as far as tables go: statements are found with where they begin and end, their values only
 * skipped. Ours is a table of its own, put at the end. */
#include "server/setup/edit.h"

enum { MAX_NAMES = 16 /* of a dotted key with its table's */ };

enum statement_kind { TABLE, TABLE_OF_LIST, PAIR };

struct statement {
    enum statement_kind kind;
    size_t from, to; /* whole lines */
    str names[MAX_NAMES];
    size_t count; /* of names; a pair's begin with its table's */
};

struct scan {
    str text;
    size_t at, depth;
    struct err *e;
};

/* ---- reading ---- */

static bool refuse(struct scan *s, const char *what)
{
    return edit_fail_at(s->text, s->at, s->e, "%s", what);
}

static char peek(const struct scan *s)
{
    return s->at < s->text.len ? s->text.at[s->at] : '\0';
}

static void skip_spaces(struct scan *s)
{
    while (peek(s) == ' ' || peek(s) == '\t')
        s->at++;
}

/* Spaces, line ends and comments. */
static void skip_lines(struct scan *s)
{
    for (;; s->at++) {
        if (peek(s) == '#')
            s->at = edit_line_stop(s->text, s->at);
        if (!peek(s) || !strchr(" \t\r\n", peek(s)))
            return;
    }
}

static bool end_line(struct scan *s)
{
    skip_spaces(s);
    if (peek(s) == '#')
        s->at = edit_line_stop(s->text, s->at);
    if (s->at < edit_line_stop(s->text, s->at))
        return refuse(s, "the end of the line is wanted here");
    s->at = edit_next_line(s->text, s->at);
    return true;
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* "..." and '...', over lines with three quotes. */
static bool skip_quoted(struct scan *s)
{
    char quote = peek(s), three[] = {quote, quote, quote};
    str closing = str_from(three, 3);
    if (str_starts(str_cut(s->text, s->at, s->text.len), closing)) {
        size_t end = s->at + 3;
        do {
            end = str_find(s->text, closing, end);
            size_t slashes = 0;
            while (quote == '"' && end < s->text.len && s->text.at[end - 1 - slashes] == '\\')
                slashes++;
            if (slashes % 2 == 0)
                break;
            end++;
        } while (end < s->text.len);
        if (end >= s->text.len)
            return refuse(s, "the text has no closing quotes");
        s->at = end + 3;
        while (peek(s) == quote) /* a quote or two may be the text's own end */
            s->at++;
        return true;
    }
    size_t stop = edit_line_stop(s->text, s->at);
    for (size_t i = s->at + 1; i < stop; i++) {
        if (s->text.at[i] == quote) {
            s->at = i + 1;
            return true;
        }
        i += quote == '"' && s->text.at[i] == '\\';
    }
    return refuse(s, "the text has no closing quote on its line");
}

/* a . "b" . c */
static bool read_names(struct scan *s, str *names, size_t *count)
{
    for (;;) {
        skip_spaces(s);
        size_t from = s->at;
        bool quoted = peek(s) == '"' || peek(s) == '\'';
        if (quoted && !skip_quoted(s))
            return false;
        while (!quoted && is_bare(peek(s)))
            s->at++;
        if (s->at == from)
            return refuse(s, "a key is wanted here");
        if (*count == MAX_NAMES)
            return refuse(s, "a key of too many parts");
        names[(*count)++] = str_cut(s->text, from + quoted, s->at - quoted);
        skip_spaces(s);
        if (peek(s) != '.')
            return true;
        s->at++;
    }
}

static bool skip_value(struct scan *s);

static bool skip_pair(struct scan *s)
{
    str ignored[MAX_NAMES];
    size_t count = 0;
    if (!read_names(s, ignored, &count))
        return false;
    if (peek(s) != '=')
        return refuse(s, "= is wanted here");
    s->at++;
    skip_spaces(s);
    return skip_value(s);
}

/* [a, b] and {a = 1, b = 2} */
static bool skip_brackets(struct scan *s)
{
    bool is_table = peek(s) == '{';
    char end = is_table ? '}' : ']';
    if (++s->depth > MAX_EDIT_DEPTH)
        return refuse(s, "nested too deep");
    s->at++;
    for (skip_lines(s); peek(s) != end; skip_lines(s)) {
        if (!(is_table ? skip_pair(s) : skip_value(s)))
            return false;
        skip_lines(s);
        if (peek(s) == ',')
            s->at++;
        else if (peek(s) != end)
            return refuse(s,
                          is_table ? "a comma or } is wanted here" : "a comma or ] is wanted here");
    }
    s->at++;
    s->depth--;
    return true;
}

static bool skip_value(struct scan *s)
{
    char c = peek(s);
    if (c == '"' || c == '\'')
        return skip_quoted(s);
    if (c == '[' || c == '{')
        return skip_brackets(s);
    size_t from = s->at;
    while (is_bare(peek(s)) || (peek(s) && strchr("+.:", peek(s))))
        s->at++;
    return s->at > from || refuse(s, "a value is wanted here");
}

static bool read_table(struct scan *s, struct statement *out)
{
    out->kind = str_starts(str_cut(s->text, s->at, s->text.len), S("[[")) ? TABLE_OF_LIST : TABLE;
    s->at += out->kind == TABLE_OF_LIST ? 2 : 1;
    if (!read_names(s, out->names, &out->count))
        return false;
    for (int brackets = out->kind == TABLE_OF_LIST ? 2 : 1; brackets; brackets--, s->at++)
        if (peek(s) != ']')
            return refuse(s, "] is wanted here");
    return true;
}

static bool read_pair(struct scan *s, const struct statement *table, struct statement *out)
{
    out->kind = PAIR;
    memcpy(out->names, table->names, sizeof out->names);
    out->count = table->count;
    if (!read_names(s, out->names, &out->count))
        return false;
    if (peek(s) != '=')
        return refuse(s, "= is wanted here");
    s->at++;
    skip_spaces(s);
    size_t from = s->at;
    if (!skip_value(s))
        return false;
    /* 1979-05-27 07:32:00 */
    if (s->at - from == 10 && peek(s) == ' ' && is_bare(s->text.at[from]) &&
        s->at + 1 < s->text.len && s->text.at[s->at + 1] >= '0' && s->text.at[s->at + 1] <= '9') {
        s->at++;
        return skip_value(s);
    }
    return true;
}

/* The next statement; *table is kept at the one that it stands in. false at the end, or with *e. */
static bool next_statement(struct scan *s, struct statement *table, struct statement *out)
{
    skip_lines(s);
    if (s->at >= s->text.len || s->e->code)
        return false;
    *out = (struct statement){.from = edit_line_start(s->text, s->at)};
    bool ok = (peek(s) == '[' ? read_table(s, out) : read_pair(s, table, out)) && end_line(s);
    out->to = s->at;
    if (ok && out->kind != PAIR)
        *table = *out;
    return ok;
}

/* ---- finding ---- */

static bool begins_with_keys(const struct statement *st, const char *const *keys, size_t *key_count)
{
    size_t i = 0;
    for (; keys[i]; i++)
        if (i >= st->count || !str_eq(st->names[i], str_of(keys[i])))
            return false;
    *key_count = i;
    return true;
}

/* Runs of lines that are ours, and how the entry stands there. */
struct ours {
    struct run {
        size_t from, to;
    } * runs;
    size_t count, capacity;
    bool has_table; /* as a table of its own, the first run */
};

/* The outermost key as one value, or as a list: nothing can be added to it from outside. */
static bool is_closed(const struct statement *st, const char *const *keys)
{
    return st->count == 1 && str_eq(st->names[0], str_of(keys[0])) && st->kind != TABLE;
}

static bool find_ours(struct arena *a, str text, const struct edit *edit, struct ours *out,
                      struct err *e)
{
    *out = (struct ours){0};
    struct scan s = {.text = text, .e = e};
    if (!edit_readable(text, e))
        return false;
    if (str_starts(text, S("\xEF\xBB\xBF")))
        s.at = 3;
    struct statement table = {0}, st;
    bool in_run = false;
    while (next_statement(&s, &table, &st)) {
        size_t keys;
        if (is_closed(&st, edit->keys))
            return edit_fail_at(text, st.from, e, "%s is no table of tables", edit->keys[0]);
        if (!begins_with_keys(&st, edit->keys, &keys)) {
            in_run = false;
            continue;
        }
        bool is_main = st.kind == TABLE && st.count == keys;
        if (is_main && out->has_table)
            return edit_fail_at(text, st.from, e, "the table stands there twice");
        if (!in_run || st.kind != PAIR) {
            ARENA_GROW(a, out->runs, out->count, out->capacity);
            out->runs[out->count++] = (struct run){st.from, st.to};
        }
        out->runs[out->count - 1].to = st.to;
        out->has_table |= is_main;
        in_run = true;
    }
    return e->code == ERR_NONE;
}

/* ---- the two edits ---- */

static bool holds_current(str text, const struct ours *ours, str current)
{
    for (size_t i = 0; i < ours->count; i++) {
        size_t from = ours->runs[i].from;
        if (text.at[from] == '[') /* its name holds the program's too */
            from = edit_next_line(text, from);
        str run = str_cut(text, from, ours->runs[i].to);
        if (str_find(run, current, 0) < run.len)
            return true;
    }
    return false;
}

static bool put(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    struct ours ours;
    *out = text;
    if (!find_ours(a, text, edit, &ours, e))
        return false;
    if (!ours.count) {
        *out = edit_append(a, text, edit->value);
        return true;
    }
    if (holds_current(text, &ours, edit->current))
        return true;
    if (!ours.has_table)
        return edit_fail_at(text, ours.runs[0].from, e,
                            "an entry that isn't a table of its own; change or remove it by hand");
    const char *eol = edit_line_end(text);
    str lines = edit_indented(a, edit->value, S(""), S("  "), eol);
    *out = edit_splice(a, text, ours.runs[0].from, ours.runs[0].to,
                       arena_printf(a, "%.*s%s", FMT(lines), eol));
    return true;
}

static bool take(struct arena *a, str text, str before, const struct edit *edit, str *out,
                 struct err *e)
{
    (void)before; /* a table of tables needs no table around it */
    struct ours ours;
    *out = text;
    if (!find_ours(a, text, edit, &ours, e))
        return false;
    for (size_t i = ours.count; i-- > 0;)
        *out = edit_remove_lines(a, *out, ours.runs[i].from, ours.runs[i].to);
    return true;
}

static bool find(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    struct ours ours;
    if (!find_ours(a, text, edit, &ours, e))
        return false;
    *out = ours.count ? str_cut(text, ours.runs[0].from, ours.runs[0].to) : S("");
    return true;
}

const struct edit_format edit_toml = {put, take, find};
