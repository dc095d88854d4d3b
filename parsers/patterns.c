#include "parsers/patterns.h"

/* ---- globs ---- */

static const struct {
    const char *name;
    const char *ranges; /* pairs of first and last */
} classes[] = {
    {"alnum", "09AZaz"},   {"alpha", "AZaz"},   {"blank", "\t\t  "}, {"cntrl", "\1\37\177\177"},
    {"digit", "09"},       {"graph", "!~"},     {"lower", "az"},     {"print", " ~"},
    {"punct", "!/:@[`{~"}, {"space", "\t\r  "}, {"upper", "AZ"},     {"xdigit", "09AFaf"},
};

static bool in_class(str name, unsigned char c)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (str_eq(name, str_of(classes[i].name)))
            for (const char *r = classes[i].ranges; *r; r += 2)
                if (c >= (unsigned char)r[0] && c <= (unsigned char)r[1])
                    return true;
    return false;
}

/* One member of a bracket at p[*at], which goes behind it: a class, a range or a character. */
static bool bracket_member(str p, size_t *at, unsigned char c)
{
    size_t end = str_find(p, S(":]"), *at + 2);
    if (p.at[*at] == '[' && str_starts(str_cut(p, *at, p.len), S("[:")) && end < p.len) {
        str name = str_cut(p, *at + 2, end);
        *at = end + 2;
        return in_class(name, c);
    }
    *at += p.at[*at] == '\\' && *at + 1 < p.len;
    unsigned char low = (unsigned char)p.at[(*at)++], high = low;
    if (*at + 1 < p.len && p.at[*at] == '-' && p.at[*at + 1] != ']') {
        *at += 1 + (p.at[*at + 1] == '\\' && *at + 2 < p.len);
        high = (unsigned char)p.at[(*at)++];
    }
    return c >= low && c <= high;
}

/* p[*at] is behind the '['; goes behind the ']'. Without one nothing fits. */
static bool bracket(str p, size_t *at, unsigned char c)
{
    bool negated = *at < p.len && (p.at[*at] == '!' || p.at[*at] == '^');
    *at += negated;
    bool hit = false;
    for (bool first = true; *at < p.len && (first || p.at[*at] != ']'); first = false)
        hit |= bracket_member(p, at, c);
    bool closed = *at < p.len;
    *at += closed;
    return closed && hit != negated && c != '/';
}

/* Does the element at p[*at] (no star) fit c? Goes behind it. */
static bool element(str p, size_t *at, unsigned char c)
{
    char first = p.at[(*at)++];
    if (first == '?')
        return c != '/';
    if (first == '[')
        return bracket(p, at, c);
    if (first == '\\' && *at < p.len)
        first = p.at[(*at)++];
    return (unsigned char)first == c;
}

/* A "**" that stands alone between slashes or the ends; *next is what follows its slash. */
static bool folders_star(str p, size_t at, size_t *next)
{
    size_t end = at;
    while (end < p.len && p.at[end] == '*')
        end++;
    if (end - at < 2 || (at && p.at[at - 1] != '/') || (end < p.len && p.at[end] != '/'))
        return false;
    *next = end + (end < p.len);
    return true;
}

/* Where to go on when what follows a star does not fit: the star takes one more. Only the latest
 * star of each kind matters: whatever an earlier one could do, the later one can do as well. */
struct retry {
    bool set;
    size_t pattern, path;
};

bool glob_match(str p, str s)
{
    struct retry name = {0}, folders = {0};
    size_t i = 0, k = 0;
    for (;;) {
        size_t next;
        if (i < p.len && p.at[i] == '*') {
            if (folders_star(p, i, &next)) {
                if (next == p.len)
                    return p.at[p.len - 1] == '*' && k < s.len;
                folders = (struct retry){true, next, k};
                name.set = false;
                i = next;
            } else {
                while (i < p.len && p.at[i] == '*')
                    i++;
                name = (struct retry){true, i, k};
            }
            continue;
        }
        if (i == p.len && k == s.len)
            return true;
        size_t before = i;
        if (i < p.len && k < s.len && element(p, &i, (unsigned char)s.at[k])) {
            k++;
            continue;
        }
        i = before;
        if (name.set && name.path < s.len && s.at[name.path] != '/') {
            k = ++name.path;
            i = name.pattern;
            continue;
        }
        size_t slash = folders.set ? str_find_char(s, '/', folders.path) : s.len;
        if (slash == s.len)
            return false;
        folders.path = k = slash + 1;
        i = folders.pattern;
        name.set = false;
    }
}

/* ---- lists ---- */

static bool has_wild(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (memchr("*?[\\", s.at[i], 4))
            return true;
    return false;
}

