/* The source index: what to read, storing what was read, and the end of it. */
#include "memory/code.h"

#include "memory/anchors.h"
#include "memory/code_names.h"
#include "memory/memory_state.h"
#include "memory/store_code.h"
#include "memory/ties.h"

#include <math.h>

enum { MAX_ROWS_PER_WRITE = 500 };

/* ---- plan ---- */

static bool is_unchanged(const struct manifest_row *had, const struct worktree_entry *has)
{
    return had->mtime_ns == has->mtime_ns && had->ctime_ns == has->ctime_ns &&
           had->bytes == (int64_t)has->bytes;
}

/* Lists and manifests are both in byte order of their paths. */
bool memory_code_plan(struct memory *m, struct arena *a, str root,
                      const struct worktree_files *files, struct code_plan *out, struct err *e)
{
    struct worktree_row worktree;
    struct manifest_row *had = NULL;
    size_t had_count = 0, at = 0;
    bool found;
    *out = (struct code_plan){.reads = ARENA_ARRAY(a, struct code_read, files->entry_count)};
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_find_worktree(m->store, a, root, &worktree, &found, e) &&
              (!found || store_manifest(m->store, a, worktree.id, &had, &had_count, e));
    for (size_t i = 0; ok && i < files->entry_count; i++) {
        const struct worktree_entry *entry = &files->entries[i];
        int order = -1;
        while (at < had_count && (order = str_cmp(had[at].path, entry->path)) < 0) {
            out->removed++;
            at++;
        }
        bool known = at < had_count && order == 0;
        if (entry->skipped.len) {
            out->removed += known && !had[at].skipped.len;
            at += known;
            continue;
        }
        if (known && is_unchanged(&had[at], entry)) {
            out->unchanged++;
            at++;
            continue;
        }
        at += known;
        struct code_read *read = &out->reads[out->read_count++];
        read->entry = (uint32_t)i;
        ok = store_known_blobs(m->store, a, entry->path, &read->known, e);
    }
    out->removed += had_count - at;
    store_read_end(m->store);
    return ok;
}

bool memory_code_quarantined(struct memory *m, struct arena *a, str blob, str *why, struct err *e)
{
    int strikes;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_quarantined(m->store, a, blob, &strikes, why, e);
    store_read_end(m->store);
    if (ok && strikes < 2)
        *why = S("");
    return ok;
}

/* ---- put ---- */

/* A series of short transactions: one is ended and the next begun whenever enough rows stand in it,
 * so that another writer's turn comes. */
struct writing {
    struct memory *m;
    int64_t worktree, now_ms;
    size_t rows;
    bool open;
};

static bool write_more(struct writing *w, size_t rows, struct err *e)
{
    if (w->open && w->rows && w->rows + rows > MAX_ROWS_PER_WRITE) {
        w->open = false;
        if (!store_end(w->m->store, true, e))
            return false;
    }
    if (!w->open) {
        if (!store_begin_derived(w->m->store, e))
            return false;
        w->open = true;
        w->rows = 0;
        if (w->worktree && !store_touch_worktree(w->m->store, w->worktree, e))
            return false;
    }
    w->rows += rows;
    return true;
}

static bool write_end(struct writing *w, bool ok, struct err *e)
{
    if (!w->open)
        return ok;
    w->open = false;
    return store_end(w->m->store, ok, e) && ok;
}

static bool put_file_node(struct writing *w, str path, int64_t *id, struct err *e)
{
    struct store *s = w->m->store;
    if (!store_find_key(s, NODE_FILE, path, id, e))
        return false;
    if (*id)
        return store_revive(s, *id, e);
    struct node_row row = {.kind = NODE_FILE,
                           .key = path,
                           .name = path,
                           .origin = ORIGIN_DOCUMENT,
                           .trust = origin_trust[ORIGIN_DOCUMENT],
                           .at_ms = w->now_ms,
                           .stored_ms = w->now_ms};
    return store_put_node(s, &row, id, e);
}

static bool put_definitions(struct writing *w, const struct source_file *f, int64_t file,
                            int64_t content, int64_t *symbols, struct err *e)
{
    bool ok = true;
    for (size_t i = 0; ok && i < f->facts.symbol_count; i++) {
        struct arena scratch = {0};
        const struct source_symbol *symbol = &f->facts.symbols[i];
        struct definition_row row = {.position = (uint32_t)i,
                                     .parent =
                                         symbol->parent == NO_SYMBOL ? -1 : (int32_t)symbol->parent,
                                     .line_start = symbol->line_start,
                                     .line_end = symbol->line_end,
                                     .is_private = symbol->is_private,
                                     .body_hash = symbol->body_hash,
                                     .shape_hash = symbol->shape_hash};
        ok = write_more(w, 2, e) &&
             memory_redact(w->m, &scratch, symbol->signature, &row.signature, NULL, NULL, e) &&
             memory_redact(w->m, &scratch, symbol->doc, &row.doc, NULL, NULL, e) &&
             store_put_symbol(w->m->store, file, f->path, symbol, w->now_ms, &symbols[i], e);
        row.symbol = symbols[i];
        ok = ok && store_put_definition(w->m->store, content, &row, e);
        arena_free(&scratch);
    }
    return ok;
}

