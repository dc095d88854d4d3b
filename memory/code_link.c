#include "memory/code_link.h"

#include "memory/base/hash.h"
#include "memory/code_modules.h"
#include "memory/code_name.h"

#include <math.h>
#include <stdlib.h>

/* How sure a way of finding a target is. No paper: set so that what is nearer in scope wins; the
 * share of right calls by hand count is in tests/bench/README.md. */
static const float IN_SCOPE = 1.0f, IN_CLASS = 0.95f, IN_FILE = 0.95f, IMPORTED = 0.95f,
                   OF_TYPE = 0.9f, IN_PACKAGE = 0.85f, INCLUDED = 0.8f, ONLY_ONE = 0.7f,
                   LIKE_TYPE = 0.65f, METHOD_GUESS = 0.5f, ENOUGH = 0.12f;

enum { MAX_CHAIN = 2000, MAX_BASES = 16, MAX_OVERLOADS = 12, DISTINCT_BYTES = 9 };

/* Languages whose symbols know each other. */
static int family_of(str language)
{
    static const struct {
        const char *language;
        int family;
    } families[] = {{"c", 1},       {"cpp", 1},    {"javascript", 2}, {"typescript", 2},
                    {"tsx", 2},     {"java", 3},   {"kotlin", 3},     {"scala", 3},
                    {"c_sharp", 4}, {"python", 5}, {"go", 6},         {"rust", 7},
                    {"ruby", 8},    {"php", 9},    {"swift", 10}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (str_eq(language, str_of(families[i].language)))
            return families[i].family;
    return 100 + (int)(hash64(language) % 1000000);
}

static str last_of(str qualifier)
{
    size_t from = qualifier.len;
    while (from > 0 && qualifier.at[from - 1] != '.')
        from--;
    return str_cut(qualifier, from, qualifier.len);
}

/* The name by which a module is used that is imported whole: "cart" of "github.com/me/cart". */
static str module_name(str module)
{
    size_t from = module.len;
    while (from > 0 && module.at[from - 1] != '/')
        from--;
    return from ? str_cut(module, from, module.len) : last_of(module);
}

static str first_of(str qualifier)
{
    return str_cut(qualifier, 0, str_find_char(qualifier, '.', 0));
}

struct import {
    str local;  /* the name in the file; empty: all that the module has */
    str module; /* as written */
    str name;   /* the symbol of the module that it stands for; empty: the module itself */
    const struct module_files *files;
};

struct linker {
    struct arena *a;
    const struct link_file *files;
    size_t file_count;
    const struct link_symbol *symbols;
    size_t symbol_count;
    uint32_t *file_of;   /* per symbol */
    str *simple;         /* per symbol */
    int *family;         /* per file */
    bool *is_header;     /* per file: what is private in it is its includers' too */
    uint32_t *holder;    /* per symbol: the first symbol + 1 that is named as what holds it */
    uint32_t *mentioned; /* per first symbol of a name: the last file + 1 whose types have it */
    uint32_t *base;      /* per symbol: its latest base + 1 among `bases` */
    struct base {
        str name;
        uint32_t next; /* + 1 */
    } * bases;
    size_t base_count, base_capacity;
    uint32_t type_asked; /* whose bases `ancestors` has */
    str ancestors[MAX_BASES];
    size_t ancestor_count;
    struct map by_simple; /* simple name -> first symbol + 1 */
    uint32_t *next;       /* per symbol: the next of the same simple name + 1 */
    struct modules *modules;
    uint8_t *reached; /* per file: the file at work imports it */
    struct import *imports;
    size_t import_count, import_capacity;
    struct link_edge *edges;
    size_t edge_count, edge_capacity;
};

static bool is_callable(enum symbol_kind k)
{
    return k == SYMBOL_FUNCTION || k == SYMBOL_METHOD || k == SYMBOL_MACRO || k == SYMBOL_CLASS ||
           k == SYMBOL_STRUCT || k == SYMBOL_TARGET || k == SYMBOL_TYPE || k == SYMBOL_VARIABLE ||
           k == SYMBOL_CONSTANT || k == SYMBOL_ENUM || k == SYMBOL_INTERFACE;
}

static bool is_type(enum symbol_kind k)
{
    return k == SYMBOL_CLASS || k == SYMBOL_STRUCT || k == SYMBOL_UNION || k == SYMBOL_ENUM ||
           k == SYMBOL_INTERFACE || k == SYMBOL_TRAIT || k == SYMBOL_TYPE || k == SYMBOL_MODULE ||
           k == SYMBOL_NAMESPACE || k == SYMBOL_MESSAGE || k == SYMBOL_TABLE || k == SYMBOL_SERVICE;
}

/* Such a one holds no members: what is in it is as good as at the top. */
static bool is_scope(const struct linker *l, uint32_t symbol)
{
    static const int RUBY = 8; /* whose modules are mixed in as classes are */
    enum symbol_kind k = l->symbols[symbol].kind;
    return k == SYMBOL_NAMESPACE || (k == SYMBOL_MODULE && l->family[l->file_of[symbol]] != RUBY);
}

/* ---- preparing ---- */

static void index_symbols(struct linker *l)
{
    l->file_of = ARENA_ARRAY(l->a, uint32_t, l->symbol_count + 1);
    l->simple = ARENA_ARRAY(l->a, str, l->symbol_count + 1);
    l->next = ARENA_ARRAY(l->a, uint32_t, l->symbol_count + 1);
    l->family = ARENA_ARRAY(l->a, int, l->file_count + 1);
    l->is_header = ARENA_ARRAY(l->a, bool, l->file_count + 1);
    for (size_t f = 0; f < l->file_count; f++) {
        l->family[f] = family_of(l->files[f].language);
        str path = l->files[f].path;
        l->is_header[f] = l->family[f] == 1 && str_find(path, S(".h"), 0) < path.len;
        for (uint32_t i = 0; i < l->files[f].symbol_count; i++)
            l->file_of[l->files[f].first_symbol + i] = (uint32_t)f;
    }
    /* Backwards, so that each chain goes forwards. */
    for (size_t i = l->symbol_count; i-- > 0;) {
        l->simple[i] = code_name_simple(l->symbols[i].name);
        int64_t *first = map_put(&l->by_simple, l->simple[i], 0, NULL);
        l->next[i] = (uint32_t)*first;
        *first = (int64_t)i + 1;
    }
}

/* The name of what holds a symbol: "Cart" of "Cart.add", whether or not Cart stands in that file.
 */
static str holder_of(const struct linker *l, uint32_t symbol)
{
    str name = l->symbols[symbol].name;
    size_t to, from = code_name_last(name, &to);
    return from > 1 ? code_name_simple(str_cut(name, 0, from - 1)) : S("");
}

static uint32_t chain_of(const struct linker *l, str name)
{
    int64_t *first = map_find(&l->by_simple, name);
    return first ? (uint32_t)*first : 0;
}

/* What needs the index of all names. */
static void index_types(struct linker *l)
{
    l->holder = ARENA_ARRAY(l->a, uint32_t, l->symbol_count + 1);
    l->mentioned = ARENA_ARRAY(l->a, uint32_t, l->symbol_count + 1);
    l->base = ARENA_ARRAY(l->a, uint32_t, l->symbol_count + 1);
    l->type_asked = NO_SYMBOL;
    for (uint32_t i = 0; i < l->symbol_count; i++) {
        str holder = holder_of(l, i);
        l->holder[i] = holder.len ? chain_of(l, holder) : 0;
    }
    for (size_t f = 0; f < l->file_count; f++)
        for (size_t i = 0; i < l->files[f].reference_count; i++) {
            const struct source_reference *r = &l->files[f].references[i];
            if (r->kind != REF_INHERIT || r->from == NO_SYMBOL)
                continue;
            uint32_t *last = &l->base[l->files[f].first_symbol + r->from];
            ARENA_GROW(l->a, l->bases, l->base_count, l->base_capacity);
            l->bases[l->base_count++] = (struct base){r->name, *last};
            *last = (uint32_t)l->base_count;
        }
}

static void mention(struct linker *l, uint32_t f, str name)
{
    uint32_t first = chain_of(l, name);
    if (first)
        l->mentioned[first - 1] = f + 1;
}

/* The names of types that a file speaks of: what it calls on a variable is likely theirs. */
static void read_mentions(struct linker *l, uint32_t f)
{
    const struct link_file *file = &l->files[f];
    for (size_t i = 0; i < file->reference_count; i++) {
        const struct source_reference *r = &file->references[i];
        mention(l, f, r->name);
        if (r->kind == REF_CALL && r->qualifier.len)
            mention(l, f, last_of(r->qualifier));
    }
    for (uint32_t i = 0; i < file->symbol_count; i++)
        if (is_type(l->symbols[file->first_symbol + i].kind))
            mention(l, f, l->simple[file->first_symbol + i]);
}

static bool is_mentioned(const struct linker *l, uint32_t f, uint32_t symbol)
{
    return l->holder[symbol] && l->mentioned[l->holder[symbol] - 1] == f + 1;
}

static void add_bases(struct linker *l, uint32_t type)
{
    for (uint32_t b = l->base[type]; b && l->ancestor_count < MAX_BASES; b = l->bases[b - 1].next)
        l->ancestors[l->ancestor_count++] = l->bases[b - 1].name;
}

/* The names of a type's bases and of theirs, nearest first. */
static void read_ancestors(struct linker *l, uint32_t type)
{
    if (type == l->type_asked)
        return;
    l->type_asked = type;
    l->ancestor_count = 0;
    if (type != NO_SYMBOL)
        add_bases(l, type);
    for (size_t i = 0; i < l->ancestor_count; i++) {
        size_t walked = 0;
        for (uint32_t c = chain_of(l, l->ancestors[i]); c && walked < MAX_BASES;
             c = l->next[c - 1], walked++)
            if (l->family[l->file_of[c - 1]] == l->family[l->file_of[type]])
                add_bases(l, c - 1);
    }
}

static bool is_ancestor(const struct linker *l, str holder)
{
    for (size_t i = 0; holder.len && i < l->ancestor_count; i++)
        if (str_eq(l->ancestors[i], holder))
            return true;
    return false;
}

/* ---- imports of a file ---- */

static void read_imports(struct linker *l, size_t f)
{
    const struct link_file *file = &l->files[f];
    l->import_count = 0;
    for (size_t i = 0; i < file->reference_count; i++) {
        const struct source_reference *r = &file->references[i];
        if (r->kind != REF_IMPORT)
            continue;
        bool is_itself = str_eq(r->name, S("self")) && str_eq(file->language, S("rust"));
        str name = str_eq(r->name, S("*")) || is_itself ? S("") : r->name;
        bool whole = !r->name.len || is_itself, is_submodule;
        const struct module_files *found =
            modules_find(l->modules, (uint32_t)f, r->qualifier, name, &is_submodule);
        ARENA_GROW(l->a, l->imports, l->import_count, l->import_capacity);
        l->imports[l->import_count++] =
            (struct import){.local = r->alias.len         ? r->alias
                                     : !whole && name.len ? name
                                     : !whole             ? S("")
                                                          : module_name(r->qualifier),
                            .module = r->qualifier,
                            .name = is_submodule || whole ? S("") : name,
                            .files = found};
        for (size_t k = 0; found && k < found->count; k++)
            l->reached[found->at[k]] = 1;
    }
}

static void forget_imports(struct linker *l)
{
    for (size_t i = 0; i < l->import_count; i++)
        for (size_t k = 0; l->imports[i].files && k < l->imports[i].files->count; k++)
            l->reached[l->imports[i].files->at[k]] = 0;
}

static const struct import *import_named(const struct linker *l, str local)
{
    for (size_t i = 0; i < l->import_count; i++)
        if (local.len && str_eq(l->imports[i].local, local))
            return &l->imports[i];
    return NULL;
}

static bool has_file(const struct module_files *files, uint32_t f)
{
    for (size_t k = 0; files && k < files->count; k++)
        if (files->at[k] == f)
            return true;
    return false;
}

/* ---- scoring a candidate ---- */

struct asking {
    const struct source_reference *ref;
    uint32_t file, from; /* from: among all symbols; NO_SYMBOL */
    uint32_t type;       /* the type around it; NO_SYMBOL */
    str name;            /* what is looked for: the imported thing's own name behind an alias */
    const struct import *import; /* of the qualifier's first part, or of the bare name */
    bool is_self;
};

static bool is_self_word(str word)
{
    static const char *const words[] = {"self", "this", "Self", "cls", "super", "@"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

static uint32_t type_around(const struct linker *l, uint32_t symbol)
{
    while (symbol != NO_SYMBOL && !is_type(l->symbols[symbol].kind))
        symbol = l->symbols[symbol].parent;
    return symbol;
}

static bool is_inside(const struct linker *l, uint32_t symbol, uint32_t scope)
{
    while (symbol != NO_SYMBOL && symbol != scope)
        symbol = l->symbols[symbol].parent;
    return symbol == scope;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* A variable is often named after its type: cart.add() may be Cart.add. */
static float fits_holder(str qualifier, str holder)
{
    if (!holder.len)
        return 0;
    return str_eq(qualifier, holder)                               ? OF_TYPE
           : qualifier.len > 2 && str_eq_nocase(qualifier, holder) ? 0.6f
                                                                   : 0;
}

/* Another file can't name it. */
static bool is_hidden(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    uint32_t f = l->file_of[c];
    if (f == q->file)
        return false;
    bool is_local = s->kind != SYMBOL_METHOD && s->parent != NO_SYMBOL && l->family[f] != 1 &&
                    (l->symbols[s->parent].kind == SYMBOL_FUNCTION ||
                     l->symbols[s->parent].kind == SYMBOL_METHOD);
    return is_local || (s->is_private && !l->is_header[f]);
}

/* Where a file names all that it takes from others, a bare name that it doesn't is not theirs. A
 * test's fixtures are passed in by their names. */
static bool is_unnamed(const struct linker *l, const struct asking *q, uint32_t f)
{
    static const char *const languages[] = {"python", "javascript", "typescript", "tsx", "rust"};
    bool names_all = false;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        names_all |= str_eq(l->files[q->file].language, str_of(languages[i]));
    if (!names_all || !l->import_count || modules_stem_is(l->modules, f, S("conftest")))
        return false;
    for (size_t i = 0; i < l->import_count; i++)
        if (!l->imports[i].local.len && has_file(l->imports[i].files, f))
            return false;
    return true;
}

static float score_unqualified(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    uint32_t f = l->file_of[c];
    bool top =
        s->parent == NO_SYMBOL || !is_type(l->symbols[s->parent].kind) || is_scope(l, s->parent);
    if (is_hidden(l, q, c))
        return 0;
    if (q->import && q->import->name.len) {
        if (has_file(q->import->files, f))
            return top ? IMPORTED : IMPORTED / 2;
        if (modules_exports(l->modules, q->import->files, f))
            return top ? IN_PACKAGE : 0;
    }
    if (f == q->file) {
        if (s->parent != NO_SYMBOL && q->from != NO_SYMBOL && !is_type(l->symbols[s->parent].kind))
            return is_inside(l, q->from, s->parent) ? IN_SCOPE : 0;
        if (q->type != NO_SYMBOL && s->parent == q->type)
            return IN_CLASS;
        if (top && s->kind == SYMBOL_METHOD && holder_of(l, c).len)
            return q->from != NO_SYMBOL && str_eq(holder_of(l, c), holder_of(l, q->from)) ? IN_CLASS
                                                                                          : 0;
        if (top)
            return s->kind == SYMBOL_METHOD ? IN_FILE / 3 : IN_FILE;
        if (is_type(s->kind) || (q->from != NO_SYMBOL && is_inside(l, q->from, s->parent)))
            return IN_FILE - 0.1f;
    }
    if (!top) /* a member is another's own, but for bases */
        return is_ancestor(l, holder_of(l, c)) ? IN_PACKAGE : 0;
    if (s->kind == SYMBOL_METHOD && holder_of(l, c).len && !is_ancestor(l, holder_of(l, c)) &&
        (q->type == NO_SYMBOL || !str_eq(holder_of(l, c), l->simple[q->type])))
        return 0;
    if (modules_same_package(l->modules, q->file, f))
        return IN_PACKAGE;
    if (q->import && q->import->name.len)
        return modules_is_of(l->modules, f, q->import->module) ? ONLY_ONE : 0;
    if (q->ref->kind == REF_CALL && is_unnamed(l, q, f))
        return 0;
    return l->reached[f] ? INCLUDED : ONLY_ONE;
}

/* "reader", "jar", "c" and "res" are names for a JsonReader, CookieJar, Context and Response: the
 * type's last words, or how it begins. */
static bool is_like_type(str variable, str type)
{
    while (variable.len && variable.at[0] == '_')
        variable = str_cut(variable, 1, variable.len);
    while (variable.len && variable.at[variable.len - 1] == '_')
        variable = str_cut(variable, 0, variable.len - 1);
    if (!variable.len || variable.len > type.len)
        return false;
    size_t tail = type.len - variable.len;
    bool ends = variable.len > 2, begins = variable.len != 2; /* tx is no Tx, more often */
    for (size_t i = 0; i < variable.len; i++) {
        ends = ends && lower(variable.at[i]) == lower(type.at[tail + i]);
        begins = begins && lower(variable.at[i]) == lower(type.at[i]);
    }
    return ends || begins;
}

/* Object.keys, Value.newBuilder: a type is named, and no other one's member can be meant. */
static bool is_type_name(const struct linker *l, uint32_t f, str word)
{
    str language = l->files[f].language;
    if (str_eq(language, S("go")) || str_eq(language, S("c_sharp")) || word.len < 2)
        return false;
    return word.at[0] >= 'A' && word.at[0] <= 'Z' && word.at[1] >= 'a' && word.at[1] <= 'z';
}

static bool is_standard(const struct linker *l, uint32_t f, str word)
{
    int family = l->family[f];
    return (family == 1 || family == 7) &&
           (str_eq(word, S("std")) || str_eq(word, S("core")) || str_eq(word, S("alloc")));
}

/* set_cookie, nextString and extend_from tell more than "close" does. */
static bool is_distinct(str name)
{
    bool has_words = name.len >= DISTINCT_BYTES + 2;
    for (size_t i = 1; i + 1 < name.len && name.len > DISTINCT_BYTES; i++)
        has_words |= name.at[i] == '_' || (name.at[i] >= 'A' && name.at[i] <= 'Z');
    return has_words;
}

/* What the receiver is can't be seen: how far its name and the file's types tell. */
static float score_member(const struct linker *l, const struct asking *q, uint32_t c, str holder)
{
    str last = last_of(q->ref->qualifier);
    enum symbol_kind kind = l->symbols[c].kind;
    uint32_t parent = l->symbols[c].parent;
    bool is_local =
        kind == SYMBOL_FUNCTION && parent != NO_SYMBOL &&
        (l->symbols[parent].kind == SYMBOL_FUNCTION || l->symbols[parent].kind == SYMBOL_METHOD);
    bool is_free = parent != NO_SYMBOL && is_scope(l, parent); /* of a namespace, not a type */
    if (is_local || is_free || is_type_name(l, q->file, last) ||
        (kind != SYMBOL_METHOD && kind != SYMBOL_FUNCTION))
        return 0;
    bool is_own = q->from != NO_SYMBOL && str_eq(last, q->ref->qualifier) &&
                  str_eq(l->files[q->file].language, S("go")) &&
                  str_eq(holder, holder_of(l, q->from));
    if (is_own) /* its receiver, most likely */
        return LIKE_TYPE + 0.1f;
    bool like = is_like_type(last, holder), mentioned = is_mentioned(l, q->file, c);
    if (like)
        return mentioned ? LIKE_TYPE : METHOD_GUESS;
    return mentioned                                        ? METHOD_GUESS * 0.7f
           : is_distinct(q->name) && !str_eq(last, S("()")) ? METHOD_GUESS * 0.6f
                                                            : 0;
}

/* A module's own functions follow its name, never a type's methods. */
static bool are_modules_plain(const struct linker *l, uint32_t f)
{
    str language = l->files[f].language;
    return str_eq(language, S("python")) || str_eq(language, S("go")) ||
           str_eq(language, S("rust"));
}

static float score_qualified(const struct linker *l, const struct asking *q, uint32_t c)
{
    uint32_t f = l->file_of[c];
    str holder = holder_of(l, c), last = last_of(q->ref->qualifier);
    if (is_hidden(l, q, c) || is_standard(l, q->file, first_of(q->ref->qualifier)))
        return 0;
    if (q->import && !q->import->name.len && l->symbols[c].kind == SYMBOL_METHOD && holder.len &&
        !fits_holder(last, holder) && are_modules_plain(l, q->file))
        return 0;
    if (q->import && has_file(q->import->files, f))
        return !q->import->name.len || fits_holder(q->import->name, holder) > 0 ? IMPORTED
                                                                                : METHOD_GUESS;
    if (q->import && !holder.len && modules_exports(l->modules, q->import->files, f))
        return IN_PACKAGE;
    if (q->import && !q->import->files && !holder.len && str_eq(l->files[f].language, S("rust")) &&
        modules_is_of(l->modules, f, last) && modules_is_of(l->modules, f, q->import->module))
        return IN_PACKAGE;
    float of_type = fits_holder(last, holder);
    if (of_type > 0 && q->import && !q->import->files &&
        !modules_is_of(l->modules, f, q->import->module))
        return 0;
    if (of_type > 0)
        return of_type + (f == q->file ? 0.05f : l->reached[f] ? 0.03f : 0);
    if (q->import) /* something foreign was asked */
        return 0;
    bool is_member = l->symbols[c].kind == SYMBOL_METHOD || holder.len > 0;
    if (!is_member && str_eq(l->files[f].language, S("rust")) &&
        modules_is_of(l->modules, f, first_of(q->ref->qualifier)) &&
        modules_is_of(l->modules, f, last))
        return IN_PACKAGE; /* a crate's root hands on what its files have */
    if (!is_member)
        return modules_stem_is(l->modules, f, last) ? INCLUDED : 0;
    return score_member(l, q, c, holder);
}

/* self.x(): the type's own, else one of its bases' by name. */
static float score_self(const struct linker *l, const struct asking *q, uint32_t c)
{
    const struct link_symbol *s = &l->symbols[c];
    str holder = holder_of(l, c), type = q->type != NO_SYMBOL   ? l->simple[q->type]
                                         : q->from != NO_SYMBOL ? holder_of(l, q->from)
                                                                : S("");
    bool is_super = str_eq(q->ref->qualifier, S("super"));
    if (is_ancestor(l, holder))
        return is_super ? IN_CLASS : IN_PACKAGE;
    if (!type.len)
        return l->file_of[c] == q->file ? IN_FILE : 0;
    if (is_super)
        return 0;
    if (s->parent == q->type && q->type != NO_SYMBOL)
        return IN_SCOPE;
    if (str_eq(holder, type))
        return l->file_of[c] == q->file ? IN_SCOPE : l->reached[l->file_of[c]] ? IN_CLASS : OF_TYPE;
    return 0;
}

static float score(const struct linker *l, const struct asking *q, uint32_t c)
{
    if (l->family[l->file_of[c]] != l->family[q->file])
        return 0;
    enum symbol_kind kind = l->symbols[c].kind;
    if (q->ref->kind == REF_CALL ? !is_callable(kind) : !is_type(kind))
        return 0;
    if (c == q->from && q->ref->kind != REF_CALL)
        return 0;
    if (!q->ref->qualifier.len)
        return score_unqualified(l, q, c);
    return q->is_self ? score_self(l, q, c) : score_qualified(l, q, c);
}

/* ---- edges ---- */

static void add_edge(struct linker *l, int64_t src, int64_t dst, int64_t said_by,
                     enum edge_kind kind, float weight)
{
    if (src == dst)
        return;
    ARENA_GROW(l->a, l->edges, l->edge_count, l->edge_capacity);
    l->edges[l->edge_count++] = (struct link_edge){src, dst, said_by, kind, weight};
}

/* Names that half of all types have: they tell nothing about which one is meant. */
static bool is_common_member(str name)
{
    static const char common[] =
        " get set add put push pop new init len size next close open read write run start stop"
        " clear delete remove update map filter find join split format print println log error"
        " call apply bind then append insert contains clone copy equals hash to_string toString"
        " parse send recv flush reset main test setup value values keys items key name type id"
        " string toString hashCode header status context done wait seek match count url use all any"
        " from into unwrap expect iter collect push_back begin end ok is has can ";
    char key[16] = " ";
    if (name.len > sizeof key - 2)
        return false;
    for (size_t i = 0; i < name.len; i++)
        key[i + 1] = i ? name.at[i] : lower(name.at[i]);
    key[name.len + 1] = ' ';
    str all = str_of(common);
    return str_find(all, str_from(key, name.len + 2), 0) < all.len;
}

struct target {
    uint32_t at;
    float score;
};

/* All of one type and file: which is meant is a matter of arguments, not of names. */
static bool are_overloads(const struct linker *l, const struct target *targets, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (l->file_of[targets[i].at] != l->file_of[targets[0].at] ||
            l->symbols[targets[i].at].parent != l->symbols[targets[0].at].parent)
            return false;
    return true;
}

/* The candidates that fit best, as long as few enough do. */
static size_t best_targets(const struct linker *l, const struct asking *q, struct target *out)
{
    float best = 0;
    size_t count = 0, walked = 0;
    for (uint32_t c = chain_of(l, q->name); c && walked < MAX_CHAIN; c = l->next[c - 1], walked++) {
        float value = score(l, q, c - 1);
        if (value < best - 0.04f || value < ENOUGH)
            continue;
        if (value > best + 0.04f)
            count = 0;
        best = fmaxf(best, value);
        if (count <= MAX_OVERLOADS)
            out[count++] = (struct target){c - 1, value};
    }
    /* What was found before the best one was known. */
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (out[i].score >= best - 0.04f)
            out[kept++] = out[i];
    bool guess = best <= METHOD_GUESS && is_common_member(q->name);
    bool too_many = kept > (are_overloads(l, out, kept) ? MAX_OVERLOADS : MAX_LINK_TARGETS);
    return too_many || guess ? 0 : kept;
}

static enum edge_kind edge_of(enum reference_kind kind)
{
    return kind == REF_CALL ? EDGE_CALLS : kind == REF_INHERIT ? EDGE_INHERITS : EDGE_USES;
}

static void link_reference(struct linker *l, uint32_t f, const struct source_reference *r)
{
    const struct link_file *file = &l->files[f];
    struct asking q = {.ref = r,
                       .file = f,
                       .from = r->from == NO_SYMBOL ? NO_SYMBOL : file->first_symbol + r->from,
                       .name = r->name};
    q.type = type_around(l, q.from);
    q.is_self =
        is_self_word(first_of(r->qualifier)) && str_eq(first_of(r->qualifier), r->qualifier);
    q.import = import_named(l, r->qualifier.len ? first_of(r->qualifier) : r->name);
    if (!r->qualifier.len && q.import && q.import->name.len)
        q.name = q.import->name;
    read_ancestors(l, q.type);
    struct target targets[MAX_OVERLOADS + 1];
    size_t count = best_targets(l, &q, targets);
    int64_t src = q.from == NO_SYMBOL ? file->id : l->symbols[q.from].id;
    for (size_t i = 0; i < count; i++)
        add_edge(l, src, l->symbols[targets[i].at].id, file->id, edge_of(r->kind),
                 targets[i].score / (float)count * (1 + logf((float)(r->count ? r->count : 1))));
}

static void link_imports(struct linker *l, uint32_t f)
{
    for (size_t i = 0; i < l->import_count; i++) {
        const struct module_files *to = l->imports[i].files;
        for (size_t k = 0; to && k < to->count; k++)
            add_edge(l, l->files[f].id, l->files[to->at[k]].id, l->files[f].id, EDGE_IMPORTS,
                     1 / (float)to->count);
    }
}

static void link_definitions(struct linker *l, uint32_t f)
{
    const struct link_file *file = &l->files[f];
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        const struct link_symbol *s = &l->symbols[file->first_symbol + i];
        add_edge(l, s->parent == NO_SYMBOL ? file->id : l->symbols[s->parent].id, s->id, file->id,
                 EDGE_DEFINES, 1);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct link_edge *a = x, *b = y;
    const int64_t left[] = {a->said_by, a->src, a->dst, a->kind};
    const int64_t right[] = {b->said_by, b->src, b->dst, b->kind};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return a->weight < b->weight ? 1 : a->weight > b->weight ? -1 : 0;
}

/* Two contents of a file, or two references by other names, may say the same edge: the surest. */
static void drop_repeats(struct linker *l)
{
    size_t kept = 0;
    if (l->edge_count)
        qsort(l->edges, l->edge_count, sizeof *l->edges, by_place);
    for (size_t i = 0; i < l->edge_count; i++) {
        const struct link_edge *g = &l->edges[i], *last = kept ? &l->edges[kept - 1] : NULL;
        if (last && last->said_by == g->said_by && last->src == g->src && last->dst == g->dst &&
            last->kind == g->kind)
            continue;
        l->edges[kept++] = *g;
    }
    l->edge_count = kept;
}

void code_link(struct arena *a, const struct link_file *files, size_t file_count,
               const struct link_symbol *symbols, size_t symbol_count, struct link_edge **out,
               size_t *count)
{
    struct linker l = {.a = a,
                       .files = files,
                       .file_count = file_count,
                       .symbols = symbols,
                       .symbol_count = symbol_count};
    l.reached = ARENA_ARRAY(a, uint8_t, file_count + 1);
    l.modules = modules_build(a, files, file_count);
    index_symbols(&l);
    index_types(&l);
    for (uint32_t f = 0; f < file_count; f++) {
        read_imports(&l, f);
        read_mentions(&l, f);
        link_definitions(&l, f);
        link_imports(&l, f);
        for (size_t i = 0; i < files[f].reference_count; i++)
            if (files[f].references[i].kind != REF_IMPORT)
                link_reference(&l, f, &files[f].references[i]);
        forget_imports(&l);
    }
    drop_repeats(&l);
    map_free(&l.by_simple);
    modules_free(l.modules);
    *out = l.edges;
    *count = l.edge_count;
}
