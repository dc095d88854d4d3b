/* Rows of what memories are anchored to in the sources. */
#include "memory/store_code.h"

#include "memory/store_sql.h"

static bool read_bindings(struct store *s, struct arena *a, sqlite3_stmt *q,
                          struct binding_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct binding_row){.anchor = {.memory = sqlite3_column_int64(q, 0),
                                            .path = column_str(a, q, 1),
                                            .line = (uint32_t)sqlite3_column_int64(q, 2),
                                            .symbol = column_str(a, q, 3)},
                                 .target = sqlite3_column_int64(q, 4),
                                 .blob = column_str(a, q, 5),
                                 .body_hash = (uint64_t)sqlite3_column_int64(q, 6),
                                 .shape_hash = (uint64_t)sqlite3_column_int64(q, 7),
                                 .kind = (enum node_kind)sqlite3_column_int(q, 8),
                                 .name = column_str(a, q, 9)};
    }
    return e->code == ERR_NONE;
}

#define BINDING_COLUMNS                                                                            \
    "binding.memory, binding.path, binding.line, binding.symbol, target, blob, body_hash,"         \
    " shape_hash, node.kind, node.name FROM binding JOIN node ON node.id = target"

bool store_unbound_anchors(struct store *s, struct arena *a, int64_t worktree,
                           struct binding_row **out, size_t *count, struct err *e)
{
    return read_bindings(
        s, a,
        store_query(
            s, e,
            "SELECT anchor.memory, anchor.path, anchor.line, anchor.symbol, 0, '', 0, 0, 0, ''"
            " FROM anchor JOIN manifest ON manifest.worktree = ?1 AND manifest.path = anchor.path"
            " AND manifest.content IS NOT NULL WHERE NOT EXISTS (SELECT 1 FROM binding WHERE"
            " binding.memory = anchor.memory AND binding.path = anchor.path AND binding.line ="
            " anchor.line AND binding.symbol = anchor.symbol)"
            " ORDER BY anchor.memory, anchor.path, anchor.line, anchor.symbol",
            "i", worktree),
        out, count, e);
}

bool store_lost_bindings(struct store *s, struct arena *a, struct binding_row **out, size_t *count,
                         struct err *e)
{
    return read_bindings(
        s, a,
        store_query(s, e,
                    "SELECT " BINDING_COLUMNS " WHERE node.kind = ?1 AND NOT EXISTS (SELECT 1 FROM"
                    " definition WHERE definition.symbol = target)"
                    " ORDER BY binding.memory, binding.path, binding.line, binding.symbol",
                    "i", (int64_t)NODE_SYMBOL),
        out, count, e);
}

bool store_bindings(struct store *s, struct arena *a, int64_t memory, struct binding_row **out,
                    size_t *count, struct err *e)
{
    return read_bindings(s, a,
                         store_query(s, e,
                                     "SELECT " BINDING_COLUMNS " WHERE binding.memory = ?1"
                                     " ORDER BY binding.path, binding.line, binding.symbol",
                                     "i", memory),
                         out, count, e);
}

bool store_put_binding(struct store *s, const struct binding_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO binding (memory, path, line, symbol, target, blob,"
                     " body_hash, shape_hash) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                     "isisisii", r->anchor.memory, r->anchor.path, (int64_t)r->anchor.line,
                     r->anchor.symbol, r->target, r->blob, (int64_t)r->body_hash,
                     (int64_t)r->shape_hash);
}

bool store_symbols_of_hash(struct store *s, struct arena *a, int64_t worktree, uint64_t hash,
                           bool shape, size_t most, int64_t **out, size_t *count, struct err *e)
{
    return store_ids(
        s, a,
        shape ? store_query(s, e,
                            "SELECT DISTINCT definition.symbol FROM definition JOIN manifest ON"
                            " manifest.content = definition.content WHERE shape_hash = ?1 AND"
                            " worktree = ?2 ORDER BY definition.symbol LIMIT ?3",
                            "iii", (int64_t)hash, worktree, (int64_t)most)
              : store_query(s, e,
                            "SELECT DISTINCT definition.symbol FROM definition JOIN manifest ON"
                            " manifest.content = definition.content WHERE body_hash = ?1 AND"
                            " worktree = ?2 ORDER BY definition.symbol LIMIT ?3",
                            "iii", (int64_t)hash, worktree, (int64_t)most),
        out, count, e);
}

static bool read_text(struct store *s, struct arena *a, sqlite3_stmt *q, str *out, struct err *e)
{
    *out = S("");
    if (store_row(s, q, e)) {
        *out = column_str(a, q, 0);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_blob_at(struct store *s, struct arena *a, int64_t worktree, str path, str *blob,
                   struct err *e)
{
    return read_text(s, a,
                     store_query(s, e,
                                 "SELECT blob FROM manifest JOIN content ON content.id ="
                                 " manifest.content WHERE worktree = ?1 AND path = ?2",
                                 "is", worktree, path),
                     blob, e);
}

bool store_path_of_blob(struct store *s, struct arena *a, int64_t worktree, str blob, str *path,
                        struct err *e)
{
    return read_text(s, a,
                     store_query(s, e,
                                 "SELECT CASE WHEN count(*) = 1 THEN min(path) ELSE '' END FROM"
                                 " content JOIN manifest ON manifest.content = content.id"
                                 " WHERE blob = ?2 AND worktree = ?1",
                                 "is", worktree, blob),
                     path, e);
}
