/* The features of the table in rank.h: a function each but for those of names, and what they share
 * per query. */
#include "memory/rank_features.h"

#include "memory/cues.h"
#include "memory/rank_documents.h"

#include <math.h>

const char *const feature_name[FEATURE_COUNT] = {
#define X(name, text, help) text,
    FEATURES(X)
#undef X
};

/* The greatest mass of anything that can be shown: seeds that are entities would drown the rest. */
float rank_best_mass(const struct rank_input *in)
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

/* ---- what the features share ---- */

struct bridge;

struct rank_context {
    const struct rank_input *in;
    const struct snapshot *snap;
    const struct lexical *l;
    float most_mass, best_text, best_group;
    float fullness;
    float most_walked, most_name; /* greatest walked mass of a body, mass times pull of a name */
    float most_named; /* confidence times pull of the surest specific name in the query */
    const struct term *rarest;
    float *group;           /* per node: BM25 of a session or document */
    float bigram_total;     /* idf of all neighbouring pairs of the query */
    struct bridge *bridges; /* per entity */
    struct document_shares documents;
};

/* BM25 of each session and document, as if it were one text. */
static void score_groups(struct arena *a, struct rank_context *c)
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
static void find_bridges(struct arena *a, struct rank_context *c)
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

static float name_mass(const struct rank_input *in, node n)
{
    return ppr_mass(in->ppr, n) * in->snap->graph.pull[n];
}

static void find_most_walked(struct rank_context *c)
{
    size_t count = 0;
    const node *touched = c->in->ppr ? ppr_touched(c->in->ppr, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        node n = touched[i];
        if (c->snap->meta[n].kind == NODE_ENTITY)
            c->most_name = fmaxf(c->most_name, name_mass(c->in, n));
        else if (c->snap->meta[n].kind != NODE_SESSION && ppr_mass(c->in->ppr, n) > c->most_walked)
            c->most_walked = fmaxf(c->most_walked, ppr_walked(c->in->ppr, n));
    }
}

/* How much the texts here hold beyond one statement, 0..1: of a store of one-line notes none leads
 * anywhere by its many names. */
static float fullness(const struct snapshot *snap)
{
    const float one_statement = 15, full = 60; /* words */
    float mean = snap->bodies ? (float)snap->words / (float)snap->bodies : 0;
    return mean <= one_statement ? 0 : share(mean - one_statement, full - one_statement);
}

struct rank_context *rank_context_build(struct arena *a, const struct rank_input *in)
{
    struct rank_context *out = ARENA_NEW(a, struct rank_context),
                        c = {.in = in,
                             .snap = in->snap,
                             .l = in->lexical,
                             .most_mass = rank_best_mass(in)};
    for (size_t i = 0; i < c.l->touched_count; i++)
        c.best_text = fmaxf(c.best_text, c.l->text_score[c.l->touched[i]]);
    for (node n = 0; n < c.snap->graph.count; n++)
        if (in->named[n] > 0)
            c.most_named = fmaxf(c.most_named, in->named[n] * c.snap->graph.pull[n]);
    c.rarest = rarest_term(c.l);
    score_groups(a, &c);
    document_shares_build(&c.documents, c.snap, c.l);
    if (in->ppr)
        find_bridges(a, &c);
    for (size_t i = 0; i < c.l->term_count; i++) {
        const struct term *t = &c.l->terms[i], *next = t->part ? NULL : term_behind(c.l, t);
        c.bigram_total += next ? bigram_value(t, next) : 0;
    }
    find_most_walked(&c);
    c.fullness = fullness(c.snap);
    *out = c;
    return out;
}

/* ---- the features: one function each, in the order of the table ---- */

static float over_best(const struct rank_context *c, node n)
{
    return n == NO_NODE || !c->in->neighbours ? 0 : share(c->l->score[n], c->l->best);
}

static bool is_question(const struct rank_context *c, node n)
{
    return n != NO_NODE && c->in->neighbours && c->snap->meta[n].flags & FLAG_QUESTION;
}

static float f_bm25_raw(const struct rank_context *c, node n)
{
    return fminf(c->l->score[n] / 10, 3);
}

static float f_bm25(const struct rank_context *c, node n)
{
    return share(c->l->score[n], c->l->best);
}

static float f_text(const struct rank_context *c, node n)
{
    return share(c->l->text_score[n], c->best_text);
}

static float f_ppr_raw(const struct rank_context *c, node n)
{
    return c->in->ppr ? share(ppr_mass(c->in->ppr, n), c->most_mass) : 0;
}

