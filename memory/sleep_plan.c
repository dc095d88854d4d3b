#include "memory/sleep_plan.h"

#include "memory/degree.h"
#include "memory/store_consolidate.h"

#include <stdlib.h>

enum {
    MIN_HUB = 12, /* an entity on fewer memories is no hub, on more than MAX_HUB always one; */
    MAX_HUB = 200,
    HUB_SHARE = 10, /* between them one that is on a tenth of all */
};

/* ---- importance ---- */

static int64_t touched_ms(const struct node_row *row)
{
    return row->used_ms > row->stored_ms ? row->used_ms : row->stored_ms;
}

struct importance sleep_importance(const struct snapshot *snap, node at, const struct node_row *row,
                                   enum memory_kind kind, int64_t now_ms)
{
    struct arena scratch = {0};
    size_t connections = at == NO_NODE ? 0 : degree_of(snap, at, MAX_CONNECTIONS, &scratch);
    arena_free(&scratch);
    return importance_of(&(struct importance_input){.kind = kind,
                                                    .is_pinned = (row->flags & FLAG_PINNED) != 0,
                                                    .is_chatter = (row->flags & FLAG_CHATTER) != 0,
                                                    .uses = row->uses,
                                                    .age_ms = now_ms - touched_ms(row),
                                                    .connections = connections});
}

