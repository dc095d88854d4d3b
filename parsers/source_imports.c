#include "parsers/source_imports.h"

#include "memory/base/ascii.h"

enum { MAX_IMPORT_DEPTH = 16, MAX_IMPORT_PARTS = 24, MAX_IMPORT_NAMES = 1000 };

/* The path that is being read; what an opening brace leaves below it is kept. */
struct import_path {
    str parts[MAX_IMPORT_PARTS];
    size_t count;
    size_t kept[MAX_IMPORT_DEPTH]; /* parts in front of each open brace */
    size_t depth;
    str alias;
    bool renames; /* the next word is the alias */
    bool whole;   /* something stands behind the last comma or brace */
};

static bool is_word(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '$' || c == '*' || c == '#' ||
           (unsigned char)c >= 0x80;
}

/* "a.b" of the first `count` parts. */
static str joined(struct arena *a, const struct import_path *p, size_t count)
{
    str path = count ? p->parts[0] : S("");
    for (size_t i = 1; i < count; i++)
        path = arena_printf(a, "%.*s.%.*s", FMT(path), FMT(p->parts[i]));
    return path;
}

/* The end of one name: tells it, and goes back to what the open brace keeps. */
static void import_end(struct source *s, const struct mark *m, struct import_path *p)
{
    if (p->whole && p->count) {
        str last = p->parts[p->count - 1];
        bool own = str_eq(last, S("self")) && p->count > 1;
        size_t count = own ? p->count - 1 : p->count;
        struct mark *added = source_add_mark(s, MARK_REFERENCE, m->start, m->end);
        *added = *m;
        added->name = str_eq(last, S("_")) ? S("*") : p->parts[count - 1];
        added->qualifier = joined(s->arena, p, count - 1);
        added->alias = p->alias.len ? p->alias : m->alias;
    }
    p->count = p->depth ? p->kept[p->depth - 1] : 0;
    p->alias = S("");
    p->renames = p->whole = false;
}

static void import_word(struct import_path *p, str word)
{
    if (p->renames) {
        p->alias = word;
        p->renames = false;
    } else if (!p->count && !p->depth && str_eq(word, S("import"))) {
        return; /* the statement's own word */
    } else if (str_eq(word, S("as"))) {
        p->renames = true;
    } else if (p->count < MAX_IMPORT_PARTS) {
        p->parts[p->count++] = word;
        p->whole = true;
    }
}

void source_import_tree(struct source *s, const struct mark *m, str tree)
{
    struct import_path p = {.alias = S("")};
    size_t names = 0;
    for (size_t i = 0; i < tree.len && names < MAX_IMPORT_NAMES; i++) {
        char c = tree.at[i];
        if (is_word(c)) {
            size_t from = i;
            while (i + 1 < tree.len && is_word(tree.at[i + 1]))
                i++;
            import_word(&p, str_cut(tree, from, i + 1));
        } else if (c == '{') {
            if (p.depth == MAX_IMPORT_DEPTH)
                return;
            p.kept[p.depth++] = p.count;
            p.whole = false;
        } else if (c == ',' || c == '}') {
            names += p.whole;
            import_end(s, m, &p);
            if (c == '}' && p.depth) {
                p.depth--;
                p.count = p.depth ? p.kept[p.depth - 1] : 0;
            }
        } else if (c == '=' && i + 1 < tree.len && tree.at[i + 1] == '>') {
            p.renames = true;
            i++;
        }
    }
    import_end(s, m, &p);
}
