#include "memory/rank_confidence.h"

#include <math.h>
#include <stdlib.h>

const float rank_default_floor = 0.30f;

/* How much of a neighbour's score counts for being a candidate, by distance. */
static const float NEAR = 0.35f, FAR = 0.15f;

/* The prototype's .3 BM25 : .7 PPR, set by hand. */
const struct rank_weights rank_evidence = {.weight = {
                                               [FEATURE_BM25] = 0.42f,
                                               [FEATURE_PPR] = 0.60f,
                                               [FEATURE_BEFORE_1] = 0.147f,
                                               [FEATURE_AFTER_1] = 0.147f,
                                               [FEATURE_BEFORE_2] = 0.063f,
                                               [FEATURE_AFTER_2] = 0.063f,
                                               [FEATURE_ANSWER] = 0.24f,
                                               [FEATURE_SPEAKER] = 0.16f,
                                               [FEATURE_COVERAGE] = 0.30f,
                                               [FEATURE_WINDOW_3] = 0.30f,
                                               [FEATURE_ENTITY] = 0.10f,
                                               [FEATURE_BRIDGE] = 0.55f,
                                               [FEATURE_COSINE] = 0.30f,
                                               [FEATURE_ARCHIVED] = -0.20f,
                                               [FEATURE_TIME] = 0.15f,
                                               [FEATURE_PATH] = 0.45f,
                                               [FEATURE_NEGATION] = 0.05f,
                                           }};
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
    return m->kind < NODE_KIND_COUNT && m->kind != NODE_SESSION && m->kind != NODE_FILE &&
           m->kind != NODE_SYMBOL && m->kind != NODE_COMMIT; /* these are code_recall's */
}

static float neighbour_sum(const struct snapshot *snap, const float *values, node n)
{
    node b = before(snap, n), f = after(snap, n);
    return NEAR * (at(values, b) + at(values, f)) +
           FAR * (at(values, before(snap, b)) + at(values, after(snap, f)));
}

static void pool_add(struct pool *p, node n)
{
    if (n == NO_NODE || p->seen[n] || !can_be_an_item(&p->in->snap->meta[n]))
        return;
    p->seen[n] = 1;
    const struct lexical *l = p->in->lexical;
    float score = share(l->score[n], l->best);
    if (p->in->neighbours && l->best > 0)
        score += neighbour_sum(p->in->snap, l->score, n) / l->best;
    if (p->in->ppr && p->best_mass > 0)
        score += ppr_mass(p->in->ppr, n) / p->best_mass;
    if (p->in->vectors && p->in->vectors->turn[n] > 0)
        score += p->in->vectors->turn[n] / 6;
    ARENA_GROW(p->a, p->list, p->count, p->capacity);
    p->list[p->count++] = (struct scored){n, score};
}

struct candidate *rank_candidates(struct arena *a, const struct rank_input *in, size_t *count)
{
    struct pool p = {.a = a, .in = in, .best_mass = rank_best_mass(in)};
    p.seen = ARENA_ARRAY(a, uint8_t, in->snap->graph.count + 1);
    size_t best_count;
    const struct scored *best = lexical_best(in->lexical, MAX_RANKED, &best_count);
    for (size_t i = 0; i < best_count; i++) {
        node n = best[i].at;
        pool_add(&p, n);
        if (in->neighbours) {
            pool_add(&p, before(in->snap, n));
            pool_add(&p, after(in->snap, n));
        }
    }
    for (size_t i = 0; in->vectors && i < in->vectors->best_count; i++)
        pool_add(&p, in->vectors->best[i].at);
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

/* ---- scores ---- */

struct order {
    float sum;
    node at;
    int64_t at_ms;
    size_t from; /* where the candidate stands */
};

static int by_sum(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    if (a->sum != b->sum)
        return (a->sum < b->sum) - (a->sum > b->sum);
    if (a->at_ms != b->at_ms)
        return (a->at_ms < b->at_ms) - (a->at_ms > b->at_ms);
    return (a->at < b->at) - (a->at > b->at);
}

static void sort_by_sum(struct arena *a, const struct snapshot *snap, struct candidate *candidates,
                        size_t count)
{
    struct order *orders = ARENA_ARRAY(a, struct order, count + 1);
    struct candidate *unsorted = ARENA_ARRAY(a, struct candidate, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct candidate *c = &candidates[i];
        orders[i] = (struct order){c->sum, c->at, snap->meta[c->at].at_ms, i};
        unsorted[i] = *c;
    }
    if (count)
        qsort(orders, count, sizeof *orders, by_sum);
    for (size_t i = 0; i < count; i++)
        candidates[i] = unsorted[orders[i].from];
}

/* A score is the confidence that the query is answered, and less for what ranks far below the
 * first. */
static void set_scores(struct candidate *candidates, size_t count, float confidence)
{
    const float gap_of_half = 8;
    for (size_t i = 0; i < count; i++)
        candidates[i].score =
            confidence * exp2f((candidates[i].sum - candidates[0].sum) / gap_of_half);
}

const struct rank_weights *rank_weights_of(const struct rank_input *in, enum node_kind kind)
{
    return kind == NODE_PASSAGE ? in->passage_weights : in->weights;
}

void rank_score(struct arena *a, const struct rank_input *in, struct candidate *candidates,
                size_t count, float evidence[EVIDENCE_COUNT])
{
    const struct rank_context *context = rank_context_build(a, in);
    for (size_t i = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        rank_fill_features(context, c->at, c->feature);
        const float *weight = rank_weights_of(in, in->snap->meta[c->at].kind)->weight;
        c->sum = 0;
        for (int f = 0; f < FEATURE_COUNT; f++)
            c->sum += weight[f] * c->feature[f];
    }
    sort_by_sum(a, in->snap, candidates, count);
    rank_evidence_fill(context, in, candidates, count, evidence);
    set_scores(candidates, count, rank_confidence(evidence, in->vectors != NULL));
}
