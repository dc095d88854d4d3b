#include "memory/store_picture.h"

#include "memory/base/unicode.h"
#include "memory/facts_source.h"
#include "memory/store_sql.h"

/* Kinds, edges and states in the statements are those of the enums. */
_Static_assert(NODE_MEMORY == 0 && NODE_ENTITY == 1 && NODE_DOCUMENT == 2 && NODE_PASSAGE == 3 &&
                   NODE_FILE == 4 && NODE_SYMBOL == 5 && NODE_COMMIT == 6 && NODE_SESSION == 7 &&
                   EDGE_ANCHORS == 12 && STATE_CURRENT == 0 && STATE_SUPERSEDED == 1 &&
                   STATE_ARCHIVED == 2 && STATE_PENDING == 5,
               "numbers in the statements below");

/* What nobody dismissed or merged, and of documents only what is stored whole. */
#define IS_SHOWN                                                                                   \
    "node.state IN (0, 1, 2) AND NOT (node.kind = 3 AND EXISTS (SELECT 1 FROM passage JOIN node"   \
    " AS whole ON whole.id = passage.document WHERE passage.id = node.id AND whole.state = 5))"

/* Names that memories use stand beside these; those of documents alone beside the passages that use
 * them, by turns until topology tells: else they would fill the picture, and nothing join them. */
bool store_picture_best(struct store *s, struct arena *a, size_t most, int64_t **out, size_t *count,
                        struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id, CASE WHEN node.kind IN (0, 2) AND node.state = 0 THEN 0"
        " WHEN node.kind IN (1, 3) AND topology.degree < 2 THEN 2"
        " WHEN node.kind = 1 AND EXISTS (SELECT 1 FROM edge JOIN node AS text ON text.id = edge.src"
        " WHERE edge.dst = node.id AND text.kind = 0) THEN 0"
        " WHEN node.kind IN (4, 5, 6) AND EXISTS (SELECT 1 FROM edge WHERE edge.dst = node.id"
        " AND edge.kind = 12) THEN 0"
        " WHEN node.kind IN (0, 1, 3) THEN 1 WHEN node.kind = 7 THEN 2 WHEN node.kind = 4 THEN 3"
        " ELSE 4 END AS rank, row_number() OVER (PARTITION BY node.kind ORDER BY node.id DESC) AS"
        " newest FROM node LEFT JOIN topology ON topology.node = node.id WHERE " IS_SHOWN
        " ORDER BY rank, topology.centrality DESC, newest, node.id DESC LIMIT ?1",
        "i", (int64_t)most);
    return store_ids(s, a, q, out, count, e);
}

bool store_picture_count(struct store *s, size_t *out, struct err *e)
{
    int64_t count;
    if (!store_number(s, e, &count, 0, "SELECT count(*) FROM node WHERE " IS_SHOWN, ""))
        return false;
    *out = (size_t)count;
    return true;
}

bool store_picture_near(struct store *s, struct arena *a, int64_t id, size_t most, int64_t **out,
                        size_t *count, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.id, max(weight) AS weight FROM (SELECT dst AS other, weight FROM edge WHERE"
        " src = ?1 UNION ALL SELECT src, weight FROM edge WHERE dst = ?1) JOIN node ON node.id ="
        " other WHERE " IS_SHOWN " GROUP BY node.id ORDER BY weight DESC, node.id DESC LIMIT ?2",
        "ii", id, (int64_t)most);
    return store_ids(s, a, q, out, count, e);
}

/* What a node is called where nothing but its text does: its beginning. */
static str shortened(struct arena *a, str text, size_t most)
{
    str cut = utf8_prefix(text, most);
    return cut.len < text.len ? arena_printf(a, "%.*s...", FMT(cut)) : text;
}

/* The type of a row: columns 8 to 10. */
static str type_of(struct arena *a, sqlite3_stmt *q, enum node_kind kind)
{
    int number = sqlite3_column_int(q, kind == NODE_MEMORY ? 8 : 10);
    if (kind == NODE_MEMORY && number >= 0 && number < MEMORY_KIND_COUNT)
        return str_of(memory_kind_name[number]);
    if (kind == NODE_SYMBOL && number >= 0 && number < SYMBOL_KIND_COUNT)
        return str_of(symbol_kind_name[number]);
    return kind == NODE_ENTITY ? column_str(a, q, 9) : S("");
}

