/* Entities as rows: found by name, made, linked to what mentions them. */
#include "memory/named.h"
#include "memory/text.h"
#include "memory/ties.h"

enum { MAX_MERGE_STEPS = 16 }; /* a chain of merges is followed no further */

/* The entity of this name, merges followed. */
static bool find_row(struct memory *m, struct arena *a, str normal, struct entity_row *row,
                     bool *found, struct err *e)
{
    if (!store_find_named(m->store, a, normal, row, found, e))
        return false;
    for (int step = 0; *found && row->merged_into && step < MAX_MERGE_STEPS; step++)
        if (!store_get_entity(m->store, a, row->merged_into, row, found, e))
            return false;
    return true;
}

bool entity_find(struct memory *m, struct arena *a, str name, int64_t *id, struct err *e)
{
    str normal = text_normal_name(a, name);
    struct entity_row row;
    bool found;
    *id = 0;
    if (!normal.len)
        return true;
    if (!find_row(m, a, normal, &row, &found, e))
        return false;
    *id = found ? row.id : 0;
    return true;
}

bool entity_index(struct memory *m, struct arena *a, int64_t id, struct err *e)
{
    struct alias_row *aliases;
    struct entity_row row;
    size_t count;
    bool found;
    struct buf names = {0};
    if (!store_aliases(m->store, a, id, &aliases, &count, e) ||
        !store_get_entity(m->store, a, id, &row, &found, e))
        return false;
    for (size_t i = 0; i < count; i++)
        buf_printf(&names, "%s%.*s", i ? "\n" : "", FMT(aliases[i].name));
    bool ok =
        store_put_body(m->store, id, found && row.typed ? row.type : S(""), buf_str(&names), e);
    buf_free(&names);
    return ok;
}

str entity_tombstone(struct arena *a, str normal)
{
    return hash128_hex(a, arena_printf(a, "dismissed\x1f%.*s", FMT(normal)));
}

static bool make_entity(struct memory *m, struct arena *a, const struct provenance *from,
                        const struct named *n, bool typed, int64_t at_ms, int64_t *id,
                        struct err *e)
{
    struct arena mark = *a;
    const struct index_text of[2] = {index_text_of(a, typed ? n->type : S("")),
                                     index_text_of(a, n->name)};
    struct node_row row = {.kind = NODE_ENTITY,
                           .key = n->normal,
                           .name = n->name,
                           .origin = from->origin,
                           .trust = origin_trust[from->origin],
                           .at_ms = at_ms,
                           .stored_ms = from->now_ms,
                           .branch = from->branch,
                           .head = from->head,
                           .words = (int)of[1].words};
    bool is_dismissed;
    bool ok = store_find_tombstone(m->store, entity_tombstone(a, n->normal), &is_dismissed, e);
    if (ok && is_dismissed)
        row.state = STATE_DISMISSED;
    ok = ok && store_put_node(m->store, &row, id, e) &&
         store_put_entity(m->store,
                          &(struct entity_row){.id = *id, .type = n->type, .typed = typed}, e) &&
         store_put_alias(m->store, n->normal, n->name, *id, e) &&
         store_put_first_body(m->store, *id, &row, of, e) &&
         review_near_names(m, *id, n->normal, from->now_ms, e) &&
         ties_put(m->store, a, *id, n->name, n->type, from->now_ms, e);
    arena_rewind(a, mark);
    return ok;
}

/* A type that a caller gave beats one that a rule found; the first of a kind stays. */
static bool learn_type(struct memory *m, struct arena *a, struct entity_row *row, str type,
                       bool typed, struct err *e)
{
    if (!type.len || str_eq(type, row->type) || (row->type.len && (!typed || row->typed)))
        return true;
    row->type = type;
    row->typed = typed;
    return store_put_entity(m->store, row, e) && (!typed || entity_index(m, a, row->id, e));
}

bool entity_put_named(struct memory *m, struct arena *a, const struct provenance *from,
                      const struct named *n, int64_t at_ms, int64_t *id, struct err *e)
{
    struct named trimmed = *n;
    struct entity_row row;
    bool found;
    *id = 0;
    trimmed.name = str_trim(n->name);
    if (!n->normal.len)
        return true;
    if (!find_row(m, a, n->normal, &row, &found, e))
        return false;
    if (!found)
        return n->is_known || make_entity(m, a, from, &trimmed, false, at_ms, id, e);
    *id = row.id;
    return learn_type(m, a, &row, n->type, false, e);
}

bool entity_put(struct memory *m, struct arena *a, const struct provenance *from, str name,
                str type, bool typed, int64_t at_ms, struct entity_ref *out, struct err *e)
{
    struct named n = {.name = str_trim(name), .type = type};
    struct entity_row row;
    struct node_row node_of;
    bool found;
    *out = (struct entity_ref){0};
    n.normal = text_normal_name(a, n.name);
    if (!n.normal.len)
        return true;
    if (!find_row(m, a, n.normal, &row, &found, e))
        return false;
    if (!found) {
        *out = (struct entity_ref){
            .name = arena_str(a, n.name), .type = arena_str(a, type), .is_new = true};
        return make_entity(m, a, from, &n, typed, at_ms, &out->id, e);
    }
    if (!learn_type(m, a, &row, type, typed, e) ||
        !store_get_node(m->store, a, row.id, &node_of, &found, e))
        return false;
    if (!found)
        return fail(e, ERR_DB, "entity e%lld has a name but no row", (long long)row.id);
    *out = (struct entity_ref){.id = row.id, .name = node_of.name, .type = row.type};
    return true;
}

bool mention_put(struct memory *m, int64_t from, int64_t entity, float weight, int64_t at_ms,
                 struct err *e)
{
    int64_t ignored;
    return store_put_edge(m->store,
                          &(struct edge_full){.src = from,
                                              .dst = entity,
                                              .kind = EDGE_MENTIONS,
                                              .label = S(""),
                                              .weight = weight,
                                              .at_ms = at_ms},
                          &ignored, e);
}
