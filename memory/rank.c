#include "memory/rank.h"

#include <math.h>
#include <stdlib.h>

const char *const feature_name[FEATURE_COUNT] = {
#define X(name, text, help) text,
    FEATURES(X)
#undef X
};
const char *const feature_help[FEATURE_COUNT] = {
#define X(name, text, help) help,
    FEATURES(X)
#undef X
};

const float rank_default_floor = 0.30f;

/* How much of a neighbour's score counts for being a candidate, by distance. */
static const float NEAR = 0.35f, FAR = 0.15f;

/* The scale of scores: evidence = weighted sum of these, score = 1 / (1 + e^-(steepness (evidence -
 * middle) - penalty)). Set by hand after the prototype's .3 BM25 : .7 PPR; the floor was chosen on
 * the diary of tests/bench. */
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
static const float STEEPNESS = 5.0f, MIDDLE = 0.80f, LED_BY_NAME = 0.5f;

/* Below this share of the query's idf the memory hardly speaks of what is asked; the penalty stands
 * in the exponent. */
static const float ENOUGH_SUPPORT = 0.30f, UNSUPPORTED = 6.0f;

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

static float share(float part, float whole)
{
    float s = whole > 0 ? part / whole : 0;
    return s > 1 ? 1 : s;
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
    struct pool p = {.a = a, .in = in, .best_mass = best_mass(in)};
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

/* ---- what the features share ---- */

struct bridge;

struct context {
    const struct rank_input *in;
    const struct snapshot *snap;
    const struct lexical *l;
    float most_mass, best_text, best_group;
    float most_named; /* confidence times pull of the surest specific name in the query */
    const struct term *rarest;
    float *group;           /* per node: BM25 of a session or document */
    float bigram_total;     /* idf of all neighbouring pairs of the query */
    struct bridge *bridges; /* per entity */
};

/* BM25 of each session and document, as if it were one text. */
static void score_groups(struct arena *a, struct context *c)
{
    const struct snapshot *snap = c->snap;
    double mean = snap->groups ? (double)snap->grouped_words / snap->groups : 1;
    c->group = ARENA_ARRAY(a, float, snap->graph.count + 1);
    if (!snap->groups)
        return;
    uint32_t *tf = ARENA_ARRAY(a, uint32_t, snap->graph.count + 1);
    node *touched = ARENA_ARRAY(a, node, snap->groups + 1);
    for (size_t t = 0; t < c->l->term_count; t++) {
        const struct term *term = &c->l->terms[t];
        size_t count = 0;
        for (size_t h = 0; h < term->hit_count; h++) {
            node group = snap->meta[term->hits[h].at].group;
            if (group == NO_NODE)
                continue;
            if (tf[group] == 0 && count <= snap->groups)
                touched[count++] = group;
            tf[group] += (uint32_t)term->hits[h].in_name + term->hits[h].in_text;
        }
        double df = (double)count;
        for (size_t i = 0; i < count; i++) {
            node g = touched[i];
            c->group[g] += term->weight * bm25_idf(snap->groups, df) *
                           bm25_tf(tf[g], snap->meta[g].group_words, mean);
            tf[g] = 0;
            c->best_group = fmaxf(c->best_group, c->group[g]);
        }
    }
}

/* What a name is worth as a bridge: it stands in a memory that covers much of the query, and in few
 * others. Two are kept, so that a memory isn't its own bridge. */
struct bridge {
    float best, second;
    node from; /* the memory behind best */
};

static void offer_bridge(struct bridge *b, float value, node from)
{
    if (value > b->best) {
        b->second = b->from == from ? b->second : b->best;
        b->best = value;
        b->from = from;
    } else if (value > b->second && b->from != from) {
        b->second = value;
    }
}

/* The names in the best lexical hits, and those that a labelled relation joins to them at a
 * discount. */
static void find_bridges(struct arena *a, struct context *c)
{
    enum { MAX_ENDS = 12, MAX_HUB_DEGREE = 60 };
    const float over_relation = 0.7f;
    const struct graph *g = &c->snap->graph;
    const struct half_edge *edge, *next;
    size_t count;
    const struct scored *ends = lexical_best(c->l, MAX_ENDS, &count);
    c->bridges = ARENA_ARRAY(a, struct bridge, g->count + 1);
    for (size_t i = 0; i < count; i++) {
        float covers = share(c->l->covered[ends[i].at], c->l->idf_sum);
        for (struct row_walk w = graph_row(g, ends[i].at); (edge = row_next(g, &w));) {
            node e = edge->to;
            if (edge->kind != EDGE_MENTIONS || edge->reverse || edge->weight <= 0)
                continue;
            float value = covers * g->pull[e];
            offer_bridge(&c->bridges[e], value, ends[i].at);
            if (c->snap->meta[e].degree > MAX_HUB_DEGREE)
                continue;
            for (struct row_walk r = graph_row(g, e); (next = row_next(g, &r));)
                if (next->kind == EDGE_RELATION && next->weight > 0)
                    offer_bridge(&c->bridges[next->to], over_relation * value * g->pull[next->to],
                                 ends[i].at);
        }
    }
}

static const struct term *rarest_term(const struct lexical *l)
{
    const struct term *best = NULL;
    for (size_t i = 0; i < l->term_count; i++)
        if (l->terms[i].bodies && !l->terms[i].part && !l->terms[i].aside &&
            (!best || l->terms[i].idf > best->idf))
            best = &l->terms[i];
    return best;
}

/* The next whole term behind t in the query, NULL at the end. */
static const struct term *term_behind(const struct lexical *l, const struct term *t)
{
    for (t++; t < l->terms + l->term_count; t++)
        if (!t->part)
            return t;
    return NULL;
}

static float bigram_value(const struct term *a, const struct term *b)
{
    return a->bodies && b->bodies ? fminf(a->idf, b->idf) : 0;
}

static struct context make_context(struct arena *a, const struct rank_input *in)
{
    struct context c = {.in = in, .snap = in->snap, .l = in->lexical, .most_mass = best_mass(in)};
    for (size_t i = 0; i < c.l->touched_count; i++)
        c.best_text = fmaxf(c.best_text, c.l->text_score[c.l->touched[i]]);
    for (node n = 0; n < c.snap->graph.count; n++)
        if (in->named[n] > 0)
            c.most_named = fmaxf(c.most_named, in->named[n] * c.snap->graph.pull[n]);
    c.rarest = rarest_term(c.l);
    score_groups(a, &c);
    find_bridges(a, &c);
    for (size_t i = 0; i < c.l->term_count; i++) {
        const struct term *t = &c.l->terms[i], *next = t->part ? NULL : term_behind(c.l, t);
        c.bigram_total += next ? bigram_value(t, next) : 0;
    }
    return c;
}

/* ---- the features: one function each, in the order of the table ---- */

static float over_best(const struct context *c, node n)
{
    return n == NO_NODE || !c->in->neighbours ? 0 : share(c->l->score[n], c->l->best);
}

static bool is_question(const struct context *c, node n)
{
    return n != NO_NODE && c->in->neighbours && c->snap->meta[n].flags & FLAG_QUESTION;
}

static float f_bm25_raw(const struct context *c, node n)
{
    return fminf(c->l->score[n] / 10, 3);
}

static float f_bm25(const struct context *c, node n)
{
    return share(c->l->score[n], c->l->best);
}

static float f_text(const struct context *c, node n)
{
    return share(c->l->text_score[n], c->best_text);
}

static float f_ppr_raw(const struct context *c, node n)
{
    return c->in->ppr ? share(ppr_mass(c->in->ppr, n), c->most_mass) : 0;
}

static float f_ppr(const struct context *c, node n)
{
    return sqrtf(f_ppr_raw(c, n));
}

static bool is_alone(const struct context *c, node n)
{
    return before(c->snap, n) == NO_NODE && after(c->snap, n) == NO_NODE;
}

static float f_ppr_alone(const struct context *c, node n)
{
    return is_alone(c, n) ? f_ppr(c, n) : 0;
}

static float f_before_2(const struct context *c, node n)
{
    return over_best(c, before(c->snap, before(c->snap, n)));
}

static float f_before_1(const struct context *c, node n)
{
    return over_best(c, before(c->snap, n));
}

static float f_after_1(const struct context *c, node n)
{
    return over_best(c, after(c->snap, n));
}

static float f_after_2(const struct context *c, node n)
{
    return over_best(c, after(c->snap, after(c->snap, n)));
}

static float f_after_3(const struct context *c, node n)
{
    return over_best(c, after(c->snap, after(c->snap, after(c->snap, n))));
}

static float f_answers(const struct context *c, node n)
{
    return is_question(c, before(c->snap, n));
}

static float f_answer(const struct context *c, node n)
{
    node b = before(c->snap, n);
    return is_question(c, b) ? over_best(c, b) : 0;
}

static float f_asks(const struct context *c, node n)
{
    return (c->snap->meta[n].flags & FLAG_QUESTION) != 0;
}

/* A passage is as long as its splitter made it: that tells nothing, and it counts as a turn of
 * common length. */
static float f_length(const struct context *c, node n)
{
    const float common_words = 25;
    const struct node_meta *m = &c->snap->meta[n];
    return log1pf(m->kind == NODE_PASSAGE ? common_words : m->words) / 5;
}

static float f_length_alone(const struct context *c, node n)
{
    return is_alone(c, n) ? f_length(c, n) : 0;
}

static float f_coverage(const struct context *c, node n)
{
    return share(c->l->covered[n], c->l->idf_sum);
}

/* Neighbours may cover the same words: what they cover counts half. */
static float f_window_3(const struct context *c, node n)
{
    float around = c->in->neighbours ? fmaxf(at(c->l->covered, before(c->snap, n)),
                                             at(c->l->covered, after(c->snap, n)))
                                     : 0;
    return share(c->l->covered[n] + 0.5f * around, c->l->idf_sum);
}

static float f_window_5(const struct context *c, node n)
{
    node b = before(c->snap, n), f = after(c->snap, n);
    if (!c->in->neighbours)
        return f_coverage(c, n);
    float around = at(c->l->covered, b) + at(c->l->covered, f) +
                   at(c->l->covered, before(c->snap, b)) + at(c->l->covered, after(c->snap, f));
    return share(c->l->covered[n] + 0.25f * around, c->l->idf_sum);
}

static float f_rarest(const struct context *c, node n)
{
    return c->rarest && term_find(c->rarest, n) != NULL;
}

static float f_bigrams(const struct context *c, node n)
{
    float sum = 0;
    if (c->bigram_total <= 0 || c->l->score[n] <= 0)
        return 0;
    for (size_t i = 0; i < c->l->term_count; i++) {
        const struct term *t = &c->l->terms[i], *next = t->part ? NULL : term_behind(c->l, t);
        const struct term_hit *one = next ? term_find(t, n) : NULL,
                              *other = one ? term_find(next, n) : NULL;
        if (other && one->in_text && other->in_text && other->first > one->first &&
            other->first - one->first <= 2)
            sum += bigram_value(t, next);
    }
    return share(sum, c->bigram_total);
}

static float f_group(const struct context *c, node n)
{
    node group = c->snap->meta[n].group;
    bool in_session = group != NO_NODE && c->snap->meta[group].kind == NODE_SESSION;
    return in_session ? share(c->group[group], c->best_group) : 0;
}

static float f_speaker(const struct context *c, node n)
{
    node speaker = c->snap->meta[n].speaker;
    return speaker == NO_NODE ? 0 : c->in->named[speaker];
}

static float f_entity(const struct context *c, node n)
{
    const struct graph *g = &c->snap->graph;
    const struct half_edge *edge;
    float best = c->in->named[n];
    for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));)
        if (edge->weight > 0 && edge->kind == EDGE_MENTIONS && !edge->reverse)
            best = fmaxf(best, c->in->named[edge->to] * g->pull[edge->to]);
    return best;
}

