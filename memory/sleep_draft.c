#include "memory/consolidate.h"
#include "memory/consolidate_text.h"
#include "memory/cues.h"
#include "memory/model_queue.h"
#include "memory/sleep.h"
#include "memory/store_consolidate.h"

#include <stdlib.h>

enum {
    MAX_MENTIONED = 1000, /* entities of one member */
    MAX_NAMED = 4,        /* entities that the name of a consolidated memory tells */
};

static const float MAX_RELATES_TO = 5; /* weight of an edge to an entity */

/* ---- reading ---- */

static int by_id(const void *x, const void *y)
{
    const struct drafted_member *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

static bool list_members(struct memory *m, struct arena *a, const struct joining *joining,
                         size_t count, struct sleep_draft *d, struct err *e)
{
    struct member_row *rows = NULL;
    size_t row_count = 0;
    if (d->into && (!store_consolidated_version(m->store, d->into, &d->version, e) ||
                    !store_members(m->store, a, d->into, &rows, &row_count, e)))
        return false;
    d->members = ARENA_ARRAY(a, struct drafted_member, row_count + count + 1);
    for (size_t i = 0; i < row_count; i++)
        d->members[d->member_count++] =
            (struct drafted_member){.id = rows[i].memory, .weight = rows[i].weight};
    for (size_t i = 0; i < count; i++)
        d->members[d->member_count++] = (struct drafted_member){
            .id = joining[i].id, .weight = joining[i].weight, .joins = true};
    d->join_count = count;
    if (d->member_count)
        qsort(d->members, d->member_count, sizeof *d->members, by_id);
    return true;
}

static int by_entity(const void *x, const void *y)
{
    const struct drafted_entity *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

static bool read_entities(struct memory *m, struct arena *a, const struct drafted_member *member,
                          struct sleep_draft *d, size_t *capacity, struct err *e)
{
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, member->id, EDGE_MENTIONS, MAX_MENTIONED, &edges, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct node_row row;
        bool found;
        if (edges[i].src != member->id)
            continue;
        if (!store_get_node(m->store, a, edges[i].dst, &row, &found, e))
            return false;
        if (!found || row.state != STATE_CURRENT)
            continue;
        ARENA_GROW(a, d->entities, d->entity_count, *capacity);
        d->entities[d->entity_count++] =
            (struct drafted_entity){row.id, row.name, member->weight, 1};
    }
    return true;
}

/* Each entity once, with the weights of its members together. */
static void merge_entities(struct sleep_draft *d)
{
    size_t kept = 0;
    if (d->entity_count)
        qsort(d->entities, d->entity_count, sizeof *d->entities, by_entity);
    for (size_t i = 0; i < d->entity_count; i++) {
        struct drafted_entity *last = kept ? &d->entities[kept - 1] : NULL;
        if (last && last->id == d->entities[i].id) {
            last->weight += d->entities[i].weight;
            last->members++;
        } else {
            d->entities[kept++] = d->entities[i];
        }
    }
    d->entity_count = kept;
    for (size_t i = 0; i < kept; i++)
        if (d->entities[i].weight > MAX_RELATES_TO)
            d->entities[i].weight = MAX_RELATES_TO;
}

/* The names that most members share, for the search beside the text. */
static str name_of(struct arena *a, const struct sleep_draft *d)
{
    struct buf name = {0};
    size_t named = 0;
    for (size_t members = d->member_count; members > 1 && named < MAX_NAMED; members--)
        for (size_t i = 0; i < d->entity_count && named < MAX_NAMED; i++)
            if (d->entities[i].members == members)
                buf_printf(&name, "%s%.*s", named++ ? ", " : "", FMT(d->entities[i].name));
    str out = arena_str(a, buf_str(&name));
    buf_free(&name);
    return out;
}

static bool is_newer(const struct node_row *x, const struct node_row *y)
{
    return x->at_ms > y->at_ms || (x->at_ms == y->at_ms && x->id > y->id);
}

/* Reads a member into `quoted`; false in *found where it is gone. */
static bool read_member(struct memory *m, struct arena *a, struct drafted_member *member,
                        struct node_row *row, struct quoted *quoted, bool *found, struct err *e)
{
    struct memory_row memory;
    struct node_row speaker;
    str name;
    bool has_speaker = false;
    if (!store_get_node(m->store, a, member->id, row, found, e) || !*found ||
        !store_get_memory(m->store, a, member->id, &memory, found, e) || !*found)
        return e->code == ERR_NONE;
    *quoted = (struct quoted){.id = member->id,
                              .at_ms = row->at_ms,
                              .kind = memory.kind,
                              .is_superseded = row->state == STATE_SUPERSEDED,
                              .superseded_by = memory.superseded_by};
    member->state = row->state;
    member->tier = memory.tier;
    if (memory.speaker && !store_get_node(m->store, a, memory.speaker, &speaker, &has_speaker, e))
        return false;
    quoted->speaker = has_speaker ? speaker.name : S("");
    return store_get_body(m->store, a, member->id, &name, &quoted->text, e);
}

/* As many members are of no other kind; of equals the one that comes first in the enum. */
static enum memory_kind commonest(const struct quoted *quoted, size_t count)
{
    size_t of_kind[MEMORY_KIND_COUNT] = {0};
    enum memory_kind best = KIND_DECISION;
    for (size_t i = 0; i < count; i++)
        of_kind[quoted[i].kind]++;
    for (int k = 0; k < MEMORY_KIND_COUNT; k++)
        if (of_kind[k] > of_kind[best])
            best = (enum memory_kind)k;
    return best;
}

bool sleep_draft(struct memory *m, struct arena *a, int64_t into, const struct joining *joining,
                 size_t count, struct sleep_draft *out, struct err *e)
{
    size_t capacity = 0, kept = 0;
    *out = (struct sleep_draft){.into = into};
    if (!list_members(m, a, joining, count, out, e))
        return false;
    struct quoted *quoted = ARENA_ARRAY(a, struct quoted, out->member_count + 1);
    for (size_t i = 0; i < out->member_count; i++) {
        struct drafted_member member = out->members[i];
        struct node_row row;
        bool found;
        if (!read_member(m, a, &member, &row, &quoted[kept], &found, e) ||
            (found && !read_entities(m, a, &member, out, &capacity, e)))
            return false;
        if (!found)
            continue;
        /* Believed as much as what it is made of deserves least. */
        float trust = kept && out->row.trust < row.trust ? out->row.trust : row.trust;
        enum origin origin = kept && out->row.trust < row.trust ? out->row.origin : row.origin;
        if (!kept || is_newer(&row, &out->row))
            out->row = row;
        out->row.trust = trust;
        out->row.origin = origin;
        out->members[kept++] = member;
    }
    out->member_count = kept;
    merge_entities(out);
    out->name = name_of(a, out);
    out->kind = commonest(quoted, kept);
    out->text = consolidate_text(a, quoted, kept);
    return true;
}

/* ---- writing ---- */

static bool put_relations(struct memory *m, struct arena *a, const struct sleep_draft *d,
                          struct err *e)
{
    struct edge_full *edges;
    size_t count;
    int64_t ignored;
    if (!store_edges(m->store, a, d->into, EDGE_RELATES_TO, MAX_MENTIONED * MAX_CLUSTER, &edges,
                     &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!store_delete_edge(m->store, edges[i].id, e))
            return false;
    for (size_t i = 0; i < d->entity_count; i++)
        if (!store_put_edge(m->store,
                            &(struct edge_full){.src = d->into,
                                                .dst = d->entities[i].id,
                                                .kind = EDGE_RELATES_TO,
                                                .label = S(""),
                                                .weight = d->entities[i].weight,
                                                .at_ms = d->row.at_ms},
                            &ignored, e))
            return false;
    return true;
}

/* All but members and journal. d->into is there. */
static bool put_text(struct memory *m, struct arena *a, const struct sleep_draft *d, struct err *e)
{
    struct node_row row = d->row;
    row.id = d->into;
    row.flags = (int)(cues_told(d->text) << FLAG_CUES_SHIFT);
    return store_retell(m->store, &row, e) &&
           store_set_memory_kind(m->store, d->into, d->kind, e) &&
           store_put_body(m->store, d->into, d->name, d->text, e) && put_relations(m, a, d, e) &&
           store_put_consolidated(m->store, d->into, d->version, e) &&
           model_summary_due(m, d->into, e);
}

static bool put_new(struct entry *j, struct sleep_draft *d, struct err *e)
{
    struct node_row row = {.kind = NODE_MEMORY,
                           .origin = d->row.origin,
                           .trust = d->row.trust,
                           .at_ms = d->row.at_ms,
                           .stored_ms = j->now_ms};
    if (!store_put_node(j->m->store, &row, &d->into, e))
        return false;
    str retry = hash128_hex(j->a, arena_printf(j->a, "consolidated\x1f%lld", (long long)d->into));
    struct memory_row memory = {.id = d->into,
                                .kind = d->kind,
                                .tier = TIER_CONSOLIDATED,
                                .topic = S(""),
                                .topic_key = S(""),
                                .retry = retry};
    step_back(j, "delete", "%lld", (long long)d->into);
    return store_set_key(j->m->store, d->into, retry, e) &&
           store_put_memory(j->m->store, &memory, e);
}

/* Whether everything that the draft was made from is still so. */
static bool still_holds(struct entry *j, const struct sleep_draft *d, bool *out, struct err *e)
{
    struct node_row row;
    struct memory_row memory;
    int64_t version = 0, within;
    bool was_forgotten;
    *out = false;
    if ((d->into && !store_consolidated_version(j->m->store, d->into, &version, e)) ||
        !store_find_tombstone(j->m->store, memory_tombstone_hash(j->a, d->text), &was_forgotten, e))
        return false;
    if (version != d->version || was_forgotten)
        return true;
    for (size_t i = 0; i < d->member_count; i++) {
        const struct drafted_member *member = &d->members[i];
        bool found;
        if (!store_get_node(j->m->store, j->a, member->id, &row, &found, e))
            return false;
        if (!found || row.state != member->state)
            return true;
        if (!member->joins)
            continue;
        if (!store_get_memory(j->m->store, j->a, member->id, &memory, &found, e) ||
            !store_consolidated_of(j->m->store, member->id, &within, e))
            return false;
        if (!found || memory.tier != member->tier || within || row.state != STATE_CURRENT)
            return true;
    }
    *out = true;
    return true;
}

static bool put_members(struct entry *j, const struct sleep_draft *d, struct err *e)
{
    for (size_t i = 0; i < d->member_count; i++) {
        const struct drafted_member *member = &d->members[i];
        struct member_row row = {member->id, d->into, d->version, member->state, member->weight};
        if (!member->joins)
            continue;
        step_back(j, member->tier == TIER_WORKING ? "joined" : "joined_long_term", "%lld\t%lld",
                  (long long)member->id, (long long)d->into);
        if (!store_put_member(j->m->store, &row, e) ||
            !store_set_tier(j->m->store, member->id, TIER_LONG_TERM, e))
            return false;
    }
    return true;
}

bool sleep_put(struct entry *j, struct sleep_draft *d, bool *put, struct err *e)
{
    if (!still_holds(j, d, put, e) || !*put)
        return e->code == ERR_NONE;
    if (d->into)
        step_back(j, "version", "%lld\tv%lld", (long long)d->into, (long long)d->version);
    else if (!put_new(j, d, e))
        return false;
    d->version++;
    return put_members(j, d, e) && put_text(j->m, j->a, d, e);
}

bool sleep_rewrite(struct memory *m, struct arena *a, int64_t consolidated, struct err *e)
{
    struct sleep_draft d;
    struct member_row *rows;
    size_t count;
    if (!sleep_draft(m, a, consolidated, NULL, 0, &d, e))
        return false;
    if (d.member_count < 2)
        return store_delete_node(m->store, consolidated, e);
    if (!store_members(m->store, a, consolidated, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count && i < d.member_count; i++) {
        rows[i].state = d.members[i].state; /* both by id, and none of the rows is without a node */
        if (!store_put_member(m->store, &rows[i], e))
            return false;
    }
    return put_text(m, a, &d, e);
}

/* ---- forgetting and undoing ---- */

static str apart_hash(struct arena *a, int64_t memory)
{
    return hash128_hex(a, arena_printf(a, "apart\x1f%lld", (long long)memory));
}

bool sleep_keep_apart(struct memory *m, struct arena *a, int64_t consolidated, int64_t now_ms,
                      struct err *e)
{
    struct member_row *rows;
    size_t count;
    bool ignored;
    if (!store_members(m->store, a, consolidated, &rows, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!store_put_tombstone(m->store, apart_hash(a, rows[i].memory), NODE_MEMORY, now_ms,
                                 S(""), &ignored, e))
            return false;
    return true;
}

bool sleep_is_kept_apart(struct memory *m, struct arena *a, int64_t memory, bool *out,
                         struct err *e)
{
    return store_find_tombstone(m->store, apart_hash(a, memory), out, e);
}
