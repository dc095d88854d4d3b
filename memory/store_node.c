/* Rows of nodes, bodies, memories, edges: one function a statement, put in the order of
 * memory/store.h. */
#include "memory/store_sql.h"
#include "memory/store_vector.h"

#include "memory/text.h"

#include <assert.h>

/* ---- changes ---- */

bool store_changed_node(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e, "INSERT INTO change (node) VALUES (?1)", "i", id);
}

bool store_changed_edge(struct store *s, int64_t src, int64_t dst, struct err *e)
{
    return store_run(s, e, "INSERT INTO change (src, dst) VALUES (?1, ?2)", "ii", src, dst);
}

/* ---- nodes ---- */

bool store_put_node(struct store *s, const struct node_row *r, int64_t *id, struct err *e)
{
    if (!store_run(
            s, e,
            "INSERT INTO node (kind, state, key, name, origin, trust, at_ms, stored_ms, session,"
            " branch, head, flags, words, uses, used_ms)"
            " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)",
            "iizsidii0ssiiii", (int64_t)r->kind, (int64_t)r->state, r->key, r->name,
            (int64_t)r->origin, (double)r->trust, r->at_ms, r->stored_ms, r->session, r->branch,
            r->head, (int64_t)r->flags, (int64_t)r->words, (int64_t)r->uses, r->used_ms))
        return false;
    *id = sqlite3_last_insert_rowid(s->writer.db);
    return true;
}

bool store_get_node(struct store *s, struct arena *a, int64_t id, struct node_row *out, bool *found,
                    struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT kind, state, coalesce(key, ''), name, origin, trust, at_ms, stored_ms,"
        " coalesce(session, 0), branch, head, flags, words, uses, used_ms FROM node WHERE id = ?1",
        "i", id);
    *found = store_row(s, q, e);
    if (!*found)
        return e->code == ERR_NONE;
    *out = (struct node_row){.id = id,
                             .kind = (enum node_kind)sqlite3_column_int(q, 0),
                             .state = (enum node_state)sqlite3_column_int(q, 1),
                             .key = column_str(a, q, 2),
                             .name = column_str(a, q, 3),
                             .origin = (enum origin)sqlite3_column_int(q, 4),
                             .trust = (float)sqlite3_column_double(q, 5),
                             .at_ms = sqlite3_column_int64(q, 6),
                             .stored_ms = sqlite3_column_int64(q, 7),
                             .session = sqlite3_column_int64(q, 8),
                             .branch = column_str(a, q, 9),
                             .head = column_str(a, q, 10),
                             .flags = sqlite3_column_int(q, 11),
                             .words = sqlite3_column_int(q, 12),
                             .uses = sqlite3_column_int(q, 13),
                             .used_ms = sqlite3_column_int64(q, 14)};
    sqlite3_reset(q);
    if ((unsigned)out->kind >= NODE_KIND_COUNT || (unsigned)out->origin >= ORIGIN_COUNT)
        return fail(e, ERR_DB, "row %lld of %s has an unknown kind", (long long)id, s->path);
    return true;
}

bool store_find_key(struct store *s, enum node_kind kind, str key, int64_t *id, struct err *e)
{
    return store_number(s, e, id, 0, "SELECT id FROM node WHERE kind = ?1 AND key = ?2", "is",
                        (int64_t)kind, key);
}

bool store_set_state(struct store *s, int64_t id, enum node_state state, str key, struct err *e)
{
    return store_run(s, e, "UPDATE node SET state = ?2, key = ?3 WHERE id = ?1", "iiz", id,
                     (int64_t)state, key) &&
           store_changed_node(s, id, e);
}

bool store_set_name(struct store *s, int64_t id, str name, struct err *e)
{
    return store_run(s, e, "UPDATE node SET name = ?2 WHERE id = ?1", "is", id, name);
}

bool store_set_key(struct store *s, int64_t id, str key, struct err *e)
{
    return store_run(s, e, "UPDATE node SET key = ?2 WHERE id = ?1", "iz", id, key);
}

