/* What memories hold, in an order in which people read. */
#include "memory/store_outline.h"

#include "memory/store_sql.h"

bool store_each_memory(struct store *s, outline_memory *visit, void *ctx, struct err *e)
{
    bool ok = true;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id, memory.kind, node.state, node.flags, node.at_ms, node.origin, "
        "memory.topic,"
        " coalesce(session.name, ''), coalesce(speaker.name, ''), body.text,"
        " coalesce(superseded_by, 0), coalesce((SELECT import_source.format FROM imported JOIN"
        " import_source ON import_source.id = imported.source WHERE imported.memory = node.id"
        " LIMIT 1), '')"
        " FROM memory JOIN node ON node.id = memory.id JOIN body ON body.id = memory.id"
        " LEFT JOIN node AS session ON session.id = node.session"
        " LEFT JOIN node AS speaker ON speaker.id = memory.speaker"
        " ORDER BY topic_key = '', topic_key, node.session IS NULL, node.session, node.at_ms,"
        " node.id",
        "");
    while (ok && store_row(s, q, e)) {
        struct arena scratch = {0};
        struct outline_memory row = {.id = sqlite3_column_int64(q, 0),
                                     .kind = (enum memory_kind)sqlite3_column_int(q, 1),
                                     .is_current = sqlite3_column_int(q, 2) == STATE_CURRENT,
                                     .is_pinned = sqlite3_column_int(q, 3) & FLAG_PINNED,
                                     .at_ms = sqlite3_column_int64(q, 4),
                                     .origin = (enum origin)sqlite3_column_int(q, 5),
                                     .topic = column_str(&scratch, q, 6),
                                     .session = column_str(&scratch, q, 7),
                                     .speaker = column_str(&scratch, q, 8),
                                     .text = column_str(&scratch, q, 9),
                                     .superseded_by = sqlite3_column_int64(q, 10),
                                     .format = column_str(&scratch, q, 11)};
        ok = visit(ctx, &row, e);
        arena_free(&scratch);
    }
    if (!ok)
        sqlite3_reset(q);
    return ok && e->code == ERR_NONE;
}

/* Names other than its own, then what it is related to, as the current memories say. */
static bool read_lists(struct store *s, struct arena *a, struct outline_entity *row, struct err *e)
{
    struct buf aliases = {0}, relations = {0};
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT name FROM alias WHERE entity = ?1 AND name <> ?2"
                                  " ORDER BY normal",
                                  "is", row->id, row->name);
    while (store_row(s, q, e))
        buf_printf(&aliases, "%s%s", aliases.len ? ", " : "", sqlite3_column_text(q, 0));
    q = store_query(
        s, e,
        "SELECT DISTINCT edge.label, other.name FROM edge JOIN node AS other ON other.id"
        " = edge.dst LEFT JOIN node AS said ON said.id = edge.said_by WHERE edge.src ="
        " ?1 AND edge.kind = ?2 AND coalesce(said.state, 0) = 0"
        " ORDER BY edge.label, other.name",
        "ii", row->id, (int64_t)EDGE_RELATION);
    while (store_row(s, q, e))
        buf_printf(&relations, "%s%s %s", relations.len ? "\n" : "", sqlite3_column_text(q, 0),
                   sqlite3_column_text(q, 1));
    row->aliases = arena_str(a, buf_str(&aliases));
    row->relations = arena_str(a, buf_str(&relations));
    buf_free(&aliases);
    buf_free(&relations);
    return e->code == ERR_NONE;
}

bool store_each_entity(struct store *s, outline_entity *visit, void *ctx, struct err *e)
{
    bool ok = true;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT node.id, node.name, entity.type FROM entity JOIN node ON"
                                  " node.id = entity.id WHERE node.state = ?1"
                                  " ORDER BY node.name COLLATE NOCASE, node.id",
                                  "i", (int64_t)STATE_CURRENT);
    while (ok && store_row(s, q, e)) {
        struct arena scratch = {0};
        struct outline_entity row = {.id = sqlite3_column_int64(q, 0),
                                     .name = column_str(&scratch, q, 1),
                                     .type = column_str(&scratch, q, 2)};
        ok = read_lists(s, &scratch, &row, e) && visit(ctx, &row, e);
        arena_free(&scratch);
    }
    if (!ok)
        sqlite3_reset(q);
    return ok && e->code == ERR_NONE;
}

bool store_each_document(struct store *s, outline_document *visit, void *ctx, struct err *e)
{
    bool ok = true;
    sqlite3_stmt *q = store_query(s, e,
                                  "SELECT node.id, node.name, document.path, node.at_ms, (SELECT"
                                  " count(*) FROM passage WHERE passage.document = node.id)"
                                  " FROM document JOIN node ON node.id = document.id"
                                  " ORDER BY node.id",
                                  "");
    while (ok && store_row(s, q, e)) {
        struct arena scratch = {0};
        struct outline_document row = {.id = sqlite3_column_int64(q, 0),
                                       .title = column_str(&scratch, q, 1),
                                       .path = column_str(&scratch, q, 2),
                                       .at_ms = sqlite3_column_int64(q, 3),
                                       .passages = (size_t)sqlite3_column_int64(q, 4)};
        ok = visit(ctx, &row, e);
        arena_free(&scratch);
    }
    if (!ok)
        sqlite3_reset(q);
    return ok && e->code == ERR_NONE;
}