static float cosine_of(const float *z, node n)
{
    return n == NO_NODE || z[n] <= NO_VECTOR ? 0 : fminf(fmaxf(z[n] / 4, -1), 2);
}

static float f_cosine(const struct context *c, node n)
{
    return c->in->vectors ? cosine_of(c->in->vectors->turn, n) : 0;
}

static float f_cosine_context(const struct context *c, node n)
{
    return c->in->vectors ? cosine_of(c->in->vectors->context, n) : 0;
}

static float f_cosine_before(const struct context *c, node n)
{
    return c->in->vectors && c->in->neighbours ? cosine_of(c->in->vectors->turn, before(c->snap, n))
                                               : 0;
}

static float f_cosine_after(const struct context *c, node n)
{
    return c->in->vectors && c->in->neighbours ? cosine_of(c->in->vectors->turn, after(c->snap, n))
                                               : 0;
}

static float f_bridge(const struct context *c, node n)
{
    const struct graph *g = &c->snap->graph;
    const struct half_edge *edge;
    float best = 0;
    for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));) {
        const struct bridge *b = &c->bridges[edge->to];
        if (edge->kind == EDGE_MENTIONS && !edge->reverse && edge->weight > 0)
            best = fmaxf(best, b->from == n ? b->second : b->best);
    }
    return best;
}

