/* Rows of where documents came from. */
#include "memory/store_sql.h"

bool store_put_source(struct store *s, const struct source_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO document_source (id, root, bytes, mtime_ns, gone_ms,"
                     " title, etag, modified) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                     "isiiisss", r->id, r->root, r->bytes, r->mtime_ns, r->gone_ms, r->title,
                     r->etag, r->modified);
}

static struct source_row source_of(struct arena *a, sqlite3_stmt *q)
{
    return (struct source_row){.id = sqlite3_column_int64(q, 0),
                               .root = column_str(a, q, 1),
                               .bytes = sqlite3_column_int64(q, 2),
                               .mtime_ns = sqlite3_column_int64(q, 3),
                               .gone_ms = sqlite3_column_int64(q, 4),
                               .title = column_str(a, q, 5),
                               .etag = column_str(a, q, 6),
                               .modified = column_str(a, q, 7)};
}

bool store_get_source(struct store *s, struct arena *a, int64_t id, struct source_row *out,
                      struct err *e)
{
    *out = (struct source_row){.id = id};
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT id, root, bytes, mtime_ns, gone_ms, title, etag, modified"
                                  " FROM document_source WHERE id = ?1",
                                  "i", id);
    if (store_row(s, q, e)) {
        *out = source_of(a, q);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_document_files(struct store *s, struct arena *a, str hash, struct document_file **out,
                          size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT document.id, path, root, title, hash, bytes, mtime_ns, gone_ms > 0 FROM"
                    " document_source JOIN document USING (id) WHERE root <> '' AND path <> ''"
                    " AND ?1 IN ('', hash) ORDER BY document.id",
                    "s", hash);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct document_file){.id = sqlite3_column_int64(q, 0),
                                                    .path = column_str(a, q, 1),
                                                    .root = column_str(a, q, 2),
                                                    .title = column_str(a, q, 3),
                                                    .hash = column_str(a, q, 4),
                                                    .bytes = sqlite3_column_int64(q, 5),
                                                    .mtime_ns = sqlite3_column_int64(q, 6),
                                                    .is_gone = sqlite3_column_int(q, 7) != 0};
    }
    return e->code == ERR_NONE;
}

bool store_paths_of_size(struct store *s, struct arena *a, str root, int64_t bytes, size_t most,
                         str **out, size_t *count, struct err *e)
{
    *out = ARENA_ARRAY(a, str, most);
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT path FROM manifest JOIN worktree ON worktree.id = manifest.worktree"
                    " WHERE root = ?1 AND bytes = ?2 ORDER BY path LIMIT ?3",
                    "sii", root, bytes, (int64_t)most);
    while (store_row(s, q, e))
        (*out)[(*count)++] = column_str(a, q, 0);
    return e->code == ERR_NONE;
}
