#include "memory/code_names.h"

#include "memory/store_code.h"

struct gathering {
    struct arena *a;
    struct link_file *files;
    int64_t *contents; /* beside files, ascending */
    str *refs;
    size_t file_count, file_capacity, content_capacity, ref_capacity;
    struct link_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    size_t at; /* of the file whose definitions come now */
};

static bool add_content(void *ctx, const struct content_row *content, str path, struct err *e)
{
    (void)e;
    struct gathering *g = ctx;
    size_t count = g->file_count;
    ARENA_GROW(g->a, g->files, g->file_count, g->file_capacity);
    ARENA_GROW(g->a, g->contents, count, g->content_capacity);
    ARENA_GROW(g->a, g->refs, count, g->ref_capacity);
    g->contents[count] = content->id;
    g->refs[count] = arena_str(g->a, content->refs);
    g->files[g->file_count++] = (struct link_file){.id = content->file,
                                                   .path = arena_str(g->a, path),
                                                   .language = arena_str(g->a, content->language)};
    return true;
}

/* Definitions come in order of content and position, as the contents did. */
static bool add_definition(void *ctx, int64_t content, const struct definition_row *row,
                           struct err *e)
{
    struct gathering *g = ctx;
    while (g->at < g->file_count && g->contents[g->at] < content)
        g->at++;
    if (g->at == g->file_count || g->contents[g->at] != content)
        return true; /* of a content that nobody has */
    struct link_file *file = &g->files[g->at];
    if (!file->symbol_count)
        file->first_symbol = (uint32_t)g->symbol_count;
    if (row->position != file->symbol_count || row->parent >= (int32_t)row->position)
        return fail(e, ERR_DB, "the definitions of '%.*s' are damaged", FMT(file->path));
    ARENA_GROW(g->a, g->symbols, g->symbol_count, g->symbol_capacity);
    g->symbols[g->symbol_count++] = (struct link_symbol){
        .id = row->symbol,
        .name = arena_str(g->a, row->name),
        .kind = row->kind,
        .parent = row->parent < 0 ? NO_SYMBOL : file->first_symbol + (uint32_t)row->parent,
        .is_private = row->is_private};
    file->symbol_count++;
    return true;
}

static bool read_references(struct gathering *g, struct err *e)
{
    for (size_t i = 0; i < g->file_count; i++) {
        struct source_reference *references;
        struct link_file *file = &g->files[i];
        if (!source_references_read(g->a, g->refs[i], file->symbol_count, &references,
                                    &file->reference_count, e))
            return false;
        file->references = references;
    }
    return true;
}

bool code_names_link(struct store *s, struct arena *a, struct link_edge **out, size_t *count,
                     struct err *e)
{
    struct gathering g = {.a = a};
    if (!store_each_content(s, add_content, &g, e) ||
        !store_each_definition(s, add_definition, &g, e) || !read_references(&g, e))
        return false;
    code_link(a, g.files, g.file_count, g.symbols, g.symbol_count, out, count);
    return true;
}
