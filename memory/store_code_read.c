/* The source index as linking and searching read it. */
#include "memory/store_code.h"

#include "memory/store_sql.h"

/* ---- definitions ---- */

#define DEFINITION_COLUMNS                                                                         \
    "definition.symbol, symbol.file, node.name, signature, doc, symbol.kind, position,"            \
    " line_start, line_end, parent, is_private, body_hash, shape_hash"
#define DEFINITION_JOINS                                                                           \
    " JOIN symbol ON symbol.id = definition.symbol JOIN node ON node.id = symbol.id"

static struct definition_row read_definition(struct arena *a, sqlite3_stmt *q)
{
    int kind = sqlite3_column_int(q, 5);
    return (struct definition_row){
        .symbol = sqlite3_column_int64(q, 0),
        .file = sqlite3_column_int64(q, 1),
        .name = column_str(a, q, 2),
        .signature = column_str(a, q, 3),
        .doc = column_str(a, q, 4),
        .kind = kind >= 0 && kind < SYMBOL_KIND_COUNT ? (enum symbol_kind)kind : SYMBOL_FUNCTION,
        .position = (uint32_t)sqlite3_column_int64(q, 6),
        .line_start = (uint32_t)sqlite3_column_int64(q, 7),
        .line_end = (uint32_t)sqlite3_column_int64(q, 8),
        .parent = sqlite3_column_int(q, 9),
        .is_private = sqlite3_column_int(q, 10) != 0,
        .body_hash = (uint64_t)sqlite3_column_int64(q, 11),
        .shape_hash = (uint64_t)sqlite3_column_int64(q, 12)};
}

bool store_find_definition(struct store *s, struct arena *a, int64_t worktree, int64_t symbol,
                           struct definition_row *out, bool *found, struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT " DEFINITION_COLUMNS ", manifest.path FROM definition" DEFINITION_JOINS
                    " JOIN manifest ON manifest.content = definition.content"
                    " WHERE definition.symbol = ?1 AND manifest.worktree = ?2"
                    " ORDER BY definition.content DESC, position LIMIT 1",
                    "ii", symbol, worktree);
    *found = store_row(s, q, e);
    if (!*found)
        return e->code == ERR_NONE;
    *out = read_definition(a, q);
    out->path = column_str(a, q, 13);
    sqlite3_reset(q);
    return true;
}

bool store_definitions(struct store *s, struct arena *a, int64_t worktree, str path,
                       struct definition_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT " DEFINITION_COLUMNS " FROM manifest JOIN definition ON"
                                  " definition.content = manifest.content" DEFINITION_JOINS
                                  " WHERE worktree = ?1 AND path = ?2 ORDER BY position",
                                  "is", worktree, path);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[*count] = read_definition(a, q);
        (*out)[(*count)++].path = path;
    }
    return e->code == ERR_NONE;
}

bool store_symbols_named(struct store *s, struct arena *a, str simple, size_t most, int64_t **out,
                         size_t *count, struct err *e)
{
    return store_ids(s, a,
                     store_query(s, e,
                                 "SELECT symbol.id FROM symbol JOIN node ON node.id = symbol.id"
                                 " WHERE simple = ?1 AND state = 0 ORDER BY symbol.id LIMIT ?2",
                                 "si", simple, (int64_t)most),
                     out, count, e);
}

bool store_symbol_lines(struct store *s, struct arena *a, int64_t file, str blob,
                        struct symbol_lines **out, size_t *count, str *found, uint32_t *lines,
                        struct err *e)
{
    size_t capacity = 0;
    int64_t content = 0;
    *out = NULL;
    *count = 0;
    *found = S("");
    *lines = 0;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT id, blob, lines FROM content WHERE file = ?1 AND is_whole"
                                  " ORDER BY blob = ?2 DESC, id DESC LIMIT 1",
                                  "is", file, blob);
    if (store_row(s, q, e)) {
        content = sqlite3_column_int64(q, 0);
        *found = column_str(a, q, 1);
        *lines = (uint32_t)sqlite3_column_int64(q, 2);
        sqlite3_reset(q);
    }
    q = store_query(s, e,
                    "SELECT symbol.id, line_start, line_end, simple FROM definition JOIN symbol ON"
                    " symbol.id = symbol WHERE content = ?1 ORDER BY line_start, position",
                    "i", content);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct symbol_lines){sqlite3_column_int64(q, 0), (uint32_t)sqlite3_column_int64(q, 1),
                                  (uint32_t)sqlite3_column_int64(q, 2), column_str(a, q, 3)};
    }
    return e->code == ERR_NONE;
}

bool store_count_symbols(struct store *s, str root, size_t *out, struct err *e)
{
    int64_t count;
    bool ok = store_number(s, e, &count, 0,
                           "SELECT count(*) FROM worktree JOIN manifest ON manifest.worktree ="
                           " worktree.id JOIN definition ON definition.content = manifest.content"
                           " WHERE root = ?1",
                           "s", root);
    *out = (size_t)count;
    return ok;
}