static void read_node(struct arena *a, sqlite3_stmt *q, struct picture_node *out)
{
    enum node_kind kind = (enum node_kind)sqlite3_column_int(q, 0);
    int state = sqlite3_column_int(q, 1);
    str name = column_str(a, q, 5), text = column_str(a, q, 7), path = column_str(a, q, 13);
    *out = (struct picture_node){.id = out->id,
                                 .kind = kind,
                                 .type = type_of(a, q, kind),
                                 .label =
                                     shortened(a, name.len ? name : text, MAX_PICTURE_LABEL_BYTES),
                                 .text = shortened(a, text, MAX_PICTURE_TEXT_BYTES),
                                 .source = path,
                                 .at_ms = sqlite3_column_int64(q, 4),
                                 .centrality = sqlite3_column_double(q, 11),
                                 .community = sqlite3_column_int64(q, 12),
                                 .is_current = state == STATE_CURRENT,
                                 .is_archived = state == STATE_ARCHIVED,
                                 .is_pinned = sqlite3_column_int(q, 2) & FLAG_PINNED,
                                 .origin = (enum origin)sqlite3_column_int(q, 3)};
}

bool store_picture_node(struct store *s, struct arena *a, int64_t id, struct picture_node *out,
                        bool *found, struct err *e)
{
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT node.kind, node.state, node.flags, node.origin, node.at_ms, CASE node.kind WHEN 3"
        " THEN coalesce(body.name, '') ELSE node.name END, 0, coalesce(body.text, git_commit.text,"
        " ''), coalesce(memory.kind, -1), coalesce(entity.type, ''), coalesce(symbol.kind, -1),"
        " coalesce(topology.centrality, 0), coalesce(topology.community, 0),"
        " CASE node.kind WHEN 2 THEN coalesce(document.path, '') WHEN 3 THEN (SELECT of.name FROM"
        " passage JOIN node AS of ON of.id = passage.document WHERE passage.id = node.id) WHEN 4"
        " THEN node.name WHEN 5 THEN (SELECT of.name || coalesce((SELECT ':' || line_start FROM"
        " definition WHERE definition.symbol = node.id LIMIT 1), '') FROM node AS of WHERE of.id ="
        " symbol.file) WHEN 6 THEN substr(node.key, 1, 12) WHEN 0 THEN coalesce((SELECT of.name"
        " FROM node AS of WHERE of.id = node.session), '') ELSE '' END"
        " FROM node LEFT JOIN body ON body.id = node.id LEFT JOIN memory ON memory.id = node.id"
        " LEFT JOIN entity ON entity.id = node.id LEFT JOIN symbol ON symbol.id = node.id"
        " LEFT JOIN document ON document.id = node.id LEFT JOIN git_commit ON git_commit.id ="
        " node.id LEFT JOIN topology ON topology.node = node.id"
        " WHERE node.id = ?1 AND " IS_SHOWN,
        "i", id);
    *found = store_row(s, q, e);
    if (*found) {
        *out = (struct picture_node){.id = id};
        read_node(a, q, out);
        sqlite3_reset(q);
    }
    return e->code == ERR_NONE;
}

bool store_picture_edges(struct store *s, struct arena *a, int64_t from, struct picture_edge **out,
                         size_t *count, struct err *e)
{
    size_t capacity = 0;
    sqlite3_stmt *q = store_query(
        s, e,
        "SELECT dst, kind, label, coalesce(said_by, 0), max(weight) FROM edge WHERE src = ?1"
        " GROUP BY dst, kind, label ORDER BY dst, kind, label",
        "i", from);
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        int kind = sqlite3_column_int(q, 1);
        if (kind < 0 || kind >= EDGE_KIND_COUNT)
            continue;
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] = (struct picture_edge){.from = from,
                                                   .to = sqlite3_column_int64(q, 0),
                                                   .kind = (enum edge_kind)kind,
                                                   .label = column_str(a, q, 2),
                                                   .said_by = sqlite3_column_int64(q, 3),
                                                   .weight = sqlite3_column_double(q, 4)};
    }
    return e->code == ERR_NONE;
}

bool store_picture_communities(struct store *s, struct arena *a, struct picture_community **out,
                               size_t *count, struct err *e)
{
    size_t capacity = 0;
    sqlite3_stmt *q = store_query(s, e, "SELECT id, label, members FROM community ORDER BY id", "");
    *out = NULL;
    *count = 0;
    while (store_row(s, q, e)) {
        ARENA_GROW(a, *out, *count, capacity);
        (*out)[(*count)++] =
            (struct picture_community){.id = sqlite3_column_int64(q, 0),
                                       .label = column_str(a, q, 1),
                                       .members = (size_t)sqlite3_column_int64(q, 2)};
    }
    return e->code == ERR_NONE;
}