static float f_ppr(const struct rank_context *c, node n)
{
    return sqrtf(f_ppr_raw(c, n));
}

static bool is_alone(const struct rank_context *c, node n)
{
    return before(c->snap, n) == NO_NODE && after(c->snap, n) == NO_NODE;
}

static float f_ppr_alone(const struct rank_context *c, node n)
{
    return is_alone(c, n) ? f_ppr(c, n) : 0;
}

static float f_before_2(const struct rank_context *c, node n)
{
    return over_best(c, before(c->snap, before(c->snap, n)));
}

static float f_before_1(const struct rank_context *c, node n)
{
    return over_best(c, before(c->snap, n));
}

static float f_after_1(const struct rank_context *c, node n)
{
    return over_best(c, after(c->snap, n));
}

static float f_after_2(const struct rank_context *c, node n)
{
    return over_best(c, after(c->snap, after(c->snap, n)));
}

static float f_after_3(const struct rank_context *c, node n)
{
    return over_best(c, after(c->snap, after(c->snap, after(c->snap, n))));
}

static float f_answers(const struct rank_context *c, node n)
{
    return is_question(c, before(c->snap, n));
}

static float f_answer(const struct rank_context *c, node n)
{
    node b = before(c->snap, n);
    return is_question(c, b) ? over_best(c, b) : 0;
}

static float f_asks(const struct rank_context *c, node n)
{
    return (c->snap->meta[n].flags & FLAG_QUESTION) != 0;
}

/* A passage is as long as its splitter made it: that tells nothing, and it counts as a turn of
 * common length. */
static float f_length(const struct rank_context *c, node n)
{
    const float common_words = 25;
    const struct node_meta *m = &c->snap->meta[n];
    return log1pf(m->kind == NODE_PASSAGE ? common_words : m->words) / 5;
}

static float f_coverage(const struct rank_context *c, node n)
{
    return share(c->l->covered[n], c->l->idf_sum);
}

/* Neighbours may cover the same words: what they cover counts half. */
static float f_window_3(const struct rank_context *c, node n)
{
    float around = c->in->neighbours ? fmaxf(at(c->l->covered, before(c->snap, n)),
                                             at(c->l->covered, after(c->snap, n)))
                                     : 0;
    return share(c->l->covered[n] + 0.5f * around, c->l->idf_sum);
}

static float f_window_5(const struct rank_context *c, node n)
{
    node b = before(c->snap, n), f = after(c->snap, n);
    if (!c->in->neighbours)
        return f_coverage(c, n);
    float around = at(c->l->covered, b) + at(c->l->covered, f) +
                   at(c->l->covered, before(c->snap, b)) + at(c->l->covered, after(c->snap, f));
    return share(c->l->covered[n] + 0.25f * around, c->l->idf_sum);
}

static float f_rarest(const struct rank_context *c, node n)
{
    return c->rarest && term_find(c->rarest, n) != NULL;
}

static float f_bigrams(const struct rank_context *c, node n)
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

static float f_group(const struct rank_context *c, node n)
{
    node group = c->snap->meta[n].group;
    bool in_session = group != NO_NODE && c->snap->meta[group].kind == NODE_SESSION;
    return in_session ? share(c->group[group], c->best_group) : 0;
}

static float f_speaker(const struct rank_context *c, node n)
{
    node speaker = c->snap->meta[n].speaker;
    return speaker == NO_NODE ? 0 : c->in->named[speaker];
}

static float cosine_of(const float *z, node n)
{
    return n == NO_NODE || z[n] <= NO_VECTOR ? 0 : fminf(fmaxf(z[n] / 4, -1), 2);
}

static float f_cosine(const struct rank_context *c, node n)
{
    return c->in->vectors ? cosine_of(c->in->vectors->turn, n) : 0;
}

static float f_cosine_context(const struct rank_context *c, node n)
{
    return c->in->vectors ? cosine_of(c->in->vectors->context, n) : 0;
}

static float f_cosine_before(const struct rank_context *c, node n)
{
    return c->in->vectors && c->in->neighbours ? cosine_of(c->in->vectors->turn, before(c->snap, n))
                                               : 0;
}

static float f_cosine_after(const struct rank_context *c, node n)
{
    return c->in->vectors && c->in->neighbours ? cosine_of(c->in->vectors->turn, after(c->snap, n))
                                               : 0;
}

