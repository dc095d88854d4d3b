/* Opening and closing. The recipe follows what concurrent SQLite in WAL mode needs to lose nothing:
 * one lock file, checks of what lies there before anything is made, the schema under the lock. */
#include "memory/store_code.h"
#include "memory/store_sql.h"

#include "embed_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x456e6772, /* "Engr" */
    BUSY_TIMEOUT_MS = 2000,      /* for what the lock file doesn't order: recovery after a crash */
    MAX_QUICK_CHECK_BYTES = 200 << 20,
};

/* ---- connections ---- */

static void close_connection(struct connection *c)
{
    for (int i = 0; i < STATEMENT_SLOTS; i++)
        sqlite3_finalize(c->cache.slots[i].stmt);
    sqlite3_close_v2(c->db);
    *c = (struct connection){0};
}

/* Whatever the file holds, it runs no code of its own: no triggers, views, extensions or foreign
 * functions. */
static bool harden(struct store *s, sqlite3 *db, struct err *e)
{
    static const struct {
        int option, on;
    } options[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
        /* Plans don't depend on bound values: no statement is prepared again at a call. */
        {SQLITE_DBCONFIG_ENABLE_QPSG, 1},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (sqlite3_db_config(db, options[i].option, options[i].on, NULL) != SQLITE_OK)
            return store_fail(s, db, e, "configuring");
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 128 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
    return store_execute(
        s, db,
        "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA synchronous=FULL;"
        "PRAGMA secure_delete=ON; PRAGMA journal_size_limit=67108864; PRAGMA temp_store=MEMORY;"
        "PRAGMA cache_size=-4096",
        e);
}

bool store_open_connection(struct store *s, struct connection *c, const char *name, int flags,
                           struct err *e)
{
    if (sqlite3_open_v2(name, &c->db, flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        store_fail(s, c->db, e, "opening");
        close_connection(c);
        return false;
    }
    sqlite3_extended_result_codes(c->db, 1);
    if (harden(s, c->db, e) && store_register_tokenizer(c->db, &c->indexed, e))
        return true;
    close_connection(c);
    return false;
}

static bool pragma_number(struct store *s, sqlite3 *db, const char *sql, int64_t *out,
                          struct err *e)
{
    sqlite3_stmt *stmt = NULL;
    *out = 0;
    bool ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK;
    if (ok) {
        int code = sqlite3_step(stmt);
        ok = code == SQLITE_ROW || code == SQLITE_DONE;
        if (code == SQLITE_ROW)
            *out = sqlite3_column_int64(stmt, 0);
    }
    if (!ok)
        store_fail(s, db, e, "reading");
    sqlite3_finalize(stmt);
    return ok;
}

/* ---- schema ---- */

/* Applies migrations from..count-1 in one transaction; the version is read again inside it, since
 * another process may have been faster. */
static bool migrate(struct store *s, sqlite3 *db, struct err *e)
{
    int64_t version;
    if (!store_execute(s, db, "BEGIN IMMEDIATE", e))
        return false;
    bool ok = pragma_number(s, db, "PRAGMA user_version", &version, e);
    for (size_t i = (size_t)version; ok && i < embed_sql_count; i++)
        ok = store_execute(s, db, embed_sql_files[i].text, e);
    char stamp[96];
    snprintf(stamp, sizeof stamp, "PRAGMA application_id=%d; PRAGMA user_version=%zu",
             APPLICATION_ID, embed_sql_count);
    ok = ok && ((size_t)version >= embed_sql_count || store_execute(s, db, stamp, e));
    ok = store_execute(s, db, ok ? "COMMIT" : "ROLLBACK", ok ? e : &(struct err){0}) && ok;
    return ok;
}

/* One text of the whole schema, in a fixed order. */
static bool schema_text(struct store *s, sqlite3 *db, struct buf *out, struct err *e)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db,
                           "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema "
                           "WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY type, name",
                           -1, &stmt, NULL) != SQLITE_OK)
        return store_fail(s, db, e, "reading the schema of");
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
        buf_printf(out, "%s %s %s %s\n", sqlite3_column_text(stmt, 0), sqlite3_column_text(stmt, 1),
                   sqlite3_column_text(stmt, 2), sqlite3_column_text(stmt, 3));
    if (code != SQLITE_DONE)
        store_fail(s, db, e, "reading the schema of");
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE;
}

/* A planted trigger, view or index would act at the next write: the schema is exactly ours, or the
 * file isn't opened. */
