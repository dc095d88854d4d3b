/* Rows of documents that are being stored in many transactions: who is at it, and what may be seen
 * of it. */
#include "memory/store_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- who is at it: a lock on one byte of attach.lock, the kernel's, so that it ends with us ----
 */

static struct flock byte_of(int64_t ticket)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)ticket, .l_len = 1};
}

static bool hold(struct store *s, int64_t ticket, struct err *e)
{
    struct flock byte = byte_of(ticket);
    return fcntl(s->attach_fd, F_OFD_SETLK, &byte) == 0 ||
           fail(e, ERR_IO, "locking attach.lock: %s", strerror(errno));
}

void store_let_ticket(struct store *s, int64_t ticket)
{
    struct flock byte = byte_of(ticket);
    byte.l_type = F_UNLCK;
    fcntl(s->attach_fd, F_OFD_SETLK, &byte);
}

static bool is_held_by_others(struct store *s, int64_t ticket)
{
    struct flock byte = byte_of(ticket);
    return fcntl(s->attach_fd, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

bool store_take_ticket(struct store *s, int64_t document, int64_t *ticket, struct err *e)
{
    int64_t before;
    if (!store_number(s, e, &before, 0, "SELECT ticket FROM document_ticket WHERE document = ?1",
                      "i", document))
        return false;
    store_let_ticket(s, before); /* where it was ours */
    return store_run(s, e, "INSERT OR REPLACE INTO document_ticket (document) VALUES (?1)", "i",
                     document) &&
           store_number(s, e, ticket, 0, "SELECT ticket FROM document_ticket WHERE document = ?1",
                        "i", document) &&
           hold(s, *ticket, e);
}

bool store_keep_ticket(struct store *s, int64_t document, int64_t ticket, struct err *e)
{
    int64_t now;
    if (!store_number(s, e, &now, 0, "SELECT ticket FROM document_ticket WHERE document = ?1", "i",
                      document))
        return false;
    if (now != ticket)
        return fail(e, ERR_CONFLICT,
                    "the document was attached again or forgotten while it was stored");
    return hold(s, ticket, e);
}

bool store_drop_ticket(struct store *s, int64_t document, struct err *e)
{
    return store_run(s, e, "DELETE FROM document_ticket WHERE document = ?1", "i", document);
}

bool store_orphan_tickets(struct store *s, struct arena *a, struct ticket_row **out, size_t *count,
                          struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT ticket, document, is_shown FROM document_ticket ORDER BY ticket", "");
    while (store_row(s, q, e)) {
        struct ticket_row row = {sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                                 sqlite3_column_int(q, 2) != 0};
        if (is_held_by_others(s, row.ticket))
            continue;
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = row;
    }
    return e->code == ERR_NONE;
}

/* ---- what may be seen of it ---- */

#define PENDING_PASSAGES                                                                           \
    " IN (SELECT passage.id FROM passage JOIN node ON node.id = passage.id WHERE document = ?1"    \
    " AND state = ?2)"

bool store_mark_shown(struct store *s, int64_t document, struct err *e)
{
    return store_run(s, e, "UPDATE document_ticket SET is_shown = 1 WHERE document = ?1", "i",
                     document);
}

bool store_show_passages(struct store *s, int64_t document, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO change (node) SELECT id FROM node WHERE id" PENDING_PASSAGES,
                     "ii", document, (int64_t)STATE_PENDING) &&
           store_run(s, e, "UPDATE node SET state = 0 WHERE id" PENDING_PASSAGES, "ii", document,
                     (int64_t)STATE_PENDING) &&
           store_mark_shown(s, document, e);
}

bool store_hidden_passages(struct store *s, struct arena *a, int64_t document, size_t most,
                           int64_t **out, size_t *count, struct err *e)
{
    *out = ARENA_ARRAY(a, int64_t, most);
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT passage.id FROM passage JOIN node ON node.id = passage.id WHERE"
                    " document = ?1 AND (state <> 0 OR ?3 = (SELECT state FROM node WHERE id = ?1))"
                    " ORDER BY passage.id LIMIT ?2",
                    "iii", document, (int64_t)most, (int64_t)STATE_PENDING);
    while (store_row(s, q, e))
        (*out)[(*count)++] = sqlite3_column_int64(q, 0);
    return e->code == ERR_NONE;
}