bool store_set_flags(struct store *s, int64_t id, int flags, struct err *e)
{
    return store_run(s, e, "UPDATE node SET flags = ?2 WHERE id = ?1", "ii", id, (int64_t)flags) &&
           store_changed_node(s, id, e);
}

bool store_add_uses(struct store *s, int64_t id, int uses, int64_t used_ms, struct err *e)
{
    return store_run(s, e,
                     "UPDATE node SET uses = uses + ?2, used_ms = max(used_ms, ?3) WHERE id = ?1",
                     "iii", id, (int64_t)uses, used_ms) &&
           store_changed_node(s, id, e);
}

/* ---- bodies ---- */

static bool unindex_body(struct store *s, int64_t id, struct err *e)
{
    return store_run(
               s, e,
               "INSERT INTO fts (fts, rowid, name, text) SELECT 'delete', id, name, text FROM body"
               " WHERE id = ?1",
               "i", id) &&
           store_run(s, e, "DELETE FROM body WHERE id = ?1", "i", id);
}

bool store_put_body(struct store *s, int64_t id, str name, str text, struct err *e)
{
    int64_t had;
    if (!store_number(s, e, &had, 0, "SELECT count(*) FROM body WHERE id = ?1", "i", id) ||
        (had && (!store_drop_outdated_vectors(s, id, text, e) || !unindex_body(s, id, e) ||
                 !store_run(s, e, "INSERT INTO change (node, body) VALUES (?1, 1)", "i", id))))
        return false;
    return store_run(s, e, "INSERT INTO body (id, name, text) VALUES (?1, ?2, ?3)", "iss", id, name,
                     text) &&
           store_run(s, e, "INSERT INTO fts (rowid, name, text) VALUES (?1, ?2, ?3)", "iss", id,
                     name, text) &&
           store_run(s, e, "UPDATE node SET words = ?2 WHERE id = ?1", "ii", id,
                     s->writer.indexed.of_last) &&
           store_add_pending(s, id, e);
}

bool store_put_first_body(struct store *s, int64_t id, const struct node_row *row,
                          const struct index_text of[2], struct err *e)
{
    bool is_encoded = row->kind == NODE_MEMORY || row->kind == NODE_PASSAGE;
    assert(row->words == (int)of[1].words);
    if (!store_run(s, e, "INSERT INTO body (id, name, text) VALUES (?1, ?2, ?3)", "iss", id,
                   of[0].text, of[1].text))
        return false;
    s->writer.indexed.ready = of;
    s->writer.indexed.ready_count = 2;
    bool ok = store_run(s, e, "INSERT INTO fts (rowid, name, text) VALUES (?1, ?2, ?3)", "iss", id,
                        of[0].text, of[1].text);
    s->writer.indexed.ready_count = 0;
    return ok && (!is_encoded ||
                  store_run(s, e, "INSERT OR IGNORE INTO vector_pending VALUES (?1)", "i", id));
}

bool store_get_body(struct store *s, struct arena *a, int64_t id, str *name, str *text,
                    struct err *e)
{
    sqlite3_stmt *q = store_query(s, e, "SELECT name, text FROM body WHERE id = ?1", "i", id);
    *name = *text = S("");
    if (store_row(s, q, e)) {
        *name = column_str(a, q, 0);
        *text = column_str(a, q, 1);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_delete_node(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO change (src, dst) SELECT src, dst FROM edge WHERE said_by = ?1",
                     "i", id) &&
           store_drop_context_of_next(s, id, e) && unindex_body(s, id, e) &&
           store_run(s, e,
                     "DELETE FROM model_answer WHERE hash IN"
                     " (SELECT hash FROM model_answer_part WHERE node = ?1)",
                     "i", id) &&
           store_run(s, e, "DELETE FROM node WHERE id = ?1", "i", id) &&
           store_changed_node(s, id, e);
}

/* ---- memories ---- */

bool store_put_memory(struct store *s, const struct memory_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO memory (id, kind, tier, speaker, topic, topic_key, retry,"
                     " superseded_by) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                     "iii0sss0", r->id, (int64_t)r->kind, (int64_t)r->tier, r->speaker, r->topic,
                     r->topic_key, r->retry, r->superseded_by);
}

bool store_get_memory(struct store *s, struct arena *a, int64_t id, struct memory_row *out,
                      bool *found, struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT kind, tier, coalesce(speaker, 0), topic, topic_key, retry,"
                    " coalesce(superseded_by, 0) FROM memory WHERE id = ?1",
                    "i", id);
    *found = store_row(s, q, e);
    if (!*found)
        return e->code == ERR_NONE;
    *out = (struct memory_row){.id = id,
                               .kind = (enum memory_kind)sqlite3_column_int(q, 0),
                               .tier = (enum tier)sqlite3_column_int(q, 1),
                               .speaker = sqlite3_column_int64(q, 2),
                               .topic = column_str(a, q, 3),
                               .topic_key = column_str(a, q, 4),
                               .retry = column_str(a, q, 5),
                               .superseded_by = sqlite3_column_int64(q, 6)};
    sqlite3_reset(q);
    if ((unsigned)out->kind >= MEMORY_KIND_COUNT)
        return fail(e, ERR_DB, "memory m%lld of %s has an unknown kind", (long long)id, s->path);
    return true;
}

