#include "memory/consolidate.h"

#include <math.h>
#include <stdlib.h>

static const float MIN_OVERLAP = 0.5f;
static const float MIN_COSINE = 0.5f; /* of centred vectors */

struct work {
    struct arena *a;
    const struct sleepers *in;
    float *centred;     /* count rows of dimensions, unit length; NULL: no vectors count */
    bool *has_vector;   /* per sleeper */
    uint32_t **holders; /* per entity that is no hub: who speaks of it, ascending */
    uint32_t *holder_count;
    uint32_t *specific; /* per sleeper: entities that are no hubs */

    struct member_list { /* a cluster in the making */
        int64_t into;
        uint32_t at[MAX_CLUSTER];
        size_t count;
    } * lists;
    size_t list_count, list_capacity;
    uint32_t *list_of; /* per sleeper: index of its list + 1; 0: none yet */
};

/* ---- what is compared ---- */

static void index_entities(struct work *w)
{
    const struct sleepers *in = w->in;
    w->holder_count = ARENA_ARRAY(w->a, uint32_t, in->entity_count + 1);
    w->holders = ARENA_ARRAY(w->a, uint32_t *, in->entity_count + 1);
    w->specific = ARENA_ARRAY(w->a, uint32_t, in->count + 1);
    for (size_t i = 0; i < in->count; i++)
        for (size_t k = 0; k < in->at[i].entity_count; k++)
            w->holder_count[in->at[i].entities[k]]++;
    for (size_t e = 0; e < in->entity_count; e++) {
        w->holders[e] = ARENA_ARRAY(w->a, uint32_t, in->is_hub[e] ? 0 : w->holder_count[e]);
        w->holder_count[e] = 0;
    }
    for (size_t i = 0; i < in->count; i++)
        for (size_t k = 0; k < in->at[i].entity_count; k++) {
            uint32_t e = in->at[i].entities[k];
            if (in->is_hub[e])
                continue;
            w->holders[e][w->holder_count[e]++] = (uint32_t)i;
            w->specific[i]++;
        }
}

/* Sums run in order of id, so the same memories give the same bits. */
static void centre_vectors(struct work *w)
{
    const struct sleepers *in = w->in;
    size_t d = in->dimensions, n = 0;
    w->has_vector = ARENA_ARRAY(w->a, bool, in->count + 1);
    double *mean = ARENA_ARRAY(w->a, double, d + 1);
    for (size_t i = 0; i < in->count; i++) {
        if (!in->at[i].vector)
            continue;
        n++;
        for (size_t k = 0; k < d; k++)
            mean[k] += (double)(in->at[i].scale * (float)in->at[i].vector[k]);
    }
    if (n < MIN_CENTRED || !d)
        return;
    w->centred = ARENA_ARRAY(w->a, float, in->count *d);
    for (size_t i = 0; i < in->count; i++) {
        float *row = w->centred + i * d;
        double length = 0;
        if (!in->at[i].vector)
            continue;
        for (size_t k = 0; k < d; k++) {
            double v = (double)(in->at[i].scale * (float)in->at[i].vector[k]) - mean[k] / (double)n;
            length += v * v;
            row[k] = (float)v;
        }
        w->has_vector[i] = length > 0;
        for (size_t k = 0; k < d && length > 0; k++)
            row[k] = (float)(row[k] / sqrt(length));
    }
}

static bool means_the_same(const struct work *w, size_t i, size_t k)
{
    size_t d = w->in->dimensions;
    double sum = 0;
    if (!w->centred || !w->has_vector[i] || !w->has_vector[k])
        return false;
    const float *x = w->centred + i * d, *y = w->centred + k * d;
    for (size_t c = 0; c < d; c++)
        sum += (double)(x[c] * y[c]);
    return sum >= (double)MIN_COSINE;
}

static bool are_linked(const struct work *w, size_t i, size_t k, uint32_t shared)
{
    uint32_t fewer = w->specific[i] < w->specific[k] ? w->specific[i] : w->specific[k];
    if (shared >= MIN_SHARED_ENTITIES && (float)shared >= MIN_OVERLAP * (float)fewer)
        return true;
    return means_the_same(w, i, k);
}

/* ---- clusters ---- */

static struct member_list *open_list(struct work *w, int64_t into)
{
    ARENA_GROW(w->a, w->lists, w->list_count, w->list_capacity);
    w->lists[w->list_count++] = (struct member_list){.into = into};
    return &w->lists[w->list_count - 1];
}

static void join(struct work *w, struct member_list *list, size_t i)
{
    list->at[list->count++] = (uint32_t)i;
    w->list_of[i] = (uint32_t)(list - w->lists) + 1;
}

struct told {
    int64_t within;
    uint32_t at;
};

static int by_within(const void *x, const void *y)
{
    const struct told *a = x, *b = y;
    if (a->within != b->within)
        return a->within < b->within ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* What is consolidated already stands as it is. */
static void open_known(struct work *w)
{
    const struct sleepers *in = w->in;
    struct told *known = ARENA_ARRAY(w->a, struct told, in->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++)
        if (in->at[i].within)
            known[count++] = (struct told){in->at[i].within, (uint32_t)i};
    if (count)
        qsort(known, count, sizeof *known, by_within);
    struct member_list *list = NULL;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || known[i].within != known[i - 1].within)
            list = open_list(w, known[i].within);
        if (list->count < MAX_CLUSTER)
            join(w, list, known[i].at);
    }
}

