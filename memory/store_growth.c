#include "memory/store_growth.h"

#include "memory/base/unicode.h"
#include "memory/store_sql.h"

/* ---- cycles ---- */

bool growth_put_activity(struct store *s, int64_t at_ms, struct err *e)
{
    return store_run(s, e, "INSERT OR IGNORE INTO activity (cycle, at_ms) VALUES (?1, ?2)", "ii",
                     decay_cycle(at_ms), at_ms);
}

bool growth_activity(struct store *s, struct arena *a, int64_t **out, size_t *count, struct err *e)
{
    return store_ids(s, a, store_query(s, e, "SELECT cycle FROM activity ORDER BY cycle", ""), out,
                     count, e);
}

bool growth_is_due(struct store *s, bool *due, struct err *e)
{
    int64_t newer;
    bool ok = store_number(s, e, &newer, 0,
                           "SELECT count(*) FROM activity WHERE cycle > coalesce((SELECT"
                           " CAST(value AS INTEGER) FROM setting WHERE name = 'tended_cycle'), -1)",
                           "");
    *due = ok && newer > 0;
    return ok;
}

bool growth_put_tended(struct store *s, struct err *e)
{
    return store_run(s, e,
                     "INSERT OR REPLACE INTO setting (name, value) SELECT 'tended_cycle',"
                     " max(cycle) FROM activity HAVING max(cycle) IS NOT NULL",
                     "");
}

/* ---- uses ---- */

bool growth_put_asked(struct store *s, uint64_t hash, int64_t at_ms, bool *is_new, struct err *e)
{
    int64_t known;
    if (!store_number(s, e, &known, 0, "SELECT count(*) FROM asked WHERE hash = ?1", "i",
                      (int64_t)hash))
        return false;
    *is_new = !known;
    return store_run(s, e,
                     "INSERT INTO asked (hash, at_ms) VALUES (?1, ?2)"
                     " ON CONFLICT (hash) DO UPDATE SET at_ms = max(at_ms, ?2)",
                     "ii", (int64_t)hash, at_ms);
}

bool growth_put_returned(struct store *s, int64_t id, int64_t at_ms, struct err *e)
{
    return store_run(s, e,
                     "INSERT INTO returned (node, at_ms) SELECT id, ?2 FROM node WHERE id = ?1"
                     " ON CONFLICT (node) DO UPDATE SET at_ms = max(at_ms, ?2)",
                     "ii", id, at_ms);
}

bool growth_add_co_use(struct store *s, int64_t a, int64_t b, double weight, int64_t cycle,
                       struct err *e)
{
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    struct strength strength = {0};
    if (low == high)
        return true;
    sqlite3_stmt *q =
        store_query(s, e, "SELECT sum, cycle FROM co_use WHERE a = ?1 AND b = ?2", "ii", low, high);
    if (store_row(s, q, e)) {
        strength = (struct strength){sqlite3_column_double(q, 0), sqlite3_column_int64(q, 1)};
        sqlite3_reset(q);
    }
    strength = strength_add(&strength, cycle, weight);
    return e->code == ERR_NONE &&
           store_run(s, e,
                     "INSERT OR REPLACE INTO co_use (a, b, sum, cycle) SELECT ?1, ?2, ?3, ?4"
                     " WHERE 2 = (SELECT count(*) FROM node WHERE id IN (?1, ?2))",
                     "iidi", low, high, strength.sum, strength.cycle);
}

bool growth_co_uses(struct store *s, struct arena *a, struct co_use **out, size_t *count,
                    struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(s, e, "SELECT a, b, sum, cycle FROM co_use ORDER BY a, b", "");
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct co_use){sqlite3_column_int64(q, 0),
                            sqlite3_column_int64(q, 1),
                            {sqlite3_column_double(q, 2), sqlite3_column_int64(q, 3)}};
    }
    return e->code == ERR_NONE;
}

bool growth_drop_co_use(struct store *s, int64_t a, int64_t b, struct err *e)
{
    return store_run(s, e, "DELETE FROM co_use WHERE a = ?1 AND b = ?2", "ii", a, b);
}

bool growth_prune(struct store *s, struct err *e)
{
    return store_run(s, e,
                     "DELETE FROM asked WHERE hash IN (SELECT hash FROM asked"
                     " ORDER BY at_ms DESC, hash LIMIT -1 OFFSET ?1)",
                     "i", (int64_t)MAX_ASKED) &&
           store_run(s, e,
                     "DELETE FROM co_use WHERE (a, b) IN (SELECT a, b FROM co_use"
                     " ORDER BY cycle DESC, sum DESC, a, b LIMIT -1 OFFSET ?1)",
                     "i", (int64_t)MAX_CO_USES);
}