bool store_set_memory_kind(struct store *s, int64_t id, enum memory_kind kind, struct err *e)
{
    return store_run(s, e, "UPDATE memory SET kind = ?2 WHERE id = ?1", "ii", id, (int64_t)kind) &&
           store_changed_node(s, id, e);
}

bool store_set_topic(struct store *s, int64_t id, str topic, str topic_key, struct err *e)
{
    return store_run(s, e, "UPDATE memory SET topic = ?2, topic_key = ?3 WHERE id = ?1", "iss", id,
                     topic, topic_key);
}

/* node.key is the retry hash while the memory is current, so that the same text again is told as a
 * repeat only then. */
bool store_set_superseded(struct store *s, int64_t id, int64_t by, struct err *e)
{
    return store_run(s, e, "UPDATE memory SET superseded_by = ?2 WHERE id = ?1", "i0", id, by) &&
           store_run(s, e,
                     "UPDATE node SET state = ?2, key = CASE WHEN ?2 = 0 THEN"
                     " (SELECT retry FROM memory WHERE memory.id = node.id) END WHERE id = ?1",
                     "ii", id, (int64_t)(by ? STATE_SUPERSEDED : STATE_CURRENT)) &&
           store_changed_node(s, id, e);
}

bool store_last_of_session(struct store *s, int64_t session, int64_t before, int64_t *id,
                           int64_t *stored_ms, struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT id, stored_ms FROM node WHERE session = ?1 AND id < ?2 AND"
                    " kind = ?3 ORDER BY id DESC LIMIT 1",
                    "iii", session, before, (int64_t)NODE_MEMORY);
    *id = *stored_ms = 0;
    if (store_row(s, q, e)) {
        *id = sqlite3_column_int64(q, 0);
        *stored_ms = sqlite3_column_int64(q, 1);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_topic(struct store *s, struct arena *a, str topic_key, struct topic_row **out,
                 size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT node.id, at_ms FROM memory JOIN node ON node.id = memory.id"
                    " WHERE topic_key = ?1 AND topic_key <> '' AND state = 0"
                    " ORDER BY at_ms DESC, node.id DESC",
                    "s", topic_key);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct topic_row){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1)};
    }
    return e->code == ERR_NONE;
}

bool store_find_outdated(struct store *s, str retry, str topic_key, int64_t at_ms, int64_t *id,
                         struct err *e)
{
    return store_number(s, e, id, 0,
                        "SELECT memory.id FROM memory JOIN node ON node.id = memory.id"
                        " WHERE retry = ?1 AND topic_key = ?2 AND state = 1 AND EXISTS (SELECT 1 "
                        "FROM memory AS other"
                        " JOIN node AS current ON current.id = other.id WHERE other.topic_key = ?2 "
                        "AND current.state = 0"
                        " AND current.at_ms > ?3) ORDER BY memory.id DESC LIMIT 1",
                        "ssi", retry, topic_key, at_ms);
}

bool store_put_anchor(struct store *s, const struct anchor_row *r, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO anchor (memory, path, line, symbol, hash)"
                     " VALUES (?1,?2,?3,?4,?5)",
                     "isiss", r->memory, r->path, (int64_t)r->line, r->symbol, r->hash);
}

