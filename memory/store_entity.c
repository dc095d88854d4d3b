/* Rows of entities: types, names by which they are found, properties. */
#include "memory/store_sql.h"

bool store_put_entity(struct store *s, const struct entity_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO entity (id, type, typed, merged_into) VALUES (?1,?2,?3,?4)"
                     " ON CONFLICT (id) DO NOTHING",
                     "isi0", r->id, r->type, (int64_t)r->typed, r->merged_into) &&
           (sqlite3_changes(s->writer.db) ||
            store_run(s, e,
                      "UPDATE entity SET type = ?2, typed = ?3, merged_into = ?4 WHERE id = ?1",
                      "isi0", r->id, r->type, (int64_t)r->typed, r->merged_into));
}

/* A row of id, type, typed and merged_into, where there is one. */
static bool read_entity(struct store *s, struct arena *a, sqlite3_stmt *q, struct entity_row *out,
                        bool *found, struct err *e)
{
    *found = store_row(s, q, e);
    if (*found) {
        *out = (struct entity_row){.id = sqlite3_column_int64(q, 0),
                                   .type = column_str(a, q, 1),
                                   .typed = sqlite3_column_int(q, 2) != 0,
                                   .merged_into = sqlite3_column_int64(q, 3)};
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_get_entity(struct store *s, struct arena *a, int64_t id, struct entity_row *out,
                      bool *found, struct err *e)
{
    return read_entity(
        s, a,
        store_query(s, e,
                    "SELECT id, type, typed, coalesce(merged_into, 0) FROM entity WHERE id = ?1",
                    "i", id),
        out, found, e);
}

bool store_find_alias(struct store *s, str normal, int64_t *entity, struct err *e)
{
    return store_number(s, e, entity, 0, "SELECT entity FROM alias WHERE normal = ?1", "s", normal);
}

bool store_find_named(struct store *s, struct arena *a, str normal, struct entity_row *out,
                      bool *found, struct err *e)
{
    return read_entity(s, a,
                       store_query(s, e,
                                   "SELECT entity.id, type, typed, coalesce(merged_into, 0)"
                                   " FROM alias JOIN entity ON entity.id = alias.entity"
                                   " WHERE normal = ?1",
                                   "s", normal),
                       out, found, e);
}

bool store_put_alias(struct store *s, str normal, str name, int64_t entity, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO alias (normal, name, entity) VALUES (?1,?2,?3)"
                     " ON CONFLICT (normal) DO NOTHING",
                     "ssi", normal, name, entity) &&
           (sqlite3_changes(s->writer.db) ||
            store_run(s, e, "UPDATE alias SET name = ?2, entity = ?3 WHERE normal = ?1", "ssi",
                      normal, name, entity));
}

bool store_delete_alias(struct store *s, str normal, struct err *e)
{
    return store_run(s, e, "DELETE FROM alias WHERE normal = ?1", "s", normal);
}

static bool read_aliases(struct store *s, struct arena *a, sqlite3_stmt *q, struct alias_row **out,
                         size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct alias_row){column_str(a, q, 0), column_str(a, q, 1),
                                                sqlite3_column_int64(q, 2)};
    }
    return e->code == ERR_NONE;
}

bool store_aliases(struct store *s, struct arena *a, int64_t entity, struct alias_row **out,
                   size_t *count, struct err *e)
{
    return read_aliases(
        s, a,
        store_query(s, e,
                    "SELECT normal, name, entity FROM alias WHERE entity = ?1 ORDER BY normal", "i",
                    entity),
        out, count, e);
}

bool store_each_alias(struct store *s, size_t most, void (*visit)(void *ctx, str normal), void *ctx,
                      struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e, "SELECT normal FROM alias ORDER BY normal LIMIT ?1", "i", (int64_t)most);
    while (store_row(s, q, e))
        visit(ctx, str_from((const char *)sqlite3_column_text(q, 0),
                            (size_t)sqlite3_column_bytes(q, 0)));
    return e->code == ERR_NONE;
}

bool store_each_near_name(struct store *s, str normal, size_t most,
                          bool (*visit)(void *ctx, str normal, int64_t entity), void *ctx,
                          struct err *e)
{
    static const char behind_all[] = "\xf4\x8f\xbf\xbf"; /* that start so */
    enum { SHARED_BYTES = 3, BEHIND_BYTES = sizeof behind_all - 1 };
    char to[SHARED_BYTES + BEHIND_BYTES];
    str from = str_cut(normal, 0, SHARED_BYTES);
    memcpy(to, from.at, from.len);
    memcpy(to + from.len, behind_all, BEHIND_BYTES);
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT normal, entity FROM alias WHERE normal >= ?1 AND"
                    " normal < ?2 ORDER BY normal LIMIT ?3",
                    "ssi", from, str_from(to, from.len + BEHIND_BYTES), (int64_t)most);
    while (store_row(s, q, e)) {
        str other =
            str_from((const char *)sqlite3_column_text(q, 0), (size_t)sqlite3_column_bytes(q, 0));
        if (!visit(ctx, other, sqlite3_column_int64(q, 1))) {
            sqlite3_reset(q);
            break;
        }
    }
    return e->code == ERR_NONE;
}

bool store_put_property(struct store *s, int64_t entity, str key, str value, int64_t said_by,
                        struct err *e)
{
    return store_run(
        s, e, "INSERT OR REPLACE INTO property (entity, key, value, said_by) VALUES (?1,?2,?3,?4)",
        "iss0", entity, key, value, said_by);
}

bool store_properties(struct store *s, struct arena *a, int64_t entity, struct prop **out,
                      size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT key, value FROM property WHERE entity = ?1 ORDER BY key", "i", entity);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct prop){column_str(a, q, 0), column_str(a, q, 1)};
    }
    return e->code == ERR_NONE;
}
