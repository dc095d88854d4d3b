#include "memory/store_tie.h"

#include "memory/store_sql.h"

bool store_untied(struct store *s, struct arena *a, int64_t after, size_t most,
                  struct untied_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT entity.id, name, type FROM entity CROSS JOIN node ON node.id = entity.id"
        " WHERE entity.id > ?3 AND kind = ?1 AND state = 0 AND NOT EXISTS"
        " (SELECT 1 FROM edge WHERE src = entity.id AND edge.kind = ?2) ORDER BY entity.id"
        " LIMIT ?4",
        "iiii", (int64_t)NODE_ENTITY, (int64_t)EDGE_SAME_AS, after, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct untied_row){sqlite3_column_int64(q, 0), column_str(a, q, 1),
                                                 column_str(a, q, 2)};
    }
    return e->code == ERR_NONE;
}

/* Rows of an id and a path, for symbols a name and a kind, too. */
static bool read_candidates(struct store *s, struct arena *a, sqlite3_stmt *q,
                            struct name_candidate **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct name_candidate){.id = sqlite3_column_int64(q, 0),
                                    .path = column_str(a, q, 1),
                                    .name = column_str(a, q, 2),
                                    .kind = (enum symbol_kind)sqlite3_column_int(q, 3)};
    }
    return e->code == ERR_NONE;
}

bool store_symbols_to_tie(struct store *s, struct arena *a, str simple, size_t most,
                          struct name_candidate **out, size_t *count, struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT symbol.id, file.name, node.name, symbol.kind FROM symbol"
                    " JOIN node ON node.id = symbol.id JOIN node AS file ON file.id = symbol.file"
                    " WHERE simple = ?1 AND node.state = 0 AND EXISTS (SELECT 1 FROM definition"
                    " WHERE definition.symbol = symbol.id) ORDER BY symbol.id LIMIT ?2",
                    "si", simple, (int64_t)most);
    return read_candidates(s, a, q, out, count, e);
}

bool store_files_to_tie(struct store *s, struct arena *a, str path, size_t most,
                        struct name_candidate **out, size_t *count, struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT id, name, '', 0 FROM node WHERE kind = 4 AND key = ?1 AND state = 0"
                    " AND EXISTS (SELECT 1 FROM content WHERE content.file = node.id)"
                    " UNION ALL SELECT * FROM (SELECT id, name, '', 0 FROM node WHERE kind = 4"
                    " AND substr(name, length(rtrim(name, replace(name, '/', ''))) + 1) = ?2"
                    " AND name <> ?1 AND state = 0 AND EXISTS"
                    " (SELECT 1 FROM content WHERE content.file = node.id) ORDER BY id LIMIT ?3)",
                    "ssi", path, str_file_name(path), (int64_t)most);
    return read_candidates(s, a, q, out, count, e);
}

bool store_commit_starting(struct store *s, struct arena *a, str digits, int64_t *id, struct err *e)
{
    int64_t *ids;
    size_t count;
    bool ok = store_ids(s, a,
                        store_query(s, e,
                                    "SELECT id FROM node WHERE kind = ?1 AND key >= ?2"
                                    " AND key < ?2 || 'g' ORDER BY id LIMIT 2",
                                    "is", (int64_t)NODE_COMMIT, digits),
                        &ids, &count, e);
    *id = ok && count == 1 ? ids[0] : 0;
    return ok;
}

bool store_put_tie(struct store *s, int64_t entity, int64_t target, int64_t now_ms, struct err *e)
{
    int64_t ignored;
    struct edge_full edge = {
        .src = entity, .dst = target, .kind = EDGE_SAME_AS, .weight = 1, .at_ms = now_ms};
    return store_put_edge(s, &edge, &ignored, e) &&
           store_run(s, e,
                     "INSERT OR REPLACE INTO tied_symbol (symbol, body_hash, shape_hash)"
                     " SELECT symbol, body_hash, shape_hash FROM definition WHERE symbol = ?1"
                     " ORDER BY content DESC LIMIT 1",
                     "i", target);
}

bool store_lost_ties(struct store *s, struct arena *a, size_t most, struct tie_row **out,
                     size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT src, edge.id, coalesce(body_hash, 0), coalesce(shape_hash, 0) FROM entity"
        " JOIN edge ON src = entity.id AND edge.kind = ?1 JOIN node ON node.id = dst"
        " LEFT JOIN tied_symbol ON symbol = dst WHERE (node.kind = ?2 AND NOT EXISTS"
        " (SELECT 1 FROM definition WHERE definition.symbol = dst)) OR (node.kind = ?3 AND NOT"
        " EXISTS (SELECT 1 FROM content WHERE file = dst)) ORDER BY edge.id LIMIT ?4",
        "iiii", (int64_t)EDGE_SAME_AS, (int64_t)NODE_SYMBOL, (int64_t)NODE_FILE, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct tie_row){.entity = sqlite3_column_int64(q, 0),
                                              .edge = sqlite3_column_int64(q, 1),
                                              .body_hash = (uint64_t)sqlite3_column_int64(q, 2),
                                              .shape_hash = (uint64_t)sqlite3_column_int64(q, 3)};
    }
    return e->code == ERR_NONE;
}

bool store_refresh_ties(struct store *s, struct err *e)
{
    return store_run(s, e,
                     "DELETE FROM tied_symbol WHERE NOT EXISTS"
                     " (SELECT 1 FROM edge WHERE dst = symbol AND kind = ?1)",
                     "i", (int64_t)EDGE_SAME_AS) &&
           store_run(s, e,
                     "INSERT INTO tied_symbol (symbol, body_hash, shape_hash)"
                     " SELECT symbol, body_hash, shape_hash FROM"
                     " (SELECT symbol, max(content), body_hash, shape_hash FROM definition"
                     " WHERE symbol IN (SELECT dst FROM entity JOIN edge ON src = entity.id"
                     " AND edge.kind = ?1) GROUP BY symbol) WHERE true"
                     " ON CONFLICT (symbol) DO UPDATE SET"
                     " body_hash = excluded.body_hash, shape_hash = excluded.shape_hash"
                     " WHERE body_hash <> excluded.body_hash OR shape_hash <> excluded.shape_hash",
                     "i", (int64_t)EDGE_SAME_AS);
}

bool store_symbols_like(struct store *s, struct arena *a, uint64_t hash, bool shape, size_t most,
                        int64_t **out, size_t *count, struct err *e)
{
    sqlite3_stmt *q =
        shape ? store_query(s, e,
                            "SELECT DISTINCT symbol FROM definition JOIN node ON node.id = symbol"
                            " WHERE shape_hash = ?1 AND state = 0 ORDER BY symbol LIMIT ?2",
                            "ii", (int64_t)hash, (int64_t)most)
              : store_query(s, e,
                            "SELECT DISTINCT symbol FROM definition JOIN node ON node.id = symbol"
                            " WHERE body_hash = ?1 AND state = 0 ORDER BY symbol LIMIT ?2",
                            "ii", (int64_t)hash, (int64_t)most);
    return store_ids(s, a, q, out, count, e);
}
