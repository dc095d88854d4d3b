/* SQLite for the store's own files: connections, statements by the address of their text, binding
 * by a type string. */
#ifndef ENGRAM_STORE_SQL_H
#define ENGRAM_STORE_SQL_H

#include "memory/store.h"

#include <sqlite3.h>

enum {
    STATEMENT_SLOTS = 512
}; /* a power of two, far above the number of statements in the sources */

struct statement_cache {
    struct {
        const char *sql;
        sqlite3_stmt *stmt;
    } slots[STATEMENT_SLOTS];
};

/* What the tokenizer met, so that nothing is taken apart twice: the words of the last text, without
 * what shares a place; and since `columns` was set to 0, those of each text that are no stop words.
 * A text that was taken apart before isn't again.
 */
struct indexed_words {
    int64_t of_last;
    size_t columns;
    int64_t telling[4];
    const struct index_text *ready; /* borrowed while a statement runs */
    size_t ready_count;
};

struct connection {
    sqlite3 *db;
    struct indexed_words indexed;
    struct statement_cache cache;
};

struct store {
    struct memory_options options;
    struct arena arena; /* paths and reasons */
    const char *path;
    int lock_fd, users_fd, attach_fd;
    struct connection writer, reader;
    bool writing, reading, importing;
    bool reads_by_writer;  /* until the read ends */
    int64_t device, inode; /* of the database file that is open */
    str read_only_reason;
    bool rollback_journal; /* a file system where WAL doesn't work */
};

/* The statement for `sql` (a literal: its address is the key) on the connection in use, reset and
 * bound. types: one letter a value: i int64_t, d double, s str, z str where empty means NULL, n no
 * value (NULL), 0 int64_t where 0 means NULL, b str as a blob. NULL on error. */
sqlite3_stmt *store_query(struct store *s, struct err *e, const char *sql, const char *types, ...);

/* true where a row is there; false at the end (statement reset) or on error (*e set). */
bool store_row(struct store *s, sqlite3_stmt *stmt, struct err *e);

/* Runs a statement that gives no rows. Needs an open write. */
bool store_run(struct store *s, struct err *e, const char *sql, const char *types, ...);

/* The same for a row of a full-text index; the words of its texts, column by column, until the next
 * one. NULL on error. */
const struct indexed_words *store_index_words(struct store *s, struct err *e, const char *sql,
                                              const char *types, ...);

/* One number from one row; `initial` where there is no row. */
bool store_number(struct store *s, struct err *e, int64_t *out, int64_t initial, const char *sql,
                  const char *types, ...);

/* The first column of every row, in a. */
bool store_ids(struct store *s, struct arena *a, sqlite3_stmt *stmt, int64_t **out, size_t *count,
               struct err *e);

/* Sets *e from the connection's state, told apart by kind (busy, full, damaged). */
bool store_fail(struct store *s, sqlite3 *db, struct err *e, const char *doing);

/* Statements that give nothing, on a connection of the store. */
bool store_execute(struct store *s, sqlite3 *db, const char *sql, struct err *e);

/* The write lock, waited for at most so long; and how long a write waits by the options. */
bool store_lock(struct store *s, int64_t wait_ms, struct err *e);
void store_unlock(struct store *s);
int64_t store_write_deadline_ms(const struct store *s);

/* A hardened connection with the tokenizer; flags as sqlite3_open_v2 takes them (store_open.c). */
bool store_open_connection(struct store *s, struct connection *c, const char *name, int flags,
                           struct err *e);

/* The connection's view of the terms that the full-text index holds. */
bool store_make_vocabulary(struct store *s, const struct connection *c, struct err *e);

/* Questions that may be asked: all that they are about is current. One about all names that were
 * said once ("once") names only one of them. */
#define OPEN_QUESTIONS                                                                             \
    "question WHERE state IN (0, 3) AND (kind = 'once' OR NOT EXISTS (SELECT 1 FROM node WHERE"    \
    " node.id IN (question.a, question.b) AND node.state <> 0))"

str column_str(struct arena *a, sqlite3_stmt *stmt, int column);

/* tokenize='engram' for a connection, which tells *indexed what it meets, and the
 * reading of postings (store_postings.c). */
bool store_register_tokenizer(sqlite3 *db, struct indexed_words *indexed, struct err *e);
int store_register_postings(fts5_api *api);

/* Makes the snapshot's entry of a node (and of the edge src-dst) out of date. */
bool store_changed_node(struct store *s, int64_t id, struct err *e);
bool store_changed_edge(struct store *s, int64_t src, int64_t dst, struct err *e);

#endif