static bool put_chunks(struct writing *w, const struct source_file *f, int64_t content,
                       const int64_t *symbols, struct err *e)
{
    bool ok = true;
    for (size_t i = 0; ok && i < f->facts.chunk_count; i++) {
        struct arena scratch = {0};
        const struct source_chunk *chunk = &f->facts.chunks[i];
        bool in_symbol = chunk->symbol != NO_SYMBOL;
        /* The first window stands for the file: it is found by the path. */
        str name = in_symbol ? f->facts.symbols[chunk->symbol].name : i == 0 ? f->path : S("");
        str text;
        ok = write_more(w, 1, e) &&
             memory_redact(w->m, &scratch, chunk->text, &text, NULL, NULL, e) &&
             store_put_chunk(w->m->store, content, in_symbol ? symbols[chunk->symbol] : 0,
                             chunk->line_start, chunk->line_end, name, text, e);
        arena_free(&scratch);
    }
    return ok;
}

/* A content that is not whole yet is in no manifest: an index that ends here leaves nothing that
 * could be taken for the file. */
static bool put_content(struct writing *w, struct arena *a, const struct source_file *f,
                        int64_t file, int64_t *content, struct err *e)
{
    struct store *s = w->m->store;
    struct content_row row;
    bool found;
    if (!store_find_content(s, a, file, f->blob, &row, &found, e))
        return false;
    *content = found ? row.id : 0;
    if (found && (row.is_whole || f->known))
        return true;
    if (f->known)
        return fail(e, ERR_CONFLICT, "%.*s: its content was forgotten while it was read",
                    FMT(f->path));
    if (found && !store_delete_content(s, row.id, e))
        return false;
    struct buf refs = {0};
    source_references_write(&refs, &f->facts);
    row = (struct content_row){.file = file,
                               .blob = f->blob,
                               .language = f->facts.language,
                               .lines = f->facts.lines,
                               .warning = f->facts.warning,
                               .refs = buf_str(&refs)};
    int64_t *symbols = ARENA_ARRAY(a, int64_t, f->facts.symbol_count + 1);
    bool ok = store_put_content(s, &row, content, e);
    buf_free(&refs);
    return ok && put_definitions(w, f, file, *content, symbols, e) &&
           put_chunks(w, f, *content, symbols, e) && store_finish_content(s, *content, e);
}

/* What isn't read may still be what a question asks for: a lock file changes with its package file.
 * It is known by its path and its history alone. */
static bool is_known_by_path(str path, str skipped)
{
    static const char *const reasons[] = {"generated", "minified", "binary", "over 1 MiB"};
    for (size_t i = 0; !str_ends(path, S("/")) && i < sizeof reasons / sizeof *reasons; i++)
        if (str_eq(skipped, str_of(reasons[i])))
            return true;
    return false;
}

static bool put_path(struct writing *w, struct arena *a, str path, int64_t *content, struct err *e)
{
    struct source_file bare = {.path = path, .blob = S("-")};
    struct source_chunk name = {NO_SYMBOL, 1, 1, S("")};
    int64_t file;
    bare.facts.chunks = &name;
    bare.facts.chunk_count = 1;
    return put_file_node(w, path, &file, e) && put_content(w, a, &bare, file, content, e);
}

static bool put_file(struct writing *w, const struct source_file *f, struct err *e)
{
    struct arena scratch = {0};
    int64_t file = 0, content = 0;
    bool ok = write_more(w, 3, e);
    if (ok && !f->skipped.len)
        ok = put_file_node(w, f->path, &file, e) && put_content(w, &scratch, f, file, &content, e);
    else if (ok && is_known_by_path(f->path, f->skipped))
        ok = put_path(w, &scratch, f->path, &content, e);
    struct manifest_row row = {.path = f->path,
                               .skipped = f->skipped,
                               .content = content,
                               .mtime_ns = f->mtime_ns,
                               .ctime_ns = f->ctime_ns,
                               .bytes = (int64_t)f->bytes};
    ok = ok && store_put_manifest(w->m->store, w->worktree, &row, e);
    arena_free(&scratch);
    return ok;
}

static bool open_worktree(struct memory *m, str root, int64_t *id, struct err *e)
{
    bool ok = store_begin_derived(m->store, e);
    return ok && store_end(m->store, store_put_worktree(m->store, root, id, e), e);
}

