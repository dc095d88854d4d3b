#include "memory/louvain.h"

#include <stdlib.h>

/* One level: nodes are communities of the level below. */
struct level {
    struct arena arena;
    struct topo_graph graph; /* both directions, without loops */
    double *loop;            /* weight inside a node, each edge once */
    double *strength;        /* weight of all edge ends at a node, loops twice */
    uint32_t *community;
    double *total; /* strength of a community */
};

/* Sums to few rows: entries that were touched, in order of first touch. */
struct tally {
    double *sum;
    bool *seen;
    uint32_t *touched;
    size_t count;
};

static struct tally tally_new(struct arena *a, uint32_t nodes)
{
    return (struct tally){ARENA_ARRAY(a, double, (size_t)nodes + 1),
                          ARENA_ARRAY(a, bool, (size_t)nodes + 1),
                          ARENA_ARRAY(a, uint32_t, (size_t)nodes + 1), 0};
}

static void tally_add(struct tally *t, uint32_t at, double weight)
{
    if (!t->seen[at]) {
        t->seen[at] = true;
        t->touched[t->count++] = at;
    }
    t->sum[at] += weight;
}

static void tally_clear(struct tally *t)
{
    for (size_t i = 0; i < t->count; i++) {
        t->sum[t->touched[i]] = 0;
        t->seen[t->touched[i]] = false;
    }
    t->count = 0;
}

/* ---- levels ---- */

static void weigh(struct level *v)
{
    uint32_t n = v->graph.count;
    v->strength = ARENA_ARRAY(&v->arena, double, (size_t)n + 1);
    v->total = ARENA_ARRAY(&v->arena, double, (size_t)n + 1);
    v->community = ARENA_ARRAY(&v->arena, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        v->strength[i] = 2 * v->loop[i];
        for (size_t k = v->graph.row[i]; k < v->graph.row[i + 1]; k++)
            v->strength[i] += v->graph.weight[k];
        v->community[i] = i;
        v->total[i] = v->strength[i];
    }
}

static struct level first_level(uint32_t nodes, const struct topo_edge *edges, size_t count)
{
    struct level v = {.arena = {0}};
    struct arena scratch = {0};
    struct topo_edge *even = ARENA_ARRAY(&scratch, struct topo_edge, count + 1);
    size_t kept = 0;
    v.loop = ARENA_ARRAY(&v.arena, double, (size_t)nodes + 1);
    for (size_t i = 0; i < count; i++) {
        float weight = (edges[i].forward + edges[i].backward) / 2;
        if (edges[i].a == edges[i].b)
            v.loop[edges[i].a] += weight;
        else if (weight > 0)
            even[kept++] = (struct topo_edge){edges[i].a, edges[i].b, weight, weight};
    }
    topo_build(&v.arena, nodes, even, kept, &v.graph);
    arena_free(&scratch);
    weigh(&v);
    return v;
}

/* Numbers the communities by their first member. */
static uint32_t renumber(uint32_t nodes, uint32_t *community)
{
    struct arena scratch = {0};
    uint32_t *number = ARENA_ARRAY(&scratch, uint32_t, (size_t)nodes + 1), count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t *is = &number[community[i]]; /* + 1; 0: none yet */
        if (!*is)
            *is = ++count;
        community[i] = *is - 1;
    }
    arena_free(&scratch);
    return count;
}

/* The communities of v become the nodes of the level above. */
static struct level next_level(const struct level *v, uint32_t communities)
{
    struct level up = {.arena = {0}};
    struct arena scratch = {0};
    uint32_t n = v->graph.count, *member = ARENA_ARRAY(&scratch, uint32_t, (size_t)n + 1);
    uint32_t *from = ARENA_ARRAY(&scratch, uint32_t, (size_t)communities + 2);
    struct tally to = tally_new(&scratch, communities);
    struct topo_edge *edges = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t i = 0; i < n; i++)
        from[v->community[i] + 2]++;
    for (uint32_t c = 0; c < communities; c++)
        from[c + 1] += from[c];
    for (uint32_t i = 0; i < n; i++)
        member[from[v->community[i] + 1]++] = i;
    up.loop = ARENA_ARRAY(&up.arena, double, (size_t)communities + 1);
    for (uint32_t c = 0; c < communities; c++) {
        for (uint32_t m = from[c]; m < from[c + 1]; m++) {
            uint32_t i = member[m];
            up.loop[c] += v->loop[i];
            for (size_t k = v->graph.row[i]; k < v->graph.row[i + 1]; k++)
                tally_add(&to, v->community[v->graph.to[k]], v->graph.weight[k]);
        }
        for (size_t k = 0; k < to.count; k++) {
            float weight = (float)to.sum[to.touched[k]];
            if (to.touched[k] == c) {
                up.loop[c] += to.sum[c] / 2;
            } else if (to.touched[k] > c) { /* each pair once; the other side says the same */
                HEAP_GROW(edges, count, capacity);
                edges[count++] = (struct topo_edge){c, to.touched[k], weight, weight};
            }
        }
        tally_clear(&to);
    }
    topo_build(&up.arena, communities, edges, count, &up.graph);
    heap_free(edges);
    arena_free(&scratch);
    weigh(&up);
    return up;
}

/* ---- moving ---- */

