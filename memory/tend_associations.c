#include "memory/tend.h"

#include "memory/store_consolidate.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_TIES = 16 }; /* of one node, the strongest */

/* One question makes a pair at most 1, whatever is done with its answer: an edge takes a second
 * one. Once made it stands until half of that is gone. */
static const double MIN_TIE = 1.0, MIN_KEPT = 0.5;
static const double MIN_CO_USE = 0.05; /* less is forgotten */
static const double MIN_CHANGE = 0.05; /* of a weight that is worth writing */

struct tie {
    struct association edge;
    size_t had; /* the edge that stands; SIZE_MAX: none */
};

struct plan {
    struct co_use *pairs;
    size_t pair_count;
    struct association *had; /* edges that stand */
    size_t had_count;
    struct association *writes; /* weight 0 goes */
    size_t write_count;
    struct co_use *weak; /* pairs that have faded */
    size_t weak_count;
    int64_t cycle;
};

static double cosine(const int8_t *a, const int8_t *b, size_t count)
{
    double dot = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < count; i++) {
        dot += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return aa > 0 && bb > 0 ? dot / sqrt(aa * bb) : 0;
}

/* 0 where one has no vector yet. */
static double alike(struct tend *t, int64_t a, int64_t b, struct err *e)
{
    struct arena scratch = {0};
    const int8_t *x, *y;
    size_t x_count, y_count;
    float ignored;
    bool both = store_first_vector(t->m->store, &scratch, a, &x, &x_count, &ignored, e) && x &&
                store_first_vector(t->m->store, &scratch, b, &y, &y_count, &ignored, e) && y &&
                x_count == y_count;
    double out = both ? cosine(x, y, x_count) : 0;
    arena_free(&scratch);
    return out;
}

static int by_strength(const void *x, const void *y)
{
    const struct association *a = &((const struct tie *)x)->edge,
                             *b = &((const struct tie *)y)->edge;
    if (a->strength.sum != b->strength.sum)
        return a->strength.sum < b->strength.sum ? 1 : -1;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* The pairs that are strong enough, the strongest first. */
static size_t find_ties(struct arena *a, const struct plan *p, struct tie **out)
{
    size_t count = 0, at = 0;
    *out = ARENA_ARRAY(a, struct tie, p->pair_count + 1);
    for (size_t i = 0; i < p->pair_count; i++) {
        const struct co_use *pair = &p->pairs[i];
        double sum = strength_at(&pair->strength, p->cycle);
        while (at < p->had_count &&
               (p->had[at].a < pair->a || (p->had[at].a == pair->a && p->had[at].b < pair->b)))
            at++;
        bool stands = at < p->had_count && p->had[at].a == pair->a && p->had[at].b == pair->b;
        if (stands ? sum >= MIN_KEPT : sum > MIN_TIE)
            (*out)[count++] = (struct tie){{.id = stands ? p->had[at].id : 0,
                                            .a = pair->a,
                                            .b = pair->b,
                                            .strength = {sum, p->cycle}},
                                           stands ? at : SIZE_MAX};
    }
    qsort(*out, count, sizeof **out, by_strength);
    return count;
}

/* Takes one of the places of both, where both have one. */
static bool take_place(struct map *places, struct arena *a, int64_t x, int64_t y)
{
    str name_x = arena_printf(a, "%lld", (long long)x),
        name_y = arena_printf(a, "%lld", (long long)y);
    map_put(places, name_x, 0, NULL);
    map_put(places, name_y, 0, NULL);
    int64_t *of_x = map_find(places, name_x), *of_y = map_find(places, name_y);
    if (*of_x >= MAX_TIES || *of_y >= MAX_TIES)
        return false;
    ++*of_x;
    ++*of_y;
    return true;
}

/* What differs from the edges that stand. */
static bool plan_writes(struct tend *t, struct plan *p, struct err *e)
{
    struct tie *ties;
    struct map places = {0};
    size_t count = find_ties(t->a, p, &ties);
    bool *kept = ARENA_ARRAY(t->a, bool, p->had_count + 1);
    p->writes = ARENA_ARRAY(t->a, struct association, count + p->had_count + 1);
    for (size_t i = 0; i < count && e->code == ERR_NONE; i++) {
        struct association *edge = &ties[i].edge;
        bool stands = ties[i].had != SIZE_MAX;
        if (!take_place(&places, t->a, edge->a, edge->b))
            continue;
        edge->weight = strength_weight(alike(t, edge->a, edge->b, e), edge->strength.sum);
        if (stands)
            kept[ties[i].had] = true;
        if (!stands || fabs(edge->weight - p->had[ties[i].had].weight) >= MIN_CHANGE)
            p->writes[p->write_count++] = *edge;
    }
    map_free(&places);
    for (size_t i = 0; i < p->had_count; i++)
        if (!kept[i])
            p->writes[p->write_count++] = (struct association){.id = p->had[i].id};
    return e->code == ERR_NONE;
}

static bool write_edge(struct tend *t, void *ctx, size_t i, struct err *e)
{
    const struct association *edge = &((struct plan *)ctx)->writes[i];
    return edge->weight > 0 ? growth_put_association(t->m->store, edge, t->in->from.now_ms, e)
                            : store_delete_edge(t->m->store, edge->id, e);
}

/* Pairs too weak to count, and what is beyond the bounds. */
static bool write_pair(struct tend *t, void *ctx, size_t i, struct err *e)
{
    struct plan *p = ctx;
    return i == p->weak_count ? growth_prune(t->m->store, e)
                              : growth_drop_co_use(t->m->store, p->weak[i].a, p->weak[i].b, e);
}

static void find_weak(struct arena *a, struct plan *p)
{
    p->weak = ARENA_ARRAY(a, struct co_use, p->pair_count + 1);
    for (size_t i = 0; i < p->pair_count; i++)
        if (strength_at(&p->pairs[i].strength, p->cycle) < MIN_CO_USE)
            p->weak[p->weak_count++] = p->pairs[i];
}

bool tend_associations(struct tend *t, struct tend_report *out, struct err *e)
{
    struct plan p = {.cycle = decay_cycle(t->in->from.now_ms)};
    if (!t->m->options.usage)
        return true;
    if ((!t->in->dry_run && !memory_flush_usage(t->m, 0, e)) || !store_read_begin(t->m->store, e))
        return false;
    bool ok = growth_co_uses(t->m->store, t->a, &p.pairs, &p.pair_count, e) &&
              growth_associations(t->m->store, t->a, &p.had, &p.had_count, e) &&
              plan_writes(t, &p, e);
    store_read_end(t->m->store);
    if (!ok)
        return false;
    find_weak(t->a, &p);
    out->changed = p.write_count;
    if (p.write_count)
        out->text = arena_printf(t->a, "%zu edges between what was used together", p.write_count);
    return tend_write_all(t, p.write_count, write_edge, &p, e) &&
           tend_write_all(t, p.weak_count + 1, write_pair, &p, e);
}
