/* Counts and sizes for status, checks for doctor, and the way out and in again, row by row. */
#include "memory/memory_vectors.h"
#include "memory/store_sql.h"
#include "memory/store_vector.h"

#include <stdio.h>
#include <sys/stat.h>

/* ---- status ---- */

struct lines {
    struct arena *a;
    struct status_line *at;
    size_t count, capacity;
};

static void add_line(struct lines *l, const char *name, int64_t number, str text)
{
    ARENA_GROW(l->a, l->at, l->count, l->capacity);
    l->at[l->count++] = (struct status_line){str_of(name), text, number};
}

static bool add_number(struct store *s, struct lines *l, const char *name, const char *sql,
                       struct err *e)
{
    int64_t n;
    if (!store_number(s, e, &n, 0, sql, ""))
        return false;
    add_line(l, name, n, S(""));
    return true;
}

/* "3 binary, 1 link"; without any the number 0 stands for it. */
static bool add_skipped(struct store *s, struct lines *l, struct err *e)
{
    struct buf text = {0};
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT skipped, count(DISTINCT path) FROM manifest"
                                  " WHERE skipped <> '' GROUP BY skipped ORDER BY skipped",
                                  "");
    while (store_row(s, q, e))
        buf_printf(&text, "%s%lld %s", text.len ? ", " : "", (long long)sqlite3_column_int64(q, 1),
                   (const char *)sqlite3_column_text(q, 0));
    add_line(l, "files_skipped", 0, arena_str(l->a, buf_str(&text)));
    buf_free(&text);
    return e->code == ERR_NONE;
}

/* Texts, "; " between two. */
static bool add_list(struct store *s, struct lines *l, const char *name, const char *sql,
                     struct err *e)
{
    struct buf text = {0};
    sqlite3_stmt *q = store_query(s, e, sql, "");
    while (store_row(s, q, e))
        buf_printf(&text, "%s%.*s", text.len ? "; " : "", FMT(column_str(l->a, q, 0)));
    if (e->code == ERR_NONE && text.len)
        add_line(l, name, 0, arena_str(l->a, buf_str(&text)));
    buf_free(&text);
    return e->code == ERR_NONE;
}

