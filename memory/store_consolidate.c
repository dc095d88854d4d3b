#include "memory/store_consolidate.h"

#include "memory/store_sql.h"

bool store_working(struct store *s, struct arena *a, int64_t after, size_t most,
                   struct working_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT memory.id, stored_ms FROM memory JOIN node ON"
                                  " node.id = memory.id WHERE tier = 0 AND memory.id > ?1 AND"
                                  " state = 0 ORDER BY memory.id LIMIT ?2",
                                  "ii", after, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct working_row){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1)};
    }
    return e->code == ERR_NONE;
}

/* ---- members ---- */

#define MEMBER_COLUMNS "SELECT memory, consolidated, version, state, weight FROM member"

bool store_members(struct store *s, struct arena *a, int64_t consolidated, struct member_row **out,
                   size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        consolidated ? store_query(s, e, MEMBER_COLUMNS " WHERE consolidated = ?1 ORDER BY memory",
                                   "i", consolidated)
                     : store_query(s, e, MEMBER_COLUMNS " ORDER BY consolidated, memory", "");
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct member_row){
            sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2),
            (enum node_state)sqlite3_column_int(q, 3), (float)sqlite3_column_double(q, 4)};
    }
    return e->code == ERR_NONE;
}

bool store_consolidated_of(struct store *s, int64_t memory, int64_t *out, struct err *e)
{
    return store_number(s, e, out, 0, "SELECT consolidated FROM member WHERE memory = ?1", "i",
                        memory);
}

bool store_put_member(struct store *s, const struct member_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO member (memory, consolidated, version, state, weight)"
                     " VALUES (?1,?2,?3,?4,?5)",
                     "iiiid", r->memory, r->consolidated, r->version, (int64_t)r->state,
                     (double)r->weight);
}

bool store_delete_member(struct store *s, int64_t memory, int64_t consolidated, struct err *e)
{
    return store_run(s, e, "DELETE FROM member WHERE memory = ?1 AND consolidated = ?2", "ii",
                     memory, consolidated);
}

/* ---- consolidated memories ---- */

bool store_consolidated_version(struct store *s, int64_t id, int64_t *version, struct err *e)
{
    return store_number(s, e, version, 0, "SELECT version FROM consolidated WHERE id = ?1", "i",
                        id);
}

bool store_put_consolidated(struct store *s, int64_t id, int64_t version, struct err *e)
{
    return store_run(s, e, "INSERT OR REPLACE INTO consolidated (id, version) VALUES (?1, ?2)",
                     "ii", id, version);
}

bool store_retell(struct store *s, const struct node_row *r, struct err *e)
{
    return store_run(s, e,
                     "UPDATE node SET origin = ?2, trust = ?3, at_ms = ?4, branch = ?5, head = ?6,"
                     " flags = ?7 WHERE id = ?1",
                     "iidissi", r->id, (int64_t)r->origin, (double)r->trust, r->at_ms, r->branch,
                     r->head, (int64_t)r->flags) &&
           store_changed_node(s, r->id, e);
}

/* Snapshots aren't told: they look at consolidated memories only, which are that from their first
 * row on. */
bool store_set_tier(struct store *s, int64_t id, enum tier tier, struct err *e)
{
    return store_run(s, e, "UPDATE memory SET tier = ?2 WHERE id = ?1", "ii", id, (int64_t)tier);
}

bool store_outdated_consolidated(struct store *s, struct arena *a, int64_t **out, size_t *count,
                                 struct err *e)
{
    return store_ids(s, a,
                     store_query(s, e,
                                 "SELECT DISTINCT consolidated FROM member JOIN node ON"
                                 " node.id = member.memory JOIN node AS whole ON"
                                 " whole.id = consolidated WHERE node.state <> member.state AND"
                                 " whole.state = 0 ORDER BY consolidated",
                                 ""),
                     out, count, e);
}

bool store_members_stepped_back(struct store *s, struct arena *a, int64_t consolidated,
                                struct stepped_back **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT member.memory, coalesce(superseded_by, 0) FROM member JOIN node ON"
                    " node.id = member.memory JOIN memory ON memory.id = member.memory WHERE"
                    " consolidated = ?1 AND node.state = 1 AND member.state <> 1"
                    " ORDER BY member.memory",
                    "i", consolidated);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct stepped_back){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1)};
    }
    return e->code == ERR_NONE;
}

/* ---- what tells whether to sleep ---- */

bool store_undone_steps(struct store *s, struct arena *a, str action, str **out, size_t *count,
                        struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT undo FROM journal WHERE action = ?1 AND undone_ms > 0 ORDER BY id", "s",
        action);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = column_str(a, q, 0);
    }
    return e->code == ERR_NONE;
}

bool store_ended_sessions(struct store *s, struct arena *a, int64_t **out, size_t *count,
                          struct err *e)
{
    return store_ids(
        s, a,
        store_query(
            s, e,
            "SELECT at FROM (SELECT DISTINCT session AS at FROM memory JOIN node ON"
            " node.id = memory.id WHERE tier = 0 AND state = 0 AND session IS NOT NULL)"
            " WHERE (SELECT memory.kind FROM memory WHERE memory.id = (SELECT turn.id FROM"
            " node AS turn WHERE turn.session = at AND turn.kind = 0 AND turn.flags & ?2 = 0"
            " ORDER BY turn.id DESC LIMIT 1)) = ?1 ORDER BY at",
            "ii", (int64_t)KIND_EPISODE, (int64_t)FLAG_CHATTER),
        out, count, e);
}

bool store_newest_memory(struct store *s, int64_t since, int64_t *memory, int64_t *episode,
                         struct err *e)
{
    return store_number(s, e, memory, 0, "SELECT max(id) FROM memory", "") &&
           store_number(s, e, episode, 0,
                        "SELECT max(id) FROM memory WHERE id > ?1 AND tier = 0 AND kind = ?2", "ii",
                        since, (int64_t)KIND_EPISODE);
}

bool store_first_vector(struct store *s, struct arena *a, int64_t id, const int8_t **data,
                        size_t *dimensions, float *scale, struct err *e)
{
    *data = NULL;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT data, scale FROM vector JOIN vector_model ON vector_model.id = model"
                    " WHERE node = ?1 AND part = 0 ORDER BY state = 2 DESC, model DESC LIMIT 1",
                    "i", id);
    if (store_row(s, q, e)) {
        size_t bytes = (size_t)sqlite3_column_bytes(q, 0);
        char *copy = arena_bytes(a, bytes + 1);
        if (bytes)
            memcpy(copy, sqlite3_column_blob(q, 0), bytes);
        *data = (const int8_t *)copy;
        *dimensions = bytes;
        *scale = (float)sqlite3_column_double(q, 1);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}
