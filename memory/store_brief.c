#include "memory/brief.h"

#include "memory/store_sql.h"

static bool read_ids(struct store *s, sqlite3_stmt *q, int64_t *out, size_t *count, struct err *e)
{
    *count = 0;
    while (store_row(s, q, e))
        out[(*count)++] = sqlite3_column_int64(q, 0);
    return e->code == ERR_NONE;
}

/* Both read an index from its end and stop at the limit. */
#define IS_TOLD "node.state = 0 AND (node.flags & 4) = 0"
_Static_assert(FLAG_CHATTER == 4 && FLAG_PINNED == 2, "as the queries and the index say");

bool store_newest_pinned(struct store *s, int64_t *out, size_t most, size_t *count, struct err *e)
{
    return read_ids(s,
                    store_query(s, e,
                                "SELECT node.id FROM node JOIN memory ON memory.id = node.id"
                                " WHERE (node.flags & 2) <> 0 AND " IS_TOLD
                                " ORDER BY node.id DESC LIMIT ?1",
                                "i", (int64_t)most),
                    out, count, e);
}

bool store_newest_of_kind(struct store *s, enum memory_kind kind, int64_t *out, size_t most,
                          size_t *count, struct err *e)
{
    return read_ids(s,
                    store_query(s, e,
                                "SELECT memory.id FROM memory JOIN node ON node.id = memory.id"
                                " WHERE memory.kind = ?1 AND " IS_TOLD
                                " ORDER BY memory.id DESC LIMIT ?2",
                                "ii", (int64_t)kind, (int64_t)most),
                    out, count, e);
}
