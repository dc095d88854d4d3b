/* Markdown notes. Their text is attached as a document by whoever imports them; read here is what
 * basic-memory's notes say by their form: "- [category] observation" and "- relation [[Note]]". A
 * note without these (Serena's memories, memory banks) has no items of its own. */
#include "parsers/import.h"

#include "memory/base/hash.h"
#include "parsers/document.h"

static bool knows(str name, str head, str tables)
{
    (void)head, (void)tables;
    return document_name_ends(name, S(".md .markdown"));
}

struct note {
    struct import_reader *reader;
    str title, type;
};

static str unquoted(str s)
{
    s = str_trim(s);
    if (s.len >= 2 && (s.at[0] == '"' || s.at[0] == '\'') && s.at[s.len - 1] == s.at[0])
        s = str_cut(s, 1, s.len - 1);
    return s;
}

/* Leaves *text behind the front matter. */
static void read_front_matter(struct note *n, str *text)
{
    str rest = *text, line;
    if (!str_next_line(&rest, &line) || !str_eq(str_trim(line), S("---")))
        return;
    while (str_next_line(&rest, &line) && !str_eq(str_trim(line), S("---"))) {
        if (str_starts(line, S("title:")))
            n->title = unquoted(str_cut(line, 6, line.len));
        if (str_starts(line, S("type:")))
            n->type = unquoted(str_cut(line, 5, line.len));
    }
    *text = rest;
}

static str stem(str name)
{
    name = document_file_name(name);
    size_t dot = name.len;
    while (dot && name.at[dot - 1] != '.')
        dot--;
    return dot > 1 ? str_cut(name, 0, dot - 1) : name;
}

static str item_key(const struct note *n, str line)
{
    return arena_printf(n->reader->item, "%.*s#%.*s", FMT(n->title),
                        FMT(hash128_hex(n->reader->item, line)));
}

/* "- [category] text"; a task's box and a link are none. */
static bool give_observation(struct note *n, str line, bool *is_one)
{
    static const char *const kinds[] = {"decision", "preference", "question"};
    struct import_reader *r = n->reader;
    size_t close = str_find_char(line, ']', 0);
    str category = str_cut(line, 1, close), text = str_trim(str_cut(line, close + 1, line.len));
    *is_one = line.at[0] == '[' && close + 1 < line.len && category.len > 1 && text.len &&
              line.at[close + 1] == ' ' && category.at[0] != '[';
    if (!*is_one)
        return true;
    struct import_entity about = {n->title, n->type};
    struct import_item item = {
        .what = IMPORT_MEMORY, .key = item_key(n, line), .entities = &about, .entity_count = 1};
    item.text = str_find(text, n->title, 0) < text.len
                    ? text
                    : arena_printf(r->item, "%.*s: %.*s", FMT(n->title), FMT(text));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(category, str_of(kinds[i])))
            item.has_kind = memory_kind_parse(category, &item.kind);
    return import_give(r, &item);
}

/* "- depends_on [[Other note]] (context)" */
static bool give_relation(struct note *n, str line)
{
    struct import_reader *r = n->reader;
    size_t open = str_find(line, S("[["), 0), close = str_find(line, S("]]"), open);
    str label = str_trim(str_cut(line, 0, open)), to = str_trim(str_cut(line, open + 2, close));
    if (close >= line.len || !label.len || label.len > 64 || !to.len)
        return true;
    str after = str_trim(str_cut(line, close + 2, line.len));
    if (after.len && after.at[0] != '(' && after.at[0] != '#')
        return true; /* a sentence with a link in it */
    size_t bar = str_find_char(to, '|', 0);
    struct import_relation relation = {n->title, label, str_cut(to, 0, bar)};
    str text = arena_printf(r->item, "%.*s %.*s %.*s%s%.*s.", FMT(n->title), FMT(label),
                            FMT(relation.to), after.len ? " " : "", FMT(after));
    return import_give(r, &(struct import_item){.what = IMPORT_MEMORY,
                                                .key = item_key(n, line),
                                                .text = text,
                                                .relations = &relation,
                                                .relation_count = 1});
}

static bool take_line(struct note *n, str line)
{
    bool is_observation;
    str rest = str_trim(line);
    if (!str_starts(rest, S("- ")))
        return true;
    rest = str_trim(str_cut(rest, 2, rest.len));
    if (!rest.len)
        return true;
    return give_observation(n, rest, &is_observation) && (is_observation || give_relation(n, rest));
}

static bool read_note(struct import_reader *r, str text)
{
    struct note n = {.reader = r};
    str line;
    bool ok = true;
    read_front_matter(&n, &text);
    if (!n.title.len)
        n.title = stem(r->name);
    while (ok && str_next_line(&text, &line)) {
        struct arena mark = *r->item;
        ok = take_line(&n, line);
        arena_rewind(r->item, mark);
    }
    return ok;
}

const struct import_format import_markdown = {
    .name = "markdown", .form = FORM_TEXT, .knows = knows, .text = read_note};
