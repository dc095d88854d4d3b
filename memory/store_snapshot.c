/* The graph in memory, kept up with the file: new rows by their numbers, changed ones by the change
 * table. Only here do persistent ids and dense nodes meet. */
#include "memory/store_sql.h"

#include <math.h>

enum {
    GONE = NODE_KIND_COUNT, /* node_meta.kind of a row that was deleted */
    MAX_CHAINED_SHARE = 4,  /* rebuild when chained edges are more than 1/4 of all */
    MAX_DEGREE = UINT16_MAX - 1,
    NOT_PULLED = UINT16_MAX, /* node_meta.pulled before the first time */
};

void snapshot_free(struct snapshot *snap)
{
    graph_free(&snap->graph);
    heap_free(snap->ids);
    heap_free(snap->meta);
    heap_free(snap->used);
    heap_free(snap->unpulled);
    *snap = (struct snapshot){.generation = snap->generation,
                              .loads = snap->loads,
                              .rewritten = snap->rewritten,
                              .gone = snap->gone};
}

node snapshot_find(const struct snapshot *snap, int64_t id)
{
    uint32_t low = 0, high = snap->graph.count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (snap->ids[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < snap->graph.count && snap->ids[low] == id ? low : NO_NODE;
}

/* ---- nodes ---- */

#define NODE_COLUMNS "SELECT id, kind, state, flags, words, at_ms, used_ms, uses, session FROM node"
#define MEMORY_COLUMNS "SELECT id, kind, speaker, tier FROM memory"

static node find_or_none(const struct snapshot *snap, int64_t id)
{
    return id ? snapshot_find(snap, id) : NO_NODE;
}

static void count_in(struct snapshot *snap, const struct node_meta *m, int sign)
{
    if (m->kind == GONE)
        return;
    uint32_t one = (uint32_t)sign;
    if (m->kind == NODE_ENTITY)
        snap->entities += one;
    else if (m->words) {
        snap->bodies += one;
        snap->words += (uint64_t)((int64_t)m->words * sign);
    }
    if (m->kind == NODE_MEMORY)
        snap->memories += one;
}

/* Puts a node's words to its group, or takes them away. */
static void count_in_group(struct snapshot *snap, node group, int words)
{
    if (group == NO_NODE || !words)
        return;
    struct node_meta *g = &snap->meta[group];
    snap->groups -= g->group_words > 0;
    g->group_words = (uint32_t)((int64_t)g->group_words + words);
    snap->groups += g->group_words > 0;
    snap->grouped_words = (uint64_t)((int64_t)snap->grouped_words + words);
}

static void note_unpulled(struct snapshot *snap, node n)
{
    if (snap->meta[n].in_unpulled)
        return;
    snap->meta[n].in_unpulled = true;
    HEAP_GROW(snap->unpulled, snap->unpulled_count, snap->unpulled_capacity);
    snap->unpulled[snap->unpulled_count++] = n;
}

static void note_used(struct snapshot *snap, node n)
{
    if (snap->meta[n].in_used || !snap->meta[n].uses)
        return;
    snap->meta[n].in_used = true;
    HEAP_GROW(snap->used, snap->used_count, snap->used_capacity);
    snap->used[snap->used_count++] = n;
}

static bool is_readable(const struct node_meta *m)
{
    return m->kind < NODE_KIND_COUNT && m->memory_kind < MEMORY_KIND_COUNT;
}

/* A row of NODE_COLUMNS. Memories have a row of MEMORY_COLUMNS, too. */
static void fill_meta(struct snapshot *snap, node n, sqlite3_stmt *q)
{
    struct node_meta *m = &snap->meta[n];
    count_in(snap, m, -1);
    count_in_group(snap, m->group, -m->words);
    int words = sqlite3_column_int(q, 4);
    m->kind = (uint8_t)sqlite3_column_int(q, 1);
    m->state = (uint8_t)sqlite3_column_int(q, 2);
    m->flags = (uint8_t)sqlite3_column_int(q, 3);
    m->words = (uint16_t)(words > UINT16_MAX ? UINT16_MAX : words);
    m->at_ms = sqlite3_column_int64(q, 5);
    m->used_ms = sqlite3_column_int64(q, 6);
    m->uses = (uint32_t)sqlite3_column_int64(q, 7);
    node session = find_or_none(snap, sqlite3_column_int64(q, 8));
    if (session != NO_NODE ||
        m->kind != NODE_PASSAGE) /* a passage's document is told by its edge */
        m->group = session;
    if (!is_readable(m))
        m->kind = GONE; /* a row that this program can't read takes no part */
    count_in(snap, m, 1);
    count_in_group(snap, m->group, m->words);
    note_unpulled(snap, n);
    note_used(snap, n);
}

static void append_node(struct snapshot *snap, sqlite3_stmt *q)
{
    node n = graph_add_node(&snap->graph);
    if (n >= snap->capacity) {
        snap->capacity = snap->capacity ? snap->capacity * 2 : 256;
        snap->ids = heap_resize(snap->ids, snap->capacity, sizeof *snap->ids);
        snap->meta = heap_resize(snap->meta, snap->capacity, sizeof *snap->meta);
    }
    snap->ids[n] = snap->last_node = sqlite3_column_int64(q, 0);
    snap->meta[n] = (struct node_meta){.before = NO_NODE,
                                       .after = NO_NODE,
                                       .speaker = NO_NODE,
                                       .group = NO_NODE,
                                       .kind = GONE,
                                       .pulled = NOT_PULLED};
    fill_meta(snap, n, q);
}

static void fill_memory(struct snapshot *snap, node n, sqlite3_stmt *q)
{
    struct node_meta *m = &snap->meta[n];
    count_in(snap, m, -1);
    m->memory_kind = (uint8_t)sqlite3_column_int(q, 1);
    m->speaker = find_or_none(snap, sqlite3_column_int64(q, 2));
    bool is_consolidated = sqlite3_column_int(q, 3) == TIER_CONSOLIDATED;
    snap->consolidated += is_consolidated && !m->is_consolidated;
    m->is_consolidated = is_consolidated;
    if (!is_readable(m))
        m->kind = GONE;
    count_in(snap, m, 1);
}

/* Two passes in order of id are cheaper than a join that seeks for each node. */
static bool add_new_nodes(struct store *s, struct snapshot *snap, struct err *e)
{
    int64_t known = snap->last_node;
    node next = snap->graph.count;
    sqlite3_stmt *q = store_query(s, e, NODE_COLUMNS " WHERE id > ?1 ORDER BY id", "i", known);
    while (store_row(s, q, e)) {
        if (snap->graph.count == MAX_NODES) {
            sqlite3_reset(q);
            return fail(e, ERR_LIMIT, "%s has more than %d nodes", s->path, MAX_NODES);
        }
        append_node(snap, q);
    }
    if (e->code != ERR_NONE)
        return false;
    q = store_query(s, e, MEMORY_COLUMNS " WHERE id > ?1 ORDER BY id", "i", known);
    while (store_row(s, q, e)) {
        int64_t id = sqlite3_column_int64(q, 0);
        while (next < snap->graph.count && snap->ids[next] < id)
            next++;
        if (next < snap->graph.count && snap->ids[next] == id)
            fill_memory(snap, next, q);
    }
    return e->code == ERR_NONE;
}

/* ---- edges ---- */

/* Kinds that say how things hang together, not in which order they came or what replaced what. */
static bool counts_for_degree(uint8_t kind)
{
    return kind != EDGE_NEXT && kind != EDGE_PART_OF && kind != EDGE_SUPERSEDES;
}

static void note_edge(struct snapshot *snap, struct edge_row edge)
{
    struct node_meta *from = &snap->meta[edge.from], *to = &snap->meta[edge.to];
    if (edge.kind == EDGE_NEXT) {
        from->after = edge.to;
        to->before = edge.from;
    } else if (edge.kind == EDGE_PART_OF) {
        count_in_group(snap, from->group, -from->words);
        from->group = edge.to;
        count_in_group(snap, from->group, from->words);
    } else if (counts_for_degree(edge.kind)) {
        from->degree = (uint16_t)(from->degree + (from->degree < MAX_DEGREE));
        to->degree = (uint16_t)(to->degree + (to->degree < MAX_DEGREE));
        note_unpulled(snap, edge.from);
        note_unpulled(snap, edge.to);
    }
}

/* Edges of one source mostly come behind each other. */
static node find_near(const struct snapshot *snap, int64_t id, node near)
{
    return near < snap->graph.count && snap->ids[near] == id ? near : snapshot_find(snap, id);
}

/* false where an end isn't in the snapshot (deleted since), or where it stands for use, which is
 * switched off. near: where the source may be. */
static bool read_edge(const struct store *s, const struct snapshot *snap, sqlite3_stmt *q,
                      node near, struct edge_row *out)
{
    int kind = sqlite3_column_int(q, 3);
    double weight = sqlite3_column_double(q, 4);
    *out = (struct edge_row){find_near(snap, sqlite3_column_int64(q, 1), near),
                             snapshot_find(snap, sqlite3_column_int64(q, 2)), (uint8_t)kind,
                             (float)weight};
    return out->from != NO_NODE && out->to != NO_NODE && kind >= 0 && kind < EDGE_KIND_COUNT &&
           weight >= 0 && weight < 1e6 && (s->options.usage || kind != EDGE_ASSOCIATED);
}

#define EDGE_COLUMNS "SELECT id, src, dst, kind, weight FROM edge"

static bool build_all(struct store *s, struct snapshot *snap, struct err *e)
{
    struct edge_row *rows = NULL, row = {.from = NO_NODE};
    size_t count = 0, capacity = 0;
    sqlite3_stmt *q = store_query(s, e, EDGE_COLUMNS " ORDER BY id", "");
    while (store_row(s, q, e)) {
        snap->last_edge = sqlite3_column_int64(q, 0);
        if (!read_edge(s, snap, q, row.from, &row))
            continue;
        HEAP_GROW(rows, count, capacity);
        rows[count++] = row;
        note_edge(snap, row);
    }
    graph_build(&snap->graph, snap->graph.count, rows, count);
    heap_free(rows);
    return e->code == ERR_NONE;
}

static bool add_new_edges(struct store *s, struct snapshot *snap, struct err *e)
{
    struct edge_row row = {.from = NO_NODE};
    sqlite3_stmt *q =
        store_query(s, e, EDGE_COLUMNS " WHERE id > ?1 ORDER BY id", "i", snap->last_edge);
    while (store_row(s, q, e)) {
        snap->last_edge = sqlite3_column_int64(q, 0);
        if (!read_edge(s, snap, q, row.from, &row))
            continue;
        graph_add_edge(&snap->graph, row);
        note_edge(snap, row);
    }
    return e->code == ERR_NONE;
}

/* ---- changes ---- */

static void recount_degree(struct snapshot *snap, node n)
{
    uint32_t degree = 0;
    const struct half_edge *edge;
    for (struct row_walk w = graph_row(&snap->graph, n); (edge = row_next(&snap->graph, &w));)
        degree += edge->weight > 0 && counts_for_degree(edge->kind);
    snap->meta[n].degree = (uint16_t)(degree < MAX_DEGREE ? degree : MAX_DEGREE);
    note_unpulled(snap, n);
}

static bool reload_node(struct store *s, struct snapshot *snap, int64_t id, struct err *e)
{
    node n = snapshot_find(snap, id);
    if (n == NO_NODE)
        return true;
    sqlite3_stmt *q = store_query(s, e, NODE_COLUMNS " WHERE id = ?1", "i", id);
    if (store_row(s, q, e)) {
        fill_meta(snap, n, q);
        sqlite3_reset(q);
        q = store_query(s, e, MEMORY_COLUMNS " WHERE id = ?1", "i", id);
        if (store_row(s, q, e)) {
            fill_memory(snap, n, q);
            sqlite3_reset(q);
        }
        return e->code == ERR_NONE;
    }
    if (e->code != ERR_NONE)
        return false;
    struct node_meta *m = &snap->meta[n];
    count_in(snap, m, -1);
    count_in_group(snap, m->group, -m->words);
    if (m->before != NO_NODE)
        snap->meta[m->before].after = NO_NODE;
    if (m->after != NO_NODE)
        snap->meta[m->after].before = NO_NODE;
    graph_cut_node(&snap->graph, n);
    const struct half_edge *edge;
    for (struct row_walk w = graph_row(&snap->graph, n); (edge = row_next(&snap->graph, &w));)
        recount_degree(snap, edge->to);
    *m = (struct node_meta){.before = NO_NODE,
                            .after = NO_NODE,
                            .speaker = NO_NODE,
                            .group = NO_NODE,
                            .kind = GONE,
                            .pulled = NOT_PULLED,
                            .in_used = m->in_used,
                            .in_unpulled = m->in_unpulled};
    snap->gone++;
    note_unpulled(snap, n);
    return true;
}

static bool reload_pair(struct store *s, struct snapshot *snap, int64_t src, int64_t dst,
                        struct err *e)
{
    node a = snapshot_find(snap, src), b = snapshot_find(snap, dst);
    if (a == NO_NODE || b == NO_NODE)
        return true;
    graph_cut_edge(&snap->graph, a, b);
    struct edge_row row;
    sqlite3_stmt *q =
        store_query(s, e,
                    EDGE_COLUMNS " WHERE src = ?1 AND dst = ?2 AND id <= ?3 UNION " EDGE_COLUMNS
                                 " WHERE src = ?2 AND dst = ?1 AND id <= ?3 ORDER BY id",
                    "iii", src, dst, snap->last_edge);
    while (store_row(s, q, e))
        if (read_edge(s, snap, q, a, &row))
            graph_add_edge(&snap->graph, row);
    recount_degree(snap, a);
    recount_degree(snap, b);
    return e->code == ERR_NONE;
}

struct change {
    int64_t seq, node_id, src, dst;
    bool body;
};

/* false in *known where rows that we haven't seen were pruned already: then all is loaded anew. */
static bool apply_changes(struct store *s, struct snapshot *snap, bool *known, struct err *e)
{
    int64_t oldest;
    struct arena scratch = {0};
    struct change *changes = NULL;
    size_t count = 0, capacity = 0;
    *known =
        store_number(s, e, &oldest, snap->last_change + 1, "SELECT min(seq) FROM change", "") &&
        oldest <= snap->last_change + 1;
    sqlite3_stmt *q =
        *known
            ? store_query(
                  s, e, "SELECT seq, node, src, dst, body FROM change WHERE seq > ?1 ORDER BY seq",
                  "i", snap->last_change)
            : NULL;
    while (store_row(s, q, e)) {
        ARENA_GROW(&scratch, changes, count, capacity);
        changes[count++] = (struct change){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                                           sqlite3_column_int64(q, 2), sqlite3_column_int64(q, 3),
                                           sqlite3_column_int(q, 4) != 0};
    }
    for (size_t i = 0; i < count && e->code == ERR_NONE; i++) {
        snap->last_change = changes[i].seq;
        snap->rewritten += changes[i].body;
        if (changes[i].node_id)
            reload_node(s, snap, changes[i].node_id, e);
        else
            reload_pair(s, snap, changes[i].src, changes[i].dst, e);
    }
    arena_free(&scratch);
    return e->code == ERR_NONE;
}

/* ---- specificity ---- */

/* How much of a walker an entity draws: idf-like, so that "the project" doesn't swallow the mass; 0
 * for what review took out. */
static void set_pull(struct snapshot *snap, node n, double all)
{
    struct node_meta *m = &snap->meta[n];
    bool out = m->kind == GONE || m->state == STATE_DISMISSED || m->state == STATE_MERGED;
    uint16_t degree = out ? 0 : m->degree ? m->degree : 1;
    m->in_unpulled = false;
    if (m->pulled == degree)
        return;
    m->pulled = degree;
    graph_set_pull(&snap->graph, n,
                   out                      ? 0.0f
                   : m->kind == NODE_ENTITY ? (float)(log(1 + all / degree) / log(1 + all))
                                            : 1.0f);
}

/* N counts in steps of a quarter octave: between two steps an added row changes the pull of its own
 * neighbours only. */
static void set_pulls(struct snapshot *snap)
{
    double steps = floor(log2(1 + (double)snap->bodies) * 4) / 4;
    double all = exp2(steps);
    if (steps == snap->pull_steps) {
        for (size_t i = 0; i < snap->unpulled_count; i++)
            set_pull(snap, snap->unpulled[i], all);
    } else {
        for (node n = 0; n < snap->graph.count; n++) {
            snap->meta[n].pulled = NOT_PULLED;
            set_pull(snap, n, all);
        }
    }
    snap->pull_steps = steps;
    snap->unpulled_count = 0;
}

static bool load_all(struct store *s, struct snapshot *snap, struct err *e)
{
    int64_t change;
    snapshot_free(snap);
    snap->loads++;
    if (!store_number(s, e, &change, 0, "SELECT seq FROM sqlite_sequence WHERE name = 'change'",
                      ""))
        return false;
    snap->last_change = change;
    return add_new_nodes(s, snap, e) && build_all(s, snap, e);
}

/* So many edges stand in chains that building the rows anew pays off. */
static bool is_crowded(const struct graph *g)
{
    enum { ALWAYS_CHAINED = 4096 };
    uint32_t in_rows = g->base_count ? g->row[g->base_count] : 0;
    return g->more_count > ALWAYS_CHAINED + in_rows / MAX_CHAINED_SHARE;
}

bool store_refresh(struct store *s, struct snapshot *snap, struct err *e)
{
    int64_t last_node = 0, last_edge = 0, last_change = 0;
    sqlite3_stmt *q = store_query(s, e, "SELECT name, seq FROM sqlite_sequence", "");
    while (store_row(s, q, e)) {
        const char *name = (const char *)sqlite3_column_text(q, 0);
        int64_t seq = sqlite3_column_int64(q, 1);
        if (name && strcmp(name, "node") == 0)
            last_node = seq;
        else if (name && strcmp(name, "edge") == 0)
            last_edge = seq;
        else if (name && strcmp(name, "change") == 0)
            last_change = seq;
    }
    if (e->code != ERR_NONE)
        return false;
    bool same = last_node == snap->last_node && last_edge == snap->last_edge &&
                last_change == snap->last_change;
    if (same && snap->generation)
        return true;
    bool known =
        snap->generation > 0 && last_node >= snap->last_node && last_change >= snap->last_change;
    bool ok = true;
    /* Nodes first: a moved edge may end in a new one. */
    if (known)
        ok = add_new_nodes(s, snap, e) && apply_changes(s, snap, &known, e) &&
             (!known || add_new_edges(s, snap, e));
    if (ok && (!known || is_crowded(&snap->graph)))
        ok = load_all(s, snap, e);
    if (!ok) {
        snapshot_free(snap);
        snap->generation = 0;
        return false;
    }
    /* Rows rolled back may leave a sequence behind or ahead; what counts is what the file says now.
     */
    snap->last_node = last_node;
    snap->last_edge = last_edge;
    snap->last_change = last_change;
    snap->generation++;
    set_pulls(snap);
    return true;
}