/* Scratch of one sleeper's search: what it shares with whom. */
struct search {
    uint32_t *shared; /* per sleeper */
    uint32_t *met;
    size_t met_count;
    uint32_t *links; /* per list */
    uint32_t *lists;
    size_t list_count;
};

static void meet(struct search *s, uint32_t other, uint32_t shared)
{
    if (s->shared[other] == 0)
        s->met[s->met_count++] = other;
    s->shared[other] += shared;
}

/* Sleepers of smaller order than i that may be linked with it. shared counts one too many, so that
 * who shares nothing is met, too. */
static void find_candidates(const struct work *w, size_t i, struct search *s)
{
    const struct sleeper *me = &w->in->at[i];
    s->met_count = 0;
    for (size_t k = 0; k < me->entity_count; k++) {
        uint32_t e = me->entities[k];
        for (size_t h = 0; !w->in->is_hub[e] && h < w->holder_count[e]; h++)
            if (w->holders[e][h] != i && w->list_of[w->holders[e][h]]) {
                meet(s, w->holders[e][h], s->shared[w->holders[e][h]] ? 1 : 2);
            }
    }
    for (size_t back = 1; me->session && back <= MAX_NEAR_TURNS && back <= i; back++)
        if (w->in->at[i - back].session == me->session && w->list_of[i - back] &&
            !s->shared[i - back])
            meet(s, (uint32_t)(i - back), 1);
}

/* The list with most links to i, of equals the one that was opened first; NULL where it has links
 * with fewer than half of the members of any that has room. */
static struct member_list *best_list(struct work *w, size_t i, struct search *s)
{
    struct member_list *best = NULL;
    uint32_t most = 0;
    s->list_count = 0;
    for (size_t m = 0; m < s->met_count; m++) {
        uint32_t other = s->met[m], shared = s->shared[other] - 1;
        s->shared[other] = 0;
        if (!are_linked(w, i, other, shared))
            continue;
        uint32_t list = w->list_of[other] - 1;
        if (s->links[list]++ == 0)
            s->lists[s->list_count++] = list;
    }
    for (size_t l = 0; l < s->list_count; l++) {
        uint32_t at = s->lists[l], links = s->links[at];
        struct member_list *list = &w->lists[at];
        s->links[at] = 0;
        bool fits = list->count < MAX_CLUSTER && 2 * links >= list->count;
        if (fits && (links > most || (links == most && best && list < best))) {
            best = list;
            most = links;
        }
    }
    return best;
}

static void gather(struct work *w)
{
    size_t n = w->in->count;
    w->list_of = ARENA_ARRAY(w->a, uint32_t, n + 1);
    open_known(w);
    struct search s = {.shared = ARENA_ARRAY(w->a, uint32_t, n + 1),
                       .met = ARENA_ARRAY(w->a, uint32_t, n + 1),
                       .links = ARENA_ARRAY(w->a, uint32_t, 2 * n + 1),
                       .lists = ARENA_ARRAY(w->a, uint32_t, 2 * n + 1)};
    for (size_t i = 0; i < n; i++) {
        if (w->list_of[i] || w->in->at[i].within)
            continue;
        find_candidates(w, i, &s);
        struct member_list *list = best_list(w, i, &s);
        join(w, list ? list : open_list(w, 0), i);
    }
}

/* ---- the plan ---- */

static bool tells_anything(const struct work *w, const struct member_list *list)
{
    bool has_ready = false;
    for (size_t i = 0; i < list->count; i++)
        has_ready |= w->in->at[list->at[i]].is_ready;
    return has_ready && list->count > 1;
}

static int by_first(const void *x, const void *y)
{
    const struct cluster *a = x, *b = y;
    return (a->added[0] > b->added[0]) - (a->added[0] < b->added[0]);
}

struct cluster *consolidate_clusters(struct arena *a, const struct sleepers *in, size_t *count)
{
    struct arena scratch = {0};
    struct work w = {.a = &scratch, .in = in};
    index_entities(&w);
    centre_vectors(&w);
    gather(&w);
    struct cluster *out = ARENA_ARRAY(a, struct cluster, w.list_count + 1);
    *count = 0;
    for (size_t l = 0; l < w.list_count; l++) {
        const struct member_list *list = &w.lists[l];
        if (!tells_anything(&w, list))
            continue;
        struct cluster *c = &out[(*count)++];
        *c = (struct cluster){.into = list->into, .added = ARENA_ARRAY(a, uint32_t, list->count)};
        for (size_t i = 0; i < list->count; i++)
            if (!in->at[list->at[i]].within)
                c->added[c->added_count++] = list->at[i];
    }
    if (*count)
        qsort(out, *count, sizeof *out, by_first);
    arena_free(&scratch);
    return out;
}