static float f_archived(const struct context *c, node n)
{
    return c->snap->meta[n].state == STATE_ARCHIVED;
}

static float f_time(const struct context *c, node n)
{
    return c->in->time ? query_time_fit(c->in->time, c->snap->meta[n].at_ms) : 0;
}

static float f_path(const struct context *c, node n)
{
    return c->in->on_path[n];
}

static float f_negation(const struct context *c, node n)
{
    return c->in->negates && c->in->negates[n];
}

static float (*const compute[FEATURE_COUNT])(const struct context *, node) = {
    f_bm25_raw, f_bm25,           f_text,          f_ppr,          f_ppr_raw,  f_ppr_alone,
    f_before_2, f_before_1,       f_after_1,       f_after_2,      f_after_3,  f_answers,
    f_answer,   f_asks,           f_length,        f_length_alone, f_coverage, f_window_3,
    f_window_5, f_rarest,         f_bigrams,       f_group,        f_speaker,  f_entity,
    f_cosine,   f_cosine_context, f_cosine_before, f_cosine_after, f_bridge,   f_archived,
    f_time,     f_path,           f_negation,
};

/* ---- scores ---- */

/* How much of the query the memory knows at all: the best coverage of its words by one place and
 * its neighbours, or the surest name. 1 from ENOUGH_SUPPORT on. */
