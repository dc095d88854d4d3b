#include "memory/store_history.h"

#include "memory/store_code.h"
#include "memory/store_sql.h"

/* ---- commits ---- */

bool store_put_commit(struct store *s, const struct commit_row *r, str paths, int64_t now_ms,
                      int64_t *id, struct err *e)
{
    struct node_row row = {.kind = NODE_COMMIT,
                           .key = r->oid,
                           .name = r->subject,
                           .origin = ORIGIN_COMMIT,
                           .trust = origin_trust[ORIGIN_COMMIT],
                           .at_ms = r->at_ms,
                           .stored_ms = now_ms};
    if (!store_put_node(s, &row, id, e))
        return false;
    const struct indexed_words *of = store_index_words(
        s, e, "INSERT INTO commit_fts (rowid, subject, text, paths) VALUES (?1, ?2, ?3, ?4)",
        "isss", *id, r->subject, r->text, paths);
    return of && store_run(s, e,
                           "INSERT INTO git_commit (id, author, text, parents, changes, words,"
                           " is_merge, reverts) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                           "isssiiis", *id, r->author, r->text, r->parents, r->changes,
                           of->telling[0] + of->telling[1], (int64_t)r->is_merge, r->reverts);
}

bool store_blank_commit(struct store *s, int64_t id, str reverts, struct err *e)
{
    /* What is deleted from an index without a text of its own stays in its segments until they are
     * written anew. */
    static const char *const rewrite = "INSERT INTO commit_fts (commit_fts) VALUES ('optimize')";
    return store_set_name(s, id, S("(forgotten)"), e) &&
           store_run(s, e, "UPDATE git_commit SET text = '', words = 0, reverts = ?2 WHERE id = ?1",
                     "is", id, reverts) &&
           store_run(s, e, "DELETE FROM commit_fts WHERE rowid = ?1", "i", id) &&
           store_run(s, e, rewrite, "") && store_touch_history(s, 1, e);
}

bool store_get_commit(struct store *s, struct arena *a, int64_t id, struct commit_row *out,
                      bool *found, struct err *e)
{
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT node.key, node.name, text, author, parents, reverts, at_ms, changes,"
                    " git_commit.words, state, is_merge, reachable FROM git_commit JOIN node ON "
                    "node.id = git_commit.id"
                    " WHERE git_commit.id = ?1",
                    "i", id);
    *found = store_row(s, q, e);
    if (!*found)
        return e->code == ERR_NONE;
    *out = (struct commit_row){.id = id,
                               .oid = column_str(a, q, 0),
                               .subject = column_str(a, q, 1),
                               .text = column_str(a, q, 2),
                               .author = column_str(a, q, 3),
                               .parents = column_str(a, q, 4),
                               .reverts = column_str(a, q, 5),
                               .at_ms = sqlite3_column_int64(q, 6),
                               .changes = sqlite3_column_int64(q, 7),
                               .words = sqlite3_column_int64(q, 8),
                               .state = (enum node_state)sqlite3_column_int(q, 9),
                               .is_merge = sqlite3_column_int(q, 10) != 0,
                               .reachable = sqlite3_column_int(q, 11) != 0};
    sqlite3_reset(q);
    return true;
}

bool store_find_commit(struct store *s, struct arena *a, str shortened, str *oid, struct err *e)
{
    char end[64];
    int64_t found = 0;
    *oid = S("");
    if (shortened.len >= sizeof end)
        return true;
    memcpy(end, shortened.at, shortened.len);
    end[shortened.len] = 'g'; /* behind every id that begins so */
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT key FROM node WHERE kind = ?1 AND key >= ?2 AND key < ?3"
                    " ORDER BY key LIMIT 2",
                    "iss", (int64_t)NODE_COMMIT, shortened, str_from(end, shortened.len + 1));
    for (; store_row(s, q, e); found++)
        *oid = column_str(a, q, 0);
    if (found != 1)
        *oid = S("");
    return e->code == ERR_NONE;
}

