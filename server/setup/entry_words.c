#include "server/setup/entry_words.h"

#include <jansson.h>
#include <string.h>

struct reading {
    struct arena *arena;
    str text;
    size_t at;
    str *words;
    size_t count;
    bool is_off; /* over a bound, or not what it should be */
};

static char peek(const struct reading *r)
{
    return r->at < r->text.len ? r->text.at[r->at] : '\0';
}

static void skip_blanks(struct reading *r)
{
    while (peek(r) == ' ' || peek(r) == '\t')
        r->at++;
}

static void skip_to_line_end(struct reading *r)
{
    r->at = str_find_char(r->text, '\n', r->at);
}

static void take_word(struct reading *r, str word)
{
    if (r->count == MAX_ENTRY_WORDS || word.len > MAX_ENTRY_WORD_BYTES)
        r->is_off = true;
    else
        r->words[r->count++] = arena_str(r->arena, word);
}

/* Behind the quote that ends the text whose quote stands at `at`, or the end where none does. */
static size_t end_of_quoted(str text, size_t at)
{
    char quote = text.at[at++];
    for (; at < text.len; at++) {
        bool is_doubled = quote == '\'' && at + 1 < text.len && text.at[at + 1] == quote;
        if (text.at[at] == '\\' && quote == '"')
            at++;
        else if (text.at[at] == quote && !is_doubled)
            return at + 1;
        else if (text.at[at] == quote)
            at++;
    }
    return text.len;
}

static str without_doubled_quotes(struct arena *a, str inner)
{
    char *out = arena_bytes(a, inner.len);
    size_t n = 0;
    for (size_t i = 0; i < inner.len; i++) {
        out[n++] = inner.at[i];
        i += inner.at[i] == '\'';
    }
    return str_from(out, n);
}

/* A text in double quotes, with JSON's escapes (TOML's and YAML's are the same for what paths
 * hold), or in single ones: as it is, but that YAML doubles a quote within; the others have none.
 */
static void take_quoted(struct reading *r)
{
    str quoted = str_cut(r->text, r->at, end_of_quoted(r->text, r->at));
    char quote = peek(r);
    r->at += quoted.len;
    if (quoted.len < 2 || quoted.at[quoted.len - 1] != quote) {
        r->is_off = true;
    } else if (quote == '"') {
        json_t *value = json_loadb(quoted.at, quoted.len, JSON_DECODE_ANY, NULL);
        if (json_is_string(value))
            take_word(r, str_from(json_string_value(value), json_string_length(value)));
        else
            r->is_off = true;
        json_decref(value);
    } else {
        take_word(r, without_doubled_quotes(r->arena, str_cut(quoted, 1, quoted.len - 1)));
    }
}

/* A plain text of YAML: to the line's end, or to a comment. */
static void take_plain(struct reading *r)
{
    size_t from = r->at;
    skip_to_line_end(r);
    str line = str_cut(r->text, from, r->at);
    str word = str_trim(str_cut(line, 0, str_find(line, S(" #"), 0)));
    if (word.len)
        take_word(r, word);
}

static void take_text(struct reading *r)
{
    if (peek(r) == '"' || peek(r) == '\'')
        take_quoted(r);
    else
        take_plain(r);
}

/* "[" was seen: texts in quotes, commas, comments, plain words of a flow list. */
static void take_bracketed(struct reading *r)
{
    for (r->at++; !r->is_off && peek(r) != ']'; r->at += peek(r) == ',') {
        while (peek(r) && strchr(" \t\r\n", peek(r)))
            r->at++;
        str rest = str_cut(r->text, r->at, r->text.len);
        if (!rest.len)
            r->is_off = true;
        else if (peek(r) == '#' || str_starts(rest, S("//")))
            skip_to_line_end(r);
        else if (peek(r) == '"' || peek(r) == '\'')
            take_quoted(r);
        else if (peek(r) != ',' && peek(r) != ']') {
            size_t comma = str_find_char(rest, ',', 0), close = str_find_char(rest, ']', 0);
            size_t length = comma < close ? comma : close;
            take_word(r, str_trim(str_cut(rest, 0, length)));
            r->at += length;
        }
        skip_blanks(r);
    }
}

/* YAML's list, an element a line, behind the key's own line. */
static void take_dashed(struct reading *r)
{
    for (;;) {
        skip_to_line_end(r);
        r->at += r->at < r->text.len;
        size_t line = r->at;
        skip_blanks(r);
        if (peek(r) == '#')
            continue;
        if (!str_starts(str_cut(r->text, r->at, r->text.len), S("- "))) {
            r->at = line;
            return;
        }
        r->at += 2;
        skip_blanks(r);
        take_text(r);
    }
}

/* Walks an entry's text from token to token; `last` is what stood before the one at `at`, blanks
 * left out: '\n' also for the text's beginning, '-' for a dash that begins YAML's element. */
