/* Rows of the source index, as they are written. */
#include "memory/store_code.h"

#include "memory/code_name.h"

#include "memory/store_sql.h"

/* ---- worktrees ---- */

bool store_find_worktree(struct store *s, struct arena *a, str root, struct worktree_row *out,
                         bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT id, head, branch, note, is_whole, indexed_ms, revision"
                                  " FROM worktree WHERE root = ?1",
                                  "s", root);
    *found = store_row(s, q, e);
    if (!*found)
        return e->code == ERR_NONE;
    *out = (struct worktree_row){.id = sqlite3_column_int64(q, 0),
                                 .root = root,
                                 .head = column_str(a, q, 1),
                                 .branch = column_str(a, q, 2),
                                 .note = column_str(a, q, 3),
                                 .is_whole = sqlite3_column_int(q, 4) != 0,
                                 .indexed_ms = sqlite3_column_int64(q, 5),
                                 .revision = sqlite3_column_int64(q, 6)};
    sqlite3_reset(q);
    return true;
}

bool store_put_worktree(struct store *s, str root, int64_t *id, struct err *e)
{
    return store_run(s, e, "INSERT OR IGNORE INTO worktree (root) VALUES (?1)", "s", root) &&
           store_number(s, e, id, 0, "SELECT id FROM worktree WHERE root = ?1", "s", root);
}

bool store_set_worktree(struct store *s, const struct worktree_row *r, struct err *e)
{
    return store_run(s, e,
                     "UPDATE worktree SET head = ?2, branch = ?3, note = ?4, is_whole = ?5,"
                     " indexed_ms = ?6, revision = revision + 1 WHERE id = ?1",
                     "isssii", r->id, r->head, r->branch, r->note, (int64_t)r->is_whole,
                     r->indexed_ms);
}

bool store_touch_worktree(struct store *s, int64_t id, struct err *e)
{
    return store_run(
        s, e, "UPDATE worktree SET revision = revision + 1, is_whole = 0 WHERE id = ?1", "i", id);
}

bool store_delete_worktree(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e, "DELETE FROM worktree WHERE id = ?1", "i", id);
}

bool store_worktrees(struct store *s, struct arena *a, struct code_worktree **out, size_t *count,
                     struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT root, head, branch, note, is_whole, indexed_ms,"
        " (SELECT count(*) FROM manifest WHERE worktree = worktree.id AND skipped = ''),"
        " (SELECT count(*) FROM manifest WHERE worktree = worktree.id AND skipped <> '')"
        " FROM worktree ORDER BY id",
        "");
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct code_worktree){.root = column_str(a, q, 0),
                                                    .head = column_str(a, q, 1),
                                                    .branch = column_str(a, q, 2),
                                                    .note = column_str(a, q, 3),
                                                    .is_whole = sqlite3_column_int(q, 4) != 0,
                                                    .indexed_ms = sqlite3_column_int64(q, 5),
                                                    .files = (size_t)sqlite3_column_int64(q, 6),
                                                    .skipped = (size_t)sqlite3_column_int64(q, 7)};
    }
    return e->code == ERR_NONE;
}

/* ---- manifests ---- */

bool store_manifest(struct store *s, struct arena *a, int64_t worktree, struct manifest_row **out,
                    size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT path, skipped, coalesce(content, 0), mtime_ns, ctime_ns, bytes"
                    " FROM manifest WHERE worktree = ?1 ORDER BY path",
                    "i", worktree);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct manifest_row){.path = column_str(a, q, 0),
                                                   .skipped = column_str(a, q, 1),
                                                   .content = sqlite3_column_int64(q, 2),
                                                   .mtime_ns = sqlite3_column_int64(q, 3),
                                                   .ctime_ns = sqlite3_column_int64(q, 4),
                                                   .bytes = sqlite3_column_int64(q, 5)};
    }
    return e->code == ERR_NONE;
}

bool store_put_manifest(struct store *s, int64_t worktree, const struct manifest_row *r,
                        struct err *e)
{
    /* REPLACE opens a savepoint, at which FTS5 writes a segment of what it holds: only where there
     * is something to replace. */
    static const char types[] = "is0siii";
    return store_run(s, e,
                     "INSERT OR IGNORE INTO manifest (worktree, path, content, skipped, mtime_ns,"
                     " ctime_ns, bytes) VALUES (?1,?2,?3,?4,?5,?6,?7)",
                     types, worktree, r->path, r->content, r->skipped, r->mtime_ns, r->ctime_ns,
                     r->bytes) &&
           (sqlite3_changes(s->writer.db) ||
            store_run(s, e,
                      "REPLACE INTO manifest (worktree, path, content, skipped, mtime_ns,"
                      " ctime_ns, bytes) VALUES (?1,?2,?3,?4,?5,?6,?7)",
                      types, worktree, r->path, r->content, r->skipped, r->mtime_ns, r->ctime_ns,
                      r->bytes));
}