/* ---- linking ---- */

bool store_each_content(struct store *s, link_visit_content *visit, void *ctx, struct err *e)
{
    struct arena scratch = {0};
    bool ok = true;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT content.id, file, blob, language, refs, node.key FROM content JOIN node ON"
        " node.id = content.file WHERE is_whole = 1 AND EXISTS"
        " (SELECT 1 FROM manifest WHERE manifest.content = content.id) ORDER BY content.id",
        "");
    while (ok && store_row(s, q, e)) {
        struct arena mark = scratch;
        struct content_row row = {.id = sqlite3_column_int64(q, 0),
                                  .file = sqlite3_column_int64(q, 1),
                                  .blob = column_str(&scratch, q, 2),
                                  .language = column_str(&scratch, q, 3),
                                  .is_whole = true};
        row.refs = str_from(sqlite3_column_blob(q, 4), (size_t)sqlite3_column_bytes(q, 4));
        ok = visit(ctx, &row, column_str(&scratch, q, 5), e);
        arena_rewind(&scratch, mark);
    }
    arena_free(&scratch);
    return ok && e->code == ERR_NONE;
}

bool store_each_definition(struct store *s, link_visit_definition *visit, void *ctx, struct err *e)
{
    bool ok = true;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT definition.content, definition.symbol, symbol.kind, position, parent, is_private,"
        " line_start, line_end, node.name FROM definition" DEFINITION_JOINS
        " ORDER BY definition.content, position",
        "");
    while (ok && store_row(s, q, e)) {
        struct definition_row row = {.symbol = sqlite3_column_int64(q, 1),
                                     .kind = (enum symbol_kind)sqlite3_column_int(q, 2),
                                     .position = (uint32_t)sqlite3_column_int64(q, 3),
                                     .parent = sqlite3_column_int(q, 4),
                                     .is_private = sqlite3_column_int(q, 5) != 0,
                                     .line_start = (uint32_t)sqlite3_column_int64(q, 6),
                                     .line_end = (uint32_t)sqlite3_column_int64(q, 7),
                                     .name = str_from((const char *)sqlite3_column_text(q, 8),
                                                      (size_t)sqlite3_column_bytes(q, 8))};
        ok = visit(ctx, sqlite3_column_int64(q, 0), &row, e);
    }
    if (!ok && q)
        sqlite3_reset(q);
    return ok && e->code == ERR_NONE;
}

bool store_code_edges(struct store *s, struct arena *a, struct edge_full **out, size_t *count,
                      struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT edge.id, src, dst, edge.kind, weight, said_by FROM edge JOIN node ON node.id ="
        " said_by WHERE said_by IS NOT NULL AND node.kind = ?1"
        " ORDER BY said_by, src, dst, edge.kind, edge.id",
        "i", (int64_t)NODE_FILE);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct edge_full){.id = sqlite3_column_int64(q, 0),
                                                .src = sqlite3_column_int64(q, 1),
                                                .dst = sqlite3_column_int64(q, 2),
                                                .kind = (enum edge_kind)sqlite3_column_int(q, 3),
                                                .weight = (float)sqlite3_column_double(q, 4),
                                                .said_by = sqlite3_column_int64(q, 5)};
    }
    return e->code == ERR_NONE;
}

/* ---- searching ---- */

static struct chunk_row read_chunk(sqlite3_stmt *q)
{
    return (struct chunk_row){.id = sqlite3_column_int64(q, 0),
                              .content = sqlite3_column_int64(q, 1),
                              .symbol = sqlite3_column_int64(q, 2),
                              .line_start = (uint32_t)sqlite3_column_int64(q, 3),
                              .line_end = (uint32_t)sqlite3_column_int64(q, 4),
                              .words = (uint32_t)sqlite3_column_int64(q, 5)};
}

#define CHUNK_COLUMNS "id, content, coalesce(symbol, 0), line_start, line_end, words FROM chunk"

bool store_chunks_since(struct store *s, int64_t since, chunk_visit *visit, void *ctx,
                        struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e, "SELECT " CHUNK_COLUMNS " WHERE id > ?1 ORDER BY id", "i", since);
    while (store_row(s, q, e)) {
        struct chunk_row row = read_chunk(q);
        if (!visit(ctx, &row)) {
            sqlite3_reset(q);
            break;
        }
    }
    return e->code == ERR_NONE;
}

bool store_manifest_contents(struct store *s, int64_t worktree, manifest_visit *visit, void *ctx,
                             struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT content.id, content.file, manifest.path FROM manifest JOIN content ON"
                    " content.id = manifest.content WHERE worktree = ?1"
                    " ORDER BY content.id",
                    "i", worktree);
    while (store_row(s, q, e))
        if (!visit(ctx, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                   str_from((const char *)sqlite3_column_text(q, 2),
                            (size_t)sqlite3_column_bytes(q, 2)))) {
            sqlite3_reset(q);
            break;
        }
    return e->code == ERR_NONE;
}
