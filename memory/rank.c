#include "memory/rank.h"

#include <math.h>
#include <stdlib.h>

const char *const feature_name[FEATURE_COUNT] = {
#define X(name, text, weight, help) text,
    FEATURES(X)
#undef X
};
const char *const feature_help[FEATURE_COUNT] = {
#define X(name, text, weight, help) help,
    FEATURES(X)
#undef X
};
const float feature_weight[FEATURE_COUNT] = {
#define X(name, text, weight, help) weight,
    FEATURES(X)
#undef X
};

const float rank_default_floor = 0.30f;
static const float LOGISTIC_STEEPNESS = 5.0f, LOGISTIC_MIDDLE = 0.80f;

/* Below this share of the query's idf the memory hardly speaks of what is asked. */
static const float ENOUGH_SUPPORT = 0.30f, UNSUPPORTED = 1.2f;

/* How much of a neighbour's score an item gets, by distance. */
static const float NEAR = 0.35f, FAR = 0.15f;

float rank_logistic(float sum)
{
    return 1.0f / (1.0f + expf(-LOGISTIC_STEEPNESS * (sum - LOGISTIC_MIDDLE)));
}

static node before(const struct snapshot *snap, node n)
{
    return n == NO_NODE ? NO_NODE : snap->meta[n].before;
}

static node after(const struct snapshot *snap, node n)
{
    return n == NO_NODE ? NO_NODE : snap->meta[n].after;
}

static float at(const float *values, node n)
{
    return n == NO_NODE ? 0 : values[n];
}

static float neighbour_sum(const struct snapshot *snap, const float *values, node n)
{
    node b = before(snap, n), f = after(snap, n);
    return NEAR * (at(values, b) + at(values, f)) +
           FAR * (at(values, before(snap, b)) + at(values, after(snap, f)));
}

/* ---- candidates ---- */

struct pool {
    struct arena *a;
    const struct rank_input *in;
    uint8_t *seen;
    struct scored *list;
    size_t count, capacity;
    float best_mass;
};

static bool can_be_an_item(const struct node_meta *m)
{
    return m->kind < NODE_KIND_COUNT && m->kind != NODE_SESSION;
}

static void pool_add(struct pool *p, node n)
{
    if (n == NO_NODE || p->seen[n] || !can_be_an_item(&p->in->snap->meta[n]))
        return;
    p->seen[n] = 1;
    const struct lexical *l = p->in->lexical;
    float score =
        l->best > 0 ? (l->score[n] + neighbour_sum(p->in->snap, l->score, n)) / l->best : 0;
    if (p->in->ppr && p->best_mass > 0)
        score += ppr_mass(p->in->ppr, n) / p->best_mass;
    ARENA_GROW(p->a, p->list, p->count, p->capacity);
    p->list[p->count++] = (struct scored){n, score};
}

/* The greatest mass of anything that can be shown: seeds that are entities would drown the rest. */
static float best_mass(const struct rank_input *in)
{
    float best = 0;
    size_t count;
    if (!in->ppr)
        return 0;
    const node *touched = ppr_touched(in->ppr, &count);
    for (size_t i = 0; i < count; i++) {
        uint8_t kind = in->snap->meta[touched[i]].kind;
        float mass = ppr_mass(in->ppr, touched[i]);
        if (kind != NODE_ENTITY && kind != NODE_SESSION && mass > best)
            best = mass;
    }
    return best;
}

struct candidate *rank_candidates(struct arena *a, const struct rank_input *in, size_t *count)
{
    enum { MAX_TOUCHED = 2000 };
    struct pool p = {.a = a, .in = in, .best_mass = best_mass(in)};
    p.seen = ARENA_ARRAY(a, uint8_t, in->snap->graph.count + 1);
    size_t best_count;
    struct scored *best = lexical_best(a, in->lexical, MAX_TOUCHED, &best_count);
    for (size_t i = 0; i < best_count; i++) {
        node n = best[i].at;
        pool_add(&p, n);
        if (in->neighbours) {
            pool_add(&p, before(in->snap, n));
            pool_add(&p, after(in->snap, n));
        }
    }
    size_t touched_count = 0;
    const node *touched = in->ppr ? ppr_touched(in->ppr, &touched_count) : NULL;
    for (size_t i = 0; i < touched_count; i++)
        pool_add(&p, touched[i]);
    *count = best_first(p.list, p.count, MAX_CANDIDATES);
    struct candidate *out = ARENA_ARRAY(a, struct candidate, *count + 1);
    for (size_t i = 0; i < *count; i++)
        out[i].at = p.list[i].at;
    return out;
}

