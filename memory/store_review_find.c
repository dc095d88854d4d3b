#include "memory/store_review_find.h"

#include "memory/store_sql.h"

bool store_named_once(struct store *s, struct arena *a, int64_t from_ms, int64_t to_ms, size_t most,
                      int64_t **out, size_t *count, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id FROM node JOIN entity ON entity.id = node.id WHERE node.kind = ?1 AND"
        " state = 0 AND stored_ms > ?2 AND stored_ms <= ?3 AND typed = 0"
        " AND 1 = (SELECT count(*) FROM edge WHERE dst = node.id AND edge.kind = ?4)"
        " AND NOT EXISTS (SELECT 1 FROM edge WHERE dst = node.id AND edge.kind <> ?4)"
        " AND NOT EXISTS (SELECT 1 FROM edge WHERE src = node.id)"
        " AND NOT EXISTS (SELECT 1 FROM edge JOIN member ON member.memory = edge.src WHERE"
        " edge.dst = node.id AND edge.kind = ?4)"
        " AND NOT EXISTS (SELECT 1 FROM entity AS merged WHERE merged.merged_into = node.id)"
        " AND NOT EXISTS (SELECT 1 FROM property WHERE property.entity = node.id)"
        " AND NOT EXISTS (SELECT 1 FROM question WHERE question.kind = 'dismiss' AND a = node.id"
        " AND question.state = 2) ORDER BY node.id LIMIT ?5",
        "iiiii", (int64_t)NODE_ENTITY, from_ms, to_ms, (int64_t)EDGE_MENTIONS, (int64_t)most);
    return store_ids(s, a, q, out, count, e);
}

bool store_last_no(struct store *s, str kind, int64_t *asked_ms, struct err *e)
{
    return store_number(s, e, asked_ms, 0,
                        "SELECT max(stored_ms) FROM question WHERE kind = ?1 AND state = 2", "s",
                        kind);
}

bool store_was_asked(struct store *s, str kind, int64_t a, bool *asked, struct err *e)
{
    int64_t n;
    bool ok = store_number(s, e, &n, 0, "SELECT 1 FROM question WHERE kind = ?1 AND a = ?2", "si",
                           kind, a);
    *asked = n > 0;
    return ok;
}

bool store_has_open(struct store *s, str kind, bool *open, struct err *e)
{
    int64_t n;
    bool ok = store_number(s, e, &n, 0,
                           "SELECT count(*) FROM question WHERE kind = ?1 AND state IN (0, 3)", "s",
                           kind);
    *open = n > 0;
    return ok;
}

bool store_verdicts(struct store *s, str kind, int64_t *yes, int64_t *no, struct err *e)
{
    return store_number(s, e, yes, 0,
                        "SELECT count(*) FROM question WHERE kind = ?1 AND state = 1 AND"
                        " answered_ms > 0",
                        "s", kind) &&
           store_number(s, e, no, 0,
                        "SELECT count(*) FROM question WHERE kind = ?1 AND state = 2 AND"
                        " answered_ms > 0",
                        "s", kind);
}

bool store_commit_decisions(struct store *s, struct arena *a, size_t most, int64_t **out,
                            size_t *count, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id FROM memory JOIN node ON node.id = memory.id WHERE memory.kind = ?1 AND"
        " origin = ?2 AND state = 0 AND NOT EXISTS (SELECT 1 FROM question WHERE question.kind ="
        " 'confirm' AND a = node.id) ORDER BY at_ms DESC, node.id DESC LIMIT ?3",
        "iii", (int64_t)KIND_DECISION, (int64_t)ORIGIN_COMMIT, (int64_t)most);
    return store_ids(s, a, q, out, count, e);
}

bool store_bound_memories(struct store *s, struct arena *a, size_t most, int64_t **out,
                          size_t *count, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT DISTINCT memory FROM binding JOIN node ON node.id = memory WHERE state = 0"
        " ORDER BY memory LIMIT ?1",
        "i", (int64_t)most);
    return store_ids(s, a, q, out, count, e);
}

bool store_meanings(struct store *s, struct arena *a, int64_t entity, size_t most,
                    struct meaning_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT DISTINCT node.id, coalesce(topology.community, 0), coalesce(community.label, '') "
        "FROM edge"
        " JOIN node ON node.id = edge.src LEFT JOIN topology ON topology.node = node.id"
        " LEFT JOIN community ON community.id = topology.community WHERE edge.dst = ?1 AND"
        " edge.kind = ?2 AND state = 0 ORDER BY 2, 1 LIMIT ?3",
        "iii", entity, (int64_t)EDGE_MENTIONS, (int64_t)most);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct meaning_row){sqlite3_column_int64(q, 0),
                                                  sqlite3_column_int64(q, 1), column_str(a, q, 2)};
    }
    return e->code == ERR_NONE;
}

bool store_shared_between(struct store *s, int64_t entity, int64_t community, int64_t other,
                          size_t most_mentions, int64_t *shared, struct err *e)
{
    return store_number(
        s, e, shared, 0,
        "WITH named (community, name) AS (SELECT DISTINCT topology.community, beside.dst FROM edge"
        " JOIN topology ON topology.node = edge.src JOIN edge AS beside ON beside.src = edge.src"
        " WHERE edge.dst = ?1 AND edge.kind = ?2 AND beside.kind = ?2 AND beside.dst <> ?1"
        " AND topology.community IN (?3, ?4))"
        " SELECT count(*) FROM named AS one JOIN named AS two ON two.name = one.name JOIN node ON"
        " node.id = one.name WHERE one.community = ?3 AND two.community = ?4 AND state = 0"
        " AND (SELECT count(*) FROM edge WHERE dst = one.name AND kind = ?2) <= ?5",
        "iiiii", entity, (int64_t)EDGE_MENTIONS, community, other, (int64_t)most_mentions);
}

bool store_set_trust(struct store *s, int64_t id, float trust, struct err *e)
{
    return store_run(s, e, "UPDATE node SET trust = ?2 WHERE id = ?1", "id", id, (double)trust);
}

bool store_set_question_weight(struct store *s, int64_t id, float weight, struct err *e)
{
    return store_run(s, e, "UPDATE question SET weight = ?2 WHERE id = ?1", "id", id,
                     (double)weight);
}

bool store_open_questions_about(struct store *s, struct arena *a, int64_t about,
                                struct question_row **out, size_t *count, struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q =
        store_query(s, e,
                    "SELECT id, state FROM question WHERE a = ?1 AND state IN (0, 3) UNION"
                    " SELECT id, state FROM question WHERE b = ?1 AND state IN (0, 3) ORDER BY 1",
                    "i", about);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct question_row){.id = sqlite3_column_int64(q, 0),
                                                   .state = sqlite3_column_int(q, 1)};
    }
    return e->code == ERR_NONE;
}