bool store_delete_manifest(struct store *s, int64_t worktree, str path, struct err *e)
{
    return store_run(s, e, "DELETE FROM manifest WHERE worktree = ?1 AND path = ?2", "is", worktree,
                     path);
}

/* ---- contents ---- */

bool store_find_content(struct store *s, struct arena *a, int64_t file, str blob,
                        struct content_row *out, bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT id, is_whole, language, lines, warning FROM content"
                                  " WHERE file = ?1 AND blob = ?2",
                                  "is", file, blob);
    *found = store_row(s, q, e);
    if (!*found)
        return e->code == ERR_NONE;
    *out = (struct content_row){.id = sqlite3_column_int64(q, 0),
                                .file = file,
                                .blob = blob,
                                .is_whole = sqlite3_column_int(q, 1) != 0,
                                .language = column_str(a, q, 2),
                                .lines = (uint32_t)sqlite3_column_int64(q, 3),
                                .warning = column_str(a, q, 4)};
    sqlite3_reset(q);
    return true;
}

bool store_put_content(struct store *s, const struct content_row *r, int64_t *id, struct err *e)
{
    if (!store_run(s, e,
                   "INSERT INTO content (file, blob, is_whole, language, lines, warning, refs)"
                   " VALUES (?1,?2,?3,?4,?5,?6,?7)",
                   "isisisb", r->file, r->blob, (int64_t)r->is_whole, r->language,
                   (int64_t)r->lines, r->warning, r->refs))
        return false;
    *id = sqlite3_last_insert_rowid(s->writer.db);
    return true;
}

bool store_finish_content(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e, "UPDATE content SET is_whole = 1 WHERE id = ?1", "i", id);
}

bool store_known_blobs(struct store *s, struct arena *a, str path, str *out, struct err *e)
{
    struct buf blobs = {0};
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT blob FROM content JOIN node ON node.id = content.file"
                                  " WHERE node.kind = ?1 AND node.key = ?2 AND is_whole = 1"
                                  " ORDER BY content.id DESC LIMIT ?3",
                                  "isi", (int64_t)NODE_FILE, path, (int64_t)MAX_KNOWN_BLOBS);
    while (store_row(s, q, e))
        buf_printf(&blobs, "%s%s", blobs.len ? " " : "", (const char *)sqlite3_column_text(q, 0));
    *out = arena_str(a, buf_str(&blobs));
    buf_free(&blobs);
    return e->code == ERR_NONE;
}

bool store_unused_contents(struct store *s, struct arena *a, size_t most, int64_t **out,
                           size_t *count, struct err *e)
{
    return store_ids(s, a,
                     store_query(s, e,
                                 "SELECT id FROM content WHERE NOT EXISTS (SELECT 1 FROM manifest "
                                 "WHERE manifest.content ="
                                 " content.id) ORDER BY id LIMIT ?1",
                                 "i", (int64_t)most),
                     out, count, e);
}

bool store_delete_content(struct store *s, int64_t id, struct err *e)
{
    return store_run(
               s, e,
               "DELETE FROM code_fts WHERE rowid IN (SELECT id FROM chunk WHERE content = ?1)", "i",
               id) &&
           store_run(s, e, "DELETE FROM content WHERE id = ?1", "i", id);
}

/* ---- symbols and windows ---- */

bool store_put_symbol(struct store *s, int64_t file, str path, const struct source_symbol *symbol,
                      int64_t now_ms, int64_t *id, struct err *e)
{
    struct arena scratch = {0};
    str key = arena_printf(&scratch, "%.*s#%.*s", FMT(path), FMT(symbol->name));
    bool ok = store_find_key(s, NODE_SYMBOL, key, id, e);
    if (ok && *id)
        ok = store_run(s, e, "UPDATE symbol SET kind = ?2 WHERE id = ?1 AND kind <> ?2", "ii", *id,
                       (int64_t)symbol->kind) &&
             store_revive(s, *id, e);
    else if (ok)
        ok = store_put_node(s,
                            &(struct node_row){.kind = NODE_SYMBOL,
                                               .key = key,
                                               .name = symbol->name,
                                               .origin = ORIGIN_DOCUMENT,
                                               .trust = origin_trust[ORIGIN_DOCUMENT],
                                               .at_ms = now_ms,
                                               .stored_ms = now_ms},
                            id, e) &&
             store_run(s, e, "INSERT INTO symbol (id, file, kind, simple) VALUES (?1,?2,?3,?4)",
                       "iiis", *id, file, (int64_t)symbol->kind, code_name_simple(symbol->name));
    arena_free(&scratch);
    return ok;
}

