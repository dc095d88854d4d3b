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

/* A text in double quotes, with JSON's escapes (TOML's and YAML's are the same for what paths
 * hold), or in single ones, as it is. */
static void take_quoted(struct reading *r)
{
    char quote = peek(r);
    size_t end = r->at + 1;
    while (end < r->text.len && r->text.at[end] != quote)
        end += quote == '"' && r->text.at[end] == '\\' ? 2 : 1;
    if (end >= r->text.len) {
        r->is_off = true;
        return;
    }
    str inner = str_cut(r->text, r->at + 1, end);
    if (quote == '"') {
        json_t *value = json_loadb(r->text.at + r->at, end + 1 - r->at, JSON_DECODE_ANY, NULL);
        if (json_is_string(value))
            take_word(r, str_from(json_string_value(value), json_string_length(value)));
        else
            r->is_off = true;
        json_decref(value);
    } else {
        take_word(r, inner);
    }
    r->at = end + 1;
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

/* Behind `key` and its colon or equals sign, where it begins its line or follows { , or "- ". */
static bool go_to(struct reading *r, const char *key)
{
    str name = str_of(key);
    for (size_t at = str_find(r->text, name, 0); at < r->text.len;
         at = str_find(r->text, name, at + 1)) {
        size_t before = at;
        bool is_quoted = at && (r->text.at[at - 1] == '"' || r->text.at[at - 1] == '\'');
        before -= is_quoted;
        while (before && strchr(" \t", r->text.at[before - 1]))
            before--;
        r->at = at + name.len + is_quoted;
        skip_blanks(r);
        bool begins = !before || strchr("\n{,-", r->text.at[before - 1]);
        if (begins && (peek(r) == ':' || peek(r) == '=')) {
            r->at++;
            skip_blanks(r);
            return true;
        }
    }
    return false;
}

static void take_value(struct reading *r, const char *key)
{
    if (!go_to(r, key))
        return;
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
    take_value(&r, "command");
    if (!r.count)
        take_value(&r, "cmd");
    if (r.count)
        take_value(&r, "args");
    return r.is_off ? 0 : r.count;
}