bool store_put_reference(struct store *s, int64_t commit, str text, struct err *e)
{
    return store_run(s, e, "INSERT OR IGNORE INTO git_reference (text, id) VALUES (?1, ?2)", "si",
                     text, commit);
}

bool store_references_of(struct store *s, struct arena *a, int64_t commit, str **out, size_t *count,
                         struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT text FROM git_reference WHERE id = ?1 ORDER BY text", "i", commit);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = column_str(a, q, 0);
    }
    return e->code == ERR_NONE;
}

/* ---- paths of the past ---- */

bool store_renamed(struct store *s, struct arena *a, str old, str *now, struct err *e)
{
    sqlite3_stmt *q = store_query(s, e, "SELECT now FROM git_rename WHERE old = ?1", "s", old);
    *now = old;
    if (store_row(s, q, e)) {
        *now = column_str(a, q, 0);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_put_rename(struct store *s, str old, str now, struct err *e)
{
    return store_run(s, e, "INSERT OR IGNORE INTO git_rename (old, now) VALUES (?1, ?2)", "ss", old,
                     now);
}

bool store_find_current_file(struct store *s, str path, int64_t *id, struct err *e)
{
    return store_number(s, e, id, 0,
                        "SELECT id FROM node WHERE kind = ?1 AND key = ?2 AND state = 0", "is",
                        (int64_t)NODE_FILE, path);
}

/* ---- all of it ---- */

static str borrowed(sqlite3_stmt *q, int column)
{
    const char *text = (const char *)sqlite3_column_text(q, column);
    return str_from(text ? text : "", (size_t)sqlite3_column_bytes(q, column));
}

bool store_each_commit(struct store *s, commit_visit *visit, void *ctx, struct err *e)
{
    bool ok = true;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT git_commit.id, at_ms, key, parents, reverts, is_merge, reachable, git_commit.words,"
        " changes, state, name FROM git_commit JOIN node ON node.id = git_commit.id"
        " ORDER BY git_commit.id",
        "");
    while (ok && store_row(s, q, e)) {
        struct commit_link c = {.id = sqlite3_column_int64(q, 0),
                                .at_ms = sqlite3_column_int64(q, 1),
                                .oid = borrowed(q, 2),
                                .parents = borrowed(q, 3),
                                .reverts = borrowed(q, 4),
                                .is_merge = sqlite3_column_int(q, 5) != 0,
                                .reachable = sqlite3_column_int(q, 6) != 0,
                                .words = (uint32_t)sqlite3_column_int64(q, 7),
                                .changes = (uint32_t)sqlite3_column_int64(q, 8),
                                .state = (uint8_t)sqlite3_column_int(q, 9),
                                .subject = borrowed(q, 10)};
        ok = visit(ctx, &c, e);
    }
    if (!ok && q)
        sqlite3_reset(q);
    return ok && e->code == ERR_NONE;
}

bool store_each_touch(struct store *s, touch_visit *visit, void *ctx, struct err *e)
{
    bool ok = true;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT src, dst FROM git_commit CROSS JOIN edge ON edge.src ="
                                  " git_commit.id AND edge.kind = ?1 WHERE NOT EXISTS (SELECT 1"
                                  " FROM symbol WHERE symbol.id = dst) ORDER BY git_commit.id, dst",
                                  "i", (int64_t)EDGE_TOUCHES);
    while (ok && store_row(s, q, e))
        ok = visit(ctx, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1));
    if (!ok && q)
        sqlite3_reset(q);
    return ok && e->code == ERR_NONE;
}

bool store_last_touch(struct store *s, int64_t target, int64_t since_ms, int64_t *commit,
                      struct err *e)
{
    return store_number(s, e, commit, 0,
                        "SELECT src FROM edge JOIN git_commit ON git_commit.id = src WHERE dst = ?1"
                        " AND kind = ?2 AND at_ms > ?3 AND reachable ORDER BY at_ms DESC, src"
                        " LIMIT 1",
                        "iii", target, (int64_t)EDGE_TOUCHES, since_ms);
}

