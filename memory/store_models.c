#include "memory/store_models.h"

#include "memory/base/iso8601.h"
#include "memory/store_sql.h"

static bool changed_rows(struct store *s, size_t *out, struct err *e)
{
    int64_t rows;
    bool ok = store_number(s, e, &rows, 0, "SELECT changes()", "");
    *out = (size_t)rows;
    return ok;
}

/* ---- filling the queue ---- */

bool store_queue_put(struct store *s, enum model_purpose purpose, int64_t id, int64_t other,
                     struct err *e)
{
    return store_run(s, e, "INSERT OR IGNORE INTO queue (purpose, node, other) VALUES (?1, ?2, ?3)",
                     "iii", (int64_t)purpose, id, other);
}

bool store_queue_mark(struct store *s, enum model_purpose purpose, int64_t *id, struct err *e)
{
    return store_number(s, e, id, 0, "SELECT node FROM queue_mark WHERE purpose = ?1", "i",
                        (int64_t)purpose);
}

bool store_queue_set_mark(struct store *s, enum model_purpose purpose, int64_t id, struct err *e)
{
    return store_run(s, e, "INSERT OR REPLACE INTO queue_mark (purpose, node) VALUES (?1, ?2)",
                     "ii", (int64_t)purpose, id);
}

bool store_queue_has_new(struct store *s, enum model_purpose purpose, bool *out, struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0,
                           "SELECT max(coalesce((SELECT max(id) FROM memory), 0),"
                           " coalesce((SELECT max(id) FROM passage), 0)) >"
                           " coalesce((SELECT node FROM queue_mark WHERE purpose = ?1), 0)",
                           "i", (int64_t)purpose);
    *out = ok && any;
    return ok;
}

/* The next memories and passages behind ?1, at most ?2, up to the first passage that is still being
 * stored: its turn comes. */
#define NEXT_TEXTS                                                                                 \
    "SELECT id FROM (SELECT * FROM (SELECT id FROM memory WHERE id > ?1 ORDER BY id LIMIT ?2)"     \
    " UNION ALL SELECT * FROM (SELECT id FROM passage WHERE id > ?1 ORDER BY id LIMIT ?2))"        \
    " ORDER BY id LIMIT ?2"

bool store_queue_gather(struct store *s, enum model_purpose purpose, size_t most, size_t *passed,
                        struct err *e)
{
    int64_t mark, end, rows, unstored;
    *passed = 0;
    if (!store_queue_mark(s, purpose, &mark, e) ||
        !store_number(s, e, &end, 0, "SELECT max(id) FROM (" NEXT_TEXTS ")", "ii", mark,
                      (int64_t)most) ||
        !store_number(s, e, &rows, 0, "SELECT count(*) FROM (" NEXT_TEXTS ")", "ii", mark,
                      (int64_t)most) ||
        !store_number(s, e, &unstored, 0,
                      "SELECT min(id) FROM node WHERE id > ?1 AND id <= ?2 AND kind = 3"
                      " AND state = 5",
                      "ii", mark, end))
        return false;
    if (unstored)
        end = unstored - 1;
    if (end <= mark)
        return true;
    *passed = unstored ? 0 : (size_t)rows;
    return store_run(
               s, e,
               "INSERT OR IGNORE INTO queue (purpose, node, other) SELECT ?1, id, id FROM node"
               " WHERE id > ?2 AND id <= ?3 AND kind IN (0, 3) AND (flags & 4) = 0 AND NOT"
               " EXISTS (SELECT 1 FROM memory WHERE memory.id = node.id AND tier = 2)",
               "iii", (int64_t)purpose, mark, end) &&
           store_queue_set_mark(s, purpose, end, e);
}

bool store_consolidated_behind(struct store *s, enum model_purpose purpose, bool *out,
                               struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0,
                           "SELECT EXISTS (SELECT 1 FROM consolidated WHERE id >"
                           " coalesce((SELECT node FROM queue_mark WHERE purpose = ?1), 0))",
                           "i", (int64_t)purpose);
    *out = ok && any;
    return ok;
}

