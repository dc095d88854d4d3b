#include "memory/review_meanings.h"

#include "memory/review_edits.h"
#include "memory/store_review_find.h"
#include "memory/text.h"

enum {
    MIN_TEXTS = 4,     /* of a meaning */
    MAX_TEXTS = 2000,  /* looked at */
    MAX_MENTIONS = 30, /* of a name that can tell two meanings apart; more: it is everywhere */
};
static const double MIN_COVERED = 0.8; /* of the texts, by the two groups */
static const double MIN_SHARE = 0.2;   /* of the smaller group in both */

struct group {
    size_t from, count; /* of the rows */
};

/* The two largest groups of rows that are sorted by community; texts without one are none. */
static void two_largest(const struct meaning_row *rows, size_t count, struct group *one,
                        struct group *two)
{
    *one = *two = (struct group){0};
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && rows[to].community == rows[from].community;)
            to++;
        struct group g = {from, rows[from].community ? to - from : 0};
        if (g.count > one->count) {
            *two = *one;
            *one = g;
        } else if (g.count > two->count) {
            *two = g;
        }
    }
}

/* A community's label without the name itself, two names of it at most. */
static str without(struct arena *a, str label, str name)
{
    struct buf out = {0};
    size_t from = 0, kept = 0;
    while (from < label.len && kept < 2) {
        size_t to = str_find(label, S(", "), from);
        str part = str_cut(label, from, to);
        if (!str_eq(part, name))
            buf_printf(&out, "%s%.*s", kept++ ? ", " : "", FMT(part));
        from = to + 2;
    }
    str words = arena_str(a, buf_str(&out));
    buf_free(&out);
    return words;
}

static int64_t *ids_of(struct arena *a, const struct meaning_row *rows, struct group g)
{
    int64_t *ids = ARENA_ARRAY(a, int64_t, g.count);
    for (size_t i = 0; i < g.count; i++)
        ids[i] = rows[g.from + i].id;
    return ids;
}

bool review_meanings(struct memory *m, struct arena *a, int64_t entity, struct two_meanings *out,
                     bool *found, struct err *e)
{
    struct meaning_row *rows;
    struct node_row row;
    struct group one, two;
    size_t count;
    int64_t shared;
    *found = false;
    if (!store_get_node(m->store, a, entity, &row, found, e) || !*found ||
        !store_meanings(m->store, a, entity, MAX_TEXTS, &rows, &count, e))
        return e->code == ERR_NONE;
    *found = false;
    two_largest(rows, count, &one, &two);
    double both = (double)(one.count + two.count);
    if (two.count < MIN_TEXTS || both < MIN_COVERED * (double)count ||
        (double)two.count < MIN_SHARE * both)
        return true;
    if (!store_shared_between(m->store, entity, rows[one.from].community, rows[two.from].community,
                              MAX_MENTIONS, &shared, e) ||
        shared)
        return e->code == ERR_NONE;
    *out = (struct two_meanings){.staying = ids_of(a, rows, one),
                                 .stay_count = one.count,
                                 .moving = ids_of(a, rows, two),
                                 .move_count = two.count,
                                 .stay_names = without(a, rows[one.from].label, row.name),
                                 .move_names = without(a, rows[two.from].label, row.name)};
    *found = out->stay_names.len && out->move_names.len;
    return true;
}

static bool is_moving(const struct two_meanings *t, int64_t id)
{
    for (size_t i = 0; i < t->move_count; i++)
        if (t->moving[i] == id)
            return true;
    return false;
}

/* What the moving texts say of it, too: their relations. */
static bool move_edges(struct entry *j, const struct two_meanings *t, int64_t from, int64_t to,
                       struct err *e)
{
    static const enum edge_kind kinds[] = {EDGE_MENTIONS, EDGE_RELATION};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct edge_full *edges;
        size_t count;
        if (!store_edges(j->m->store, j->a, from, kinds[k], MAX_TEXTS, &edges, &count, e))
            return false;
        for (size_t i = 0; i < count; i++) {
            bool dst = edges[i].dst == from;
            if (is_moving(t, kinds[k] == EDGE_MENTIONS ? edges[i].src : edges[i].said_by) &&
                !review_move_end(j, edges[i].id, dst, from, to, e))
                return false;
        }
    }
    return true;
}

bool review_split_meaning(struct entry *j, int64_t entity, struct err *e)
{
    struct two_meanings t;
    struct node_row row;
    bool found;
    int64_t id, owner;
    if (!store_get_node(j->m->store, j->a, entity, &row, &found, e) ||
        !review_meanings(j->m, j->a, entity, &t, &found, e))
        return false;
    if (!found)
        return fail(e, ERR_CONFLICT, "answers.question: e%lld has one meaning by now",
                    (long long)entity);
    str name = arena_printf(j->a, "%.*s (%.*s)", FMT(row.name), FMT(t.move_names));
    if (!store_find_alias(j->m->store, text_normal_name(j->a, name), &owner, e))
        return false;
    if (owner)
        return fail(e, ERR_CONFLICT, "answers.question: '%.*s' is a name of e%lld already",
                    FMT(name), (long long)owner);
    if (!review_new_entity(j, &row, name, &id, e) || !move_edges(j, &t, entity, id, e))
        return false;
    buf_printf(&j->text, "split e%lld (%.*s) off e%lld (%.*s) with %zu texts", (long long)id,
               FMT(name), (long long)entity, FMT(row.name), t.move_count);
    return entity_index(j->m, j->a, id, e);
}
