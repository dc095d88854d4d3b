#include "memory/store_vector.h"

#include "memory/base/unicode.h"
#include "memory/store_sql.h"
#include "memory/store_tokens.h"

enum { MAX_PENDING_BYTES = 1 << 20 };

/* ---- what is to be encoded ---- */

/* The tail of the memory before, by NEXT: what "it" and "yes" in a turn speak of. A passage has its
 * heading instead. */
#define PENDING_COLUMNS                                                                            \
    "SELECT vector_pending.node, node.kind, coalesce(body.name, ''), coalesce(body.text, ''),"     \
    " coalesce((SELECT substr(before.text, -160) FROM edge JOIN body AS before"                    \
    " ON before.id = edge.src WHERE edge.dst = node.id AND edge.kind = 1 AND node.kind = 0"        \
    " ORDER BY edge.id DESC LIMIT 1), ''),"                                                        \
    " coalesce((SELECT faults FROM queue WHERE purpose = 0 AND queue.node = node.id), 0)"          \
    " FROM vector_pending JOIN node ON node.id = vector_pending.node"                              \
    " LEFT JOIN body ON body.id = node.id"
enum { CONTEXT_BYTES = 160 };

static str tail(str text)
{
    size_t from = utf8_ahead(text, text.len > CONTEXT_BYTES ? text.len - CONTEXT_BYTES : 0);
    return str_cut(text, from, text.len);
}

static struct pending_text read_text(struct arena *a, sqlite3_stmt *q)
{
    struct pending_text t = {.id = sqlite3_column_int64(q, 0),
                             .kind = (enum node_kind)sqlite3_column_int(q, 1),
                             .text = column_str(a, q, 3),
                             .before = tail(column_str(a, q, 4)),
                             .faults = sqlite3_column_int(q, 5)};
    if (t.kind == NODE_PASSAGE)
        t.heading = column_str(a, q, 2);
    return t;
}

bool store_pending_texts(struct store *s, struct arena *a, size_t most, int64_t now_ms,
                         struct pending_text **out, size_t *count, struct err *e)
{
    size_t capacity = 0, bytes = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    PENDING_COLUMNS " WHERE NOT EXISTS (SELECT 1 FROM queue WHERE purpose = 0 AND"
                                    " queue.node = vector_pending.node AND next_try_ms > ?2)"
                                    " ORDER BY vector_pending.node LIMIT ?1",
                    "ii", (int64_t)most, now_ms);
    while (bytes < MAX_PENDING_BYTES && store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[*count] = read_text(a, q);
        bytes += (*out)[(*count)++].text.len;
    }
    sqlite3_reset(q);
    return e->code == ERR_NONE;
}

bool store_nothing_pending(struct store *s, bool *out, struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0, "SELECT EXISTS (SELECT 1 FROM vector_pending)", "");
    *out = ok && !any;
    return ok;
}

/* In two statements, of which the second writes one row: one that may write several opens a
 * savepoint, at which the full-text index stores all that it has gathered in the transaction. */
bool store_add_pending(struct store *s, int64_t id, struct err *e)
{
    int64_t wanted;
    if (!store_number(s, e, &wanted, 0,
                      "SELECT 1 FROM node WHERE id = ?1 AND kind IN (0, 3) AND NOT EXISTS"
                      " (SELECT 1 FROM vector WHERE node = ?1)",
                      "i", id))
        return false;
    return !wanted || store_run(s, e, "INSERT OR IGNORE INTO vector_pending VALUES (?1)", "i", id);
}

bool store_add_all_pending(struct store *s, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR IGNORE INTO vector_pending SELECT body.id FROM body JOIN node"
                     " ON node.id = body.id WHERE kind IN (0, 3) AND body.id NOT IN"
                     " (SELECT node FROM vector)",
                     "");
}

