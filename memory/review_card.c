#include "memory/review_card.h"

#include "memory/base/unicode.h"
#include "memory/review_edits.h"
#include "memory/store_models.h"

static bool card_relations(struct memory *m, struct arena *a, int64_t id, struct entity_card *card,
                           struct err *e)
{
    enum { MAX_RELATIONS_SHOWN = 20 };
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, id, EDGE_RELATION, MAX_RELATIONS_SHOWN, &edges, &count, e))
        return false;
    card->relations = ARENA_ARRAY(a, struct fact_ref, count);
    for (size_t i = 0; i < count; i++) {
        struct node_row from, to, by;
        bool found;
        if (!store_get_node(m->store, a, edges[i].src, &from, &found, e) || !found ||
            !store_get_node(m->store, a, edges[i].dst, &to, &found, e) || !found)
            continue;
        if (!store_get_node(m->store, a, edges[i].said_by, &by, &found, e))
            return false;
        if (found && by.state != STATE_CURRENT)
            continue;
        bool by_model;
        if (!store_is_model_edge(m->store, edges[i].id, &by_model, e))
            return false;
        card->relations[card->relation_count++] =
            (struct fact_ref){.from = from.name,
                              .relation = edges[i].label,
                              .to = to.name,
                              .said_kind = found ? by.kind : NODE_ENTITY,
                              .said_by = edges[i].said_by,
                              .by_model = by_model};
    }
    return e->code == ERR_NONE;
}

static bool card_mentions(struct memory *m, struct arena *a, int64_t id, struct entity_card *card,
                          struct err *e)
{
    enum { MAX_SHOWN = 5, SHOWN_BYTES = 200, MAX_COUNTED = 100000 };
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, id, EDGE_MENTIONS, MAX_COUNTED, &edges, &count, e))
        return false;
    card->mentions = count;
    card->latest = ARENA_ARRAY(a, struct card_mention, MAX_SHOWN);
    for (size_t i = 0; i < count && card->latest_count < MAX_SHOWN; i++) {
        struct node_row row;
        bool found;
        str name, text;
        if (!store_get_node(m->store, a, edges[i].src, &row, &found, e) ||
            !store_get_body(m->store, a, edges[i].src, &name, &text, e))
            return false;
        if (found)
            card->latest[card->latest_count++] =
                (struct card_mention){row.kind, row.id, utf8_prefix(text, SHOWN_BYTES)};
    }
    return true;
}

bool review_card(struct entry *j, str entity, struct entity_card *card, struct err *e)
{
    static const char *const words[] = {"active",    "superseded", "archived",
                                        "dismissed", "merged",     "pending"};
    struct node_row row;
    struct entity_row type;
    struct alias_row *aliases;
    size_t count;
    bool found;
    if (!review_find_entity(j, "entity", entity, &row, e) ||
        !store_get_entity(j->m->store, j->a, row.id, &type, &found, e) ||
        !store_aliases(j->m->store, j->a, row.id, &aliases, &count, e) ||
        !store_properties(j->m->store, j->a, row.id, &card->props, &card->prop_count, e))
        return false;
    card->id = row.id;
    card->name = row.name;
    card->type = found ? type.type : S("");
    card->status =
        str_of((unsigned)row.state < sizeof words / sizeof *words ? words[row.state] : "active");
    card->aliases = ARENA_ARRAY(j->a, str, count);
    for (size_t i = 0; i < count; i++)
        if (!str_eq(aliases[i].name, row.name))
            card->aliases[card->alias_count++] = aliases[i].name;
    node at = snapshot_find(&j->m->snap, row.id);
    card->degree = at == NO_NODE ? 0 : j->m->snap.meta[at].degree;
    return card_relations(j->m, j->a, row.id, card, e) &&
           card_mentions(j->m, j->a, row.id, card, e);
}