static float f_archived(const struct rank_context *c, node n)
{
    const struct node_meta *m = &c->snap->meta[n];
    bool is_of_replaced = m->kind == NODE_PASSAGE && m->group != NO_NODE &&
                          c->snap->meta[m->group].flags & FLAG_REPLACED;
    return m->state == STATE_ARCHIVED || is_of_replaced;
}

static float f_time(const struct rank_context *c, node n)
{
    return c->in->time ? query_time_fit(c->in->time, c->snap->meta[n].at_ms) : 0;
}

static float f_path(const struct rank_context *c, node n)
{
    return c->in->on_path[n];
}

static float f_negation(const struct rank_context *c, node n)
{
    return c->in->negates && c->in->negates[n];
}

/* ---- what the walk tells beside the mass itself ---- */

static float f_walked(const struct rank_context *c, node n)
{
    return c->in->ppr ? sqrtf(share(ppr_walked(c->in->ppr, n), c->most_walked)) : 0;
}

/* ---- a wide neighbourhood, and what the text tells ---- */

static float f_near(const struct rank_context *c, node n)
{
    const float each_step = 0.75f, all_steps = 3; /* their sum, nearly */
    float sum = 0, weight = 1;
    node b = n, f = n;
    for (int step = 0; step < 8; step++) {
        b = before(c->snap, b);
        f = after(c->snap, f);
        weight *= each_step;
        sum += weight * (over_best(c, b) + over_best(c, f));
    }
    return sum / all_steps;
}

static bool tells(const struct rank_context *c, node n, unsigned cue)
{
    return c->snap->meta[n].flags >> FLAG_CUES_SHIFT & cue;
}

static bool is_said(const struct rank_context *c, node n)
{
    return c->snap->meta[n].speaker != NO_NODE;
}

static float f_tells_time(const struct rank_context *c, node n)
{
    return is_said(c, n) && tells(c, n, CUE_TIME);
}

static float f_time_asked(const struct rank_context *c, node n)
{
    return c->in->asked & CUE_TIME && tells(c, n, CUE_TIME);
}

static float f_tells_number(const struct rank_context *c, node n)
{
    return is_said(c, n) && tells(c, n, CUE_NUMBER);
}

static float f_number_asked(const struct rank_context *c, node n)
{
    return c->in->asked & CUE_NUMBER && tells(c, n, CUE_NUMBER);
}

static float f_self(const struct rank_context *c, node n)
{
    return is_said(c, n) && tells(c, n, CUE_SELF);
}

/* ---- passages ---- */

static float f_passage(const struct rank_context *c, node n)
{
    return c->snap->meta[n].kind == NODE_PASSAGE;
}

static float f_heading(const struct rank_context *c, node n)
{
    float sum = 0;
    for (size_t i = 0; f_passage(c, n) > 0 && i < c->l->term_count; i++) {
        const struct term *t = &c->l->terms[i];
        const struct term_hit *hit = t->part || t->aside ? NULL : term_find(t, n);
        sum += hit && hit->in_name ? t->weight * t->idf : 0;
    }
    return share(sum, c->l->idf_sum);
}

static float f_document(const struct rank_context *c, node n)
{
    return document_share(&c->documents, c->snap, n);
}

static float f_late(const struct rank_context *c, node n)
{
    return c->in->late && f_passage(c, n) > 0 ? c->in->late[n] : 0;
}

static float (*const compute[FEATURE_COUNT])(const struct rank_context *, node) = {
    [FEATURE_BM25_RAW] = f_bm25_raw,
    [FEATURE_BM25] = f_bm25,
    [FEATURE_TEXT] = f_text,
    [FEATURE_PPR] = f_ppr,
    [FEATURE_PPR_RAW] = f_ppr_raw,
    [FEATURE_PPR_ALONE] = f_ppr_alone,
    [FEATURE_BEFORE_2] = f_before_2,
    [FEATURE_BEFORE_1] = f_before_1,
    [FEATURE_AFTER_1] = f_after_1,
    [FEATURE_AFTER_2] = f_after_2,
    [FEATURE_AFTER_3] = f_after_3,
    [FEATURE_ANSWERS] = f_answers,
    [FEATURE_ANSWER] = f_answer,
    [FEATURE_ASKS] = f_asks,
    [FEATURE_LENGTH] = f_length,
    [FEATURE_COVERAGE] = f_coverage,
    [FEATURE_WINDOW_3] = f_window_3,
    [FEATURE_WINDOW_5] = f_window_5,
    [FEATURE_RAREST] = f_rarest,
    [FEATURE_BIGRAMS] = f_bigrams,
    [FEATURE_GROUP] = f_group,
    [FEATURE_SPEAKER] = f_speaker,
    [FEATURE_COSINE] = f_cosine,
    [FEATURE_COSINE_CONTEXT] = f_cosine_context,
    [FEATURE_COSINE_BEFORE] = f_cosine_before,
    [FEATURE_COSINE_AFTER] = f_cosine_after,
    [FEATURE_ARCHIVED] = f_archived,
    [FEATURE_TIME] = f_time,
    [FEATURE_PATH] = f_path,
    [FEATURE_NEGATION] = f_negation,
    [FEATURE_WALKED] = f_walked,
    [FEATURE_NEAR] = f_near,
    [FEATURE_TELLS_TIME] = f_tells_time,
    [FEATURE_TIME_ASKED] = f_time_asked,
    [FEATURE_TELLS_NUMBER] = f_tells_number,
    [FEATURE_NUMBER_ASKED] = f_number_asked,
    [FEATURE_SELF] = f_self,
    [FEATURE_PASSAGE] = f_passage,
    [FEATURE_HEADING] = f_heading,
    [FEATURE_DOCUMENT] = f_document,
    [FEATURE_LATE] = f_late,
};