/* Puts a node where modularity gains most. all2: twice the weight of all edges. */
static bool move_node(struct level *v, struct tally *near, double all2, uint32_t node)
{
    static const double MIN_GAIN = 1e-10;
    uint32_t home = v->community[node], best = home;
    double strength = v->strength[node];
    v->total[home] -= strength;
    tally_add(near, home, 0);
    for (size_t k = v->graph.row[node]; k < v->graph.row[node + 1]; k++)
        tally_add(near, v->community[v->graph.to[k]], v->graph.weight[k]);
    double most = near->sum[home] - v->total[home] * strength / all2;
    for (size_t k = 0; k < near->count; k++) {
        uint32_t c = near->touched[k];
        double gain = near->sum[c] - v->total[c] * strength / all2;
        if (gain > most + MIN_GAIN || (gain > most - MIN_GAIN && c < best && best != home)) {
            most = gain;
            best = c;
        }
    }
    v->total[best] += strength;
    v->community[node] = best;
    tally_clear(near);
    return best != home;
}

static bool move_all(struct level *v, double all2)
{
    enum { MAX_ROUNDS = 32 };
    struct arena scratch = {0};
    struct tally near = tally_new(&scratch, v->graph.count);
    bool any = false, moved = true;
    for (int round = 0; round < MAX_ROUNDS && moved; round++) {
        moved = false;
        for (uint32_t i = 0; i < v->graph.count; i++)
            moved |= move_node(v, &near, all2, i);
        any |= moved;
    }
    arena_free(&scratch);
    return any;
}

uint32_t louvain(uint32_t nodes, const struct topo_edge *edges, size_t count, uint32_t *community)
{
    struct level v = first_level(nodes, edges, count);
    double all2 = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        all2 += v.strength[i];
        community[i] = i;
    }
    while (all2 > 0 && move_all(&v, all2)) {
        uint32_t communities = renumber(v.graph.count, v.community);
        for (uint32_t i = 0; i < nodes; i++)
            community[i] = v.community[community[i]];
        struct level up = next_level(&v, communities);
        arena_free(&v.arena);
        v = up;
    }
    arena_free(&v.arena);
    return renumber(nodes, community);
}

double louvain_modularity(uint32_t nodes, const struct topo_edge *edges, size_t count,
                          const uint32_t *community)
{
    struct arena scratch = {0};
    double *total = ARENA_ARRAY(&scratch, double, (size_t)nodes + 1), inside = 0, all = 0, q = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = (double)(edges[i].forward + edges[i].backward) / 2;
        all += weight;
        total[community[edges[i].a]] += weight;
        total[community[edges[i].b]] += weight;
        inside += community[edges[i].a] == community[edges[i].b] ? weight : 0;
    }
    for (uint32_t c = 0; c < nodes && all > 0; c++)
        q -= total[c] * total[c] / (4 * all * all);
    arena_free(&scratch);
    return all > 0 ? q + inside / all : 0;
}

/* ---- ids that stay ---- */

struct overlap {
    uint32_t community;
    int64_t known;
    double share; /* of what either holds */
    size_t both;
};

static int by_pair(const void *x, const void *y)
{
    const struct overlap *a = x, *b = y;
    return a->community != b->community
               ? (a->community > b->community) - (a->community < b->community)
               : (a->known > b->known) - (a->known < b->known);
}

static int by_known(const void *x, const void *y)
{
    const struct overlap *a = x, *b = y;
    return a->known != b->known ? (a->known > b->known) - (a->known < b->known)
                                : (a->community > b->community) - (a->community < b->community);
}

static int by_share(const void *x, const void *y)
{
    const struct overlap *a = x, *b = y;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return by_known(x, y);
}

void louvain_match(uint32_t nodes, const uint32_t *community, uint32_t communities,
                   const int64_t *known, int64_t *id)
{
    static const double MIN_SHARE = 0.3;
    struct arena a = {0};
    struct overlap *all = ARENA_ARRAY(&a, struct overlap, (size_t)nodes + 1);
    size_t *size = ARENA_ARRAY(&a, size_t, (size_t)communities + 1), count = 0, pairs = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        size[community[i]]++;
        all[count++] = (struct overlap){community[i], known[i], 0, 1};
    }
    qsort(all, count, sizeof *all, by_pair);
    for (size_t i = 0; i < count; i++) { /* the same pair once, with how many they share */
        if (pairs && by_pair(&all[pairs - 1], &all[i]) == 0)
            all[pairs - 1].both++;
        else
            all[pairs++] = all[i];
    }
    qsort(all, pairs, sizeof *all, by_known);
    for (size_t from = 0, to; from < pairs; from = to) {
        size_t of_known = 0;
        for (to = from; to < pairs && all[to].known == all[from].known; to++)
            of_known += all[to].both;
        for (size_t i = from; i < to; i++)
            all[i].share =
                (double)all[i].both / (double)(of_known + size[all[i].community] - all[i].both);
    }
    qsort(all, pairs, sizeof *all, by_share);
    memset(id, 0, communities * sizeof *id);
    int64_t *taken = ARENA_ARRAY(&a, int64_t, (size_t)communities + 1);
    size_t taken_count = 0;
    for (size_t i = 0; i < pairs && all[i].share >= MIN_SHARE; i++) {
        bool is_free = all[i].known && !id[all[i].community];
        for (size_t k = 0; is_free && k < taken_count; k++)
            is_free = taken[k] != all[i].known;
        if (is_free)
            taken[taken_count++] = id[all[i].community] = all[i].known;
    }
    arena_free(&a);
}
