#include "memory/code_link.h"

#include "memory/code_linker.h"
#include "memory/code_name.h"
#include "memory/code_receivers.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_CHAIN = 2000, MAX_OVERLOADS = 12 };

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

/* The name by which a module is used that is imported whole: "cart" of "github.com/me/cart". */
static str module_name(str module)
{
    size_t from = module.len;
    while (from > 0 && module.at[from - 1] != '/')
        from--;
    return from ? str_cut(module, from, module.len) : link_last_of(module);
}

/* ---- preparing ---- */

/* ".h" of "a/b.c/c.h"; empty where a name has none. */
static str last_ending(str path)
{
    for (size_t i = path.len; i > 0 && path.at[i - 1] != '/'; i--)
        if (path.at[i - 1] == '.')
            return str_cut(path, i - 1, path.len);
    return S("");
}

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
        l->is_header[f] = l->family[f] == 1 && str_starts(last_ending(path), S(".h"));
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
        str holder = link_holder_of(l, i);
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
            mention(l, f,
                    link_last_of(str_cut(r->qualifier, 0, str_find_char(r->qualifier, ':', 0))));
    }
    for (uint32_t i = 0; i < file->symbol_count; i++)
        if (link_is_type(l->symbols[file->first_symbol + i].kind))
            mention(l, f, l->simple[file->first_symbol + i]);
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

/* ---- edges ---- */

static void add_edge(struct linker *l, int64_t src, int64_t dst, int64_t said_by,
                     enum edge_kind kind, float weight)
{
    if (src == dst)
        return;
    ARENA_GROW(l->a, l->edges, l->edge_count, l->edge_capacity);
    l->edges[l->edge_count++] = (struct link_edge){src, dst, said_by, kind, weight};
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
        float value = link_score(l, q, c - 1);
        if (value < best - 0.04f || 100 * value < LINK_ENOUGH_PERCENT)
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
    bool guess = link_is_mere_guess(q, best);
    bool too_many = kept > (are_overloads(l, out, kept) ? MAX_OVERLOADS : MAX_LINK_TARGETS);
    return too_many || guess ? 0 : kept;
}

static uint32_t type_around(const struct linker *l, uint32_t symbol)
{
    while (symbol != NO_SYMBOL && !link_is_type(l->symbols[symbol].kind))
        symbol = l->symbols[symbol].parent;
    return symbol;
}

static enum edge_kind edge_of(enum reference_kind kind)
{
    return kind == REF_CALL ? EDGE_CALLS : kind == REF_INHERIT ? EDGE_INHERITS : EDGE_USES;
}

static void link_reference(struct linker *l, uint32_t f, const struct source_reference *r)
{
    const struct link_file *file = &l->files[f];
    struct asking q = {.file = f,
                       .from = r->from == NO_SYMBOL ? NO_SYMBOL : file->first_symbol + r->from,
                       .name = r->name};
    struct source_reference asked = *r;
    str type;
    q.ref = &asked;
    q.type = type_around(l, q.from);
    receiver_read(l, &q, r->qualifier, &asked.qualifier, &type);
    q.is_typed = type.len > 0;
    if (q.is_typed)
        asked.qualifier = type;
    str first = link_first_of(asked.qualifier);
    q.is_self = link_is_self_word(first) && str_eq(first, asked.qualifier);
    q.import = import_named(l, asked.qualifier.len ? first : r->name);
    if (!asked.qualifier.len && q.import && q.import->name.len)
        q.name = q.import->name;
    read_ancestors(l, q.is_typed ? receiver_type_symbol(l, f, type) : q.type);
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
    receivers_build(&l);
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
    receivers_free(&l);
    map_free(&l.by_simple);
    modules_free(l.modules);
    *out = l.edges;
    *count = l.edge_count;
}