bool store_drop_outdated_vectors(struct store *s, int64_t id, str text, struct err *e)
{
    static const char changed[] =
        "SELECT NOT EXISTS (SELECT 1 FROM body WHERE id = ?1 AND text = ?2)";
    int64_t is_new;
    return store_number(s, e, &is_new, 0, changed, "is", id, text) &&
           (!is_new || (store_run(s, e, "DELETE FROM vector WHERE node = ?1", "i", id) &&
                        store_drop_tokens(s, id, e)));
}

/* Nodes whose vector in context was made with the text of ?1. */
#define NEXT_IN_CONTEXT                                                                            \
    "SELECT vector.node FROM edge JOIN vector ON vector.node = edge.dst AND part = -1"             \
    " WHERE edge.src = ?1 AND edge.kind = 1"

bool store_drop_context_of_next(struct store *s, int64_t id, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO change (node, body) SELECT node, 1 FROM (" NEXT_IN_CONTEXT ")",
                     "i", id) &&
           store_run(s, e, "INSERT OR IGNORE INTO vector_pending " NEXT_IN_CONTEXT, "i", id) &&
           store_run(s, e, "DELETE FROM vector WHERE node IN (" NEXT_IN_CONTEXT ")", "i", id);
}

/* ---- models ---- */

bool store_put_vector_model(struct store *s, str name, size_t dimensions, int64_t *model,
                            struct err *e)
{
    int64_t known, stored;
    /* The first one is whole at once: everything is pending as long as nothing is encoded. */
    if (!store_run(s, e,
                   "INSERT OR IGNORE INTO vector_model (name, dimensions, state) SELECT ?1, ?2,"
                   " CASE WHEN EXISTS (SELECT 1 FROM vector_model) THEN 0 ELSE 2 END",
                   "si", name, (int64_t)dimensions) ||
        !store_number(s, e, model, 0, "SELECT id FROM vector_model WHERE name = ?1", "s", name) ||
        !store_number(s, e, &known, 0, "SELECT dimensions FROM vector_model WHERE id = ?1", "i",
                      *model))
        return false;
    if (!dimensions || known == (int64_t)dimensions)
        return true;
    if (!store_number(s, e, &stored, 0, "SELECT EXISTS (SELECT 1 FROM vector WHERE model = ?1)",
                      "i", *model))
        return false;
    /* A number that nothing is stored with binds nobody: it may be of an answer that was wrong. */
    if (!stored)
        return store_run(s, e, "UPDATE vector_model SET dimensions = ?2 WHERE id = ?1", "ii",
                         *model, (int64_t)dimensions);
    return fail(e, ERR_CONFLICT, "the vectors of model %.*s have %lld dimensions, not %zu",
                FMT(name), (long long)known, dimensions);
}

bool store_set_vector_state(struct store *s, int64_t model, enum vector_state state, struct err *e)
{
    return store_run(s, e, "UPDATE vector_model SET state = ?2 WHERE id = ?1", "ii", model,
                     (int64_t)state);
}

bool store_outdate_models(struct store *s, int64_t but, bool whole_too, struct err *e)
{
    return store_run(s, e,
                     "UPDATE vector_model SET state = 3 WHERE id <> ?1 AND (state IN (0, 1) OR ?2)",
                     "ii", but, (int64_t)whole_too);
}

bool store_gather_texts(struct store *s, int64_t model, size_t most, int64_t *last, bool *left,
                        struct err *e)
{
    int64_t end;
    if (!store_number(s, e, &end, 0,
                      "SELECT max(id) FROM (SELECT body.id FROM body JOIN node ON node.id = body.id"
                      " WHERE kind IN (0, 3) AND body.id > ?1 ORDER BY body.id LIMIT ?2)",
                      "ii", *last, (int64_t)most))
        return false;
    *left = end > 0;
    if (!*left)
        return true;
    bool ok =
        store_run(s, e,
                  "INSERT OR IGNORE INTO vector_pending SELECT body.id FROM body JOIN node ON"
                  " node.id = body.id WHERE kind IN (0, 3) AND body.id > ?1 AND body.id <= ?2"
                  " AND NOT EXISTS (SELECT 1 FROM vector WHERE node = body.id AND model = ?3)",
                  "iii", *last, end, model);
    *last = end;
    return ok;
}

