/* Rows of the journal and of review questions. */
#include "memory/store_review_find.h"
#include "memory/store_sql.h"

bool store_put_journal(struct store *s, const struct journal_row *r, int64_t *id, struct err *e)
{
    if (!store_run(s, e, "INSERT INTO journal (stored_ms, action, text, undo) VALUES (?1,?2,?3,?4)",
                   "isss", r->stored_ms, r->action, r->text, r->undo))
        return false;
    *id = sqlite3_last_insert_rowid(s->writer.db);
    return true;
}

static struct journal_row journal_of(struct arena *a, sqlite3_stmt *q)
{
    return (struct journal_row){.id = sqlite3_column_int64(q, 0),
                                .stored_ms = sqlite3_column_int64(q, 1),
                                .undone_ms = sqlite3_column_int64(q, 2),
                                .action = column_str(a, q, 3),
                                .text = column_str(a, q, 4),
                                .undo = column_str(a, q, 5)};
}

#define JOURNAL_COLUMNS "SELECT id, stored_ms, undone_ms, action, text, undo FROM journal"

bool store_get_journal(struct store *s, struct arena *a, int64_t id, struct journal_row *out,
                       bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e, JOURNAL_COLUMNS " WHERE id = ?1", "i", id);
    *found = store_row(s, q, e);
    if (*found) {
        *out = journal_of(a, q);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_newer_journal(struct store *s, struct arena *a, int64_t id, struct journal_row **out,
                         size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e, JOURNAL_COLUMNS " WHERE id > ?1 AND undone_ms = 0 ORDER BY id", "i", id);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = journal_of(a, q);
    }
    return e->code == ERR_NONE;
}

bool store_set_undone(struct store *s, int64_t id, int64_t now_ms, struct err *e)
{
    return store_run(s, e, "UPDATE journal SET undone_ms = ?2 WHERE id = ?1", "ii", id, now_ms);
}

bool store_journal_with(struct store *s, struct arena *a, str field, struct journal_row **out,
                        size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, JOURNAL_COLUMNS " WHERE instr(undo, char(9) || ?1 || char(9)) ORDER BY id", "s",
        field);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = journal_of(a, q);
    }
    return e->code == ERR_NONE;
}

bool store_set_journal(struct store *s, const struct journal_row *r, struct err *e)
{
    return store_run(s, e, "UPDATE journal SET undone_ms = ?2, text = ?3, undo = ?4 WHERE id = ?1",
                     "iiss", r->id, r->undone_ms, r->text, r->undo);
}

/* ---- questions ---- */

bool store_put_question(struct store *s, const struct question_row *r, int64_t now_ms,
                        struct err *e)
{
    return store_run(
        s, e,
        "INSERT OR IGNORE INTO question (kind, a, b, weight, stored_ms) VALUES (?1,?2,?3,?4,?5)",
        "si0di", r->kind, r->a, r->b, (double)r->weight, now_ms);
}

static struct question_row question_of(struct arena *a, sqlite3_stmt *q)
{
    return (struct question_row){.id = sqlite3_column_int64(q, 0),
                                 .kind = column_str(a, q, 1),
                                 .a = sqlite3_column_int64(q, 2),
                                 .b = sqlite3_column_int64(q, 3),
                                 .state = sqlite3_column_int(q, 4),
                                 .weight = (float)sqlite3_column_double(q, 5),
                                 .stored_ms = sqlite3_column_int64(q, 6)};
}

#define QUESTION_COLUMNS "SELECT id, kind, a, coalesce(b, 0), state, weight, stored_ms FROM "

bool store_get_question(struct store *s, struct arena *a, int64_t id, struct question_row *out,
                        bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e, QUESTION_COLUMNS "question WHERE id = ?1", "i", id);
    *found = store_row(s, q, e);
    if (*found) {
        *out = question_of(a, q);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_find_question(struct store *s, struct arena *a, const struct question_row *like,
                         struct question_row *out, bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e, QUESTION_COLUMNS "question WHERE kind = ?1 AND a = ?2 AND coalesce(b, 0) = ?3", "sii",
        like->kind, like->a, like->b);
    *found = store_row(s, q, e);
    if (*found) {
        *out = question_of(a, q);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_questions(struct store *s, struct arena *a, bool guesses_first, size_t most,
                     struct question_row **out, size_t *count, size_t *open, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = *open = 0;
    int64_t n;
    if (!store_number(s, e, &n, 0, "SELECT count(*) FROM " OPEN_QUESTIONS, ""))
        return false;
    *open = (size_t)n;
    sqlite3_stmt *q = store_query(s, e,
                                  QUESTION_COLUMNS OPEN_QUESTIONS
                                  " ORDER BY state, (weight >= 1) <> ?2, weight DESC, id"
                                  " LIMIT ?1",
                                  "ii", (int64_t)most, (int64_t)guesses_first);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = question_of(a, q);
    }
    return e->code == ERR_NONE;
}

bool store_contradicting(struct store *s, struct arena *a, int64_t id, size_t most, int64_t **out,
                         size_t *count, struct err *e)
{
    return store_ids(
        s, a,
        store_query(
            s, e,
            "SELECT b FROM question WHERE kind = '" CONTRADICTION "' AND a = ?1 AND (state = 0 OR"
            " state = 3) UNION ALL SELECT a FROM question WHERE b = ?1 AND kind = '" CONTRADICTION
            "' AND (state = 0 OR state = 3) LIMIT ?2",
            "ii", id, (int64_t)most),
        out, count, e);
}

bool store_answer_question(struct store *s, int64_t id, int state, int64_t now_ms, struct err *e)
{
    return store_run(s, e, "UPDATE question SET state = ?2, answered_ms = ?3 WHERE id = ?1", "iii",
                     id, (int64_t)state, now_ms);
}
