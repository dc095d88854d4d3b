#include "parsers/source_prepare.h"

#include "memory/base/ascii.h"

enum { MAX_RESCANNED = 8 }; /* so many times its length a text is looked through for braces */

/* The text, copied when the first byte is blanked. */
struct prepared {
    struct arena *arena;
    str text;
    char *copy;
    size_t scanned;
};

static void blank(struct prepared *p, size_t from, size_t to)
{
    if (!p->copy)
        p->copy = memcpy(arena_bytes(p->arena, p->text.len), p->text.at, p->text.len);
    for (size_t i = from; i < to; i++)
        if (p->copy[i] != '\n')
            p->copy[i] = ' ';
}

static size_t word_end(str text, size_t i)
{
    while (i < text.len && ascii_is_word(text.at[i]))
        i++;
    return i;
}

static size_t skip_spaces(str text, size_t i)
{
    while (i < text.len && (text.at[i] == ' ' || text.at[i] == '\t'))
        i++;
    return i;
}

static size_t skip_blanks(str text, size_t i)
{
    while (i < text.len && (text.at[i] == ' ' || (text.at[i] >= '\t' && text.at[i] <= '\r')))
        i++;
    return i;
}

/* ---- C and C++ ---- */

/* The end of a word in capitals at i, with the arguments behind it; i where none is there. */
static size_t capitals_end(str text, size_t i)
{
    size_t end = word_end(text, i), letters = 0;
    for (size_t at = i; at < end; at++) {
        if (text.at[at] >= 'a' && text.at[at] <= 'z')
            return i;
        letters += text.at[at] >= 'A' && text.at[at] <= 'Z';
    }
    if (letters < 3)
        return i;
    if (end < text.len && text.at[end] == '(') {
        size_t closed = str_find_char(text, ')', end);
        size_t line = str_find_char(text, '\n', end);
        end = closed < line ? closed + 1 : i;
    }
    return end;
}

/* `TRY {` loses TRY; `CATCH_ALL` alone in a line goes where a statement or block ended before it
 * (in an enum it is a constant). */
static bool blank_alone(struct prepared *p, size_t at)
{
    str text = p->text;
    size_t to = capitals_end(text, at), next = skip_spaces(text, to), before = at;
    while (before && strchr(" \t\n", text.at[before - 1]))
        before--;
    bool opens = next < text.len && text.at[next] == '{';
    bool alone = next == text.len || text.at[next] == '\n';
    size_t below = skip_blanks(text, next), called = word_end(text, below);
    if (alone && called > below && called < text.len && text.at[called] == '(')
        return false; /* `VALUE` above `name(...)` is its type */
    if (to == at || !(opens || (alone && before && strchr(";})", text.at[before - 1]))))
        return false;
    blank(p, at, to);
    return true;
}

/* `class API Cart`: the word behind "class" or "struct", where a name follows it. */
static void blank_in_class(struct prepared *p, size_t behind)
{
    size_t from = skip_spaces(p->text, behind), to = capitals_end(p->text, from);
    size_t next = skip_spaces(p->text, to), end = word_end(p->text, next);
    size_t then = skip_blanks(p->text, end);
    if (to > from && next > to && end > next && then < p->text.len &&
        strchr("{:;<f", p->text.at[then]))
        blank(p, from, to);
}

/* Behind one name as it stands in a declaration: `std::vector<int>`; i where there is none. */
static size_t type_end(str text, size_t i)
{
    size_t end = word_end(text, i);
    while (end > i && end + 2 < text.len && text.at[end] == ':' && text.at[end + 1] == ':')
        end = word_end(text, end + 2 + (text.at[end + 2] == '~'));
    if (end > i && end < text.len && text.at[end] == '<') {
        size_t closed = str_find_char(text, '>', end), line = str_find_char(text, '\n', end);
        end = closed < line ? closed + 1 : end;
    }
    return end;
}

/* `INLINE static int f`: a line's first word, where two more names follow it, or the whole name of
 * a constructor. */
static void blank_in_line(struct prepared *p, size_t at)
{
    str text = p->text;
    size_t to = capitals_end(text, at), type = skip_spaces(text, to), end = type_end(text, type);
    size_t name = skip_spaces(text, end);
    if (to == at || type == to || end == type)
        return;
    while (name < text.len && (text.at[name] == '*' || text.at[name] == '&'))
        name = skip_spaces(text, name + 1);
    bool constructor = name == end && name < text.len && text.at[name] == '(' &&
                       str_find(str_cut(text, type, end), S("::"), 0) < end - type;
    if (constructor || (name > end && word_end(text, name) > name))
        blank(p, at, to);
}