/* The oldest rows are theirs, so that the next ones are found at once. */
#define OUTDATED                                                                                   \
    "FROM vector WHERE model IN (SELECT id FROM vector_model WHERE state = 3) ORDER BY seq"

bool store_drop_outdated_models(struct store *s, size_t most, bool *left, struct err *e)
{
    enum { MOST_TOKENS = 100 }; /* a row is 30 times as large as a vector */
    int64_t more = 0;
    if (!store_run(s, e, "DELETE FROM vector WHERE seq IN (SELECT seq " OUTDATED " LIMIT ?1)", "i",
                   (int64_t)most) ||
        !store_number(s, e, &more, 0, "SELECT EXISTS (SELECT 1 " OUTDATED ")", ""))
        return false;
    *left = more != 0;
    /* Tokens go last: a model that comes back meanwhile encodes what has no vectors, and no text
     * has vectors without its tokens. */
    return *left || (store_drop_outdated_tokens(s, MOST_TOKENS, left, e) &&
                     (*left || store_run(s, e, "DELETE FROM vector_model WHERE state = 3", "")));
}

bool store_vector_standing(struct store *s, str model, struct vector_standing *out, struct err *e)
{
    *out = (struct vector_standing){0};
    sqlite3_stmt *q = store_query(s, e, "SELECT name, state FROM vector_model", "");
    while (store_row(s, q, e)) {
        enum vector_state state = (enum vector_state)sqlite3_column_int(q, 1);
        str name =
            str_from((const char *)sqlite3_column_text(q, 0), (size_t)sqlite3_column_bytes(q, 0));
        if (str_eq(name, model)) {
            out->is_known = true;
            out->state = state;
            continue;
        }
        out->has_others = true;
        out->has_unfinished |= state == VECTORS_GATHERING || state == VECTORS_ENCODING;
        out->has_outdated |= state == VECTORS_OUTDATED;
    }
    return e->code == ERR_NONE;
}

