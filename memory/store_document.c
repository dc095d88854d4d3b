/* Rows of documents and passages, tombstones, quarantine, and what hangs on a node when it is
 * forgotten. */
#include "memory/store_sql.h"

bool store_put_document(struct store *s, const struct document_row *r, struct err *e)
{
    return store_run(
        s, e,
        "INSERT INTO document (id, path, hash, media_type, tokens, entities, warnings)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7) ON CONFLICT (id) DO UPDATE SET path = ?2, hash = ?3,"
        " media_type = ?4, tokens = ?5, entities = ?6, warnings = ?7",
        "isssiis", r->id, r->path, r->hash, r->media_type, r->tokens, r->entities, r->warnings);
}

bool store_find_document_titled(struct store *s, str title, int64_t *id, struct err *e)
{
    return store_number(s, e, id, 0,
                        "SELECT id FROM node WHERE kind = 2 AND lower(name) = lower(?1)"
                        " AND state = 0 ORDER BY id DESC LIMIT 1",
                        "s", title);
}

bool store_get_document(struct store *s, struct arena *a, int64_t id, struct document_row *out,
                        bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT path, hash, media_type, tokens, entities, warnings FROM document WHERE id = ?1",
        "i", id);
    *found = store_row(s, q, e);
    if (*found) {
        *out = (struct document_row){.id = id,
                                     .path = column_str(a, q, 0),
                                     .hash = column_str(a, q, 1),
                                     .media_type = column_str(a, q, 2),
                                     .tokens = sqlite3_column_int64(q, 3),
                                     .entities = sqlite3_column_int64(q, 4),
                                     .warnings = column_str(a, q, 5)};
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_put_passage(struct store *s, const struct passage_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO passage (id, document, position, line_start, line_end, page)"
                     " VALUES (?1,?2,?3,?4,?5,?6) ON CONFLICT (id) DO UPDATE SET position = ?3,"
                     " line_start = ?4, line_end = ?5, page = ?6",
                     "iiiiii", r->id, r->document, (int64_t)r->position, (int64_t)r->line_start,
                     (int64_t)r->line_end, (int64_t)r->page);
}

static struct passage_row passage_of(struct arena *a, sqlite3_stmt *q)
{
    return (struct passage_row){.id = sqlite3_column_int64(q, 0),
                                .document = sqlite3_column_int64(q, 1),
                                .key = column_str(a, q, 2),
                                .position = (uint32_t)sqlite3_column_int64(q, 3),
                                .line_start = (uint32_t)sqlite3_column_int64(q, 4),
                                .line_end = (uint32_t)sqlite3_column_int64(q, 5),
                                .page = (uint32_t)sqlite3_column_int64(q, 6),
                                .state = (enum node_state)sqlite3_column_int(q, 7)};
}

#define PASSAGE_COLUMNS                                                                            \
    "SELECT passage.id, document, coalesce(key, ''), position, line_start, line_end, page, state"  \
    " FROM passage JOIN node ON node.id = passage.id"

bool store_get_passage(struct store *s, struct arena *a, int64_t id, struct passage_row *out,
                       bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e, PASSAGE_COLUMNS " WHERE passage.id = ?1", "i", id);
    *found = store_row(s, q, e);
    if (*found) {
        *out = passage_of(a, q);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

static bool read_passages(struct store *s, struct arena *a, sqlite3_stmt *q,
                          struct passage_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = passage_of(a, q);
    }
    return e->code == ERR_NONE;
}

bool store_passages(struct store *s, struct arena *a, int64_t document, struct passage_row **out,
                    size_t *count, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        PASSAGE_COLUMNS " WHERE document = ?1 AND state = 0 AND ?2 <> (SELECT state FROM node WHERE"
                        " id = ?1) ORDER BY position, passage.id",
        "ii", document, (int64_t)STATE_PENDING);
    return read_passages(s, a, q, out, count, e);
}

