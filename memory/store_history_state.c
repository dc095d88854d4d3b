/* How far the history was read. */
#include "memory/store_history.h"

#include "memory/store_sql.h"

bool store_get_history(struct store *s, struct arena *a, str root, struct history_row *out,
                       struct err *e)
{
    *out = (struct history_row){0};
    sqlite3_stmt *q = store_query(
        s, e, "SELECT frontier, note, revision, followed FROM history WHERE id = 1", "");
    if (store_row(s, q, e)) {
        out->frontier = column_str(a, q, 0);
        out->note = column_str(a, q, 1);
        out->revision = sqlite3_column_int64(q, 2);
        out->followed = sqlite3_column_int64(q, 3);
        sqlite3_reset(q);
    }
    q = store_query(s, e, "SELECT history_head, history_refs FROM worktree WHERE root = ?1", "s",
                    root);
    if (store_row(s, q, e)) {
        out->read = (struct history_tips){column_str(a, q, 0), column_str(a, q, 1)};
        sqlite3_reset(q);
    }
    /* Nodes, as their index alone tells. */
    return e->code == ERR_NONE &&
           store_number(s, e, &out->commits, 0, "SELECT count(*) FROM node WHERE kind = ?1", "i",
                        (int64_t)NODE_COMMIT);
}

bool store_history_revision(struct store *s, int64_t *out, struct err *e)
{
    return store_number(s, e, out, 0, "SELECT revision FROM history WHERE id = 1", "");
}

bool store_touch_history(struct store *s, size_t changes, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO history (id, frontier, note, revision) VALUES (1, '', '', ?1)"
                     " ON CONFLICT (id) DO UPDATE SET revision = revision + ?1",
                     "i", (int64_t)changes);
}

bool store_set_followed(struct store *s, int64_t revision, struct err *e)
{
    return store_run(s, e, "UPDATE history SET followed = ?1 WHERE id = 1", "i", revision);
}

bool store_set_history(struct store *s, str frontier, str note, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO history (id, frontier, note, revision) VALUES (1, ?1, ?2, 1)"
                     " ON CONFLICT (id) DO UPDATE SET frontier = ?1, note = ?2",
                     "ss", frontier, note);
}

bool store_set_history_tips(struct store *s, str root, const struct history_tips *tips,
                            struct err *e)
{
    return store_run(s, e,
                     "UPDATE worktree SET history_head = ?2, history_refs = ?3 WHERE root = ?1",
                     "sss", root, tips->head, tips->references);
}

bool store_newest_commits(struct store *s, struct arena *a, size_t most, str **oids, size_t *count,
                          struct err *e)
{
    size_t capacity = 0;
    *oids = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e, "SELECT key FROM node WHERE kind = ?1 ORDER BY at_ms DESC, id LIMIT ?2",
                    "ii", (int64_t)NODE_COMMIT, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *oids, *count, capacity);
        (*oids)[(*count)++] = column_str(a, q, 0);
    }
    return e->code == ERR_NONE;
}

bool store_has_lost_commits(struct store *s, bool *out, struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0,
                           "SELECT EXISTS (SELECT 1 FROM git_commit WHERE reachable = 0)", "");
    *out = any != 0;
    return ok;
}

static bool each_text(struct store *s, sqlite3_stmt *q, text_visit *visit, void *ctx, struct err *e)
{
    bool more = true;
    while (more && store_row(s, q, e)) {
        const char *text = (const char *)sqlite3_column_text(q, 0);
        more = visit(ctx, str_from(text ? text : "", (size_t)sqlite3_column_bytes(q, 0)));
    }
    if (!more)
        sqlite3_reset(q);
    return e->code == ERR_NONE;
}

/* A revision for each commit, and some for what else changed: then older ones are among them. */
#define SINCE_FOLLOWED                                                                             \
    "SELECT id FROM (SELECT id FROM git_commit ORDER BY id DESC LIMIT"                             \
    " coalesce((SELECT revision - followed FROM history), 0)) ORDER BY id LIMIT ?1"

bool store_each_commit_id(struct store *s, size_t but, text_visit *visit, void *ctx, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT key FROM node WHERE kind = ?2 AND id NOT IN"
                                  " (" SINCE_FOLLOWED ") ORDER BY key",
                                  "ii", (int64_t)but, (int64_t)NODE_COMMIT);
    return each_text(s, q, visit, ctx, e);
}

bool store_each_parents(struct store *s, size_t but, text_visit *visit, void *ctx, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT parents FROM git_commit WHERE id NOT IN"
                                  " (" SINCE_FOLLOWED ") ORDER BY id",
                                  "i", (int64_t)but);
    return each_text(s, q, visit, ctx, e);
}