bool store_whole_model(struct store *s, struct arena *a, str *out, struct err *e)
{
    *out = S("");
    sqlite3_stmt *q = store_query(
        s, e, "SELECT name FROM vector_model WHERE state = 2 ORDER BY id DESC LIMIT 1", "");
    if (store_row(s, q, e)) {
        *out = column_str(a, q, 0);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

/* ---- putting ---- */

/* The text as it stands now, if it is still pending. */
static bool is_still(struct store *s, struct arena *a, const struct pending_text *t, bool *still,
                     struct err *e)
{
    struct arena mark = *a;
    sqlite3_stmt *q =
        store_query(s, e, PENDING_COLUMNS " WHERE vector_pending.node = ?1", "i", t->id);
    *still = store_row(s, q, e);
    if (*still) {
        struct pending_text now = read_text(a, q);
        *still = str_eq(now.text, t->text) && str_eq(now.before, t->before) &&
                 str_eq(now.heading, t->heading);
        sqlite3_reset(q);
    }
    arena_rewind(a, mark);
    return e->code == ERR_NONE;
}

bool store_put_vectors(struct store *s, struct arena *a, int64_t model,
                       const struct text_vectors *v, bool *put, struct err *e)
{
    int64_t id = v->of->id;
    if (!is_still(s, a, v->of, put, e) || !*put)
        return e->code == ERR_NONE;
    bool ok = store_run(s, e, "DELETE FROM vector_pending WHERE node = ?1", "i", id) &&
              store_run(s, e, "DELETE FROM queue WHERE purpose = 0 AND node = ?1", "i", id) &&
              store_run(s, e, "DELETE FROM vector WHERE node = ?1 AND model = ?2", "ii", id, model);
    for (size_t i = 0; ok && i < v->count; i++) {
        const struct text_vector *one = &v->at[i];
        ok = store_run(s, e,
                       "INSERT INTO vector (node, part, model, scale, data)"
                       " VALUES (?1, ?2, ?3, ?4, ?5)",
                       "iiidb", id, (int64_t)one->part, model, (double)one->scale,
                       str_from((const char *)one->data, v->dimensions));
    }
    return ok;
}

/* ---- loading ---- */

bool store_vectors_since(struct store *s, str model, int64_t since, vector_visit *visit, void *ctx,
                         struct err *e)
{
    int64_t number, dimensions;
    if (!store_number(s, e, &number, 0, "SELECT id FROM vector_model WHERE name = ?1", "s",
                      model) ||
        !store_number(s, e, &dimensions, 0, "SELECT dimensions FROM vector_model WHERE id = ?1",
                      "i", number))
        return false;
    bool more = true;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT seq, node, part, scale, data FROM vector WHERE seq > ?1"
                                  " AND model = ?2 ORDER BY seq",
                                  "ii", since, number);
    while (more && store_row(s, q, e)) {
        struct vector_row row = {.seq = sqlite3_column_int64(q, 0),
                                 .node = sqlite3_column_int64(q, 1),
                                 .part = sqlite3_column_int(q, 2),
                                 .scale = (float)sqlite3_column_double(q, 3),
                                 .data = sqlite3_column_blob(q, 4),
                                 .dimensions = (size_t)dimensions};
        if (dimensions && sqlite3_column_bytes(q, 4) == dimensions) /* else not of our making */
            more = visit(ctx, &row);
    }
    sqlite3_reset(q);
    return e->code == ERR_NONE;
}

/* ---- counts ---- */

bool store_vectors_within(struct store *s, size_t most, bool *out, struct err *e)
{
    int64_t span;
    bool ok = store_number(
        s, e, &span, 0, "SELECT (SELECT max(seq) FROM vector) - (SELECT min(seq) FROM vector) + 1",
        "");
    *out = ok && span <= (int64_t)most;
    return ok;
}

/* Texts that have only vectors of models that aren't the newest: they will be encoded again. */
#define OUTDATED_TEXTS                                                                             \
    "SELECT CASE WHEN (SELECT count(*) FROM vector_model) > 1 THEN"                                \
    " (SELECT count(DISTINCT node) FROM vector AS old WHERE model <> ?1 AND NOT EXISTS"            \
    " (SELECT 1 FROM vector WHERE node = old.node AND model = ?1)) ELSE 0 END"

/* Pending but not yet gathered: those of them that don't wait already. */
#define NOT_GATHERED                                                                               \
    "SELECT CASE WHEN (SELECT count(*) FROM vector_model) > 1 THEN"                                \
    " (SELECT count(DISTINCT node) FROM vector AS old WHERE model <> ?1 AND NOT EXISTS"            \
    " (SELECT 1 FROM vector WHERE node = old.node AND model = ?1) AND node NOT IN"                 \
    " (SELECT node FROM vector_pending)) ELSE 0 END"

bool store_vector_counts(struct store *s, struct arena *a, struct vector_counts *out, struct err *e)
{
    int64_t rows, texts, waiting, outdated, more, newest;
    *out = (struct vector_counts){0};
    if (!store_number(s, e, &rows, 0, "SELECT count(*) FROM vector", "") ||
        !store_number(s, e, &texts, 0, "SELECT count(DISTINCT node) FROM vector", "") ||
        !store_number(s, e, &waiting, 0, "SELECT count(*) FROM vector_pending", "") ||
        !store_number(s, e, &newest, 0, "SELECT max(id) FROM vector_model", "") ||
        !store_number(s, e, &outdated, 0, OUTDATED_TEXTS, "i", newest) ||
        !store_number(s, e, &more, 0, NOT_GATHERED, "i", newest))
        return false;
    sqlite3_stmt *q = store_query(s, e, "SELECT name FROM vector_model WHERE id = ?1", "i", newest);
    if (store_row(s, q, e)) {
        out->model = column_str(a, q, 0);
        sqlite3_reset(q);
    }
    out->vectors = (size_t)rows;
    out->texts = (size_t)texts;
    out->outdated = (size_t)outdated;
    out->pending = (size_t)(waiting + more);
    return e->code == ERR_NONE;
}