bool growth_associations(struct store *s, struct arena *a, struct association **out, size_t *count,
                         struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e, "SELECT id, src, dst, weight FROM edge WHERE kind = ?1 ORDER BY src, dst, id", "i",
        (int64_t)EDGE_ASSOCIATED);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct association){.id = sqlite3_column_int64(q, 0),
                                                  .a = sqlite3_column_int64(q, 1),
                                                  .b = sqlite3_column_int64(q, 2),
                                                  .weight = sqlite3_column_double(q, 3)};
    }
    return e->code == ERR_NONE;
}

bool growth_put_association(struct store *s, const struct association *edge, int64_t at_ms,
                            struct err *e)
{
    static const char *const again =
        "UPDATE edge SET weight = ?2, uses = ?3, used_ms = ?4 WHERE id = ?1";
    static const char *const fresh =
        "INSERT OR IGNORE INTO edge (src, dst, kind, weight, uses, used_ms, at_ms)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7"
        " WHERE 2 = (SELECT count(*) FROM node WHERE id IN (?1, ?2))";
    int64_t used_ms = edge->strength.cycle * CYCLE_MS;
    if (edge->id)
        return store_run(s, e, again, "iddi", edge->id, edge->weight, edge->strength.sum,
                         used_ms) &&
               store_changed_edge(s, edge->a, edge->b, e);
    return store_run(s, e, fresh, "iiiddii", edge->a, edge->b, (int64_t)EDGE_ASSOCIATED,
                     edge->weight, edge->strength.sum, used_ms, at_ms);
}

/* ---- the shape ---- */

bool growth_nodes(struct store *s, struct arena *a, struct growth_node **out, size_t *count,
                  struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id, node.kind, coalesce(memory.kind, 0), flags, stored_ms,"
        " max(stored_ms, used_ms, coalesce(returned.at_ms, 0)), coalesce(community, 0),"
        " coalesce(centrality, 0), coalesce(degree, 0), coalesce(is_hub, 0),"
        " topology.node IS NOT NULL FROM node LEFT JOIN memory ON memory.id = node.id"
        " LEFT JOIN returned ON returned.node = node.id LEFT JOIN topology ON topology.node ="
        " node.id WHERE node.kind IN (?1, ?2, ?3) AND state = ?4 ORDER BY node.id",
        "iiii", (int64_t)NODE_MEMORY, (int64_t)NODE_ENTITY, (int64_t)NODE_PASSAGE,
        (int64_t)STATE_CURRENT);
    while (store_row(s, q, e)) {
        int kind = sqlite3_column_int(q, 2);
        if (kind < 0 || kind >= MEMORY_KIND_COUNT)
            continue;
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct growth_node){.id = sqlite3_column_int64(q, 0),
                                                  .kind = (enum node_kind)sqlite3_column_int(q, 1),
                                                  .memory_kind = (enum memory_kind)kind,
                                                  .flags = sqlite3_column_int(q, 3),
                                                  .stored_ms = sqlite3_column_int64(q, 4),
                                                  .used_ms = sqlite3_column_int64(q, 5),
                                                  .community = sqlite3_column_int64(q, 6),
                                                  .centrality = sqlite3_column_double(q, 7),
                                                  .degree = (uint32_t)sqlite3_column_int64(q, 8),
                                                  .is_hub = sqlite3_column_int(q, 9) != 0,
                                                  .has_shape = sqlite3_column_int(q, 10) != 0};
    }
    return e->code == ERR_NONE;
}

bool growth_edges(struct store *s, growth_edge_visit *visit, void *ctx, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT src, dst, coalesce(said_by, 0), kind, weight FROM edge"
        " WHERE kind IN (?1, ?2, ?3, ?4, ?5, ?6) AND weight > 0 AND weight < 1e6 ORDER BY id",
        "iiiiii", (int64_t)EDGE_MENTIONS, (int64_t)EDGE_RELATES_TO, (int64_t)EDGE_SAME_AS,
        (int64_t)EDGE_ASSOCIATED, (int64_t)EDGE_ANCHORS, (int64_t)EDGE_RELATION);
    while (store_row(s, q, e)) {
        struct growth_edge edge = {.src = sqlite3_column_int64(q, 0),
                                   .dst = sqlite3_column_int64(q, 1),
                                   .said_by = sqlite3_column_int64(q, 2),
                                   .kind = (enum edge_kind)sqlite3_column_int(q, 3),
                                   .weight = sqlite3_column_double(q, 4)};
        visit(ctx, &edge);
    }
    return e->code == ERR_NONE;
}