bool store_queue_gather_consolidated(struct store *s, enum model_purpose purpose, size_t most,
                                     size_t *passed, struct err *e)
{
    int64_t mark, end, rows;
    *passed = 0;
    if (!store_queue_mark(s, purpose, &mark, e) ||
        !store_number(s, e, &end, 0,
                      "SELECT max(id) FROM (SELECT id FROM consolidated WHERE id > ?1 ORDER BY id"
                      " LIMIT ?2)",
                      "ii", mark, (int64_t)most))
        return false;
    if (!end)
        return true;
    bool ok =
        store_run(s, e,
                  "INSERT OR IGNORE INTO queue (purpose, node, other) SELECT ?1, id, id FROM"
                  " consolidated WHERE id > ?2 AND id <= ?3 AND NOT EXISTS (SELECT 1 FROM"
                  " model_work WHERE node = consolidated.id AND purpose = ?1)",
                  "iii", (int64_t)purpose, mark, end) &&
        store_number(s, e, &rows, 0, "SELECT count(*) FROM consolidated WHERE id > ?1 AND id <= ?2",
                     "ii", mark, end) &&
        store_queue_set_mark(s, purpose, end, e);
    *passed = (size_t)rows;
    return ok;
}

bool store_memories_behind(struct store *s, struct arena *a, int64_t id, size_t most, int64_t **out,
                           size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT memory.id FROM memory JOIN node ON node.id = memory.id"
                                  " WHERE memory.id > ?1 AND tier <> 2 AND state = 0"
                                  " ORDER BY memory.id LIMIT ?2",
                                  "ii", id, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = sqlite3_column_int64(q, 0);
    }
    return e->code == ERR_NONE;
}

/* ---- working it off ---- */

#define DUE                                                                                        \
    " FROM queue WHERE purpose = ?1 AND is_dead = 0 AND next_try_ms <= ?2 AND until_ms <= ?2"

bool store_queue_is_due(struct store *s, enum model_purpose purpose, int64_t now_ms, bool *out,
                        struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0, "SELECT EXISTS (SELECT 1" DUE ")", "ii", (int64_t)purpose,
                           now_ms);
    *out = ok && any;
    return ok;
}

static struct queue_item read_item(sqlite3_stmt *q, enum model_purpose purpose)
{
    return (struct queue_item){.id = sqlite3_column_int64(q, 0),
                               .purpose = purpose,
                               .node = sqlite3_column_int64(q, 1),
                               .other = sqlite3_column_int64(q, 2),
                               .attempts = sqlite3_column_int(q, 3),
                               .faults = sqlite3_column_int(q, 4)};
}

/* One that failed by itself comes alone. */
static size_t until_faulty(const struct queue_item *items, size_t count)
{
    size_t n = 0;
    while (n < count && !items[n].faults)
        n++;
    return n || !count ? n : 1;
}

bool store_queue_peek(struct store *s, struct arena *a, enum model_purpose purpose, int64_t now_ms,
                      size_t most, struct queue_item **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e, "SELECT id, node, other, attempts, faults" DUE " ORDER BY id LIMIT ?3",
                    "iii", (int64_t)purpose, now_ms, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = read_item(q, purpose);
    }
    *count = until_faulty(*out, *count);
    return e->code == ERR_NONE;
}

bool store_queue_moves(struct store *s, enum model_purpose purpose, int64_t now_ms, bool *out,
                       struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0,
                           "SELECT CASE ?1 WHEN 0 THEN EXISTS (SELECT 1 FROM vector_pending WHERE"
                           " NOT EXISTS (SELECT 1 FROM queue WHERE purpose = 0 AND"
                           " queue.node = vector_pending.node AND next_try_ms > ?2))"
                           " ELSE EXISTS (SELECT 1 FROM queue WHERE purpose = ?1 AND is_dead = 0"
                           " AND next_try_ms <= ?2) END",
                           "ii", (int64_t)purpose, now_ms);
    *out = ok && any;
    return ok;
}

