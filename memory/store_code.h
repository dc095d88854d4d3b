/* Rows of the source index: worktrees, contents, manifests, symbols, definitions, windows. Private
 * to memory/. */
#ifndef ENGRAM_STORE_CODE_H
#define ENGRAM_STORE_CODE_H

#include "memory/code.h"
#include "memory/store.h"

/* Like store_begin, for what can be read again from its sources: the commit isn't waited for on the
 * disk. It is still whole or not there at all. */
bool store_begin_derived(struct store *s, struct err *e);

struct worktree_row {
    int64_t id, indexed_ms, revision;
    str root, head, branch, note;
    bool is_whole;
};
bool store_find_worktree(struct store *s, struct arena *a, str root, struct worktree_row *out,
                         bool *found, struct err *e);
bool store_put_worktree(struct store *s, str root, int64_t *id, struct err *e); /* once */
bool store_set_worktree(struct store *s, const struct worktree_row *row, struct err *e);
bool store_touch_worktree(struct store *s, int64_t id, struct err *e); /* revision + 1, not whole */
bool store_delete_worktree(struct store *s, int64_t id, struct err *e);
bool store_worktrees(struct store *s, struct arena *a, struct code_worktree **out, size_t *count,
                     struct err *e);

struct manifest_row {
    str path, skipped;
    int64_t content; /* 0: skipped */
    int64_t mtime_ns, ctime_ns, bytes;
};
/* By path, in byte order. */
bool store_manifest(struct store *s, struct arena *a, int64_t worktree, struct manifest_row **out,
                    size_t *count, struct err *e);
bool store_put_manifest(struct store *s, int64_t worktree, const struct manifest_row *row,
                        struct err *e); /* replaces */
bool store_delete_manifest(struct store *s, int64_t worktree, str path, struct err *e);

struct content_row {
    int64_t id, file;
    str blob, language, warning, refs;
    bool is_whole;
    uint32_t lines;
};
bool store_find_content(struct store *s, struct arena *a, int64_t file, str blob,
                        struct content_row *out, bool *found, struct err *e);
bool store_put_content(struct store *s, const struct content_row *row, int64_t *id, struct err *e);
bool store_finish_content(struct store *s, int64_t id, struct err *e);
/* Blobs of a path whose contents are whole, newest first, at most MAX_KNOWN_BLOBS, a blank between.
 */
bool store_known_blobs(struct store *s, struct arena *a, str path, str *out, struct err *e);

/* The oldest contents that no manifest has, at most `most`. */
bool store_unused_contents(struct store *s, struct arena *a, size_t most, int64_t **out,
                           size_t *count, struct err *e);
/* With its definitions, windows and what its file said (edges). */
bool store_delete_content(struct store *s, int64_t id, struct err *e);

struct definition_row {
    int64_t symbol, file;
    str path, name, signature, doc; /* path and name only when read */
    enum symbol_kind kind;
    uint32_t position, line_start, line_end;
    int32_t parent; /* position; -1: none */
    bool is_private;
    uint64_t body_hash, shape_hash;
};
/* The symbol of a path and qualified name, made where it is new. */
bool store_put_symbol(struct store *s, int64_t file, str path, const struct source_symbol *symbol,
                      int64_t now_ms, int64_t *id, struct err *e);
bool store_put_definition(struct store *s, int64_t content, const struct definition_row *row,
                          struct err *e);
bool store_put_chunk(struct store *s, int64_t content, int64_t symbol, uint32_t line_start,
                     uint32_t line_end, str name, str text, struct err *e);

/* Where a symbol stands in a worktree: the newest content that its manifest has. */
bool store_find_definition(struct store *s, struct arena *a, int64_t worktree, int64_t symbol,
                           struct definition_row *out, bool *found, struct err *e);
/* What a file defines in a worktree, in order. */
bool store_definitions(struct store *s, struct arena *a, int64_t worktree, str path,
                       struct definition_row **out, size_t *count, struct err *e);

/* The lines of a file's symbols, in order of where they begin, and how many it has: as the content
 * with this blob has them; where there is none, the newest. *found: the blob of that one; empty:
 * nothing is known of the file. */
