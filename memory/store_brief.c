#include "memory/brief.h"

#include "memory/store_sql.h"

static bool read_ids(struct store *s, sqlite3_stmt *q, int64_t *out, size_t *count, struct err *e)
{
    *count = 0;
    while (store_row(s, q, e))
        out[(*count)++] = sqlite3_column_int64(q, 0);
    return e->code == ERR_NONE;
}

/* Newest by id: rows are read from the end, and reading stops at the limit. */
#define BRIEF_QUERY                                                                                \
    "SELECT memory.id FROM memory CROSS JOIN node ON node.id = memory.id WHERE node.state = 0"     \
    " AND node.flags & " CHATTER_BIT " = 0 AND "
#define CHATTER_BIT "4"
_Static_assert(FLAG_CHATTER == 4 && FLAG_PINNED == 2, "as the queries say");

bool store_newest_pinned(struct store *s, int64_t *out, size_t most, size_t *count, struct err *e)
{
    return read_ids(s,
                    store_query(s, e,
                                BRIEF_QUERY "node.flags & 2 <> 0 ORDER BY memory.id DESC LIMIT ?1",
                                "i", (int64_t)most),
                    out, count, e);
}

bool store_newest_of_kind(struct store *s, enum memory_kind kind, int64_t *out, size_t most,
                          size_t *count, struct err *e)
{
    return read_ids(s,
                    store_query(s, e,
                                BRIEF_QUERY "memory.kind = ?1 ORDER BY memory.id DESC LIMIT ?2",
                                "ii", (int64_t)kind, (int64_t)most),
                    out, count, e);
}