bool store_status(struct store *s, struct arena *a, struct status_line **lines, size_t *count,
                  struct err *e)
{
    static const struct {
        const char *name, *sql;
    } numbers[] = {
        {"memories", "SELECT count(*) FROM node WHERE kind = 0 AND state = 0"},
        {"superseded", "SELECT count(*) FROM node WHERE kind = 0 AND state = 1"},
        {"archived", "SELECT count(*) FROM node WHERE kind = 0 AND state = 2"},
        {"entities", "SELECT count(*) FROM node WHERE kind = 1 AND state = 0"},
        {"documents", "SELECT count(*) FROM node WHERE kind = 2"},
        {"passages", "SELECT count(*) FROM node WHERE kind = 3 AND state = 0"},
        {"files", "SELECT count(*) FROM node WHERE kind = 4 AND state = 0"},
        {"symbols", "SELECT count(*) FROM node WHERE kind = 5 AND state = 0"},
        {"commits", "SELECT count(*) FROM node WHERE kind = 6"},
        {"sessions", "SELECT count(*) FROM node WHERE kind = 7"},
        {"edges", "SELECT count(*) FROM edge"},
        {"relations", "SELECT count(*) FROM edge WHERE kind = 13"},
        {"associations", "SELECT count(*) FROM edge WHERE kind = 11"},
        {"communities", "SELECT count(*) FROM community"},
        {"macro_hubs", "SELECT count(*) FROM topology WHERE is_hub = 1"},
        {"decay_cycles", "SELECT count(*) FROM activity"},
        {"questions_open", "SELECT count(*) FROM " OPEN_QUESTIONS},
        {"tombstones", "SELECT count(*) FROM tombstone"},
        {"quarantined", "SELECT count(*) FROM quarantine WHERE strikes >= 2"},
        {"worktrees", "SELECT count(*) FROM worktree"},
        {"worktrees_incomplete", "SELECT count(*) FROM worktree WHERE is_whole = 0"},
        {"files_indexed", "SELECT count(DISTINCT path) FROM manifest WHERE skipped = ''"},
        {"pending_documents", "SELECT count(*) FROM document_ticket WHERE is_shown = 0"},
        {"documents_not_stored",
         "SELECT count(*) FROM node WHERE kind = 2 AND state = 5 AND NOT"
         " EXISTS (SELECT 1 FROM document_ticket WHERE document = node.id)"},
        {"documents_gone", "SELECT count(*) FROM document_source WHERE gone_ms > 0"},
        {"schema_version", "PRAGMA main.user_version"},
    };
    /* What the last pass over the graph's shape found, the weightiest first. */
    static const struct {
        const char *name, *sql;
    } lists[] = {
        {"top_entities",
         "SELECT name || ' (e' || id || ', ' || topology.degree || ')' FROM topology JOIN node ON"
         " node.id = topology.node WHERE kind = 1 AND state = 0 ORDER BY centrality DESC, id"
         " LIMIT 10"},
        {"top_communities",
         "SELECT label || ' (' || members || ')' FROM community ORDER BY members DESC, id LIMIT 8"},
    };
    struct lines l = {.a = a};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!add_number(s, &l, numbers[i].name, numbers[i].sql, e))
            return false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!add_list(s, &l, lists[i].name, lists[i].sql, e))
            return false;
    struct vector_counts vectors;
    if (!add_skipped(s, &l, e) || !store_vector_counts(s, a, &vectors, e))
        return false;
    add_line(&l, "vectors", (int64_t)vectors.vectors, S(""));
    add_line(&l, "vectors_pending", (int64_t)vectors.pending, S(""));
    add_line(&l, "vector_model", 0,
             !vectors.model.len ? S("none")
             : vectors.outdated ? arena_printf(a, "%.*s (%zu texts have vectors of another one)",
                                               FMT(vectors.model), vectors.outdated)
                                : vectors.model);
    struct stat file;
    static const char *const parts[][2] = {{"database_bytes", ""}, {"wal_bytes", "-wal"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        str path = arena_printf(a, "%s%s", s->path, parts[i][1]);
        add_line(&l, parts[i][0], stat(path.at, &file) ? 0 : (int64_t)file.st_size, S(""));
    }
    add_line(&l, "database", 0, arena_str(a, str_of(s->path)));
    add_line(&l, "sqlite", 0, str_of(sqlite3_libversion()));
    add_line(&l, "journal", 0,
             s->rollback_journal ? S("rollback (network file system)") : S("wal"));
    if (store_read_only_reason(s).len)
        add_line(&l, "read_only", 0, arena_str(a, store_read_only_reason(s)));
    *lines = l.at;
    *count = l.count;
    return true;
}

/* ---- check ---- */

bool store_check(struct store *s, struct arena *a, str **problems, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *problems = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(s, e, "PRAGMA integrity_check(20)", "");
    while (store_row(s, q, e)) {
        str line = column_str(a, q, 0);
        if (str_eq(line, S("ok")))
            continue;
        ARENA_GROW(a, *problems, *count, capacity);
        (*problems)[(*count)++] = line;
    }
    q = store_query(s, e, "PRAGMA foreign_key_check", "");
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *problems, *count, capacity);
        (*problems)[(*count)++] = arena_printf(
            a, "row %lld of table %s names a row that isn't there",
            (long long)sqlite3_column_int64(q, 1), (const char *)sqlite3_column_text(q, 0));
    }
    if (e->code != ERR_NONE || store_read_only_reason(s).len)
        return e->code == ERR_NONE;
    /* rank = 1 compares the index with the bodies, not only with itself. */
    struct err fts = {0};
    if (!store_begin(s, e))
        return false;
    bool ok = store_run(s, &fts, "INSERT INTO fts (fts, rank) VALUES ('integrity-check', 1)", "");
    store_end(s, false, &(struct err){0});
    if (!ok) {
        ARENA_GROW(a, *problems, *count, capacity);
        (*problems)[(*count)++] = arena_printf(a, "full-text index: %s", fts.text);
    }
    return true;
}

/* ---- export and import ---- */

/* Files and symbols that only their sources know of are read from these again; what a memory, a
 * name or a commit holds on to keeps its number. */
#define HELD                                                                                       \
    "EXISTS (SELECT 1 FROM edge WHERE src = node.id AND kind IN (8, 11, 12, 13)) OR"               \
    " EXISTS (SELECT 1 FROM edge WHERE dst = node.id AND kind IN (8, 11, 12, 13))"
#define KEPT_NODE "(kind NOT IN (4, 5, 6) OR " HELD ")"

/* Every table but the derived ones (fts and its shadows, vectors, change, what is read from the
 * sources), in an order in which each row's references come first. */
