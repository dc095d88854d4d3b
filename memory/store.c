/* Locking, transactions, statements. The write path follows what concurrent SQLite in WAL mode
 * needs to lose nothing: one lock file, BEGIN IMMEDIATE under it, synchronous=FULL, the reply after
 * the commit. */
#include "memory/store_code.h"
#include "memory/store_sql.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { MAX_CHANGE_ROWS = 50000 /* readers further behind load the snapshot anew */ };

/* ---- errors ---- */

bool store_fail(struct store *s, sqlite3 *db, struct err *e, const char *doing)
{
    int code = sqlite3_errcode(db) & 0xff;
    enum err_code kind = code == SQLITE_BUSY || code == SQLITE_LOCKED ? ERR_BUSY
                         : code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN ||
                                 code == SQLITE_READONLY
                             ? ERR_IO
                             : ERR_DB;
    const char *advice = code == SQLITE_FULL   ? "the disk is full; "
                         : code == SQLITE_BUSY ? "another process holds it; "
                         : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? "it is damaged; "
                                                                           : "";
    return fail(e, kind, "%s %s: %s%s", doing, s->path, advice, sqlite3_errmsg(db));
}

/* ---- statements ---- */

static sqlite3_stmt *cached(struct connection *c, const char *sql, struct err *e, struct store *s)
{
    size_t at = ((uintptr_t)sql >> 3) * 0x9e3779b97f4a7c15u >> 32;
    for (;; at++) {
        at &= STATEMENT_SLOTS - 1;
        if (c->cache.slots[at].sql == sql)
            return c->cache.slots[at].stmt;
        if (!c->cache.slots[at].sql)
            break;
    }
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) != SQLITE_OK) {
        store_fail(s, c->db, e, "preparing a statement for");
        return NULL;
    }
    c->cache.slots[at].sql = sql;
    c->cache.slots[at].stmt = stmt;
    return stmt;
}

/* `keep`: how texts are held, SQLITE_STATIC where they outlive the statement's run. */
static void bind_all(sqlite3_stmt *stmt, const char *types, va_list args,
                     sqlite3_destructor_type keep)
{
    for (int i = 1; *types; types++, i++) {
        switch (*types) {
        case 'i':
            sqlite3_bind_int64(stmt, i, va_arg(args, int64_t));
            break;
        case '0': {
            int64_t v = va_arg(args, int64_t);
            if (v)
                sqlite3_bind_int64(stmt, i, v);
            else
                sqlite3_bind_null(stmt, i);
            break;
        }
        case 'd':
            sqlite3_bind_double(stmt, i, va_arg(args, double));
            break;
        case 's':
        case 'z': {
            str v = va_arg(args, str);
            if (*types == 'z' && !v.len)
                sqlite3_bind_null(stmt, i);
            else
                sqlite3_bind_text64(stmt, i, v.len ? v.at : "", v.len, keep, SQLITE_UTF8);
            break;
        }
        case 'b': {
            str v = va_arg(args, str);
            sqlite3_bind_blob64(stmt, i, v.len ? v.at : "", v.len, keep);
            break;
        }
        default:
            sqlite3_bind_null(stmt, i);
        }
    }
}

static struct connection *in_use(struct store *s)
{
    return s->writing || s->reads_by_writer ? &s->writer : &s->reader;
}

static sqlite3_stmt *query(struct store *s, struct err *e, const char *sql, const char *types,
                           va_list args, sqlite3_destructor_type keep)
{
    sqlite3_stmt *stmt = cached(in_use(s), sql, e, s);
    if (!stmt)
        return NULL;
    sqlite3_reset(stmt);
    bind_all(stmt, types, args, keep);
    return stmt;
}

sqlite3_stmt *store_query(struct store *s, struct err *e, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *stmt = query(s, e, sql, types, args, SQLITE_TRANSIENT);
    va_end(args);
    return stmt;
}

bool store_row(struct store *s, sqlite3_stmt *stmt, struct err *e)
{
    if (!stmt)
        return false;
    int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        store_fail(s, sqlite3_db_handle(stmt), e, "using");
    sqlite3_reset(stmt);
    return false;
}