static bool schema_is_ours(struct store *s, sqlite3 *db, struct err *e)
{
    struct connection fresh = {0};
    struct buf ours = {0}, theirs = {0};
    bool ok = sqlite3_open_v2(":memory:", &fresh.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                              NULL) == SQLITE_OK &&
              store_register_tokenizer(fresh.db, &fresh.indexed, e);
    for (size_t i = 0; ok && i < embed_sql_count; i++)
        ok = store_execute(s, fresh.db, embed_sql_files[i].text, e);
    ok = ok && schema_text(s, fresh.db, &ours, e) && schema_text(s, db, &theirs, e);
    if (ok && !str_eq(buf_str(&ours), buf_str(&theirs)))
        ok = fail(
            e, ERR_DB,
            "%s has tables, indexes, views or triggers that this engram didn't make; it is left "
            "alone. End all servers and move it away to start a new memory, or restore a backup",
            s->path);
    buf_free(&ours);
    buf_free(&theirs);
    sqlite3_close_v2(fresh.db);
    return ok;
}

static bool check_identity(struct store *s, sqlite3 *db, bool *is_new, bool *is_newer,
                           struct err *e)
{
    int64_t application, version, pages;
    if (!pragma_number(s, db, "PRAGMA application_id", &application, e) ||
        !pragma_number(s, db, "PRAGMA user_version", &version, e) ||
        !pragma_number(s, db, "SELECT count(*) FROM sqlite_schema", &pages, e))
        return false;
    *is_new = application == 0 && version == 0 && pages == 0;
    *is_newer = version > (int64_t)embed_sql_count;
    if (!*is_new && application != APPLICATION_ID)
        return fail(e, ERR_DB, "%s is not a memory of engram; it is left alone", s->path);
    return true;
}

/* The last owner died and nobody else has the file open: look before trusting. */
static bool check_after_crash(struct store *s, sqlite3 *db, struct err *e)
{
    struct stat wal, main_file;
    str wal_path = arena_printf(&s->arena, "%s-wal", s->path);
    if (stat(wal_path.at, &wal) || wal.st_size == 0 || stat(s->path, &main_file) ||
        main_file.st_size > MAX_QUICK_CHECK_BYTES)
        return true;
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_step(stmt) == SQLITE_ROW;
    const char *said = ok ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (!ok)
        store_fail(s, db, e, "checking");
    else if (strcmp(said ? said : "", "ok") != 0)
        ok = fail(e, ERR_DB,
                  "%s is damaged (%s); it is left alone. `engram export` may still read it",
                  s->path, said ? said : "?");
    sqlite3_finalize(stmt);
    return ok;
}

/* ---- open and close ---- */

static bool is_network_file_system(int fd)
{
    struct statfs fs;
    if (fstatfs(fd, &fs))
        return false;
    switch ((uint32_t)fs.f_type) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case 0xff534d42u: /* CIFS */
    case 0xfe534d42u: /* SMB2 */
    case V9FS_MAGIC:
    case FUSE_SUPER_MAGIC:
    case CODA_SUPER_MAGIC:
        return true;
    default:
        return false;
    }
}

static bool make_directory(str path, struct err *e)
{
    char text[MAX_PATH_BYTES + 1];
    if (path.len == 0 || path.len > MAX_PATH_BYTES)
        return fail(e, ERR_INPUT, "the data directory's path has %zu bytes, at most %d", path.len,
                    MAX_PATH_BYTES);
    memcpy(text, path.at, path.len);
    text[path.len] = '\0';
    for (char *slash = text + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        bool ok = mkdir(text, 0700) == 0 || errno == EEXIST || errno == EROFS;
        *slash = '/';
        if (!ok)
            return fail(e, ERR_IO, "making %.*s: %s", FMT(path), strerror(errno));
    }
    if (mkdir(text, 0700) && errno != EEXIST)
        return fail(e, ERR_IO, "making %s: %s", text, strerror(errno));
    struct stat status;
    if (stat(text, &status) || !S_ISDIR(status.st_mode))
        return fail(e, ERR_IO, "%s is not a directory", text);
    if (status.st_uid != geteuid())
        return fail(e, ERR_IO, "%s belongs to another user (%d); wanted: a directory of your own",
                    text, (int)status.st_uid);
    if (status.st_mode & 022)
        return fail(e, ERR_IO, "%s can be written by others (mode %o); wanted: 0700", text,
                    (unsigned)status.st_mode & 0777);
    return true;
}

/* SQLite is told to follow no link, in any part of the path: so the links of the directory are
 * resolved here. */
static bool resolve_path(struct store *s, struct err *e)
{
    const char *given = arena_cstr(&s->arena, s->options.directory);
    char *real = realpath(given, NULL);
    if (!real)
        return fail(e, ERR_IO, "%s: %s", given, strerror(errno));
    s->options.directory = arena_str(&s->arena, str_of(real));
    s->path = arena_printf(&s->arena, "%s/memory.db", real).at;
    free(real);
    return true;
}