bool memory_code_put(struct memory *m, str root, int64_t now_ms, const struct source_file *files,
                     size_t count, struct err *e)
{
    struct writing w = {.m = m, .now_ms = now_ms};
    if (!open_worktree(m, root, &w.worktree, e))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = put_file(&w, &files[i], e);
    return write_end(&w, ok, e);
}

/* ---- finish ---- */

/* Rows of the manifest that the listing has no more go, and what it skips is noted. */
static bool follow_listing(struct writing *w, struct arena *a, const struct worktree_files *files,
                           struct err *e)
{
    struct store *s = w->m->store;
    struct manifest_row *had;
    size_t had_count, at = 0;
    bool ok = store_read_begin(s, e) && store_manifest(s, a, w->worktree, &had, &had_count, e);
    store_read_end(s);
    for (size_t i = 0; ok && i <= files->entry_count; i++) {
        const struct worktree_entry *entry = i < files->entry_count ? &files->entries[i] : NULL;
        int order = 1;
        while (ok && at < had_count &&
               (!entry || (order = str_cmp(had[at].path, entry->path)) < 0)) {
            ok = write_more(w, 1, e) && store_delete_manifest(s, w->worktree, had[at].path, e);
            at++;
        }
        if (!ok || !entry)
            break;
        const struct manifest_row *same = at < had_count && order == 0 ? &had[at++] : NULL;
        if (!entry->skipped.len || (same && str_eq(same->skipped, entry->skipped)))
            continue;
        int64_t content = 0;
        if (is_known_by_path(entry->path, entry->skipped) &&
            (!write_more(w, 4, e) || !put_path(w, a, entry->path, &content, e)))
            return false;
        struct manifest_row row = {.path = entry->path,
                                   .content = content,
                                   .skipped = entry->skipped,
                                   .mtime_ns = entry->mtime_ns,
                                   .ctime_ns = entry->ctime_ns,
                                   .bytes = (int64_t)entry->bytes};
        ok = write_more(w, 1, e) && store_put_manifest(s, w->worktree, &row, e);
    }
    return ok;
}

static bool forget_unused(struct writing *w, size_t *forgotten, struct err *e)
{
    enum { AT_ONCE = 64, ROWS_OF_ONE = 100 };
    struct store *s = w->m->store;
    for (;;) {
        struct arena scratch = {0};
        int64_t *ids;
        size_t count;
        bool ok =
            write_more(w, 1, e) && store_unused_contents(s, &scratch, AT_ONCE, &ids, &count, e);
        for (size_t i = 0; ok && i < count; i++, ++*forgotten)
            ok = write_more(w, ROWS_OF_ONE, e) && store_delete_content(s, ids[i], e);
        arena_free(&scratch);
        if (!ok || !count)
            return ok;
    }
}

static bool retire_symbols(struct writing *w, struct err *e)
{
    enum { AT_ONCE = 200 };
    bool left = true;
    while (left)
        if (!write_more(w, AT_ONCE, e) || !store_retire_symbols(w->m->store, AT_ONCE, &left, e))
            return false;
    return true;
}

