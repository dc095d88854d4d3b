#include "parsers/source_lines.h"

#include <ctype.h>

/* ---- tokens ---- */

static bool at_text(const struct line_scan *s, const char *what)
{
    return str_starts(str_cut(s->text, s->at, s->text.len), str_of(what));
}

/* Of CMake's "[==[" at `at` the bytes it takes, else 0. */
static size_t bracket_bytes(str text, size_t at)
{
    size_t i = at;
    if (i >= text.len || text.at[i] != '[')
        return 0;
    i++;
    while (i < text.len && text.at[i] == '=')
        i++;
    return i < text.len && text.at[i] == '[' ? i + 1 - at : 0;
}

/* Behind the "]==]" that ends the bracket at `at`. */
static size_t bracket_end(str text, size_t at, size_t bytes)
{
    for (size_t i = at + bytes;; i++) {
        i = str_find_char(text, ']', i);
        if (i + bytes > text.len)
            return text.len;
        size_t equals = 0;
        while (equals < bytes - 2 && text.at[i + 1 + equals] == '=')
            equals++;
        if (equals == bytes - 2 && text.at[i + 1 + equals] == ']')
            return i + bytes;
        i += equals;
    }
}

static bool skip_comment(struct line_scan *s)
{
    size_t from = s->at;
    size_t bracket = s->lexis->brackets && at_text(s, "#") ? bracket_bytes(s->text, from + 1) : 0;
    str rest = str_of(s->lexis->comments), start;
    if (bracket)
        s->at = bracket_end(s->text, from + 1, bracket);
    else if (s->lexis->slash_star && at_text(s, "/*"))
        s->at = str_find(s->text, S("*/"), from + 2) + 2;
    else
        while (s->at == from && str_next_word(&rest, &start))
            if (str_starts(str_cut(s->text, from, s->text.len), start))
                s->at = str_find_char(s->text, '\n', from);
    s->at = s->at > s->text.len ? s->text.len : s->at;
    if (s->at > from)
        source_add_comment(s->source, (uint32_t)from, (uint32_t)s->at);
    return s->at > from;
}

/* Is the character of a string at i a backslash that hides the one behind it? */
static bool hides_next(const struct line_scan *s, size_t i)
{
    if (s->text.at[i] != '\\')
        return false;
    return !(s->lexis->backslash_ends && i + 2 < s->text.len &&
             strchr(",); \n", s->text.at[i + 2]));
}

static size_t string_end(const struct line_scan *s, char quote)
{
    size_t i = s->at + 1;
    while (i < s->text.len && s->text.at[i] != quote)
        i += hides_next(s, i) ? 2 : 1;
    return i < s->text.len ? i : s->text.len;
}

static str scan_string(struct line_scan *s)
{
    size_t from = s->at, marks = 1, end;
    if (s->lexis->triple_quotes && at_text(s, "\"\"\"")) {
        marks = 3;
        end = str_find(s->text, S("\"\"\""), from + 3);
    } else {
        end = string_end(s, s->text.at[from]);
    }
    s->at = end + marks > s->text.len ? s->text.len : end + marks;
    return str_cut(s->text, from + marks, end);
}

struct token scan_token(struct line_scan *s)
{
    while (s->at < s->text.len) {
        if (isspace((unsigned char)s->text.at[s->at]))
            s->at++;
        else if (!skip_comment(s))
            break;
    }
    struct token t = {.at = s->at, .type = TOKEN_END};
    if (s->at == s->text.len) {
        s->earlier = s->end;
        return t;
    }
    char c = s->text.at[s->at];
    size_t bracket = s->lexis->brackets ? bracket_bytes(s->text, s->at) : 0;
    if (bracket) {
        t.type = TOKEN_STRING;
        s->at = bracket_end(s->text, s->at, bracket);
        t.text = str_cut(s->text, t.at + bracket, s->at - bracket);
    } else if (c && strchr(s->lexis->quotes, c)) {
        t.type = TOKEN_STRING;
        t.text = scan_string(s);
    } else if (s->lexis->is_word((unsigned char)c)) {
        t.type = TOKEN_WORD;
        while (s->at < s->text.len && s->lexis->is_word((unsigned char)s->text.at[s->at]))
            s->at++;
        t.text = str_cut(s->text, t.at, s->at);
    } else {
        t.type = TOKEN_MARK;
        t.text = str_cut(s->text, s->at, s->at + 1);
        s->at++;
    }
    t.end = s->at;
    s->earlier = s->end;
    s->end = t.end;
    return t;
}

bool scan_line(struct line_scan *s, str *line)
{
    if (s->at >= s->text.len)
        return false;
    size_t end = str_find_char(s->text, '\n', s->at);
    *line = str_cut(s->text, s->at, end);
    s->at = end + 1;
    return true;
}

bool word_among(str word, str words)
{
    str one;
    while (str_next_word(&words, &one))
        if (str_eq_nocase(one, word))
            return true;
    return false;
}

/* ---- marks ---- */

size_t scan_symbol(struct line_scan *s, enum symbol_kind kind, str name, size_t start, size_t end)
{
    struct mark *m = source_add_mark(s->source, MARK_DEFINITION, (uint32_t)start, (uint32_t)end);
    m->kind = (uint8_t)kind;
    m->name = name;
    m->name_at = name.len ? (uint32_t)scan_offset(s, name) : m->start;
    m->body = (uint32_t)end;
    return s->source->marks.count - 1;
}

void scan_end_symbol(struct line_scan *s, size_t symbol, size_t end)
{
    s->source->marks.at[symbol].end = (uint32_t)end;
}

void scan_reference(struct line_scan *s, enum reference_kind kind, str qualifier, str name,
                    size_t at)
{
    struct mark *m = source_add_mark(s->source, MARK_REFERENCE, (uint32_t)at, (uint32_t)at + 1);
    m->kind = (uint8_t)kind;
    m->name = name;
    m->name_at = name.len ? (uint32_t)scan_offset(s, name) : m->start;
    m->qualifier = qualifier;
}

/* ---- the languages ---- */

static bool is_identifier(unsigned char c)
{
    return isalnum(c) || c == '_';
}

static bool is_dotted(unsigned char c)
{
    return is_identifier(c) || c == '.';
}

static bool is_sql_word(unsigned char c)
{
    return is_identifier(c) || c == '$' || c == '@' || c >= 0x80;
}

static bool is_argument(unsigned char c)
{
    return !isspace(c) && !strchr("()#\"", c) && c;
}

static const struct {
    const char *language;
    line_rules *rules;
    struct lexis lexis;
} languages[] = {
    {"cmake", rules_cmake, {"#", .brackets = true, .quotes = "\"", .is_word = is_argument}},
    {"dockerfile", rules_dockerfile, {0}},
    {"graphql",
     rules_graphql,
     {"#", .quotes = "\"", .triple_quotes = true, .is_word = is_identifier}},
    {"markdown", rules_markdown, {0}},
    {"perl", rules_perl, {0}},
    {"sql",
     rules_sql,
     {"--", .slash_star = true, .quotes = "'\"`", .backslash_ends = true, .is_word = is_sql_word}},
    {"protobuf", rules_proto, {"//", .slash_star = true, .quotes = "\"'", .is_word = is_dotted}},
    {"yaml", rules_yaml, {0}},
};

bool source_lines_run(struct source *s, str language)
{
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (!str_eq(language, str_of(languages[i].language)))
            continue;
        struct line_scan scan = {.source = s, .text = s->text, .lexis = &languages[i].lexis};
        languages[i].rules(&scan);
        return true;
    }
    return false;
}
