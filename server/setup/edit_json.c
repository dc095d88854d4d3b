/* JSON as editors and agents write it: comments, commas behind the last one, a byte order mark. The
 * text is never parsed into values and printed again; places in it are found, and cut or filled. */
#include "memory/base/buf.h"
#include "server/setup/edit.h"

#include <jansson.h>

/* A member of an object or an element of a list. */
struct part {
    size_t from;      /* of the key, or of the element */
    size_t key_stop;  /* behind the key; `from` in a list */
    size_t value, to; /* the value's bytes */
    size_t comma;     /* behind the comma that follows; 0: none */
};

struct container {
    size_t open, close; /* of its brackets */
    bool is_object;
    struct part *parts;
    size_t count, capacity;
};

struct scan {
    str text;
    size_t at, depth;
    struct arena *arena; /* of parts */
    struct err *e;
};

/* ---- reading ---- */

static bool refuse(struct scan *s, const char *what)
{
    return edit_fail_at(s->text, s->at, s->e, "%s", what);
}

/* The byte at `at`, 0 at the end (there is none in the text). */
static char peek(const struct scan *s)
{
    return s->at < s->text.len ? s->text.at[s->at] : '\0';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool skip_comment(struct scan *s)
{
    str rest = str_cut(s->text, s->at, s->text.len);
    if (str_starts(rest, S("//"))) {
        s->at = str_find_char(s->text, '\n', s->at);
        return true;
    }
    size_t end = str_find(s->text, S("*/"), s->at + 2);
    if (!str_starts(rest, S("/*")))
        return refuse(s, "no value begins so");
    if (end == s->text.len)
        return refuse(s, "the comment has no end");
    s->at = end + 2;
    return true;
}

/* White space and comments. */
static bool skip_trivia(struct scan *s)
{
    for (;; s->at++) {
        while (peek(s) == '/')
            if (!skip_comment(s))
                return false;
        if (!is_space(peek(s)))
            return true;
    }
}

static bool skip_string(struct scan *s)
{
    for (size_t i = s->at + 1; i < s->text.len; i++) {
        char c = s->text.at[i];
        if (c == '"') {
            s->at = i + 1;
            return true;
        }
        if ((unsigned char)c < ' ')
            break;
        i += c == '\\';
    }
    return refuse(s, "the text has no closing quote on its line");
}

static size_t digits_at(str text, size_t at)
{
    size_t n = 0;
    while (at + n < text.len && text.at[at + n] >= '0' && text.at[at + n] <= '9')
        n++;
    return n;
}

static bool is_number(str word)
{
    size_t at = word.len && word.at[0] == '-', n = digits_at(word, at);
    if (!n || (n > 1 && word.at[at] == '0'))
        return false;
    at += n;
    if (at < word.len && word.at[at] == '.') {
        n = digits_at(word, at + 1);
        at += 1 + n;
        if (!n)
            return false;
    }
    if (at < word.len && (word.at[at] == 'e' || word.at[at] == 'E')) {
        at += 1 + (at + 1 < word.len && (word.at[at + 1] == '+' || word.at[at + 1] == '-'));
        n = digits_at(word, at);
        at += n;
        if (!n)
            return false;
    }
    return at == word.len;
}

static bool skip_word(struct scan *s)
{
    size_t end = s->at;
    while (end < s->text.len && !is_space(s->text.at[end]) && !strchr(",:[]{}\"/", s->text.at[end]))
        end++;
    str word = str_cut(s->text, s->at, end);
    if (!str_eq(word, S("true")) && !str_eq(word, S("false")) && !str_eq(word, S("null")) &&
        !is_number(word))
        return refuse(s, word.len || s->at < s->text.len ? "no value begins so"
                                                         : "the text ends within");
    s->at = end;
    return true;
}

static bool read_container(struct scan *s, struct container *out);

static bool skip_value(struct scan *s)
{
    if (peek(s) == '"')
        return skip_string(s);
    struct container ignored;
    return peek(s) == '{' || peek(s) == '[' ? read_container(s, &ignored) : skip_word(s);
}

static bool read_key(struct scan *s, struct part *p)
{
    if (peek(s) != '"')
        return refuse(s, "a key in double quotes is wanted here");
    if (!skip_string(s))
        return false;
    p->key_stop = s->at;
    if (!skip_trivia(s))
        return false;
    if (peek(s) != ':')
        return refuse(s, "a colon is wanted here");
    s->at++;
    return skip_trivia(s);
}

static bool read_part(struct scan *s, struct container *c)
{
    struct part p = {.from = s->at, .key_stop = s->at};
    if (c->is_object && !read_key(s, &p))
        return false;
    p.value = s->at;
    if (!skip_value(s))
        return false;
    p.to = s->at;
    if (!skip_trivia(s))
        return false;
    if (peek(s) == ',') {
        p.comma = ++s->at;
        if (!skip_trivia(s))
            return false;
    }
    ARENA_GROW(s->arena, c->parts, c->count, c->capacity);
    c->parts[c->count++] = p;
    return true;
}

/* Whole, from its opening bracket on, and what is in it. */
static bool read_container(struct scan *s, struct container *out)
{
    *out = (struct container){.open = s->at, .is_object = peek(s) == '{'};
    char end = out->is_object ? '}' : ']';
    if (++s->depth > MAX_EDIT_DEPTH)
        return refuse(s, "nested too deep");
    s->at++;
    if (!skip_trivia(s))
        return false;
    while (peek(s) != end) {
        if (out->count && !out->parts[out->count - 1].comma)
            return refuse(s, out->is_object ? "a comma or } is wanted here"
                                            : "a comma or ] is wanted here");
        if (!read_part(s, out))
            return false;
    }
    out->close = s->at++;
    s->depth--;
    return true;
}

/* The outermost object, the whole text having been looked at. */
static bool read_document(struct arena *a, str text, struct container *root, struct err *e)
{
    struct scan s = {.text = text, .arena = a, .e = e};
    if (str_starts(text, S("\xEF\xBB\xBF")))
        s.at = 3;
    if (!skip_trivia(&s))
        return false;
    if (peek(&s) != '{')
        return refuse(&s, "an object is wanted here");
    if (!read_container(&s, root) || !skip_trivia(&s))
        return false;
    return s.at == text.len || refuse(&s, "the text goes on behind its object");
}

/* The container at a part's value, of a text that read_document has seen. */
static void enter(struct arena *a, str text, const struct part *p, struct container *out)
{
    struct err none = {0};
    struct scan s = {.text = text, .at = p->value, .arena = a, .e = &none};
    read_container(&s, out);
}

/* ---- finding ---- */

static bool is_key(str text, const struct part *p, const char *key)
{
    str quoted = str_cut(text, p->from, p->key_stop);
    if (str_find_char(quoted, '\\', 0) == quoted.len)
        return str_eq(str_cut(quoted, 1, quoted.len - 1), str_of(key));
    json_t *decoded = json_loadb(quoted.at, quoted.len, JSON_DECODE_ANY, NULL);
    bool is = decoded && strcmp(json_string_value(decoded), key) == 0;
    json_decref(decoded);
    return is;
}

/* *found is NULL where there is none; a key that stands twice is an error, as readers differ in
 * which one they take. */
static bool find_key(str text, const struct container *c, const char *key, struct part **found,
                     struct err *e)
{
    *found = NULL;
    for (size_t i = 0; i < c->count; i++) {
        if (!is_key(text, &c->parts[i], key))
            continue;
        if (*found)
            return edit_fail_at(text, c->parts[i].from, e, "\"%s\" stands there twice", key);
        *found = &c->parts[i];
    }
    return true;
}

static struct part *find_element(str text, const struct container *c, str own)
{
    for (size_t i = 0; i < c->count; i++) {
        str element = str_cut(text, c->parts[i].value, c->parts[i].to);
        if (str_find(element, own, 0) < element.len)
            return &c->parts[i];
    }
    return NULL;
}

/* The containers from the root to where the entry belongs, and the part of each that leads on. */
struct path {
    struct container levels[MAX_EDIT_KEYS + 1];
    struct part *parts[MAX_EDIT_KEYS + 1]; /* NULL: nothing leads on */
    size_t depth;                          /* levels that are there */
};

/* Follows the keys as far as they lead; then path->parts[path->depth - 1] is the entry or NULL. */
static bool follow(struct arena *a, str text, const struct edit *edit, struct path *path,
                   struct err *e)
{
    *path = (struct path){.depth = 1};
    if (!read_document(a, text, &path->levels[0], e))
        return false;
    for (const char *const *key = edit->keys;; key++) {
        struct container *here = &path->levels[path->depth - 1];
        struct part **leads = &path->parts[path->depth - 1];
        if (!*key) { /* the list itself */
            *leads = find_element(text, here, edit->own);
            return true;
        }
        if (!find_key(text, here, *key, leads, e))
            return false;
        bool is_last = !key[1];
        if (!*leads || (is_last && !edit->is_element))
            return true;
        char wanted = is_last ? '[' : '{';
        if (text.at[(*leads)->value] != wanted)
            return edit_fail_at(text, (*leads)->value, e, "\"%s\" is no %s", *key,
                                is_last ? "list" : "object");
        enter(a, text, *leads, &path->levels[path->depth++]);
    }
}

/* ---- layout ---- */

static str indent_of_line(str text, size_t at)
{
    size_t start = edit_line_start(text, at), end = start;
    while (end < at && (text.at[end] == ' ' || text.at[end] == '\t'))
        end++;
    return str_cut(text, start, end);
}

static bool opens_its_line(str text, size_t at)
{
    return edit_line_start(text, at) + indent_of_line(text, at).len == at;
}

/* What one level is indented by: as the root's first member, else two spaces. */
static str unit_of(str text, const struct container *root)
{
    if (root->count && opens_its_line(text, root->parts[0].from)) {
        str indent = indent_of_line(text, root->parts[0].from);
        if (indent.len)
            return indent;
    }
    return S("  ");
}

/* A text that has everything on one line stays so. */
static bool is_on_one_line(str text, const struct container *root)
{
    return root->count && str_find_char(str_cut(text, root->open, root->close), '\n', 0) ==
                              root->close - root->open;
}

/* `value` on one line; `tight`: without spaces outside of texts. */
static str on_one_line(struct arena *a, str value, bool tight)
{
    struct buf out = {0};
    bool quoted = false;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.at[i];
        if (c == '"' && (i == 0 || value.at[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted || !is_space(c)) {
            buf_add_char(&out, c);
            continue;
        }
        while (i + 1 < value.len && c == '\n' && value.at[i + 1] == ' ')
            i++;
        char last = out.len ? out.at[out.len - 1] : '\0';
        char next = i + 1 < value.len ? value.at[i + 1] : '\0';
        bool at_bracket = last == '{' || last == '[' || next == '}' || next == ']';
        if (!tight && !(c == '\n' && at_bracket))
            buf_add_char(&out, ' ');
    }
    str line = arena_str(a, buf_str(&out));
    buf_free(&out);
    return line;
}

/* ---- putting ---- */

/* The value that stands for the missing ones of `keys`: objects, a list, the entry. */
static str wrapped(struct arena *a, const struct edit *edit, const char *const *keys)
{
    if (!*keys)
        return edit->is_element
                   ? arena_printf(a, "[\n  %.*s\n]",
                                  FMT(edit_indented(a, edit->value, S("  "), S("  "), "\n")))
                   : edit->value;
    str inner = edit_indented(a, wrapped(a, edit, keys + 1), S("  "), S("  "), "\n");
    return arena_printf(a, "{\n  \"%s\": %.*s\n}", *keys, FMT(inner));
}

/* Behind a part, and behind the comment that stands on its line; `at` where more follows there. */
static size_t behind_comment(str text, size_t at)
{
    struct err none = {0};
    struct scan s = {.text = text, .at = at, .e = &none};
    while (peek(&s) == ' ' || peek(&s) == '\t')
        s.at++;
    if (peek(&s) == '/' && !skip_comment(&s))
        return at;
    size_t stop = edit_line_stop(text, s.at);
    return edit_line_stop(text, at) == stop && str_trim(str_cut(text, s.at, stop)).len == 0 ? stop
                                                                                            : at;
}

/* "name": value, or the value alone in a list. */
static str member(struct arena *a, const char *name, const char *colon, str value)
{
    return name ? arena_printf(a, "\"%s\"%s%.*s", name, colon, FMT(value)) : value;
}

static str insert_on_line(struct arena *a, str text, const struct container *c, const char *name,
                          str value)
{
    size_t at = c->open + 1;
    bool tight = str_find(text, S("\": "), 0) == text.len;
    const char *comma = "";
    if (c->count) {
        const struct part *last = &c->parts[c->count - 1];
        at = last->comma ? last->comma : last->to;
        comma = tight ? "," : ", ";
        if (last->comma)
            comma = tight ? "" : " ";
    }
    str line = member(a, name, tight ? ":" : ": ", on_one_line(a, value, tight));
    return edit_splice(a, text, at, at, arena_printf(a, "%s%.*s", comma, FMT(line)));
}

static str insert_behind(struct arena *a, str text, const struct container *c, str unit,
                         const char *name, str value)
{
    const struct part *last = &c->parts[c->count - 1];
    const char *eol = edit_line_end(text);
    str indent = indent_of_line(text, last->from);
    size_t comma = last->comma ? last->comma : last->to;
    size_t at = behind_comment(text, comma);
    str body = member(a, name, ": ", edit_indented(a, value, indent, unit, eol));
    return arena_printf(a, "%.*s%s%.*s%s%.*s%.*s%s%.*s", FMT(str_cut(text, 0, comma)),
                        last->comma ? "" : ",", FMT(str_cut(text, comma, at)), eol, FMT(indent),
                        FMT(body), last->comma ? "," : "", FMT(str_cut(text, at, text.len)));
}

static str insert_alone(struct arena *a, str text, const struct container *c, str unit,
                        const char *name, str value)
{
    const char *eol = edit_line_end(text);
    str outer = indent_of_line(text, c->open);
    str indent = arena_printf(a, "%.*s%.*s", FMT(outer), FMT(unit));
    str comments = str_cut(text, c->open + 1, c->close);
    while (comments.len && is_space(comments.at[comments.len - 1]))
        comments.len--;
    str body = member(a, name, ": ", edit_indented(a, value, indent, unit, eol));
    return edit_splice(a, text, c->open + 1, c->close,
                       arena_printf(a, "%.*s%s%.*s%.*s%s%.*s", FMT(comments), eol, FMT(indent),
                                    FMT(body), eol, FMT(outer)));
}

static str insert(struct arena *a, str text, const struct path *path, const char *name, str value)
{
    const struct container *root = &path->levels[0], *c = &path->levels[path->depth - 1];
    str unit = unit_of(text, root);
    if (is_on_one_line(text, root) ||
        (c->count && !opens_its_line(text, c->parts[c->count - 1].from)))
        return insert_on_line(a, text, c, name, value);
    return c->count ? insert_behind(a, text, c, unit, name, value)
                    : insert_alone(a, text, c, unit, name, value);
}

/* An entry of ours that isn't current any more. */
static str replace(struct arena *a, str text, const struct path *path, const struct edit *edit)
{
    const struct part *p = path->parts[path->depth - 1];
    if (!opens_its_line(text, p->from))
        return edit_splice(a, text, p->value, p->to, on_one_line(a, edit->value, false));
    return edit_splice(a, text, p->value, p->to,
                       edit_indented(a, edit->value, indent_of_line(text, p->from),
                                     unit_of(text, &path->levels[0]), edit_line_end(text)));
}

static bool put(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    str base = text;
    if (edit_is_blank(text))
        base = edit->fresh.len ? edit->fresh : S("{}\n");
    struct path path;
    if (!edit_readable(text, e) || !follow(a, base, edit, &path, e))
        return false;
    const struct part *entry = path.parts[path.depth - 1];
    if (entry) {
        str value = str_cut(base, entry->value, entry->to);
        *out = str_find(value, edit->current, 0) < value.len ? text : replace(a, base, &path, edit);
        return true;
    }
    const char *const *missing = edit->keys + path.depth - 1;
    *out = *missing ? insert(a, base, &path, *missing, wrapped(a, edit, missing + 1))
                    : insert(a, base, &path, NULL, edit->value);
    return true;
}

/* ---- taking ---- */

static bool is_space_only(str text)
{
    return str_trim(text).len == 0;
}

/* The text without a part that has no neighbours. */
static str remove_only(struct arena *a, str text, const struct container *c, const struct part *p)
{
    size_t end = p->comma ? p->comma : p->to;
    bool bare = is_space_only(str_cut(text, c->open + 1, p->from)) &&
                is_space_only(str_cut(text, end, c->close));
    if (bare)
        return edit_splice(a, text, c->open + 1, c->close, S(""));
    if (opens_its_line(text, p->from) && edit_line_stop(text, end) == behind_comment(text, end))
        return edit_splice(a, text, edit_line_start(text, p->from), edit_next_line(text, end),
                           S(""));
    return edit_splice(a, text, p->from, end, S(""));
}

static str remove_part(struct arena *a, str text, const struct container *c, const struct part *p)
{
    if (c->count == 1)
        return remove_only(a, text, c, p);
    bool is_first = p == c->parts, is_last = p == c->parts + c->count - 1;
    size_t end = p->comma ? p->comma : p->to;
    bool has_lines = opens_its_line(text, p->from) &&
                     str_trim(str_cut(text, end, edit_line_stop(text, end))).len == 0;
    size_t from = has_lines ? edit_line_start(text, p->from) : p->from;
    size_t to = has_lines ? edit_next_line(text, end) : is_last ? end : p[1].from;
    if (!is_last || p->comma) {
        if (is_last && !has_lines && !is_first)
            from = p[-1].comma;
        return edit_splice(a, text, from, to, S(""));
    }
    /* The last one: the comma in front of it goes too. */
    size_t comma = p[-1].comma - 1;
    str between = has_lines ? str_cut(text, comma + 1, from) : S("");
    return edit_splice(a, text, comma, to, between);
}

/* How many of the path's containers `before` had already; all where nobody knows. */
static size_t levels_before(struct arena *a, str before, const struct edit *edit, size_t depth)
{
    struct err ignored = {0};
    struct path path;
    if (!before.at)
        return depth;
    if (edit_is_blank(before))
        return 1;
    return follow(a, before, edit, &path, &ignored) ? path.depth : depth;
}

static bool take(struct arena *a, str text, str before, const struct edit *edit, str *out,
                 struct err *e)
{
    *out = text;
    struct path path;
    if (edit_is_blank(text))
        return true;
    if (!edit_readable(text, e) || !follow(a, text, edit, &path, e))
        return false;
    size_t level = path.depth - 1, kept = levels_before(a, before, edit, path.depth);
    if (!path.parts[level])
        return true;
    while (level >= kept && level > 0 && path.levels[level].count == 1)
        level--;
    *out = remove_part(a, text, &path.levels[level], path.parts[level]);
    return true;
}

static bool find(struct arena *a, str text, const struct edit *edit, str *out, struct err *e)
{
    struct path path;
    *out = S("");
    if (edit_is_blank(text))
        return true;
    if (!edit_readable(text, e) || !follow(a, text, edit, &path, e))
        return false;
    const struct part *entry = path.parts[path.depth - 1];
    if (entry)
        *out = str_cut(text, entry->value, entry->to);
    return true;
}

const struct edit_format edit_json = {put, take, find};