struct symbol_lines {
    int64_t symbol;
    uint32_t line_start, line_end;
    str simple; /* the last part of its name */
};
bool store_symbol_lines(struct store *s, struct arena *a, int64_t file, str blob,
                        struct symbol_lines **out, size_t *count, str *found, uint32_t *lines,
                        struct err *e);

bool store_count_symbols(struct store *s, str root, size_t *out, struct err *e);

/* Symbols whose last part is `simple`, whichever file they stand in, at most `most`. */
bool store_symbols_named(struct store *s, struct arena *a, str simple, size_t most, int64_t **out,
                         size_t *count, struct err *e);

/* An archived symbol or file is current again. */
bool store_revive(struct store *s, int64_t id, struct err *e);

/* Symbols and files that stand in no content any more: those that something else of the graph holds
 * on to are archived, the others deleted; at most `most`. *left: there may be more. */
bool store_retire_symbols(struct store *s, size_t most, bool *left, struct err *e);

/* ---- anchors ---- */

struct binding_row {
    struct anchor_row anchor;
    int64_t target; /* 0: not bound */
    enum node_kind kind;
    str blob, name; /* name: of the target */
    uint64_t body_hash, shape_hash;
};
/* Anchors without a binding whose path the worktree has. */
bool store_unbound_anchors(struct store *s, struct arena *a, int64_t worktree,
                           struct binding_row **out, size_t *count, struct err *e);
/* Bindings to symbols that no content defines any more. */
bool store_lost_bindings(struct store *s, struct arena *a, struct binding_row **out, size_t *count,
                         struct err *e);
bool store_bindings(struct store *s, struct arena *a, int64_t memory, struct binding_row **out,
                    size_t *count, struct err *e);
bool store_put_binding(struct store *s, const struct binding_row *row,
                       struct err *e); /* replaces */

/* The symbols of a worktree whose body, or whose shape, is this one; at most `most`. */
bool store_symbols_of_hash(struct store *s, struct arena *a, int64_t worktree, uint64_t hash,
                           bool shape, size_t most, int64_t **out, size_t *count, struct err *e);
/* The blob that a worktree has at a path; empty: none. And the only path that has a blob there. */
bool store_blob_at(struct store *s, struct arena *a, int64_t worktree, str path, str *blob,
                   struct err *e);
bool store_path_of_blob(struct store *s, struct arena *a, int64_t worktree, str blob, str *path,
                        struct err *e);

/* ---- for linking: all of it, by content and position ---- */

typedef bool link_visit_content(void *ctx, const struct content_row *content, str path,
                                struct err *e);
typedef bool link_visit_definition(void *ctx, int64_t content, const struct definition_row *row,
                                   struct err *e);
bool store_each_content(struct store *s, link_visit_content *visit, void *ctx, struct err *e);
bool store_each_definition(struct store *s, link_visit_definition *visit, void *ctx, struct err *e);

/* Edges that a file says (DEFINES, CALLS, IMPORTS, INHERITS), by said_by, src, dst, kind. */
bool store_code_edges(struct store *s, struct arena *a, struct edge_full **out, size_t *count,
                      struct err *e);

/* ---- for searching ---- */

struct chunk_row {
    int64_t id, content, symbol; /* symbol 0: between symbols */
    uint32_t line_start, line_end, words;
};
typedef bool chunk_visit(void *ctx, const struct chunk_row *row);
bool store_chunks_since(struct store *s, int64_t since, chunk_visit *visit, void *ctx,
                        struct err *e);
typedef bool manifest_visit(void *ctx, int64_t content, int64_t file, str path);
bool store_manifest_contents(struct store *s, int64_t worktree, manifest_visit *visit, void *ctx,
                             struct err *e);
/* Occurrences of a term in windows; posting.id is the chunk's. */
bool store_code_postings(struct store *s, str term, posting_visit *visit, void *ctx, struct err *e);

/* A term is looked up in each segment of a full-text index: where sources and commits lie in many,
 * they become one, in short transactions. */
bool store_merge_postings(struct store *s, struct err *e);

#endif
