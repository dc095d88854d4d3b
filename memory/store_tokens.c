#include "memory/store_tokens.h"

#include "memory/store_sql.h"

bool store_put_tokens(struct store *s, int64_t passage, int64_t model, str rows, struct err *e)
{
    return store_run(s, e, "DELETE FROM token_vectors WHERE node = ?1 AND model = ?2", "ii",
                     passage, model) &&
           (!rows.len ||
            store_run(s, e, "INSERT INTO token_vectors (node, model, data) VALUES (?1, ?2, ?3)",
                      "iib", passage, model, rows));
}

bool store_drop_tokens(struct store *s, int64_t passage, struct err *e)
{
    return store_run(s, e, "DELETE FROM token_vectors WHERE node = ?1", "i", passage);
}

#define OF_OUTDATED                                                                                \
    "FROM token_vectors WHERE model IN (SELECT id FROM vector_model WHERE state = 3)"

bool store_drop_outdated_tokens(struct store *s, size_t most, bool *left, struct err *e)
{
    int64_t more = 0;
    bool ok = store_run(s, e,
                        "DELETE FROM token_vectors WHERE rowid IN (SELECT rowid " OF_OUTDATED
                        " LIMIT ?1)",
                        "i", (int64_t)most) &&
              store_number(s, e, &more, 0, "SELECT EXISTS (SELECT 1 " OF_OUTDATED ")", "");
    *left = more != 0;
    return ok;
}

bool store_get_tokens(struct store *s, struct arena *a, int64_t passage, str model, size_t most,
                      str *rows, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT data FROM token_vectors WHERE node = ?1 AND model ="
                                  " (SELECT id FROM vector_model WHERE name = ?2)"
                                  " AND length(data) <= ?3",
                                  "isi", passage, model, (int64_t)most);
    *rows = S("");
    if (store_row(s, q, e)) {
        *rows =
            arena_str(a, str_from(sqlite3_column_blob(q, 0), (size_t)sqlite3_column_bytes(q, 0)));
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}