static const struct {
    const char *name, *which;
} export_tables[] = {
    {"node", KEPT_NODE},
    {"body", "1"},
    {"memory", "1"},
    {"consolidated", "1"},
    {"member", "1"},
    {"entity", "1"},
    {"property", "1"},
    {"alias", "1"},
    /* The signs keep the planner from trying each pair of nodes. */
    {"edge", "kind NOT IN (3, 4, 5, 6, 14, 15) AND +src IN (SELECT id FROM node WHERE " KEPT_NODE
             ") AND +dst IN (SELECT id FROM node WHERE " KEPT_NODE ")"},
    {"document", "1"},
    {"document_source", "1"},
    {"passage", "1"},
    {"symbol", "id IN (SELECT id FROM node WHERE " KEPT_NODE ")"},
    {"git_commit", "id IN (SELECT id FROM node WHERE " KEPT_NODE ")"},
    {"anchor", "1"},
    {"tombstone", "1"},
    {"journal", "1"},
    {"question", "1"},
    {"quarantine", "1"},
    {"setting", "1"},
    {"activity", "1"},
    {"returned", "1"},
    {"co_use", "1"},
    {"import_source", "1"},
    {"imported", "1"},
};
enum { EXPORT_TABLES = sizeof export_tables / sizeof *export_tables, MAX_COLUMNS = 32 };

static bool export_table(struct store *s, const char *table, const char *which, export_row *row,
                         void *ctx, struct err *e)
{
    char sql[1600];
    sqlite3_stmt *q = NULL;
    snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE %s ORDER BY 1, 2", table, which);
    if (sqlite3_prepare_v2(s->reader.db, sql, -1, &q, NULL) != SQLITE_OK)
        return store_fail(s, s->reader.db, e, "exporting");
    int columns = sqlite3_column_count(q);
    const char *names[MAX_COLUMNS];
    struct value values[MAX_COLUMNS];
    for (int i = 0; i < columns && i < MAX_COLUMNS; i++)
        names[i] = sqlite3_column_name(q, i);
    bool ok = columns <= MAX_COLUMNS;
    while (ok && store_row(s, q, e)) {
        for (int i = 0; i < columns; i++) {
            int type = sqlite3_column_type(q, i);
            values[i] = (struct value){.type = type == SQLITE_INTEGER ? VALUE_INT
                                               : type == SQLITE_FLOAT ? VALUE_REAL
                                               : type == SQLITE_NULL  ? VALUE_NULL
                                                                      : VALUE_TEXT,
                                       .integer = sqlite3_column_int64(q, i),
                                       .real = sqlite3_column_double(q, i)};
            if (values[i].type == VALUE_TEXT)
                values[i].text = str_from((const char *)sqlite3_column_text(q, i),
                                          (size_t)sqlite3_column_bytes(q, i));
        }
        ok = row(ctx, table, names, values, (size_t)columns, e);
    }
    sqlite3_finalize(q);
    return ok && e->code == ERR_NONE;
}

/* AUTOINCREMENT's counters, so that a number that was forgotten is not used again after an import.
 */
static bool export_counters(struct store *s, export_row *row, void *ctx, struct err *e)
{
    static const char *const names[] = {"name", "seq"};
    bool ok = true;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT name, seq FROM sqlite_sequence WHERE name NOT IN ('change', 'document_ticket')"
        " ORDER BY name",
        "");
    while (ok && store_row(s, q, e)) {
        struct value values[] = {
            {.type = VALUE_TEXT, .text = str_of((const char *)sqlite3_column_text(q, 0))},
            {.type = VALUE_INT, .integer = sqlite3_column_int64(q, 1)},
        };
        ok = row(ctx, "counter", names, values, 2, e);
    }
    return ok && e->code == ERR_NONE;
}

bool store_export(struct store *s, export_row *row, void *ctx, struct err *e)
{
    for (size_t i = 0; i < EXPORT_TABLES; i++)
        if (!export_table(s, export_tables[i].name, export_tables[i].which, row, ctx, e))
            return false;
    return export_counters(s, row, ctx, e);
}

/* A gap in the numbers of changes makes every snapshot load anew. */
static bool forget_snapshots(struct store *s, struct err *e)
{
    return store_run(s, e, "INSERT INTO change (node) VALUES (0), (0)", "") &&
           store_run(s, e, "DELETE FROM change WHERE seq < (SELECT max(seq) FROM change)", "");
}