/* Fills shape, whole_path and folders_only from the text as written, without its "!". */
static bool shape_pattern(struct pattern *p)
{
    str s = p->text;
    p->folders_only = s.len && s.at[s.len - 1] == '/';
    s.len -= p->folders_only;
    p->whole_path = str_find_char(s, '/', 0) < s.len;
    if (s.len && s.at[0] == '/')
        s = str_cut(s, 1, s.len);
    p->shape = !has_wild(s) ? PATTERN_LITERAL : PATTERN_GLOB;
    if (!p->whole_path && s.len > 1 && s.at[0] == '*' && !has_wild(str_cut(s, 1, s.len)))
        p->shape = PATTERN_SUFFIX;
    p->text = p->shape == PATTERN_SUFFIX ? str_cut(s, 1, s.len) : s;
    return s.len && s.len <= MAX_PATTERN_BYTES;
}

/* Blanks at the end go, but for one that a backslash holds. */
static str trim_end(str line)
{
    size_t end = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.at[i] == '\\' && i + 1 < line.len)
            end = ++i + 1;
        else if (line.at[i] != ' ')
            end = i + 1;
    }
    return str_cut(line, 0, end);
}

static bool ignore_line(str line, struct pattern *out)
{
    *out = (struct pattern){.verdict = VERDICT_YES, .text = trim_end(line)};
    if (!out->text.len || out->text.at[0] == '#')
        return false;
    if (out->text.at[0] == '!') {
        out->verdict = VERDICT_NO;
        out->text = str_cut(out->text, 1, out->text.len);
    }
    return shape_pattern(out);
}

/* What one word of an attributes line says of the attribute; false where it speaks of another. */
static bool attribute_word(str word, str attribute, enum verdict *out)
{
    char mark = word.len ? word.at[0] : 0;
    bool marked = mark == '-' || mark == '!';
    str rest = str_cut(word, marked, word.len);
    if (!str_starts(rest, attribute))
        return false;
    str value = str_cut(rest, attribute.len, rest.len);
    if (value.len && value.at[0] != '=')
        return false;
    *out = mark == '!'                                 ? VERDICT_NONE
           : mark == '-' || str_eq(value, S("=false")) ? VERDICT_NO
                                                       : VERDICT_YES;
    return true;
}

static bool attribute_line(str line, str attribute, struct pattern *out)
{
    *out = (struct pattern){0};
    str word;
    if (!str_next_word(&line, &out->text) || memchr("#!\"", out->text.at[0], 3) ||
        str_starts(out->text, S("[attr]")))
        return false; /* empty, a comment, nothing that git takes, a quoted name, a macro */
    bool found = false;
    while (str_next_word(&line, &word))
        found |= attribute_word(word, attribute, &out->verdict);
    return found && shape_pattern(out);
}

/* With an attribute the lines are those of .gitattributes. */
static const struct pattern_list *parse(struct arena *a, size_t folder_bytes, str bytes,
                                        str attribute, const struct pattern_list *outer)
{
    str rest = str_cut(bytes, str_starts(bytes, S("\xEF\xBB\xBF")) ? 3 : 0, MAX_PATTERN_FILE_BYTES);
    struct pattern_list list = {.folder_bytes = folder_bytes, .outer = outer};
    size_t capacity = 0;
    str line;
    while (list.count < MAX_PATTERNS && str_next_line(&rest, &line)) {
        struct pattern pattern;
        if (!(attribute.len ? attribute_line(line, attribute, &pattern)
                            : ignore_line(line, &pattern)))
            continue;
        ARENA_GROW(a, list.patterns, list.count, capacity);
        list.patterns[list.count++] = pattern;
    }
    if (!list.count)
        return outer;
    struct pattern_list *kept = ARENA_NEW(a, struct pattern_list);
    *kept = list;
    return kept;
}

const struct pattern_list *patterns_of_ignore_file(struct arena *a, size_t folder_bytes, str bytes,
                                                   const struct pattern_list *outer)
{
    return parse(a, folder_bytes, bytes, S(""), outer);
}

const struct pattern_list *patterns_of_attribute(struct arena *a, size_t folder_bytes, str bytes,
                                                 str attribute, const struct pattern_list *outer)
{
    return parse(a, folder_bytes, bytes, attribute, outer);
}

static bool fits(const struct pattern *p, str path, str name, bool is_folder)
{
    if (p->folders_only && !is_folder)
        return false;
    str subject = p->whole_path ? path : name;
    switch (p->shape) {
    case PATTERN_LITERAL:
        return str_eq(subject, p->text);
    case PATTERN_SUFFIX:
        return str_ends(subject, p->text);
    default:
        return glob_match(p->text, subject);
    }
}

enum verdict patterns_ask(const struct pattern_list *list, str path, bool is_folder)
{
    size_t slash = path.len;
    while (slash && path.at[slash - 1] != '/')
        slash--;
    str name = str_cut(path, slash, path.len);
    for (; list; list = list->outer) {
        str below = str_cut(path, list->folder_bytes, path.len);
        for (size_t i = list->count; i-- > 0;)
            if (fits(&list->patterns[i], below, name, is_folder))
                return list->patterns[i].verdict;
    }
    return VERDICT_NONE;
}

bool patterns_include(const struct pattern_list *list, enum verdict verdict)
{
    for (; list; list = list->outer)
        for (size_t i = 0; i < list->count; i++)
            if (list->patterns[i].verdict == verdict)
                return true;
    return false;
}
