/* Rows of what came from other tools' memories. */
#include "memory/store_import.h"

#include "memory/store_sql.h"

bool store_import_source(struct store *s, str format, str path, int64_t now_ms, int64_t *id,
                         struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO import_source (format, path, stored_ms) VALUES (?1,?2,?3)"
                     " ON CONFLICT (format, path) DO UPDATE SET stored_ms = ?3",
                     "ssi", format, path, now_ms) &&
           store_number(s, e, id, 0, "SELECT id FROM import_source WHERE format = ?1 AND path = ?2",
                        "ss", format, path);
}

bool store_find_imported(struct store *s, struct arena *a, str key, struct imported_row *out,
                         bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT hash, coalesce(memory, 0), coalesce(node.state, 0)"
                                  " FROM imported LEFT JOIN node ON node.id = memory"
                                  " WHERE imported.key = ?1",
                                  "s", key);
    *found = store_row(s, q, e);
    if (*found) {
        *out = (struct imported_row){.key = key,
                                     .hash = column_str(a, q, 0),
                                     .memory = sqlite3_column_int64(q, 1),
                                     .state = (enum node_state)sqlite3_column_int(q, 2)};
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_put_imported(struct store *s, const struct imported_row *row, int64_t source,
                        struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO imported (key, hash, memory, source) VALUES (?1,?2,?3,?4)"
                     " ON CONFLICT (key) DO UPDATE SET hash = ?2, memory = ?3, source = ?4",
                     "ss0i", row->key, row->hash, row->memory, source);
}
