/* Rows of memories that a file of the project says: found by topic and text. */
#include "memory/store_sql.h"

bool store_find_written(struct store *s, str topic_key, str text, int64_t *id, struct err *e)
{
    return store_number(s, e, id, 0,
                        "SELECT memory.id FROM memory JOIN body ON body.id = memory.id"
                        " WHERE topic_key = ?1 AND topic_key <> '' AND text = ?2"
                        " ORDER BY memory.id DESC LIMIT 1",
                        "ss", topic_key, text);
}

bool store_set_retired(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e, "UPDATE node SET state = ?2, key = NULL WHERE id = ?1", "ii", id,
                     (int64_t)STATE_SUPERSEDED) &&
           store_changed_node(s, id, e);
}

bool store_heaviest_names(struct store *s, struct arena *a, size_t most, str **out, size_t *count,
                          struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT node.name FROM edge JOIN node ON node.id = edge.dst"
                    " JOIN entity ON entity.id = node.id WHERE edge.kind = ?1 AND node.state = 0"
                    " AND entity.type <> 'path' GROUP BY node.id"
                    " ORDER BY count(*) DESC, node.id LIMIT ?2",
                    "ii", (int64_t)EDGE_MENTIONS, (int64_t)most);
    *out = ARENA_ARRAY(a, str, most + 1);
    *count = 0;
    while (store_row(s, q, e))
        (*out)[(*count)++] = column_str(a, q, 0);
    return e->code == ERR_NONE;
}

bool store_holds_any(struct store *s, bool *any, struct err *e)
{
    int64_t found;
    bool ok =
        store_number(s, e, &found, 0,
                     "SELECT EXISTS (SELECT 1 FROM memory) OR EXISTS (SELECT 1 FROM document)", "");
    *any = found != 0;
    return ok;
}