bool store_import_begin(struct store *s, struct err *e)
{
    int64_t rows;
    if (!store_begin(s, e))
        return false;
    s->importing = true;
    /* A node may name a session or speaker with a higher number: references are checked at the end.
     */
    if (!store_run(s, e, "PRAGMA defer_foreign_keys=ON", "") ||
        !store_number(s, e, &rows, 0, "SELECT count(*) FROM node WHERE kind NOT IN (4, 5, 6)", ""))
        return store_import_end(s, false, e);
    if (rows) {
        fail(e, ERR_CONFLICT,
             "this project holds %lld rows already; wanted: a project without a memory",
             (long long)rows);
        return store_import_end(s, false, e);
    }
    /* What was read from the sources meanwhile makes room for the imported numbers, and is read
     * again. */
    return (store_run(s, e, "DELETE FROM worktree", "") &&
            store_run(s, e, "DELETE FROM code_fts WHERE rowid IN (SELECT id FROM chunk)", "") &&
            store_run(s, e, "DELETE FROM commit_fts WHERE rowid IN (SELECT id FROM git_commit)",
                      "") &&
            store_run(s, e, "DELETE FROM history", "") &&
            store_run(s, e, "DELETE FROM activity", "") &&
            store_run(s, e, "DELETE FROM node", "") && forget_snapshots(s, e)) ||
           store_import_end(s, false, e);
}

static bool is_column_name(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((s.at[i] < 'a' || s.at[i] > 'z') && s.at[i] != '_')
            return false;
    return s.len > 0 && s.len < 40;
}

static bool import_counter(struct store *s, const struct value *values, size_t count, struct err *e)
{
    if (count != 2 || values[0].type != VALUE_TEXT || values[1].type != VALUE_INT)
        return fail(e, ERR_INPUT, "counter: wanted a name and a number");
    /* max: never below what the rows themselves used */
    return store_run(s, e, "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", "si",
                     values[0].text, values[1].integer);
}

bool store_import_row(struct store *s, str table, const str *columns, const struct value *values,
                      size_t count, struct err *e)
{
    if (str_eq(table, S("counter")))
        return import_counter(s, values, count, e);
    size_t known = 0;
    while (known < EXPORT_TABLES && !str_eq(table, str_of(export_tables[known].name)))
        known++;
    if (known == EXPORT_TABLES)
        return fail(e, ERR_INPUT, "table: '%.*s' is none of engram's",
                    (int)(table.len < 60 ? table.len : 60), table.at);
    if (count == 0 || count > MAX_COLUMNS)
        return fail(e, ERR_INPUT, "%s: %zu columns, at most %d", export_tables[known].name, count,
                    MAX_COLUMNS);
    struct buf sql = {0};
    buf_printf(&sql, "INSERT INTO %s (", export_tables[known].name);
    for (size_t i = 0; i < count; i++) {
        if (!is_column_name(columns[i])) {
            buf_free(&sql);
            return fail(e, ERR_INPUT, "%s: a column's name is not one of engram's",
                        export_tables[known].name);
        }
        buf_printf(&sql, "%s%.*s", i ? ", " : "", FMT(columns[i]));
    }
    buf_printf(&sql, ") VALUES (");
    for (size_t i = 0; i < count; i++)
        buf_printf(&sql, "%s?%zu", i ? ", " : "", i + 1);
    buf_printf(&sql, ")");
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(s->writer.db, sql.at, -1, &q, NULL) == SQLITE_OK;
    buf_free(&sql);
    for (size_t i = 0; ok && i < count; i++) {
        const struct value *v = &values[i];
        int at = (int)i + 1;
        int code = v->type == VALUE_INT    ? sqlite3_bind_int64(q, at, v->integer)
                   : v->type == VALUE_REAL ? sqlite3_bind_double(q, at, v->real)
                   : v->type == VALUE_TEXT
                       ? sqlite3_bind_text64(q, at, v->text.len ? v->text.at : "", v->text.len,
                                             SQLITE_TRANSIENT, SQLITE_UTF8)
                       : sqlite3_bind_null(q, at);
        ok = code == SQLITE_OK;
    }
    ok = ok && sqlite3_step(q) == SQLITE_DONE;
    if (!ok)
        fail(e, ERR_INPUT, "%s: %s", export_tables[known].name, sqlite3_errmsg(s->writer.db));
    sqlite3_finalize(q);
    return ok;
}

bool store_import_end(struct store *s, bool keep, struct err *e)
{
    keep = keep && store_run(s, e, "INSERT INTO fts (fts) VALUES ('rebuild')", "") &&
           store_add_all_pending(s, e);
    s->importing = false;
    return store_end(s, keep, e);
}