static bool take(struct store *s, const struct queue_item *item, int64_t owner, int64_t now_ms,
                 int64_t until_ms, bool *taken, struct err *e)
{
    size_t rows;
    bool ok = store_run(s, e,
                        "UPDATE queue SET owner = ?2, until_ms = ?4 WHERE id = ?1 AND is_dead = 0"
                        " AND until_ms <= ?3",
                        "iiii", item->id, owner, now_ms, until_ms) &&
              changed_rows(s, &rows, e);
    *taken = ok && rows == 1;
    return ok;
}

bool store_queue_claim(struct store *s, struct arena *a, enum model_purpose purpose, int64_t owner,
                       int64_t now_ms, int64_t until_ms, size_t most, struct queue_item **out,
                       size_t *count, struct err *e)
{
    size_t found;
    *count = 0;
    if (!store_queue_peek(s, a, purpose, now_ms, most, out, &found, e))
        return false;
    for (size_t i = 0; i < found && e->code == ERR_NONE; i++) {
        bool taken;
        if (!take(s, &(*out)[i], owner, now_ms, until_ms, &taken, e))
            return false;
        if (taken)
            (*out)[(*count)++] = (*out)[i];
    }
    return e->code == ERR_NONE;
}

bool store_queue_done(struct store *s, const struct queue_item *item, int64_t owner, bool *ours,
                      struct err *e)
{
    size_t rows;
    bool ok =
        store_run(s, e, "DELETE FROM queue WHERE id = ?1 AND owner = ?2", "ii", item->id, owner) &&
        changed_rows(s, &rows, e);
    *ours = ok && rows == 1;
    return ok;
}

bool store_queue_failed(struct store *s, const struct queue_item *item, int64_t owner,
                        const struct queue_failure *f, struct err *e)
{
    return store_run(s, e,
                     "UPDATE queue SET owner = 0, until_ms = 0, attempts = attempts + ?3,"
                     " faults = faults + ?4, is_dead = ?5, next_try_ms = ?6,"
                     " why = CASE WHEN ?7 = '' THEN why ELSE ?7 END WHERE id = ?1 AND owner = ?2",
                     "iiiiiis", item->id, owner, (int64_t)(f->why.len > 0), (int64_t)f->is_fault,
                     (int64_t)f->is_dead, f->next_try_ms, f->why);
}

bool store_queue_embed_failed(struct store *s, int64_t id, const struct queue_failure *f,
                              struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO queue (purpose, node, other, attempts, faults, is_dead,"
                     " next_try_ms, why) SELECT 0, id, id, 1, ?2, ?3, ?4, ?5 FROM node"
                     " WHERE id = ?1 ON CONFLICT DO UPDATE SET attempts = attempts + 1,"
                     " faults = faults + ?2, is_dead = ?3, next_try_ms = ?4, why = ?5",
                     "iiiis", id, (int64_t)f->is_fault, (int64_t)f->is_dead, f->next_try_ms,
                     f->why) &&
           (!f->is_dead || store_run(s, e, "DELETE FROM vector_pending WHERE node = ?1", "i", id));
}

bool store_queue_free_leases(struct store *s, struct err *e)
{
    return store_run(
        s, e, "UPDATE queue SET owner = 0, until_ms = 0 WHERE until_ms > 0 AND owner > 0", "");
}

bool store_queue_retry(struct store *s, size_t *count, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR IGNORE INTO vector_pending SELECT node FROM queue"
                     " WHERE purpose = 0 AND is_dead = 1",
                     "") &&
           store_run(s, e,
                     "UPDATE queue SET is_dead = 0, next_try_ms = 0, attempts = 0, faults = 0"
                     " WHERE is_dead = 1 OR next_try_ms > 0",
                     "") &&
           changed_rows(s, count, e) &&
           store_run(s, e, "UPDATE endpoint SET failures = 0, closed_ms = 0", "");
}

bool store_queue_drop(struct store *s, size_t *count, struct err *e)
{
    return store_run(s, e, "DELETE FROM queue WHERE is_dead = 1", "") && changed_rows(s, count, e);
}

