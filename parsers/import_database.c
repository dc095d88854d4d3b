/* Databases of other tools, read out of memory: nothing of theirs is opened by SQLite, so none of
 * their locks is touched and nothing beside them is made. Whatever such a file holds, it runs no
 * code of its own. The only home of SQLite outside of memory/store*.c. */
#include "parsers/import.h"

#include "memory/base/unicode.h"

#include <errno.h>
#include <sqlite3.h>
#include <unistd.h>

enum {
    MAX_STEPS = 2000, /* of a thousand instructions of SQLite's, for each row */
    MAX_TABLES_BYTES = 64 << 10,
};

struct import_database {
    struct buf image;
    sqlite3 *db;
    int steps; /* since the last row */
};

static const char MAGIC[] = "SQLite format 3"; /* with its NUL */

bool import_is_database(str head)
{
    return str_starts(head, str_from(MAGIC, sizeof MAGIC));
}

static bool read_all(int fd, struct buf *out)
{
    ssize_t n = 1;
    while (n > 0 && buf_reserve(out, 1 << 20)) {
        n = pread(fd, out->at + out->len, 1 << 20, (off_t)out->len);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            out->len += (size_t)n;
    }
    return n == 0;
}

static bool read_image(struct import_reader *r, struct buf *image)
{
    enum { VERSIONS_AT = 18, ROLLBACK = 1 };
    struct buf log = {.max_bytes = MAX_IMPORT_DATABASE_BYTES};
    if (!read_all(r->fd, image))
        return fail(r->err, ERR_LIMIT, "it can't be read, or has more than %d bytes",
                    MAX_IMPORT_DATABASE_BYTES);
    if (r->wal >= 0 && !read_all(r->wal, &log))
        import_skip(r, "write-ahead log too long or not readable", r->name);
    else if (log.len)
        import_merge_log(image, buf_str(&log));
    buf_free(&log);
    if (image->len > VERSIONS_AT + 1)
        image->at[VERSIONS_AT] = image->at[VERSIONS_AT + 1] = ROLLBACK; /* there is no log now */
    return true;
}

static int count_step(void *ctx)
{
    struct import_database *d = ctx;
    return ++d->steps > MAX_STEPS;
}

/* Only reading of tables is ever asked for. */
static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)ctx, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static bool open_image(struct import_reader *r, struct import_database *d)
{
    static const struct {
        int option, on;
    } options[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 0},
    };
    bool ok = sqlite3_open_v2(":memory:", &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                              NULL) == SQLITE_OK;
    for (size_t i = 0; ok && i < sizeof options / sizeof *options; i++)
        ok = sqlite3_db_config(d->db, options[i].option, options[i].on, NULL) == SQLITE_OK;
    ok = ok && sqlite3_deserialize(d->db, "main", (unsigned char *)d->image.at,
                                   (sqlite3_int64)d->image.len, (sqlite3_int64)d->image.len,
                                   SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
    if (!ok)
        return fail(r->err, ERR_INPUT, "it is no database that SQLite opens");
    sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, MAX_IMPORT_ELEMENT_BYTES);
    sqlite3_limit(d->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_progress_handler(d->db, 1000, count_step, d);
    sqlite3_set_authorizer(d->db, allow, NULL);
    return true;
}

static bool is_damaged(struct import_reader *r, struct import_database *d)
{
    int code = sqlite3_errcode(d->db) & 0xFF;
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
        return false;
    const char *what = code == SQLITE_INTERRUPT ? "rows that take too long to read"
                       : code == SQLITE_ERROR   ? "tables of another version"
                                                : "damaged pages";
    import_skip(r, what, str_of(sqlite3_errmsg(d->db)));
    return true;
}

str import_database_tables(struct import_reader *r)
{
    struct import_database *d = r->database = ARENA_NEW(r->arena, struct import_database);
    struct buf names = {.max_bytes = MAX_TABLES_BYTES};
    sqlite3_stmt *q = NULL;
    d->image.max_bytes = MAX_IMPORT_DATABASE_BYTES + (1 << 20);
    if (!read_image(r, &d->image) || !open_image(r, d))
        return S("");
    if (sqlite3_prepare_v2(d->db,
                           "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
                           -1, &q, NULL) == SQLITE_OK)
        while (sqlite3_step(q) == SQLITE_ROW)
            buf_printf(&names, " %s ", sqlite3_column_text(q, 0));
    if (is_damaged(r, d) && !names.len)
        fail(r->err, ERR_INPUT, "the database is damaged");
    sqlite3_finalize(q);
    str out = arena_str(r->arena, buf_str(&names));
    buf_free(&names);
    return out;
}

static json_t *value_of(struct import_reader *r, sqlite3_stmt *q, int column)
{
    switch (sqlite3_column_type(q, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(q, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(q, column));
    case SQLITE_TEXT: {
        str text = utf8_repair(r->item, str_from((const char *)sqlite3_column_text(q, column),
                                                 (size_t)sqlite3_column_bytes(q, column)));
        return json_stringn(text.at, text.len);
    }
    default: /* nothing that is read is a blob */
        return json_null();
    }
}

static bool give_row(struct import_reader *r, const struct import_format *f, str table,
                     sqlite3_stmt *q)
{
    struct arena mark = *r->item;
    json_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(q); i++)
        json_object_set_new(row, sqlite3_column_name(q, i), value_of(r, q, i));
    str where = arena_printf(r->item, "%.*s %lld", FMT(table),
                             (long long)json_integer_value(json_object_get(row, "id")));
    bool ok = f->value(r, table, row, where);
    json_decref(row);
    arena_rewind(r->item, mark);
    return ok;
}

static bool each_row_of(struct import_reader *r, const struct import_format *f, str table,
                        struct import_database *d)
{
    sqlite3_stmt *q = NULL;
    char sql[160];
    bool ok = true;
    sqlite3_snprintf(sizeof sql, sql, "SELECT * FROM main.\"%.*w\"", (int)table.len, table.at);
    if (sqlite3_prepare_v2(d->db, sql, -1, &q, NULL) == SQLITE_OK)
        while (ok && sqlite3_step(q) == SQLITE_ROW) {
            d->steps = 0;
            ok = give_row(r, f, table, q);
        }
    if (ok)
        is_damaged(r, d);
    sqlite3_finalize(q);
    return ok;
}

bool import_each_row(struct import_reader *r, const struct import_format *f)
{
    struct import_database *d = r->database;
    str rest = str_of(f->tables), table;
    bool ok = true;
    while (ok && str_next_word(&rest, &table)) {
        d->steps = 0;
        ok = each_row_of(r, f, table, d);
    }
    return ok;
}

void import_database_close(struct import_reader *r)
{
    if (!r->database)
        return;
    sqlite3_close(r->database->db);
    buf_free(&r->database->image);
}
