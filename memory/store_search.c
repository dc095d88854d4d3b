/* What begins with a prefix: terms of the full-text index, ids, names. */
#include "memory/store_sql.h"

bool store_terms(struct store *s, struct arena *a, str prefix, size_t most, str **out,
                 size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    str end =
        arena_printf(a, "%.*s\xf4\x8f\xbf\xbf", FMT(prefix)); /* behind every term that starts so */
    sqlite3_stmt *q = store_query(
        s, e, "SELECT term FROM temp.term WHERE term >= ?1 AND term < ?2 ORDER BY term LIMIT ?3",
        "ssi", prefix, end, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = column_str(a, q, 0);
    }
    return e->code == ERR_NONE;
}

bool store_complete_ids(struct store *s, struct arena *a, enum node_kind kind, str prefix,
                        size_t most, str **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    str pattern = arena_printf(a, "%.*s*", FMT(prefix));
    for (size_t i = 0; i < prefix.len; i++)
        if (prefix.at[i] < '0' || prefix.at[i] > '9')
            return true;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT id FROM node WHERE kind = ?1 AND CAST(id AS TEXT) GLOB ?2"
                                  " ORDER BY used_ms DESC, id DESC LIMIT ?3",
                                  "isi", (int64_t)kind, pattern, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = node_id_format(a, kind, sqlite3_column_int64(q, 0));
    }
    return e->code == ERR_NONE;
}

bool store_complete_names(struct store *s, struct arena *a, str prefix, size_t most, str **out,
                          size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    str end = arena_printf(a, "%.*s\xf4\x8f\xbf\xbf", FMT(prefix));
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT node.name FROM alias JOIN node ON node.id = alias.entity"
                                  " WHERE normal >= ?1 AND normal < ?2 AND node.state = 0"
                                  " GROUP BY node.id ORDER BY node.uses DESC, normal LIMIT ?3",
                                  "ssi", prefix, end, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = column_str(a, q, 0);
    }
    return e->code == ERR_NONE;
}