/* What the names in a text tell, all from one walk over its row: the surest that the query says
 * too, the best bridge, the greatest of their masses, the sum of these, and the greatest share of
 * mass that one which the query doesn't say hands to each text that it is in. */
static void fill_of_names(const struct rank_context *c, node n, float out[FEATURE_COUNT])
{
    const struct graph *g = &c->snap->graph;
    const struct half_edge *edge;
    float named = c->in->named[n], bridge = 0, best = 0, sum = 0, handed = 0;
    for (struct row_walk w = graph_row(g, n); (edge = row_next(g, &w));) {
        node to = edge->to;
        if (edge->kind != EDGE_MENTIONS || edge->reverse || edge->weight <= 0)
            continue;
        named = fmaxf(named, c->in->named[to] * g->pull[to]);
        if (!c->in->ppr)
            continue;
        const struct bridge *b = &c->bridges[to];
        float mass = ppr_mass(c->in->ppr, to), drawn = mass * g->pull[to];
        bridge = fmaxf(bridge, b->from == n ? b->second : b->best);
        best = fmaxf(best, drawn);
        sum += drawn;
        if (c->in->named[to] <= 0)
            handed = fmaxf(handed, edge->weight * mass / (1 + (float)c->snap->meta[to].degree));
    }
    out[FEATURE_ENTITY] = named;
    out[FEATURE_BRIDGE] = bridge;
    out[FEATURE_NAME] = sqrtf(share(best, c->most_name));
    out[FEATURE_NAMES] = sqrtf(share(sum, c->most_name));
    out[FEATURE_HANDED] = sqrtf(share(handed, c->most_mass));
}

/* Features that weigh otherwise where nothing stands before or behind: no talk is around such a
 * text that the words might be in, the graph and its own words are all there is. */
static const struct {
    enum feature alone, of;
} alone[] = {
    {FEATURE_LENGTH_ALONE, FEATURE_LENGTH},     {FEATURE_BM25_RAW_ALONE, FEATURE_BM25_RAW},
    {FEATURE_BM25_ALONE, FEATURE_BM25},         {FEATURE_PPR_RAW_ALONE, FEATURE_PPR_RAW},
    {FEATURE_COVERAGE_ALONE, FEATURE_COVERAGE}, {FEATURE_RAREST_ALONE, FEATURE_RAREST},
    {FEATURE_BIGRAMS_ALONE, FEATURE_BIGRAMS},   {FEATURE_ENTITY_ALONE, FEATURE_ENTITY},
    {FEATURE_COSINE_ALONE, FEATURE_COSINE},     {FEATURE_BRIDGE_ALONE, FEATURE_BRIDGE},
    {FEATURE_WALKED_ALONE, FEATURE_WALKED},     {FEATURE_NAME_ALONE, FEATURE_NAME},
    {FEATURE_NAMES_ALONE, FEATURE_NAMES},       {FEATURE_HANDED_ALONE, FEATURE_HANDED},
};

void rank_fill_features(const struct rank_context *c, node n, float out[FEATURE_COUNT])
{
    for (int f = 0; f < FEATURE_COUNT; f++)
        out[f] = compute[f] ? compute[f](c, n) : 0;
    fill_of_names(c, n, out);
    if (!is_alone(c, n))
        return;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        out[alone[i].alone] = c->fullness * out[alone[i].of];
}

float rank_most_named(const struct rank_context *c)
{
    return c->most_named;
}