static float support(const struct candidate *candidates, size_t count)
{
    float best = 0;
    for (size_t i = 0; i < count; i++)
        best = fmaxf(best, fmaxf(candidates[i].feature[FEATURE_WINDOW_3],
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

void rank_score(struct arena *a, const struct rank_input *in, struct candidate *candidates,
                size_t count)
{
    struct order *orders = ARENA_ARRAY(a, struct order, count + 1);
    struct context context = make_context(a, in);
    const struct rank_weights *w = in->weights;
    for (size_t i = 0; i < count; i++) {
        struct candidate *c = &candidates[i];
        c->sum = c->score = 0;
        for (int f = 0; f < FEATURE_COUNT; f++) {
            c->feature[f] = compute[f](&context, c->at);
            c->sum += w->weight[f] * c->feature[f];
            c->score += rank_evidence.weight[f] * c->feature[f];
        }
        /* What a specific name leads to needs no word of the query. */
        c->score += LED_BY_NAME * context.most_named * c->feature[FEATURE_PPR];
    }
    /* Of a handful of memories no word is known to be rare: the first ones are told more readily.
     */
    const float enough_bodies = 4;
    float penalty = UNSUPPORTED * share((float)in->snap->bodies, enough_bodies) *
                    (1 - support(candidates, count));
    for (size_t i = 0; i < count; i++) {
        candidates[i].score = 1 / (1 + expf(penalty - STEEPNESS * (candidates[i].score - MIDDLE)));
        orders[i] = (struct order){candidates[i], in->snap->meta[candidates[i].at].at_ms};
    }
    if (count)
        qsort(orders, count, sizeof *orders, by_sum);
    float best_below = 0;
    for (size_t i = count; i-- > 0;) {
        candidates[i] = orders[i].c;
        best_below = candidates[i].score = fmaxf(candidates[i].score, best_below);
    }
}