bool store_put_definition(struct store *s, int64_t content, const struct definition_row *r,
                          struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO definition (content, position, symbol, parent, line_start,"
                     " line_end, is_private, body_hash, shape_hash, signature, doc)"
                     " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
                     "iiiiiiiiiss", content, (int64_t)r->position, r->symbol, (int64_t)r->parent,
                     (int64_t)r->line_start, (int64_t)r->line_end, (int64_t)r->is_private,
                     (int64_t)r->body_hash, (int64_t)r->shape_hash, r->signature, r->doc);
}

bool store_put_chunk(struct store *s, int64_t content, int64_t symbol, uint32_t line_start,
                     uint32_t line_end, str name, str text, struct err *e)
{
    if (!store_run(s, e,
                   "INSERT INTO chunk (content, symbol, line_start, line_end, words)"
                   " VALUES (?1,?2,?3,?4,0)",
                   "i0ii", content, symbol, (int64_t)line_start, (int64_t)line_end))
        return false;
    int64_t id = sqlite3_last_insert_rowid(s->writer.db);
    const struct indexed_words *of =
        store_index_words(s, e, "INSERT INTO code_fts (rowid, name, text) VALUES (?1, ?2, ?3)",
                          "iss", id, name, text);
    return of &&
           store_run(s, e, "UPDATE chunk SET words = ?2 WHERE id = ?1", "ii", id, of->telling[1]);
}

/* ---- what nothing defines any more ---- */

bool store_revive(struct store *s, int64_t id, struct err *e)
{
    int64_t archived;
    return store_number(s, e, &archived, 0,
                        "SELECT count(*) FROM node WHERE id = ?1 AND state = ?2", "ii", id,
                        (int64_t)STATE_ARCHIVED) &&
           (!archived || (store_run(s, e, "UPDATE node SET state = 0 WHERE id = ?1", "i", id) &&
                          store_changed_node(s, id, e)));
}

/* Something that isn't read from the sources holds on to it: a memory's anchor, a name's sameness,
 * a commit. */
static bool is_held(struct store *s, int64_t id, bool *held, struct err *e)
{
    int64_t edges;
    bool ok = store_number(
        s, e, &edges, 0,
        "SELECT EXISTS (SELECT 1 FROM edge WHERE src = ?1 AND kind IN (6, 8, 11, 12, 13)) OR"
        " EXISTS (SELECT 1 FROM edge WHERE dst = ?1 AND kind IN (6, 8, 11, 12, 13))",
        "i", id);
    *held = edges != 0;
    return ok;
}

static bool retire(struct store *s, int64_t id, struct err *e)
{
    bool held;
    if (!is_held(s, id, &held, e))
        return false;
    return held ? store_run(s, e, "UPDATE node SET state = ?2 WHERE id = ?1", "ii", id,
                            (int64_t)STATE_ARCHIVED) &&
                      store_changed_node(s, id, e)
                : store_delete_node(s, id, e);
}

bool store_retire_symbols(struct store *s, size_t most, bool *left, struct err *e)
{
    struct arena scratch = {0};
    int64_t *ids = ARENA_ARRAY(&scratch, int64_t, most);
    size_t count = 0;
    static const char *const without[] = {
        "SELECT symbol.id FROM symbol JOIN node ON node.id = symbol.id WHERE node.state = 0 AND NOT"
        " EXISTS (SELECT 1 FROM definition WHERE symbol = symbol.id) ORDER BY symbol.id LIMIT ?1",
        "SELECT id FROM node WHERE kind = 4 AND state = 0 AND NOT EXISTS"
        " (SELECT 1 FROM content WHERE file = node.id) ORDER BY id LIMIT ?1",
    };
    for (size_t i = 0; i < 2 && count < most; i++) {
        sqlite3_stmt *q = store_query(s, e, without[i], "i", (int64_t)(most - count));
        while (store_row(s, q, e) && count < most)
            ids[count++] = sqlite3_column_int64(q, 0);
    }
    for (size_t i = 0; i < count && e->code == ERR_NONE; i++)
        retire(s, ids[i], e);
    *left = count == most;
    arena_free(&scratch);
    return e->code == ERR_NONE;
}