struct walk {
    str text;
    size_t at, line, depth, section; /* brackets that are open; dots of the last [table] of TOML */
    char last;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Whether a key, a text in quotes or a bracket can begin here: elsewhere these letters are part of
 * a plain text, as the apostrophe of "Alice's". */
static bool can_begin(const struct walk *w)
{
    return memchr("\n-{[:=", w->last, 6) || (w->last == ',' && w->depth);
}

static bool skip_comment(struct walk *w, str rest)
{
    if (*rest.at == '#' || str_starts(rest, S("//"))) {
        w->at = str_find_char(w->text, '\n', w->at);
        return true;
    }
    if (!w->depth || !str_starts(rest, S("/*")))
        return false;
    w->at += str_cut(rest, 0, str_find(rest, S("*/"), 2) + 2).len;
    return true;
}

/* TOML's, whose dots tell how deep the keys behind it lie. */
static bool skip_table_head(struct walk *w)
{
    if (w->text.at[w->at] != '[' || w->depth || w->at != w->line)
        return false;
    w->section = 0;
    for (; w->at < w->text.len && w->text.at[w->at] != '\n'; w->at++)
        w->section += w->text.at[w->at] == '.';
    return true;
}

/* Over what is no token: comments, a table's head, a dash, a text in quotes, one character. */
static void step(struct walk *w)
{
    str rest = str_cut(w->text, w->at, w->text.len);
    char c = *rest.at;
    bool begins = can_begin(w);
    if (skip_comment(w, rest) || skip_table_head(w))
        return;
    if ((c == '"' || c == '\'') && begins) {
        w->at = end_of_quoted(w->text, w->at);
        w->last = c;
        return;
    }
    w->at++;
    if (is_blank(c))
        return;
    if ((c == '{' || c == '[') && begins)
        w->depth++;
    else if ((c == '}' || c == ']') && w->depth)
        w->depth--;
    else if (c == '\n')
        w->line = w->at;
    bool is_dash =
        c == '-' && memchr("\n-", w->last, 2) && w->at < w->text.len && is_blank(rest.at[1]);
    w->last = memchr("-{[", c, 3) && !(c == '-' ? is_dash : begins) ? 'x' : c;
}

/* Where the value of a key begins, and how deep the key lies: within how many brackets or tables,
 * then at which column, which counts in YAML. */
struct key_place {
    size_t value, depth, column;
};

static bool is_key(const struct walk *w, str key, struct key_place *out)
{
    size_t at = w->at;
    char quote = w->text.at[at];
    bool is_quoted = quote == '"' || quote == '\'';
    at += is_quoted;
    if (!str_starts(str_cut(w->text, at, w->text.len), key) || w->last == ':' || w->last == '=' ||
        !can_begin(w))
        return false;
    at += key.len;
    if (is_quoted && (at >= w->text.len || w->text.at[at++] != quote))
        return false;
    while (at < w->text.len && is_blank(w->text.at[at]))
        at++;
    char sign = at < w->text.len ? w->text.at[at] : '\0';
    bool is_block = sign == ':' && !w->depth;
    *out = (struct key_place){at + 1, w->depth + w->section, is_block ? w->at - w->line : 0};
    return sign == ':' || sign == '=';
}

/* Positive: a lies deeper than b. */
static int compare_depth(struct key_place a, struct key_place b)
{
    size_t x = a.depth == b.depth ? a.column : a.depth;
    size_t y = a.depth == b.depth ? b.column : b.depth;
    return (x > y) - (x < y);
}

/* The first of those places of `key` that lie least deep. */
static bool find_key(str text, str key, struct key_place *out)
{
    bool found = false;
    struct key_place place;
    for (struct walk w = {.text = text, .last = '\n'}; w.at < text.len; step(&w))
        if (is_key(&w, key, &place) && (!found || compare_depth(place, *out) < 0)) {
            *out = place;
            found = true;
        }
    return found;
}

static void take_value(struct reading *r, struct key_place place)
{
    r->at = place.value;
    skip_blanks(r);
    if (peek(r) == '[')
        take_bracketed(r);
    else if (peek(r) == '\n' || peek(r) == '\r' || peek(r) == '#')
        take_dashed(r);
    else
        take_text(r);
}

size_t entry_words(struct arena *a, str entry, str words[MAX_ENTRY_WORDS])
{
    struct reading r = {.arena = a, .text = entry, .words = words};
    struct key_place command, other;
    bool found = find_key(entry, S("command"), &command);
    if (find_key(entry, S("cmd"), &other) && (!found || compare_depth(other, command) < 0)) {
        command = other;
        found = true;
    }
    if (found)
        take_value(&r, command);
    if (r.count && find_key(entry, S("args"), &other) && !compare_depth(other, command))
        take_value(&r, other);
    return r.is_off ? 0 : r.count;
}