bool store_queue_count(struct store *s, struct arena *a, enum model_purpose purpose,
                       struct queue_counts *out, struct err *e)
{
    int64_t pending, dead;
    *out = (struct queue_counts){.why = S("")};
    if (!store_number(s, e, &pending, 0,
                      "SELECT CASE ?1 WHEN 0 THEN (SELECT count(*) FROM vector_pending) ELSE"
                      " (SELECT count(*) FROM queue WHERE purpose = ?1 AND is_dead = 0) END",
                      "i", (int64_t)purpose) ||
        !store_number(s, e, &dead, 0,
                      "SELECT count(*) FROM queue WHERE purpose = ?1 AND is_dead = 1", "i",
                      (int64_t)purpose))
        return false;
    out->pending = (size_t)pending;
    out->dead = (size_t)dead;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT why FROM queue WHERE purpose = ?1 AND why <> ''"
                                  " ORDER BY is_dead DESC, id DESC LIMIT 1",
                                  "i", (int64_t)purpose);
    if (store_row(s, q, e)) {
        out->why = column_str(a, q, 0);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_last_change(struct store *s, int64_t *out, struct err *e)
{
    return store_number(s, e, out, 0, "SELECT max(seq) FROM change", "");
}

bool store_savepoint(struct store *s, struct err *e)
{
    return store_execute(s, s->writer.db, "SAVEPOINT part", e);
}

bool store_savepoint_end(struct store *s, bool ok, struct err *e)
{
    return store_execute(s, s->writer.db, ok ? "RELEASE part" : "ROLLBACK TO part; RELEASE part",
                         e);
}

/* ---- endpoints ---- */

bool store_get_endpoint(struct store *s, struct arena *a, str name, struct endpoint_row *out,
                        struct err *e)
{
    *out = (struct endpoint_row){.name = name, .why = S("")};
    sqlite3_stmt *q = store_query(
        s, e, "SELECT failures, closed_ms, why FROM endpoint WHERE host = ?1", "s", name);
    if (store_row(s, q, e)) {
        out->failures = sqlite3_column_int(q, 0);
        out->closed_ms = sqlite3_column_int64(q, 1);
        out->why = column_str(a, q, 2);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_put_endpoint(struct store *s, const struct endpoint_row *row, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO endpoint (host, failures, closed_ms, why)"
                     " VALUES (?1, ?2, ?3, ?4)",
                     "siis", row->name, (int64_t)row->failures, row->closed_ms, row->why);
}

/* ---- what was sent ---- */

static int64_t day_of(int64_t ms)
{
    return ms / DAY_MS;
}

bool store_add_model_use(struct store *s, int64_t now_ms, int purpose, str host,
                         const struct model_use *use, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO model_usage (day, purpose, host, calls, tokens_in, tokens_out,"
                     " bytes_out) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET"
                     " calls = calls + excluded.calls, tokens_in = tokens_in + excluded.tokens_in,"
                     " tokens_out = tokens_out + excluded.tokens_out,"
                     " bytes_out = bytes_out + excluded.bytes_out",
                     "iisiiii", day_of(now_ms), (int64_t)purpose, host, use->calls, use->tokens_in,
                     use->tokens_out, use->bytes_out);
}

bool store_tokens_of_day(struct store *s, int64_t now_ms, int64_t *out, struct err *e)
{
    return store_number(s, e, out, 0,
                        "SELECT sum(tokens_in + tokens_out) FROM model_usage"
                        " WHERE day = ?1 AND purpose < ?2",
                        "ii", day_of(now_ms), (int64_t)QUEUE_PURPOSES);
}

bool store_calls_of_day(struct store *s, int64_t now_ms, str host, int64_t *out, struct err *e)
{
    return store_number(s, e, out, 0,
                        "SELECT sum(calls) FROM model_usage WHERE day = ?1 AND host = ?2", "is",
                        day_of(now_ms), host);
}

/* From ?1, the day: sums of all, then of that day. */
#define SUMS                                                                                       \
    "coalesce(sum(calls), 0), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),"          \
    " coalesce(sum(bytes_out), 0), coalesce(sum(calls) FILTER (WHERE day = ?1), 0),"               \
    " coalesce(sum(tokens_in) FILTER (WHERE day = ?1), 0),"                                        \
    " coalesce(sum(tokens_out) FILTER (WHERE day = ?1), 0),"                                       \
    " coalesce(sum(bytes_out) FILTER (WHERE day = ?1), 0)"

static struct model_use read_use(sqlite3_stmt *q, int from)
{
    return (struct model_use){
        .calls = sqlite3_column_int64(q, from),
        .tokens_in = sqlite3_column_int64(q, from + 1),
        .tokens_out = sqlite3_column_int64(q, from + 2),
        .bytes_out = sqlite3_column_int64(q, from + 3),
    };
}

static struct use_row read_uses(sqlite3_stmt *q)
{
    return (struct use_row){.host = S(""), .all = read_use(q, 0), .today = read_use(q, 4)};
}

bool store_uses_by_host(struct store *s, struct arena *a, int64_t now_ms, struct use_row **out,
                        size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e, "SELECT " SUMS ", host FROM model_usage GROUP BY host ORDER BY host", "i",
                    day_of(now_ms));
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[*count] = read_uses(q);
        (*out)[(*count)++].host = column_str(a, q, 8);
    }
    return e->code == ERR_NONE;
}