/* ---- features ---- */

static float share(float part, float whole)
{
    float s = whole > 0 ? part / whole : 0;
    return s > 1 ? 1 : s;
}

static float named_mention(const struct rank_input *in, node n)
{
    float best = in->named[n];
    const struct half_edge *edge;
    for (struct row_walk w = graph_row(&in->snap->graph, n);
         (edge = row_next(&in->snap->graph, &w));)
        if (edge->weight > 0 && edge->kind == EDGE_MENTIONS && !edge->reverse &&
            in->named[edge->to] > best)
            best = in->named[edge->to] * in->snap->graph.pull[edge->to];
    return best;
}

static void fill(const struct rank_input *in, float most_mass, struct candidate *c)
{
    const struct snapshot *snap = in->snap;
    const struct lexical *l = in->lexical;
    const struct node_meta *m = &snap->meta[c->at];
    node b = m->before;
    float *f = c->feature;
    f[FEATURE_BM25] = share(l->score[c->at], l->best);
    f[FEATURE_COVERAGE] = share(l->covered[c->at], l->idf_sum);
    float window = l->covered[c->at];
    if (in->neighbours) {
        f[FEATURE_NEIGHBOURS] = share(neighbour_sum(snap, l->score, c->at), l->best);
        /* Neighbours may cover the same words: what they add counts half. */
        window += 0.5f * fmaxf(at(l->covered, b), at(l->covered, m->after));
        if (b != NO_NODE && snap->meta[b].flags & FLAG_QUESTION)
            f[FEATURE_ANSWER] = share(l->score[b], l->best);
    }
    f[FEATURE_WINDOW] = share(window, l->idf_sum);
    f[FEATURE_PPR] = in->ppr ? sqrtf(share(ppr_mass(in->ppr, c->at), most_mass)) : 0;
    f[FEATURE_SPEAKER] = m->speaker != NO_NODE ? in->named[m->speaker] : 0;
    f[FEATURE_ENTITY] = named_mention(in, c->at);
    f[FEATURE_SUMMARY] = m->state == STATE_ARCHIVED;
}

/* How much of the query the memory knows at all: the best coverage of its words by one place and
 * its neighbours, or the surest name. 1 from ENOUGH_SUPPORT on. */
static float support(const struct candidate *candidates, size_t count)
{
    float best = 0;
    for (size_t i = 0; i < count; i++)
        best = fmaxf(best, fmaxf(candidates[i].feature[FEATURE_WINDOW],
                                 0.7f * candidates[i].feature[FEATURE_ENTITY]));
    return share(best, ENOUGH_SUPPORT);
}

struct order {
    struct candidate c;
    int64_t at_ms;
};

static int by_sum(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    if (a->c.sum != b->c.sum)
        return (a->c.sum < b->c.sum) - (a->c.sum > b->c.sum);
    if (a->at_ms != b->at_ms)
        return (a->at_ms < b->at_ms) - (a->at_ms > b->at_ms);
    return (a->c.at < b->c.at) - (a->c.at > b->c.at);
}

void rank_score(const struct rank_input *in, struct candidate *candidates, size_t count)
{
    struct arena scratch = {0};
    struct order *orders = ARENA_ARRAY(&scratch, struct order, count + 1);
    float most_mass = best_mass(in);
    for (size_t i = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        fill(in, most_mass, c);
        c->sum = 0;
        for (int f = 0; f < FEATURE_COUNT; f++)
            c->sum += feature_weight[f] * c->feature[f];
    }
    float penalty = UNSUPPORTED * (1 - support(candidates, count));
    for (size_t i = 0; i < count; i++) {
        candidates[i].score = rank_logistic(candidates[i].sum - penalty);
        orders[i] = (struct order){candidates[i], in->snap->meta[candidates[i].at].at_ms};
    }
    if (count)
        qsort(orders, count, sizeof *orders, by_sum);
    for (size_t i = 0; i < count; i++)
        candidates[i] = orders[i].c;
    arena_free(&scratch);
}