static int open_side_file(struct store *s, const char *name, struct err *e)
{
    str path = arena_printf(&s->arena, "%.*s/%s", FMT(s->options.directory), name);
    int fd = open(path.at, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        fd = open(path.at, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); /* a read-only file system */
    if (fd < 0)
        fail(e, ERR_IO, "opening %s: %s", path.at, strerror(errno));
    return fd;
}

static bool remember_inode(struct store *s, struct err *e)
{
    struct stat status;
    if (lstat(s->path, &status))
        return fail(e, ERR_IO, "%s: %s", s->path, strerror(errno));
    if (!S_ISREG(status.st_mode)) /* opening a pipe would wait for ever */
        return fail(e, ERR_DB, "%s is no regular file; it is left alone", s->path);
    if (status.st_uid != geteuid())
        return fail(e, ERR_IO, "%s belongs to another user; it is left alone", s->path);
    if (status.st_mode & 022)
        return fail(e, ERR_IO, "%s can be written by others (mode %o); wanted: 0600", s->path,
                    (unsigned)status.st_mode & 0777);
    s->device = (int64_t)status.st_dev;
    s->inode = (int64_t)status.st_ino;
    return true;
}

/* Which file the processes at work have open, kept in users.lock. A second file under the same path
 * would share its -wal and -shm with the first: SQLite would take one's log for the other's. */
static bool same_file_as_others(struct store *s, struct err *e)
{
    char noted[64] = "", ours[64];
    snprintf(ours, sizeof ours, "%lld:%lld\n", (long long)s->device, (long long)s->inode);
    ssize_t n = pread(s->users_fd, noted, sizeof noted - 1, 0);
    if (n > 0 && strcmp(noted, ours) != 0)
        return fail(e, ERR_DB,
                    "%s was moved or replaced while other servers have it open; end them first, so "
                    "that nothing "
                    "is lost",
                    s->path);
    ssize_t ignored =
        n > 0 ? 0
              : pwrite(s->users_fd, ours, strlen(ours), 0); /* fails where nobody writes anyway */
    (void)ignored;
    return true;
}

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

bool store_make_vocabulary(struct store *s, const struct connection *c, struct err *e)
{
    return store_execute(s, c->db,
                         "CREATE VIRTUAL TABLE temp.term USING fts5vocab(main, 'fts', 'row')", e);
}

/* On a file system without writing, WAL's shared memory can't be made: the file is read as it is,
 * which is whole only while no log stands beside it. */
static bool open_immutable(struct store *s, struct err *e)
{
    struct statvfs fs;
    struct stat wal;
    str wal_path = arena_printf(&s->arena, "%s-wal", s->path);
    if (statvfs(s->path, &fs) || !(fs.f_flag & ST_RDONLY) ||
        (stat(wal_path.at, &wal) == 0 && wal.st_size > 0))
        return false;
    struct buf uri = {0};
    buf_add(&uri, S("file:"));
    for (const char *c = s->path; *c; c++)
        if (strchr("%?#", *c))
            buf_printf(&uri, "%%%02x", (unsigned char)*c);
        else
            buf_add_char(&uri, *c);
    buf_add(&uri, S("?immutable=1"));
    *e = (struct err){0};
    s->options.read_only = true;
    s->read_only_reason = S("it lies on a read-only file system");
    bool ok =
        store_open_connection(s, &s->reader, uri.at, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, e);
    buf_free(&uri);
    return ok;
}

static bool open_reader(struct store *s, struct err *e)
{
    bool ok = store_open_connection(s, &s->reader, s->path, SQLITE_OPEN_READONLY, e);
    return ok || open_immutable(s, e);
}

/* Under the lock: WAL, schema, checks. */
static bool open_writer(struct store *s, bool alone, struct err *e)
{
    bool is_new, is_newer;
    if (!store_open_connection(s, &s->writer, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                               e) ||
        !check_identity(s, s->writer.db, &is_new, &is_newer, e))
        return false;
    /* Before anything is made: a new file in the place of one that others have open would share
     * their log. */
    if (!remember_inode(s, e) || !same_file_as_others(s, e))
        return false;
    if (!is_new && alone && !check_after_crash(s, s->writer.db, e))
        return false;
    if (is_newer) {
        s->read_only_reason = S("a newer engram made this database; this one only reads it");
        return true;
    }
    if (!store_execute(
            s, s->writer.db,
            s->rollback_journal ? "PRAGMA journal_mode=DELETE" : "PRAGMA journal_mode=WAL", e))
        return false;
    return migrate(s, s->writer.db, e) && schema_is_ours(s, s->writer.db, e);
}

/* Whoever only reads a finished database needs no lock, and doesn't wait for who writes: *done
 * tells that it was one. */
static bool open_finished(struct store *s, bool alone, bool *done, struct err *e)
{
    bool is_new, is_newer;
    int64_t version;
    *done = false;
    if (!exists(s->path))
        return true;
    if (!remember_inode(s, e) || !same_file_as_others(s, e))
        return false;
    if (!open_reader(s, e) || !check_identity(s, s->reader.db, &is_new, &is_newer, e) ||
        !pragma_number(s, s->reader.db, "PRAGMA user_version", &version, e)) {
        /* A first start that was killed leaves a journal that only a writer can roll back. */
        bool needs_writer = e->code == ERR_IO && !s->options.read_only;
        if (!needs_writer)
            return false;
        *e = (struct err){0};
        close_connection(&s->reader);
        return true;
    }
    if (is_newer)
        s->read_only_reason = S("a newer engram made this database; this one only reads it");
    else if (version != (int64_t)embed_sql_count) {
        close_connection(&s->reader); /* new or older: made or migrated under the lock */
        return true;
    } else if (!schema_is_ours(s, s->reader.db, e))
        return false;
    *done = true;
    return !alone || check_after_crash(s, s->reader.db, e);
}

static bool open_files(struct store *s, struct err *e)
{
    bool alone = flock(s->users_fd, LOCK_EX | LOCK_NB) == 0, done;
    if (alone && ftruncate(s->users_fd, 0)) /* what is noted there was of processes that ended */
        alone = s->options.read_only;
    bool ok = open_finished(s, alone, &done, e);
    if (ok && !done && s->options.read_only)
        ok = fail(e, ERR_DB, "%s is not there yet; it is opened for reading only", s->path);
    if (ok && !done) {
        mode_t mask = umask(077);
        ok = store_lock(s, store_write_deadline_ms(s), e);
        if (ok) {
            ok = open_writer(s, alone, e);
            store_unlock(s);
        }
        umask(mask);
        ok = ok && open_reader(s, e);
    }
    while (flock(s->users_fd, LOCK_SH) &&
           errno == EINTR) /* short: who holds it exclusively is opening, too */
        continue;
    return ok && store_make_vocabulary(s, &s->reader, e) &&
           (!s->writer.db || store_make_vocabulary(s, &s->writer, e)) &&
           store_execute(s, s->reader.db, "PRAGMA query_only=ON", e);
}

bool store_open(const struct memory_options *options, struct store **out, struct err *e)
{
    *out = NULL;
    struct store *s = heap_alloc(1, sizeof *s);
    s->options = *options;
    s->lock_fd = s->users_fd = s->attach_fd = -1;
    s->options.directory = arena_str(&s->arena, options->directory);
    s->path = ""; /* until the directory is known */
    bool ok = (options->read_only || make_directory(s->options.directory, e)) && resolve_path(s, e);
    ok = ok && (s->lock_fd = open_side_file(s, "write.lock", e)) >= 0 &&
         (s->users_fd = open_side_file(s, "users.lock", e)) >= 0 &&
         (s->attach_fd = open_side_file(s, "attach.lock", e)) >= 0;
    s->rollback_journal = ok && is_network_file_system(s->lock_fd);
    if (ok && open_files(s, e)) {
        *out = s;
        return true;
    }
    store_close(s);
    return false;
}

/* The last connection that may write takes the log into the file and its side files away; a reading
 * one leaves them. */
static void leave_no_side_files(struct store *s)
{
    struct err ignored = {0};
    bool is_new, is_newer;
    if (s->reader.db && !s->writer.db && !store_read_only_reason(s).len &&
        store_open_connection(s, &s->writer, s->path, SQLITE_OPEN_READWRITE, &ignored))
        check_identity(s, s->writer.db, &is_new, &is_newer,
                       &ignored); /* a connection takes part from its first read on */
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->writing)
        store_end(s, false, &(struct err){0});
    leave_no_side_files(s);
    close_connection(&s->reader);
    close_connection(&s->writer);
    if (s->lock_fd >= 0)
        close(s->lock_fd);
    if (s->users_fd >= 0)
        close(s->users_fd);
    if (s->attach_fd >= 0)
        close(s->attach_fd);
    arena_free(&s->arena);
    heap_free(s);
}

str store_read_only_reason(const struct store *s)
{
    return s->options.read_only && !s->read_only_reason.len ? S("opened for reading only")
                                                            : s->read_only_reason;
}