bool store_use_of_purpose(struct store *s, int64_t now_ms, int purpose, struct use_row *out,
                          struct err *e)
{
    *out = (struct use_row){.host = S("")};
    sqlite3_stmt *q = store_query(s, e, "SELECT " SUMS " FROM model_usage WHERE purpose = ?2", "ii",
                                  day_of(now_ms), (int64_t)purpose);
    if (store_row(s, q, e)) {
        *out = read_uses(q);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

/* ---- what was answered ---- */

bool store_find_answer(struct store *s, struct arena *a, str hash, str *out, struct err *e)
{
    *out = S("");
    sqlite3_stmt *q =
        store_query(s, e, "SELECT answer FROM model_answer WHERE hash = ?1", "s", hash);
    if (store_row(s, q, e)) {
        *out = column_str(a, q, 0);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_put_answer(struct store *s, str hash, const int64_t *nodes, size_t count, int64_t now_ms,
                      str answer, struct err *e)
{
    bool ok = store_run(s, e,
                        "INSERT INTO model_answer (hash, node, at_ms, answer)"
                        " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO UPDATE SET"
                        " at_ms = ?3, answer = ?4", /* one that can't be read is asked for anew */
                        "siis", hash, nodes[0], now_ms, answer);
    for (size_t i = 1; ok && i < count; i++)
        ok = store_run(s, e, "INSERT OR IGNORE INTO model_answer_part (node, hash) VALUES (?1, ?2)",
                       "is", nodes[i], hash);
    return ok && store_run(s, e,
                           "DELETE FROM model_answer WHERE hash IN (SELECT hash FROM model_answer"
                           " ORDER BY at_ms DESC, hash LIMIT 16 OFFSET ?1)",
                           "i", (int64_t)MAX_CACHED_ANSWERS);
}

bool store_put_work(struct store *s, const struct work_row *row, int64_t *id, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO model_work (purpose, node, model, prompt, at_ms, kept, dropped)"
                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                     "iissiii", (int64_t)row->purpose, row->node, row->model, row->prompt,
                     row->at_ms, (int64_t)row->kept, (int64_t)row->dropped) &&
           store_number(s, e, id, 0, "SELECT last_insert_rowid()", "");
}

bool store_count_work(struct store *s, int64_t work, size_t kept, size_t dropped, struct err *e)
{
    return store_run(s, e, "UPDATE model_work SET kept = ?2, dropped = ?3 WHERE id = ?1", "iii",
                     work, (int64_t)kept, (int64_t)dropped);
}

bool store_put_model_edge(struct store *s, int64_t edge, int64_t work, struct err *e)
{
    return store_run(s, e, "INSERT OR IGNORE INTO model_edge (edge, work) VALUES (?1, ?2)", "ii",
                     edge, work);
}

bool store_is_model_edge(struct store *s, int64_t edge, bool *out, struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0, "SELECT 1 FROM model_edge WHERE edge = ?1", "i", edge);
    *out = any != 0;
    return ok;
}