static bool read_anchors(struct store *s, struct arena *a, sqlite3_stmt *q, struct anchor_row **out,
                         size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct anchor_row){.memory = sqlite3_column_int64(q, 0),
                                                 .path = column_str(a, q, 1),
                                                 .line = (uint32_t)sqlite3_column_int64(q, 2),
                                                 .symbol = column_str(a, q, 3),
                                                 .hash = column_str(a, q, 4)};
    }
    return e->code == ERR_NONE;
}

bool store_anchors_of_memory(struct store *s, struct arena *a, int64_t memory,
                             struct anchor_row **out, size_t *count, struct err *e)
{
    return read_anchors(
        s, a,
        store_query(s, e,
                    "SELECT memory, path, line, symbol, hash FROM anchor WHERE memory = ?1"
                    " ORDER BY path, line, symbol",
                    "i", memory),
        out, count, e);
}

bool store_anchors_of_path(struct store *s, struct arena *a, str path, struct anchor_row **out,
                           size_t *count, struct err *e)
{
    return read_anchors(
        s, a,
        store_query(s, e,
                    "SELECT memory, path, line, symbol, hash FROM anchor WHERE path = ?1"
                    " ORDER BY memory DESC, line, symbol LIMIT 200",
                    "s", path),
        out, count, e);
}

/* ---- edges ---- */

bool store_put_edge(struct store *s, const struct edge_full *g, int64_t *id, struct err *e)
{
    if (!store_run(s, e,
                   "INSERT OR IGNORE INTO edge (src, dst, kind, label, said_by, weight, at_ms)"
                   " VALUES (?1,?2,?3,?4,?5,?6,?7)",
                   "iiis0di", g->src, g->dst, (int64_t)g->kind, g->label, g->said_by,
                   (double)g->weight, g->at_ms))
        return false;
    *id = sqlite3_changes(s->writer.db) ? sqlite3_last_insert_rowid(s->writer.db) : 0;
    return true;
}

enum { EDGES_AT_ONCE = 64 };
#define EDGE_ROWS_4                                                                                \
    "(?1, ?, ?, ?, '', 1), (?1, ?, ?, ?, '', 1), (?1, ?, ?, ?, '', 1), (?1, ?, ?, ?, '', 1)"
#define EDGE_ROWS_16 EDGE_ROWS_4 ", " EDGE_ROWS_4 ", " EDGE_ROWS_4 ", " EDGE_ROWS_4
#define EDGE_ROWS_64 EDGE_ROWS_16 ", " EDGE_ROWS_16 ", " EDGE_ROWS_16 ", " EDGE_ROWS_16

/* A statement a row would open all indexes and number the row by itself. */
static bool put_edges_at_once(struct store *s, const struct edge_ends *edges, int64_t at_ms,
                              struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "INSERT OR IGNORE INTO edge (at_ms, src, dst, kind, label, weight) VALUES " EDGE_ROWS_64,
        "i", at_ms);
    for (int i = 0, at = 2; q && i < EDGES_AT_ONCE; i++) {
        sqlite3_bind_int64(q, at++, edges[i].src);
        sqlite3_bind_int64(q, at++, edges[i].dst);
        sqlite3_bind_int64(q, at++, edges[i].kind);
    }
    while (store_row(s, q, e))
        continue;
    return e->code == ERR_NONE;
}

bool store_put_edges(struct store *s, const struct edge_ends *edges, size_t count, int64_t at_ms,
                     struct err *e)
{
    size_t i = 0;
    for (; i + EDGES_AT_ONCE <= count; i += EDGES_AT_ONCE)
        if (!put_edges_at_once(s, &edges[i], at_ms, e))
            return false;
    for (; i < count; i++) {
        int64_t ignored;
        struct edge_full edge = {.src = edges[i].src,
                                 .dst = edges[i].dst,
                                 .kind = edges[i].kind,
                                 .label = S(""),
                                 .weight = 1,
                                 .at_ms = at_ms};
        if (!store_put_edge(s, &edge, &ignored, e))
            return false;
    }
    return true;
}