bool store_made_at(struct store *s, int64_t memory, int64_t *at_ms, struct err *e)
{
    return store_number(s, e, at_ms, 0,
                        "SELECT coalesce(head.at_ms, node.stored_ms) FROM node LEFT JOIN node AS"
                        " head ON head.kind = ?2 AND head.key = node.head WHERE node.id = ?1",
                        "ii", memory, (int64_t)NODE_COMMIT);
}

bool store_set_reachable(struct store *s, int64_t commit, bool reachable, bool *changed,
                         struct err *e)
{
    bool ok =
        store_run(s, e, "UPDATE git_commit SET reachable = ?2 WHERE id = ?1 AND reachable <> ?2",
                  "ii", commit, (int64_t)reachable);
    *changed |= ok && sqlite3_changes(s->writer.db) > 0;
    return ok;
}

bool store_set_commit_state(struct store *s, int64_t commit, enum node_state state, struct err *e)
{
    int64_t other;
    return store_number(s, e, &other, 0, "SELECT count(*) FROM node WHERE id = ?1 AND state <> ?2",
                        "ii", commit, (int64_t)state) &&
           (!other || (store_run(s, e, "UPDATE node SET state = ?2 WHERE id = ?1", "ii", commit,
                                 (int64_t)state) &&
                       store_changed_node(s, commit, e)));
}

bool store_stand_together(struct store *s, int64_t one, int64_t other, float weight, bool *stands,
                          struct err *e)
{
    int64_t count;
    bool ok = store_number(s, e, &count, 0,
                           "SELECT count(*) FROM edge WHERE src = ?1 AND dst = ?2 AND kind = ?3 AND"
                           " abs(weight - ?4) <= 0.02",
                           "iiid", one, other, (int64_t)EDGE_CO_OCCURS, (double)weight);
    *stands = count > 0;
    return ok;
}

bool store_put_together(struct store *s, int64_t one, int64_t other, float weight, int64_t now_ms,
                        struct err *e)
{
    int64_t id;
    struct edge_full edge = {
        .src = one, .dst = other, .kind = EDGE_CO_OCCURS, .weight = weight, .at_ms = now_ms};
    if (!store_put_edge(s, &edge, &id, e) || id)
        return e->code == ERR_NONE;
    return store_run(s, e, "UPDATE edge SET weight = ?4 WHERE src = ?1 AND dst = ?2 AND kind = ?3",
                     "iiid", one, other, (int64_t)EDGE_CO_OCCURS, (double)weight) &&
           store_changed_edge(s, one, other, e);
}

bool store_tie_references(struct store *s, int64_t now_ms, size_t most, struct err *e)
{
    return store_run(
        s, e,
        "INSERT OR IGNORE INTO edge (src, dst, kind, label, weight, at_ms)"
        " SELECT git_reference.id, alias.entity, ?1, '', 1, ?2 FROM alias CROSS JOIN git_reference"
        " ON git_reference.text = alias.name WHERE alias.normal >= '#' AND alias.normal < '$'"
        " ORDER BY git_reference.id DESC LIMIT ?3",
        "iii", (int64_t)EDGE_MENTIONS, now_ms, (int64_t)most);
}

bool store_memories_of_commit(struct store *s, struct arena *a, int64_t commit, int64_t **out,
                              size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id FROM edge JOIN node ON node.id = edge.src WHERE dst = ?1 AND edge.kind = ?2"
        " AND node.kind = ?3 AND origin = ?4 ORDER BY node.id",
        "iiii", commit, (int64_t)EDGE_ANCHORS, (int64_t)NODE_MEMORY, (int64_t)ORIGIN_COMMIT);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = sqlite3_column_int64(q, 0);
    }
    return e->code == ERR_NONE;
}