static bool run(struct store *s, struct err *e, const char *sql, const char *types, va_list args)
{
    sqlite3_stmt *stmt = query(s, e, sql, types, args, SQLITE_STATIC);
    if (!stmt)
        return false;
    while (store_row(s, stmt, e))
        continue;
    return e->code == ERR_NONE;
}

bool store_run(struct store *s, struct err *e, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    bool ok = run(s, e, sql, types, args);
    va_end(args);
    return ok;
}

const struct indexed_words *store_index_words(struct store *s, struct err *e, const char *sql,
                                              const char *types, ...)
{
    va_list args;
    s->writer.indexed.columns = 0;
    va_start(args, types);
    bool ok = run(s, e, sql, types, args);
    va_end(args);
    return ok ? &s->writer.indexed : NULL;
}

bool store_number(struct store *s, struct err *e, int64_t *out, int64_t initial, const char *sql,
                  const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *stmt = query(s, e, sql, types, args, SQLITE_STATIC);
    va_end(args);
    *out = initial;
    if (!stmt)
        return false;
    if (store_row(s, stmt, e)) {
        if (sqlite3_column_type(stmt, 0) != SQLITE_NULL)
            *out = sqlite3_column_int64(stmt, 0);
        sqlite3_reset(stmt);
    }
    return e->code == ERR_NONE;
}

bool store_ids(struct store *s, struct arena *a, sqlite3_stmt *stmt, int64_t **out, size_t *count,
               struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    while (store_row(s, stmt, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = sqlite3_column_int64(stmt, 0);
    }
    return e->code == ERR_NONE;
}

str column_str(struct arena *a, sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return arena_str(a, str_from(text ? text : "", (size_t)sqlite3_column_bytes(stmt, column)));
}

bool store_execute(struct store *s, sqlite3 *db, const char *sql, struct err *e)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK || store_fail(s, db, e, "using");
}

/* ---- the lock file ---- */

/* flock with a deadline: a stopped holder must not block everybody for ever. The kernel frees it
 * when a process dies. */
int64_t store_write_deadline_ms(const struct store *s)
{
    return s->options.write_deadline_ms ? s->options.write_deadline_ms : WRITE_DEADLINE_MS;
}

bool store_lock(struct store *s, int64_t wait_ms, struct err *e)
{
    const struct memory_options *o = &s->options;
    int64_t end_ms = o->monotonic_ms(o->ctx) + wait_ms;
    for (int64_t pause_ms = 1;; pause_ms = pause_ms < 4 ? pause_ms + 1 : 1) {
        if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(e, ERR_IO, "locking %s: %s", s->path, strerror(errno));
        if (o->monotonic_ms(o->ctx) >= end_ms)
            return fail(e, ERR_BUSY,
                        "another process has held the write lock of %s for %lld ms; nothing was "
                        "stored, try again",
                        s->path, (long long)wait_ms);
        o->sleep_ms(o->ctx, pause_ms);
    }
}

void store_unlock(struct store *s)
{
    flock(s->lock_fd, LOCK_UN);
}

/* ---- transactions ---- */

static atomic_int open_writes; /* of the process */

bool store_is_writing(void)
{
    return atomic_load(&open_writes) > 0;
}

/* The file under our path was replaced or taken away: writing on would go into a file that nobody
 * can see. What stands in the log goes into the file that we hold, so that whoever moved it has it
 * whole. */