bool store_all_passages(struct store *s, struct arena *a, int64_t document,
                        struct passage_row **out, size_t *count, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e, PASSAGE_COLUMNS " WHERE document = ?1 ORDER BY position, passage.id", "i", document);
    return read_passages(s, a, q, out, count, e);
}

/* ---- tombstones and quarantine ---- */

bool store_put_tombstone(struct store *s, str hash, enum node_kind kind, int64_t now_ms, str reason,
                         bool *is_new, struct err *e)
{
    if (!store_run(
            s, e,
            "INSERT OR IGNORE INTO tombstone (hash, kind, stored_ms, reason) VALUES (?1,?2,?3,?4)",
            "siis", hash, (int64_t)kind, now_ms, reason))
        return false;
    *is_new = sqlite3_changes(s->writer.db) > 0;
    return true;
}

bool store_find_tombstone(struct store *s, str hash, bool *found, struct err *e)
{
    int64_t n;
    bool ok =
        store_number(s, e, &n, 0, "SELECT count(*) FROM tombstone WHERE hash = ?1", "s", hash);
    *found = n > 0;
    return ok;
}

bool store_delete_tombstone(struct store *s, str hash, struct err *e)
{
    return store_run(s, e, "DELETE FROM tombstone WHERE hash = ?1", "s", hash);
}

bool store_strike(struct store *s, str hash, str name, str why, int64_t now_ms, struct err *e)
{
    return store_run(
        s, e,
        "INSERT INTO quarantine (hash, name, why, strikes, stored_ms) VALUES (?1,?2,?3,1,?4)"
        " ON CONFLICT (hash) DO UPDATE SET strikes = strikes + 1, why = ?3, stored_ms = ?4",
        "sssi", hash, name, why, now_ms);
}

bool store_quarantined(struct store *s, struct arena *a, str hash, int *strikes, str *why,
                       struct err *e)
{
    *strikes = 0;
    *why = S("");
    sqlite3_stmt *q =
        store_query(s, e, "SELECT strikes, why FROM quarantine WHERE hash = ?1", "s", hash);
    if (store_row(s, q, e)) {
        *strikes = sqlite3_column_int(q, 0);
        *why = column_str(a, q, 1);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

/* ---- what hangs on a node ---- */

bool store_children(struct store *s, struct arena *a, int64_t id, enum node_kind kind,
                    int64_t **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        kind == NODE_PASSAGE
            ? store_query(s, e, "SELECT id FROM passage WHERE document = ?1 ORDER BY id", "i", id)
            : store_query(s, e, "SELECT id FROM node WHERE session = ?1 AND kind = ?2 ORDER BY id",
                          "ii", id, (int64_t)kind);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = sqlite3_column_int64(q, 0);
    }
    return e->code == ERR_NONE;
}

/* Depth is bounded by the merges that are followed anywhere (entities.c). */
bool store_alone_entity(struct store *s, struct arena *a, int64_t id, int64_t **out, size_t *count,
                        struct err *e)
{
    enum { MAX_DEPTH = 16 };
    size_t capacity = 0;
    int64_t edges;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "WITH RECURSIVE merged (id, depth) AS (SELECT id, 0 FROM node WHERE id = ?1 AND kind = ?2"
        " AND state IN (?3, ?4) UNION SELECT entity.id, depth + 1 FROM merged JOIN entity ON"
        " entity.merged_into = merged.id WHERE depth < ?5)"
        " SELECT id FROM merged GROUP BY id ORDER BY max(depth) DESC, id",
        "iiiii", id, (int64_t)NODE_ENTITY, (int64_t)STATE_CURRENT, (int64_t)STATE_DISMISSED,
        (int64_t)MAX_DEPTH);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = sqlite3_column_int64(q, 0);
    }
    for (size_t i = 0; i < *count; i++) {
        if (!store_number(s, e, &edges, 0,
                          "SELECT EXISTS (SELECT 1 FROM edge WHERE src = ?1) OR EXISTS (SELECT 1"
                          " FROM edge WHERE dst = ?1)",
                          "i", (*out)[i]))
            return false;
        if (edges)
            *count = 0;
    }
    return e->code == ERR_NONE;
}