bool store_delete_edge(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e, "INSERT INTO change (src, dst) SELECT src, dst FROM edge WHERE id = ?1",
                     "i", id) &&
           store_run(s, e, "DELETE FROM edge WHERE id = ?1", "i", id);
}

#define EDGE_COLUMNS "id, src, dst, kind, label, coalesce(said_by, 0), weight, at_ms"

static struct edge_full read_edge(struct arena *a, sqlite3_stmt *q)
{
    return (struct edge_full){.id = sqlite3_column_int64(q, 0),
                              .src = sqlite3_column_int64(q, 1),
                              .dst = sqlite3_column_int64(q, 2),
                              .kind = (enum edge_kind)sqlite3_column_int(q, 3),
                              .label = column_str(a, q, 4),
                              .said_by = sqlite3_column_int64(q, 5),
                              .weight = (float)sqlite3_column_double(q, 6),
                              .at_ms = sqlite3_column_int64(q, 7)};
}

/* Each half comes newest first from its index, and no row is read that isn't given: a hub has more
 * edges than anyone asks for. */
bool store_edges(struct store *s, struct arena *a, int64_t id, enum edge_kind kind, size_t most,
                 struct edge_full **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    sqlite3_stmt *from = store_query(s, e,
                                     "SELECT " EDGE_COLUMNS " FROM edge INDEXED BY edge_src"
                                     " WHERE src = ?1 AND kind = ?2 ORDER BY id DESC",
                                     "ii", id, (int64_t)kind),
                 *to = store_query(s, e,
                                   "SELECT " EDGE_COLUMNS " FROM edge INDEXED BY edge_dst"
                                   " WHERE dst = ?1 AND kind = ?2 ORDER BY id DESC",
                                   "ii", id, (int64_t)kind);
    bool more_from = store_row(s, from, e), more_to = store_row(s, to, e);
    *out = NULL;
    for (*count = 0; *count < most && (more_from || more_to);) {
        bool first =
            !more_to || (more_from && sqlite3_column_int64(from, 0) >= sqlite3_column_int64(to, 0));
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = read_edge(a, first ? from : to);
        if (first)
            more_from = store_row(s, from, e);
        else
            more_to = store_row(s, to, e);
    }
    sqlite3_reset(from);
    sqlite3_reset(to);
    return e->code == ERR_NONE;
}

bool store_edges_said_by(struct store *s, struct arena *a, int64_t said_by, struct edge_full **out,
                         size_t *count, struct err *e)
{
    size_t capacity = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT " EDGE_COLUMNS " FROM edge WHERE said_by = ?1 ORDER BY id", "i", said_by);
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = read_edge(a, q);
    }
    return e->code == ERR_NONE;
}

bool store_move_edge_end(struct store *s, int64_t edge, bool dst, int64_t to, struct err *e)
{
    /* The row's number stays, so the snapshot is told by the pairs before and behind. */
    return store_run(s, e, "INSERT INTO change (src, dst) SELECT src, dst FROM edge WHERE id = ?1",
                     "i", edge) &&
           (dst ? store_run(s, e, "UPDATE OR IGNORE edge SET dst = ?2 WHERE id = ?1", "ii", edge,
                            to)
                : store_run(s, e, "UPDATE OR IGNORE edge SET src = ?2 WHERE id = ?1", "ii", edge,
                            to)) &&
           store_run(s, e, "INSERT INTO change (src, dst) SELECT src, dst FROM edge WHERE id = ?1",
                     "i", edge);
}

bool store_move_edges(struct store *s, struct arena *a, int64_t from, int64_t to,
                      struct moved_edge **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT id, 0 FROM edge WHERE src = ?1 UNION ALL"
                                  " SELECT id, 1 FROM edge WHERE dst = ?1 ORDER BY 1, 2",
                                  "i", from);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct moved_edge){sqlite3_column_int64(q, 0), sqlite3_column_int(q, 1)};
    }
    for (size_t i = 0; i < *count && e->code == ERR_NONE; i++)
        store_move_edge_end(s, (*out)[i].edge, (*out)[i].dst, to, e);
    return e->code == ERR_NONE;
}