bool growth_put_shape(struct store *s, const struct growth_node *n, struct err *e)
{
    return store_run(
        s, e,
        "INSERT OR REPLACE INTO topology (node, centrality, degree, is_hub, community)"
        " SELECT id, ?2, ?3, ?4, (SELECT id FROM community WHERE id = ?5) FROM node WHERE id = ?1",
        "idiii", n->id, n->centrality, (int64_t)n->degree, (int64_t)n->is_hub, n->community);
}

bool growth_prune_shapes(struct store *s, struct err *e)
{
    return store_run(s, e,
                     "DELETE FROM topology WHERE node IN (SELECT topology.node FROM topology"
                     " JOIN node ON node.id = topology.node WHERE state <> ?1)",
                     "i", (int64_t)STATE_CURRENT) &&
           store_run(s, e,
                     "DELETE FROM community WHERE NOT EXISTS (SELECT 1 FROM topology WHERE"
                     " topology.community = community.id)",
                     "");
}

bool growth_put_community(struct store *s, int64_t *id, str label, size_t members, struct err *e)
{
    if (*id)
        return store_run(s, e, "UPDATE community SET label = ?2, members = ?3 WHERE id = ?1", "isi",
                         *id, label, (int64_t)members);
    if (!store_run(s, e, "INSERT INTO community (label, members) VALUES (?1, ?2)", "si", label,
                   (int64_t)members))
        return false;
    *id = sqlite3_last_insert_rowid(s->writer.db);
    return true;
}

bool growth_unlabel(struct store *s, str name, struct err *e)
{
    return store_run(s, e,
                     "UPDATE community SET label = '(forgotten)' WHERE ?1 <> '' AND"
                     " instr(', ' || label || ', ', ', ' || ?1 || ', ')",
                     "s", utf8_prefix(name, MAX_LABEL_NAME));
}

bool growth_names(struct store *s, struct arena *a, struct growth_name **out, size_t *count,
                  struct err *e)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT alias.entity, alias.normal, node.name, entity.type, entity.typed FROM node"
        " JOIN entity ON entity.id = node.id JOIN alias ON alias.entity = node.id"
        " WHERE node.kind = ?1 AND state = ?2 ORDER BY alias.entity, alias.normal",
        "ii", (int64_t)NODE_ENTITY, (int64_t)STATE_CURRENT);
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct growth_name){.entity = sqlite3_column_int64(q, 0),
                                                  .normal = column_str(a, q, 1),
                                                  .name = column_str(a, q, 2),
                                                  .type = column_str(a, q, 3),
                                                  .typed = sqlite3_column_int(q, 4) != 0};
    }
    return e->code == ERR_NONE;
}

/* ---- questions ---- */

bool growth_put_question(struct store *s, const struct question_row *row, int64_t now_ms,
                         int64_t *id, struct err *e)
{
    int64_t stands;
    *id = 0;
    if (!store_number(s, e, &stands, 0,
                      "SELECT count(*) FROM question WHERE kind = ?1 AND"
                      " ((a = ?2 AND coalesce(b, 0) = ?3) OR (a = ?3 AND coalesce(b, 0) = ?2))",
                      "sii", row->kind, row->a, row->b) ||
        stands)
        return e->code == ERR_NONE;
    if (!store_put_question(s, row, now_ms, e))
        return false;
    *id = sqlite3_last_insert_rowid(s->writer.db);
    return true;
}

/* ---- archive ---- */

bool growth_archive(struct store *s, int64_t id, struct err *e)
{
    return store_set_state(s, id, STATE_ARCHIVED, S(""), e);
}

bool growth_revive(struct store *s, int64_t id, struct err *e)
{
    int64_t may;
    if (!store_number(s, e, &may, 0,
                      "SELECT count(*) FROM node JOIN memory ON memory.id = node.id WHERE"
                      " node.id = ?1 AND state = ?2 AND NOT EXISTS (SELECT 1 FROM node AS other"
                      " WHERE other.kind = node.kind AND other.key = memory.retry) AND NOT EXISTS"
                      " (SELECT 1 FROM memory AS other JOIN node AS its ON its.id = other.id"
                      " WHERE other.topic_key = memory.topic_key AND memory.topic_key <> ''"
                      " AND its.state = ?3)",
                      "iii", id, (int64_t)STATE_ARCHIVED, (int64_t)STATE_CURRENT))
        return false;
    return !may || store_set_superseded(s, id, 0, e); /* current, with its key */
}