bool store_commit_extent(struct store *s, int64_t *newest_ms, int64_t *count, struct err *e)
{
    return store_number(s, e, newest_ms, 0, "SELECT max(at_ms) FROM node WHERE kind = ?1", "i",
                        (int64_t)NODE_COMMIT) &&
           store_number(s, e, count, 0, "SELECT count(*) FROM git_commit", "");
}

/* ---- lineage ---- */

bool store_memory_heads(struct store *s, struct arena *a, str **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT DISTINCT head FROM node WHERE kind = 0 AND head <> '' ORDER BY head", "");
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = column_str(a, q, 0);
    }
    return e->code == ERR_NONE;
}

bool store_put_lineage(struct store *s, int64_t worktree, str head, enum lineage relation,
                       struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO lineage (worktree, head, relation) VALUES (?1,?2,?3)",
                     "isi", worktree, head, (int64_t)relation);
}

bool store_get_lineage(struct store *s, int64_t worktree, str head, enum lineage *out,
                       struct err *e)
{
    int64_t relation;
    bool ok = store_number(s, e, &relation, LINEAGE_UNKNOWN,
                           "SELECT relation FROM lineage WHERE worktree = ?1 AND head = ?2", "is",
                           worktree, head);
    *out = relation >= 0 && relation < LINEAGE_UNKNOWN ? (enum lineage)relation : LINEAGE_UNKNOWN;
    return ok;
}

bool store_memory_lineage(struct store *s, struct arena *a, const struct worktree_row *worktree,
                          int64_t memory, struct memory_lineage *out, struct err *e)
{
    *out = (struct memory_lineage){.relation = LINEAGE_UNKNOWN};
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT branch, node.head, coalesce(relation, ?3) FROM node LEFT"
                                  " JOIN lineage ON lineage.worktree = ?2 AND lineage.head ="
                                  " node.head WHERE id = ?1 AND node.head <> ''",
                                  "iii", memory, worktree->id, (int64_t)LINEAGE_UNKNOWN);
    if (!store_row(s, q, e))
        return e->code == ERR_NONE;
    out->branch = column_str(a, q, 0);
    int64_t relation = sqlite3_column_int64(q, 2);
    bool same_branch = out->branch.len && str_eq(out->branch, worktree->branch);
    if (same_branch || str_eq(borrowed(q, 1), worktree->head))
        relation = LINEAGE_SAME;
    if (relation >= 0 && relation < LINEAGE_UNKNOWN)
        out->relation = (enum lineage)relation;
    sqlite3_reset(q);
    return true;
}

bool store_has_lineage(struct store *s, int64_t worktree, bool *out, struct err *e)
{
    int64_t any;
    bool ok = store_number(s, e, &any, 0,
                           "SELECT EXISTS (SELECT 1 FROM lineage WHERE worktree = ?1 AND relation"
                           " <> ?2)",
                           "ii", worktree, (int64_t)LINEAGE_SAME);
    *out = any != 0;
    return ok;
}

/* ---- tags ---- */

bool store_set_tags(struct store *s, const struct commit_tag *tags, size_t count, struct err *e)
{
    bool ok = store_run(s, e, "DELETE FROM git_tag", "");
    for (size_t i = 0; ok && i < count; i++)
        ok =
            store_run(s, e, "INSERT OR REPLACE INTO git_tag (name, oid, at_ms) VALUES (?1, ?2, ?3)",
                      "ssi", tags[i].name, tags[i].id, tags[i].commit_s * 1000);
    return ok;
}

bool store_get_tags(struct store *s, struct arena *a, struct commit_tag **out, size_t *count,
                    struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e, "SELECT name, oid, at_ms / 1000 FROM git_tag ORDER BY name", "");
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct commit_tag){column_str(a, q, 0), column_str(a, q, 1),
                                                 sqlite3_column_int64(q, 2)};
    }
    return e->code == ERR_NONE;
}
