#include "memory/recall_walk.h"

#include <math.h>

enum { MAX_SEED_BODIES = 40 }; /* best lexical hits that seed the walk */

/* Personalization vector: .7 query and .3 memory (seed 000; memory/usage_part.h). */
static const float MEMORY_SHARE = 0.3f;
/* The walk goes on with .7: a prototype found more turns of conversations with it than with .5. */
static const float DAMPING = 0.7f;

/* ---- the personalization vector ---- */

struct seeds {
    struct seed *at;
    size_t count, capacity;
};

static void add_seed(struct arena *a, struct seeds *s, node n, float mass)
{
    if (!(mass > 0))
        return;
    ARENA_GROW(a, s->at, s->count, s->capacity);
    s->at[s->count++] = (struct seed){n, mass};
}

static void normalise(struct seeds *s, size_t from, float to)
{
    double sum = 0;
    for (size_t i = from; i < s->count; i++)
        sum += s->at[i].mass;
    for (size_t i = from; i < s->count && sum > 0; i++)
        s->at[i].mass = (float)(s->at[i].mass / sum * to);
}

/* The best lexical hits, by BM25 cubed: the walk starts where the words point hardest. */
static void seed_bodies(struct arena *a, const struct lexical *l, float share, struct seeds *s)
{
    size_t from = s->count, most;
    const struct scored *best = lexical_best(l, MAX_SEED_BODIES, &most);
    for (size_t i = 0; i < most; i++)
        add_seed(a, s, best[i].at, best[i].score * best[i].score * best[i].score);
    normalise(s, from, share);
}

/* How far the words reach: the best share of the query's idf that one place covers. */
static float best_coverage(const struct lexical *l)
{
    float best = 0;
    for (size_t i = 0; i < l->touched_count; i++)
        best = fmaxf(best, l->covered[l->touched[i]]);
    return l->idf_sum > 0 ? fminf(best / l->idf_sum, 1) : 0;
}

/* Entities that the query names, weighted by specificity (HippoRAG's node specificity, here the
 * pull of the snapshot). Their share of the walk is theirs against the words': a specific name
 * counts for much where the words are hardly known, a name that is on half of the memories for
 * little. */
static float seed_entities(struct arena *a, const struct snapshot *snap, const struct lexical *l,
                           const struct resolved *r, size_t count, struct seeds *s)
{
    const float most_share = 0.8f; /* the words are always heard */
    float most = 0;
    for (size_t i = 0; i < count; i++) {
        float mass = r[i].confidence * snap->graph.pull[r[i].at];
        most = fmaxf(most, mass);
        add_seed(a, s, r[i].at, mass * mass);
    }
    float share = most > 0 ? fminf(most * most / (most * most + best_coverage(l)), most_share) : 0;
    normalise(s, 0, share);
    return share;
}

void recall_walk(struct memory *m, struct arena *a, const struct lexical *l,
                 const struct resolved *r, size_t resolved_count)
{
    struct seeds s = {0};
    float entity_share = seed_entities(a, &m->snap, l, r, resolved_count, &s);
    seed_bodies(a, l, 1 - entity_share, &s);
    struct ppr_params params = ppr_defaults;
    params.damping = DAMPING;
    const struct ppr_part *used =
        m->options.usage ? usage_part(&m->usage, &m->snap, &params, m->ppr) : NULL;
    ppr_solve(&m->snap.graph, s.at, s.count, &params, m->ppr);
    if (used)
        ppr_blend(m->ppr, used, MEMORY_SHARE);
}