/* `void INLINE Cart::add`: behind a type, before a qualified name. */
static void blank_behind_type(struct prepared *p, size_t at)
{
    str text = p->text;
    size_t from = skip_spaces(text, type_end(text, at)), to = capitals_end(text, from);
    size_t name = skip_spaces(text, to), end = word_end(text, name);
    if (to > from && name > to && end > name && end + 1 < text.len &&
        (text.at[end] == '<' || (text.at[end] == ':' && text.at[end + 1] == ':')))
        blank(p, from, to);
}

static void prepare_c(struct prepared *p)
{
    str text = p->text;
    for (size_t line = 0; line < text.len; line = str_find_char(text, '\n', line) + 1) {
        size_t at = skip_spaces(text, line);
        str rest = str_cut(text, at, text.len);
        bool capital = at < text.len && text.at[at] >= 'A' && text.at[at] <= 'Z';
        if (capital && !blank_alone(p, at))
            blank_in_line(p, at);
        else if (str_starts(rest, S("class ")))
            blank_in_class(p, at + S("class ").len);
        else if (str_starts(rest, S("struct ")))
            blank_in_class(p, at + S("struct ").len);
        else if (!capital)
            blank_behind_type(p, at);
    }
}

/* ---- Rust ---- */

/* Behind a string, a comment or a character at i; i + 1 for anything else. */
static size_t skip_token(str text, size_t i)
{
    str rest = str_cut(text, i, text.len);
    if (str_starts(rest, S("//")))
        return str_find_char(text, '\n', i);
    if (str_starts(rest, S("/*")))
        return str_find(text, S("*/"), i + 2) + 2;
    if (str_starts(rest, S("r#\"")))
        return str_find(text, S("\"#"), i + 3) + 2;
    if (rest.at[0] == '\'' && rest.len > 2 && (rest.at[2] == '\'' || rest.at[1] == '\\'))
        return str_find_char(text, '\'', i + 2) + 1;
    if (rest.at[0] != '"')
        return i + 1;
    for (i++; i < text.len && text.at[i] != '"'; i++)
        i += text.at[i] == '\\';
    return i + 1;
}

/* The brace that closes the one at i; text.len where none does. */
static size_t closing_brace(struct prepared *p, size_t i)
{
    size_t from = i, depth = 0;
    while (i < p->text.len && p->scanned <= MAX_RESCANNED * p->text.len) {
        depth += p->text.at[i] == '{';
        depth -= p->text.at[i] == '}';
        if (!depth)
            break;
        size_t next = skip_token(p->text, i);
        p->scanned += next - i;
        i = next;
    }
    return i > from && i < p->text.len && p->text.at[i] == '}' ? i : p->text.len;
}

static bool begins_item(str text)
{
    static const char *const items[] = {"pub",     "fn ",     "mod ",   "use ",        "impl",
                                        "struct ", "enum ",   "trait ", "unsafe ",     "async ",
                                        "const ",  "static ", "type ",  "macro_rules", "#[",
                                        "#![",     "cfg_",    "//",     "extern "};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (str_starts(text, str_of(items[i])))
            return true;
    return false;
}

static void prepare_rust(struct prepared *p)
{
    str text = p->text;
    for (size_t line = 0; line < text.len; line = str_find_char(text, '\n', line) + 1) {
        size_t at = skip_spaces(text, line), end = word_end(text, at);
        size_t open = end < text.len && text.at[end] == '!' ? skip_spaces(text, end + 1) : text.len;
        if (end == at || open >= text.len || text.at[open] != '{' ||
            !begins_item(str_cut(text, skip_blanks(text, open + 1), text.len)))
            continue;
        size_t close = closing_brace(p, open);
        if (close == text.len)
            continue;
        blank(p, at, open + 1);
        blank(p, close, close + 1);
    }
}

str source_prepare(struct arena *a, str language, str text)
{
    struct prepared p = {.arena = a, .text = text};
    if (str_eq(language, S("c")) || str_eq(language, S("cpp")))
        prepare_c(&p);
    else if (str_eq(language, S("rust")))
        prepare_rust(&p);
    return p.copy ? str_from(p.copy, text.len) : text;
}