static bool still_the_same_file(struct store *s, struct err *e)
{
    struct stat status;
    if (stat(s->path, &status) == 0 && (int64_t)status.st_dev == s->device &&
        (int64_t)status.st_ino == s->inode)
        return true;
    sqlite3_wal_checkpoint_v2(s->writer.db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return fail(
        e, ERR_DB,
        "%s was moved or replaced while it was open; nothing was stored. Restart the server to "
        "use the file that is there now",
        s->path);
}

/* The writing connection is opened when it is first needed: who only reads starts without it. */
static bool open_writer_late(struct store *s, struct err *e)
{
    if (s->writer.db)
        return true;
    struct stat status;
    if (stat(s->path, &status) || (int64_t)status.st_dev != s->device ||
        (int64_t)status.st_ino != s->inode)
        return fail(
            e, ERR_DB,
            "%s was moved or replaced while it was open; nothing was stored. Restart the server",
            s->path);
    return store_open_connection(s, &s->writer, s->path, SQLITE_OPEN_READWRITE, e) &&
           store_make_vocabulary(s, &s->writer, e);
}

static bool begin(struct store *s, int64_t wait_ms, const char *how, struct err *e)
{
    if (store_read_only_reason(s).len)
        return fail(e, ERR_CONFLICT, "%s: %.*s", s->path, FMT(store_read_only_reason(s)));
    if (!open_writer_late(s, e) || !store_lock(s, wait_ms, e))
        return false;
    atomic_fetch_add(&open_writes, 1);
    if (still_the_same_file(s, e) && store_execute(s, s->writer.db, how, e)) {
        s->writing = true;
        return true;
    }
    atomic_fetch_sub(&open_writes, 1);
    store_unlock(s);
    return false;
}

static const char *const BEGIN_DURABLE = "PRAGMA synchronous=FULL; BEGIN IMMEDIATE";
/* Whoever reads sources writes much: more pages kept, and the log taken into the file less often.
 */
static const char *const BEGIN_DERIVED =
    "PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32768; PRAGMA wal_autocheckpoint=4000;"
    "BEGIN IMMEDIATE";

bool store_begin_within(struct store *s, int64_t wait_ms, struct err *e)
{
    return begin(s, wait_ms, BEGIN_DURABLE, e);
}

bool store_begin(struct store *s, struct err *e)
{
    return begin(s, store_write_deadline_ms(s), BEGIN_DURABLE, e);
}

bool store_begin_derived(struct store *s, struct err *e)
{
    return begin(s, store_write_deadline_ms(s), BEGIN_DERIVED, e);
}

bool store_end(struct store *s, bool ok, struct err *e)
{
    if (ok && e->code == ERR_NONE)
        ok = store_run(s, e, "DELETE FROM change WHERE seq <= (SELECT max(seq) FROM change) - ?1",
                       "i", (int64_t)MAX_CHANGE_ROWS);
    ok = ok && e->code == ERR_NONE && store_execute(s, s->writer.db, "COMMIT", e);
    /* On a full disk SQLite has rolled back by itself. */
    if (!ok && !sqlite3_get_autocommit(s->writer.db))
        sqlite3_exec(s->writer.db, "ROLLBACK", NULL, NULL, NULL);
    s->writing = false;
    atomic_fetch_sub(&open_writes, 1);
    store_unlock(s);
    return ok;
}

static struct connection *reading_one(struct store *s)
{
    return s->reads_by_writer ? &s->writer : &s->reader;
}

bool store_read_begin(struct store *s, struct err *e)
{
    s->reading = store_execute(s, reading_one(s)->db, "BEGIN", e);
    s->reads_by_writer &= s->reading;
    return s->reading;
}

bool store_read_begin_by_writer(struct store *s, struct err *e)
{
    s->reads_by_writer = s->writer.db && !s->writing;
    return store_read_begin(s, e);
}

void store_read_end(struct store *s)
{
    sqlite3 *db = reading_one(s)->db;
    if (!sqlite3_get_autocommit(db))
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    s->reading = s->reads_by_writer = false;
}

/* After a commit: checkpoint into the file and cut the WAL. While another process reads, its frames
 * stay until the next time. */
bool store_purge(struct store *s, struct err *e)
{
    if (!open_writer_late(s, e) || !store_lock(s, store_write_deadline_ms(s), e))
        return false;
    int code =
        sqlite3_wal_checkpoint_v2(s->writer.db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    bool ok = code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED ||
              store_fail(s, s->writer.db, e, "purging");
    store_unlock(s);
    return ok;
}