bool sleep_explain(struct memory *m, struct arena *a, node at, int64_t now_ms, struct item *item,
                   struct err *e)
{
    struct node_row row;
    bool found;
    if (item->kind != NODE_MEMORY)
        return true;
    if (!store_get_node(m->store, a, item->id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    struct importance i = sleep_importance(&m->snap, at, &row, item->memory_kind, now_ms);
    item->explain[item->explain_count++] = arena_printf(
        a, "importance %.2f = uses %.2f + recency %.2f + connections %.2f + base %.2f",
        (double)i.sum, (double)i.uses, (double)i.recency, (double)i.connections, (double)i.base);
    return true;
}

/* ---- reading ---- */

const char *const sleep_reason_words[] = {
    [IMPORTANT] = "its importance is .50 or more",
    [DAY_OVER] = "its 24 hours are over",
    [SESSION_OVER] = "its session is over",
};

struct planning {
    struct memory *m;
    struct arena *a;
    int64_t now_ms;
    struct sleep_plan *out;
    size_t awake_capacity;
    uint8_t *taken;      /* per node of the snapshot */
    uint32_t *member_at; /* per node: index into members + 1; 0: of no consolidated memory */
    struct member_row *members;
    size_t member_count;
    int64_t *ended; /* sessions */
    size_t ended_count;
    int64_t *left_alone; /* what was taken back once, ascending */
    size_t left_alone_count, left_alone_capacity;
    struct sleepers sleepers;
};

static int by_int64(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static bool holds(const int64_t *sorted, size_t count, int64_t id)
{
    return count && bsearch(&id, sorted, count, sizeof id, by_int64);
}

/* The memories that an entry which was taken back spoke of: the second field of each step. */
static void leave_alone(struct planning *n, str steps)
{
    str line;
    while (str_next_line(&steps, &line)) {
        int64_t id;
        size_t from = str_find_char(line, '\t', 0) + 1, to = str_find_char(line, '\t', from);
        if (!str_to_int(str_cut(line, from, to), &id))
            continue;
        ARENA_GROW(n->a, n->left_alone, n->left_alone_count, n->left_alone_capacity);
        n->left_alone[n->left_alone_count++] = id;
    }
}

/* Members whose consolidated memory isn't current are nobody's to add to. */
static void place_members(struct planning *n)
{
    const struct snapshot *snap = &n->m->snap;
    for (size_t i = 0; i < n->member_count; i++) {
        node at = snapshot_find(snap, n->members[i].memory);
        if (at != NO_NODE)
            n->member_at[at] = (uint32_t)i + 1;
    }
}

static bool read_signs(struct planning *n, struct err *e)
{
    str *undone;
    size_t count;
    if (!store_members(n->m->store, n->a, 0, &n->members, &n->member_count, e) ||
        !store_ended_sessions(n->m->store, n->a, &n->ended, &n->ended_count, e) ||
        !store_outdated_consolidated(n->m->store, n->a, &n->out->outdated, &n->out->outdated_count,
                                     e) ||
        !store_undone_steps(n->m->store, n->a, S(CONSOLIDATE), &undone, &count, e))
        return false;
    place_members(n);
    for (size_t i = 0; i < count; i++)
        leave_alone(n, undone[i]);
    if (n->left_alone_count)
        qsort(n->left_alone, n->left_alone_count, sizeof *n->left_alone, by_int64);
    return true;
}

static void add_awake(struct planning *n, struct awake w)
{
    if (n->taken[w.at])
        return;
    n->taken[w.at] = 1;
    ARENA_GROW(n->a, n->out->awake, n->out->awake_count, n->awake_capacity);
    n->out->awake[n->out->awake_count++] = w;
}

static enum sleep_reason reason_of(const struct planning *n, const struct node_row *row,
                                   float importance, bool *is_over)
{
    bool is_chatter = row->flags & FLAG_CHATTER;
    *is_over = n->now_ms - touched_ms(row) >= TTL_MS;
    if (importance >= importance_promotes)
        return IMPORTANT;
    if (is_chatter)
        return NO_REASON;
    return *is_over                                        ? DAY_OVER
           : holds(n->ended, n->ended_count, row->session) ? SESSION_OVER
                                                           : NO_REASON;
}

/* Working memories: those that are ready take part, those that aren't stay out of sight. */
static bool read_working(struct planning *n, struct err *e)
{
    struct working_row *rows;
    size_t count;
    const struct snapshot *snap = &n->m->snap;
    if (!store_working(n->m->store, n->a, 0, MAX_WORKING, &rows, &count, e))
        return false;
    n->out->looked_at = count;
    n->out->is_cut = count == MAX_WORKING;
    n->out->archived = ARENA_ARRAY(n->a, struct awake, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct arena scratch = {0};
        struct node_row row;
        bool found, is_over = false;
        node at = snapshot_find(snap, rows[i].id);
        bool ok = store_get_node(n->m->store, &scratch, rows[i].id, &row, &found, e);
        if (ok && found && at != NO_NODE) {
            enum memory_kind kind = (enum memory_kind)snap->meta[at].memory_kind;
            float importance = sleep_importance(snap, at, &row, kind, n->now_ms).sum;
            enum sleep_reason reason = reason_of(n, &row, importance, &is_over);
            bool is_alone = holds(n->left_alone, n->left_alone_count, row.id);
            if (reason && !is_alone)
                add_awake(n, (struct awake){row.id, at, importance, reason, 0});
            else
                n->taken[at] = 1;
            if (!reason && is_over && !is_alone)
                n->out->archived[n->out->archived_count++] =
                    (struct awake){.id = row.id, .at = at, .importance = importance};
        }
        arena_free(&scratch);
        if (!ok)
            return false;
    }
    return true;
}

static bool is_hub(const struct snapshot *snap, node entity)
{
    uint32_t most = snap->memories / HUB_SHARE;
    most = most < MIN_HUB ? MIN_HUB : most > MAX_HUB ? MAX_HUB : most;
    return snap->meta[entity].degree > most;
}

static bool is_entity(const struct snapshot *snap, const struct half_edge *edge)
{
    const struct node_meta *to = &snap->meta[edge->to];
    return edge->kind == EDGE_MENTIONS && !edge->reverse && edge->weight > 0 &&
           to->kind == NODE_ENTITY && to->state == STATE_CURRENT;
}

/* Long-term memories that speak of what a ready one speaks of. */
static void add_partners(struct planning *n, node of)
{
    const struct snapshot *snap = &n->m->snap;
    const struct half_edge *edge, *back;
    for (struct row_walk w = graph_row(&snap->graph, of); (edge = row_next(&snap->graph, &w));) {
        if (!is_entity(snap, edge) || is_hub(snap, edge->to))
            continue;
        struct row_walk holders = graph_row(&snap->graph, edge->to);
        while ((back = row_next(&snap->graph, &holders))) {
            const struct node_meta *m = &snap->meta[back->to];
            bool fits = back->kind == EDGE_MENTIONS && back->reverse && back->weight > 0 &&
                        m->kind == NODE_MEMORY && m->state == STATE_CURRENT && !m->is_consolidated;
            uint32_t member = n->member_at[back->to];
            if (fits && n->out->awake_count < MAX_AWAKE)
                add_awake(
                    n, (struct awake){.id = snap->ids[back->to],
                                      .at = back->to,
                                      .within = member ? n->members[member - 1].consolidated : 0});
        }
    }
}

/* Where the members of a consolidated memory begin: they are sorted by it. */
static size_t first_member(const struct planning *n, int64_t consolidated)
{
    size_t low = 0, high = n->member_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (n->members[mid].consolidated < consolidated)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Of a consolidated memory that one member takes part for, all do: what joins must fit them. */
static void add_whole(struct planning *n, int64_t consolidated)
{
    const struct snapshot *snap = &n->m->snap;
    for (size_t i = first_member(n, consolidated);
         i < n->member_count && n->members[i].consolidated == consolidated; i++) {
        node at = snapshot_find(snap, n->members[i].memory);
        if (at != NO_NODE)
            add_awake(n, (struct awake){.id = snap->ids[at], .at = at, .within = consolidated});
    }
}

static int by_awake(const void *x, const void *y)
{
    const struct awake *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

static bool is_current(const struct snapshot *snap, int64_t id)
{
    node at = snapshot_find(snap, id);
    return at != NO_NODE && snap->meta[at].state == STATE_CURRENT;
}

static void gather(struct planning *n)
{
    const struct snapshot *snap = &n->m->snap;
    size_t ready = n->out->awake_count, kept = 0;
    for (size_t i = 0; i < ready; i++)
        add_partners(n, n->out->awake[i].at);
    struct map wholes = {0};
    for (size_t i = ready, partners = n->out->awake_count; i < partners; i++) {
        int64_t whole = n->out->awake[i].within;
        bool is_new = false;
        if (whole)
            map_put(&wholes, arena_printf(n->a, "%lld", (long long)whole), 1, &is_new);
        if (is_new)
            add_whole(n, whole);
    }
    map_free(&wholes);
    for (size_t i = 0; i < n->out->awake_count; i++)
        if (!n->out->awake[i].within || is_current(snap, n->out->awake[i].within))
            n->out->awake[kept++] = n->out->awake[i];
    n->out->awake_count = kept;
    if (kept)
        qsort(n->out->awake, kept, sizeof *n->out->awake, by_awake);
}

/* ---- planning ---- */

struct numbering {    /* entities of the snapshot by dense numbers of the plan */
    uint32_t *number; /* per node, + 1 */
    bool *is_hub;
    size_t count, capacity;
};

static int by_uint32(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Who says something is not what it speaks of. */
static void read_entities(struct planning *n, struct numbering *numbers, node at,
                          struct sleeper *out)
{
    const struct snapshot *snap = &n->m->snap;
    const struct half_edge *edge;
    size_t capacity = 0;
    uint32_t *list = NULL;
    for (struct row_walk w = graph_row(&snap->graph, at); (edge = row_next(&snap->graph, &w));) {
        if (!is_entity(snap, edge) || edge->to == snap->meta[at].speaker)
            continue;
        if (!numbers->number[edge->to]) {
            ARENA_GROW(n->a, numbers->is_hub, numbers->count, numbers->capacity);
            numbers->is_hub[numbers->count++] = is_hub(snap, edge->to);
            numbers->number[edge->to] = (uint32_t)numbers->count;
        }
        ARENA_GROW(n->a, list, out->entity_count, capacity);
        list[out->entity_count++] = numbers->number[edge->to] - 1;
    }
    if (out->entity_count)
        qsort(list, out->entity_count, sizeof *list, by_uint32);
    out->entities = list;
}

static bool read_vector(struct planning *n, struct sleeper *out, struct err *e)
{
    size_t dimensions = 0;
    if (!store_first_vector(n->m->store, n->a, out->id, &out->vector, &dimensions, &out->scale, e))
        return false;
    if (out->vector && !n->sleepers.dimensions)
        n->sleepers.dimensions = dimensions;
    if (dimensions != n->sleepers.dimensions)
        out->vector = NULL;
    return true;
}

/* Who is kept apart takes part without anything that could link it. */
static bool read_sleeper(struct planning *n, struct numbering *numbers, struct awake *w,
                         struct sleeper *out, struct err *e)
{
    const struct snapshot *snap = &n->m->snap;
    struct arena scratch = {0};
    struct node_row row;
    bool found, is_apart = false;
    *out = (struct sleeper){.id = w->id, .is_ready = w->reason != NO_REASON, .within = w->within};
    bool ok = store_get_node(n->m->store, &scratch, w->id, &row, &found, e) &&
              (w->within || sleep_is_kept_apart(n->m, &scratch, w->id, &is_apart, e));
    is_apart |= !w->within && holds(n->left_alone, n->left_alone_count, w->id);
    if (ok && found && !w->importance)
        w->importance = sleep_importance(snap, w->at, &row,
                                         (enum memory_kind)snap->meta[w->at].memory_kind, n->now_ms)
                            .sum;
    if (ok && found && !is_apart) {
        out->at_ms = row.at_ms;
        out->session = row.session;
        read_entities(n, numbers, w->at, out);
        ok = read_vector(n, out, e);
    }
    arena_free(&scratch);
    return ok;
}

static bool plan(struct planning *n, struct err *e)
{
    struct numbering numbers = {.number = ARENA_ARRAY(n->a, uint32_t, n->m->snap.graph.count + 1)};
    struct sleeper *list = ARENA_ARRAY(n->a, struct sleeper, n->out->awake_count + 1);
    for (size_t i = 0; i < n->out->awake_count; i++)
        if (!read_sleeper(n, &numbers, &n->out->awake[i], &list[i], e))
            return false;
    n->sleepers.at = list;
    n->sleepers.count = n->out->awake_count;
    n->sleepers.entity_count = numbers.count;
    n->sleepers.is_hub = numbers.is_hub;
    n->out->clusters = consolidate_clusters(n->a, &n->sleepers, &n->out->cluster_count);
    bool *together = ARENA_ARRAY(n->a, bool, n->out->awake_count + 1);
    for (size_t c = 0; c < n->out->cluster_count; c++)
        for (size_t i = 0; i < n->out->clusters[c].added_count; i++)
            together[n->out->clusters[c].added[i]] = true;
    n->out->promoted = ARENA_ARRAY(n->a, struct awake, n->out->awake_count + 1);
    for (size_t i = 0; i < n->out->awake_count; i++)
        if (n->out->awake[i].reason && !together[i])
            n->out->promoted[n->out->promoted_count++] = n->out->awake[i];
    return true;
}

bool sleep_plan_make(struct memory *m, struct arena *a, int64_t now_ms, struct sleep_plan *out,
                     struct err *e)
{
    struct planning n = {.m = m, .a = a, .now_ms = now_ms, .out = out};
    *out = (struct sleep_plan){0};
    if (!memory_read(m, e))
        return false;
    size_t nodes = m->snap.graph.count + 1;
    n.taken = ARENA_ARRAY(a, uint8_t, nodes);
    n.member_at = ARENA_ARRAY(a, uint32_t, nodes);
    bool ok = read_signs(&n, e) && read_working(&n, e);
    if (ok) {
        gather(&n);
        ok = plan(&n, e);
    }
    store_read_end(m->store);
    return ok;
}
