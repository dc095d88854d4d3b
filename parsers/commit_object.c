#include "parsers/commit_object.h"

#include "memory/base/unicode.h"
#include "parsers/repository.h"

/* Decimal seconds with or without a sign; what is no number or beyond all calendars is 0. */
static int64_t read_seconds(str s)
{
    enum { MAX_DIGITS = 12 };
    int64_t value;
    bool negative = s.len && s.at[0] == '-';
    if (s.len > MAX_DIGITS || !str_to_int(str_cut(s, negative, s.len), &value))
        return 0;
    return negative ? -value : value;
}

/* "Name <address> seconds zone" */
static void read_person(str line, str *name, str *address, int64_t *seconds)
{
    size_t open = str_find_char(line, '<', 0), close = line.len;
    while (close > open && line.at[close - 1] != '>')
        close--;
    if (close <= open) { /* no address */
        *name = str_trim(line);
        return;
    }
    *name = str_trim(str_cut(line, 0, open));
    *address = str_trim(str_cut(line, open + 1, close - 1));
    str rest = str_cut(line, close, line.len), word;
    if (str_next_word(&rest, &word))
        *seconds = read_seconds(word);
}

static void read_parent(struct arena *a, str hex, struct commit_object *out, size_t *capacity)
{
    git_oid id;
    if (!oid_parse(hex, &id))
        return;
    if (out->parent_count == MAX_COMMIT_PARENTS) {
        out->parents_cut = true;
        return;
    }
    ARENA_GROW(a, out->parents, out->parent_count, *capacity);
    out->parents[out->parent_count++] = id;
}

bool commit_object_parse(struct arena *a, str bytes, struct commit_object *out)
{
    *out = (struct commit_object){.author = S(""), .author_email = S(""), .encoding = S("")};
    str rest = bytes, line, name = S(""), address = S("");
    bool has_tree = false;
    size_t capacity = 0;
    while (str_next_line(&rest, &line) && line.len) {
        size_t blank = str_find_char(line, ' ', 0);
        str key = str_cut(line, 0, blank), value = str_cut(line, blank + 1, line.len);
        if (str_eq(key, S("tree")))
            has_tree = oid_parse(value, &out->tree);
        else if (str_eq(key, S("parent")))
            read_parent(a, value, out, &capacity);
        else if (str_eq(key, S("author")))
            read_person(value, &out->author, &out->author_email, &out->author_s);
        else if (str_eq(key, S("committer")))
            read_person(value, &name, &address, &out->commit_s);
        else if (str_eq(key, S("encoding")))
            out->encoding = value;
    }
    out->message = rest;
    return has_tree;
}

static bool is_latin1(str encoding)
{
    static const char *const names[] = {"ISO-8859-1",  "ISO8859-1",    "latin1", "latin-1",
                                        "ISO-8859-15", "windows-1252", "cp1252"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(encoding, str_of(names[i])))
            return true;
    return false;
}

str commit_object_text(struct arena *a, const struct commit_object *c, str text)
{
    if (utf8_valid(text))
        return text;
    if (!is_latin1(c->encoding))
        return utf8_repair(a, text);
    char *to = arena_bytes(a, 2 * text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++)
        len += utf8_encode((unsigned char)text.at[i], to + len);
    return str_from(to, len);
}