/* By said_by, src, dst, kind. */
static int compare_edges(const struct link_edge *a, const struct edge_full *b)
{
    const int64_t left[] = {a->said_by, a->src, a->dst, a->kind};
    const int64_t right[] = {b->said_by, b->src, b->dst, b->kind};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Only the difference is written: most edges stay when a file changes. */
static bool put_edges(struct writing *w, struct arena *a, const struct link_edge *wanted,
                      size_t count, struct err *e)
{
    struct store *s = w->m->store;
    struct edge_full *had;
    size_t had_count, i = 0, k = 0;
    bool ok = store_read_begin(s, e) && store_code_edges(s, a, &had, &had_count, e);
    store_read_end(s);
    while (ok && (i < count || k < had_count)) {
        int order = i == count ? 1 : k == had_count ? -1 : compare_edges(&wanted[i], &had[k]);
        if (order == 0 && fabsf(wanted[i].weight - had[k].weight) < 1e-3f) {
            i++;
            k++;
            continue;
        }
        if (!write_more(w, 1, e))
            return false;
        if (order >= 0)
            ok = store_delete_edge(s, had[k++].id, e);
        if (order <= 0 && ok) {
            int64_t id;
            ok = store_put_edge(s,
                                &(struct edge_full){.src = wanted[i].src,
                                                    .dst = wanted[i].dst,
                                                    .kind = wanted[i].kind,
                                                    .said_by = wanted[i].said_by,
                                                    .weight = wanted[i].weight,
                                                    .at_ms = w->now_ms},
                                &id, e);
            i++;
        }
    }
    return ok;
}

static bool link_all(struct writing *w, size_t *edges, struct err *e)
{
    struct arena scratch = {0};
    struct link_edge *wanted;
    bool ok = write_end(w, true, e) && store_read_begin(w->m->store, e) &&
              code_names_link(w->m->store, &scratch, &wanted, edges, e);
    store_read_end(w->m->store);
    ok = ok && put_edges(w, &scratch, wanted, *edges, e);
    arena_free(&scratch);
    return ok;
}

static bool pause_writing(void *ctx, struct err *e)
{
    return write_more(ctx, MAX_ROWS_PER_WRITE, e);
}

static bool tie_memories(struct writing *w, int64_t worktree, struct err *e)
{
    struct arena scratch = {0};
    bool ok = write_more(w, MAX_ROWS_PER_WRITE, e) &&
              anchors_bind(w->m->store, &scratch, worktree, w->now_ms, e) &&
              ties_put_all(w->m->store, &scratch, w->now_ms, pause_writing, w, e);
    arena_free(&scratch);
    return ok;
}

/* Memories may have been anchored since the worktree was indexed. */
static bool has_unbound(struct memory *m, int64_t worktree, bool *out, struct err *e)
{
    struct arena scratch = {0};
    struct binding_row *rows;
    size_t count = 0;
    bool ok = store_read_begin(m->store, e) &&
              store_unbound_anchors(m->store, &scratch, worktree, &rows, &count, e);
    store_read_end(m->store);
    arena_free(&scratch);
    *out = count > 0;
    return ok;
}

static bool count_indexed(struct memory *m, struct arena *a, str root, struct code_report *out,
                          struct err *e)
{
    struct code_worktree *all;
    size_t count;
    bool ok = store_read_begin(m->store, e) && store_worktrees(m->store, a, &all, &count, e) &&
              store_count_symbols(m->store, root, &out->symbols, e);
    store_read_end(m->store);
    for (size_t i = 0; ok && i < count; i++)
        if (str_eq(all[i].root, root)) {
            out->files = all[i].files;
            out->skipped = all[i].skipped;
        }
    return ok;
}

bool memory_code_finish(struct memory *m, struct arena *a, str root, int64_t now_ms,
                        const struct worktree_files *files, bool (*stopped)(void *), void *ctx,
                        struct code_report *out, struct err *e)
{
    struct worktree_row row;
    bool found, ok;
    *out = (struct code_report){0};
    struct writing w = {.m = m, .now_ms = now_ms};
    if (!open_worktree(m, root, &w.worktree, e))
        return false;
    ok = follow_listing(&w, a, files, e) && write_end(&w, true, e);
    if (ok && stopped && stopped(ctx))
        return fail(e, ERR_CANCELLED, "the index of %.*s was stopped", FMT(root));
    ok = ok && store_read_begin(m->store, e) &&
         store_find_worktree(m->store, a, root, &row, &found, e);
    store_read_end(m->store);
    bool same = ok && row.is_whole, unbound = false;
    ok = ok && (!same || has_unbound(m, row.id, &unbound, e));
    if (unbound)
        w.worktree = 0; /* binding takes nothing from a whole worktree */
    ok = ok && (!unbound || tie_memories(&w, row.id, e));
    ok = ok && (same || (forget_unused(&w, &out->forgotten, e) && link_all(&w, &out->edges, e) &&
                         tie_memories(&w, row.id, e) && retire_symbols(&w, e)));
    if (ok && stopped && stopped(ctx)) {
        write_end(&w, true, e);
        return fail(e, ERR_CANCELLED, "the index of %.*s was stopped", FMT(root));
    }
    bool told = same && str_eq(row.head, files->head) && str_eq(row.branch, files->branch) &&
                str_eq(row.note, files->note);
    if (ok && !told) {
        w.worktree = 0; /* whole from here on */
        row.head = files->head;
        row.branch = files->branch;
        row.note = files->note;
        row.is_whole = true;
        row.indexed_ms = now_ms;
        ok = write_more(&w, 1, e) && store_set_worktree(m->store, &row, e);
    }
    ok = write_end(&w, ok, e);
    ok = ok && (same || store_merge_postings(m->store, e));
    return ok && count_indexed(m, a, root, out, e);
}

/* ---- worktrees ---- */

bool memory_code_worktrees(struct memory *m, struct arena *a, struct code_worktree **out,
                           size_t *count, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_worktrees(m->store, a, out, count, e);
    store_read_end(m->store);
    return ok;
}

bool memory_code_drop_worktree(struct memory *m, str root, struct err *e)
{
    struct arena scratch = {0};
    struct worktree_row row;
    bool found = false;
    size_t forgotten = 0;
    struct writing w = {.m = m};
    bool ok = write_more(&w, 1, e) &&
              store_find_worktree(m->store, &scratch, root, &row, &found, e) &&
              (!found || (store_delete_worktree(m->store, row.id, e) &&
                          forget_unused(&w, &forgotten, e) && retire_symbols(&w, e)));
    arena_free(&scratch);
    return write_end(&w, ok, e);
}
