#include "memory/rank_confidence.h"

#include <math.h>

const char *const evidence_name[EVIDENCE_COUNT] = {
#define X(name, text, help) text,
    EVIDENCE(X)
#undef X
};

struct confidence_weights {
    float weight[EVIDENCE_COUNT];
};

/* Written by tests/bench/floor.py, fitted on LoCoMo's questions asked of their own conversation and
 * of others, on those of HippoRAG's tuning sets and of the developers' diary in the same way; the
 * bias is moved so that 5 % of the diary's answerable questions end below the
 * default floor. */
/* clang-format off */
static const struct confidence_weights words_only = {
    .weight = {
        [EVIDENCE_BIAS] = -2.1950f,
        [EVIDENCE_KNOWN] = 3.3409f,
        [EVIDENCE_COVERED] = -0.1844f,
        [EVIDENCE_FIRST_COVERED] = 3.3241f,
        [EVIDENCE_FIRST_WINDOW] = 0.6996f,
        [EVIDENCE_FIRST_BM25] = -0.0999f,
        [EVIDENCE_FIRST_BIGRAMS] = 0.5219f,
        [EVIDENCE_RAREST] = 0.1585f,
        [EVIDENCE_NAMED] = 0.0929f,
        [EVIDENCE_NAMED_SHARE] = 1.5550f,
        [EVIDENCE_SPEAKER] = 3.1409f,
        [EVIDENCE_OTHER_SPEAKER] = 2.1436f,
        [EVIDENCE_MARGIN] = -0.3917f,
        [EVIDENCE_PEAK] = -0.9357f,
        [EVIDENCE_BRIDGE] = -0.5800f,
    },
};

static const struct confidence_weights with_vectors = {
    .weight = {
        [EVIDENCE_BIAS] = -2.7503f,
        [EVIDENCE_KNOWN] = 3.1996f,
        [EVIDENCE_COVERED] = 0.0509f,
        [EVIDENCE_FIRST_COVERED] = 4.1801f,
        [EVIDENCE_FIRST_WINDOW] = -0.9033f,
        [EVIDENCE_FIRST_BM25] = -0.8504f,
        [EVIDENCE_FIRST_BIGRAMS] = 0.7986f,
        [EVIDENCE_RAREST] = -0.0112f,
        [EVIDENCE_NAMED] = -0.4851f,
        [EVIDENCE_NAMED_SHARE] = 2.4106f,
        [EVIDENCE_SPEAKER] = 3.8155f,
        [EVIDENCE_OTHER_SPEAKER] = 0.9992f,
        [EVIDENCE_MARGIN] = 0.3093f,
        [EVIDENCE_PEAK] = -0.3254f,
        [EVIDENCE_BRIDGE] = 0.1655f,
        [EVIDENCE_COSINE] = -1.8890f,
        [EVIDENCE_FIRST_COSINE] = 2.7334f,
    },
};
/* clang-format on */

/* Sums of idf: of the query, of its words that anything holds, and of those in names that it
 * resolves to. */
struct shares {
    float all, known, named;
};

static bool in_a_name(const struct rank_input *in, const struct term *t)
{
    for (size_t h = 0; h < t->hit_count; h++)
        if (in->named[t->hits[h].at] > 0)
            return true;
    return false;
}

static struct shares shares_of(const struct rank_input *in)
{
    struct shares s = {.all = in->lexical->idf_sum};
    for (size_t i = 0; i < in->lexical->term_count; i++) {
        const struct term *t = &in->lexical->terms[i];
        if (t->part || t->aside)
            continue;
        bool named =
            in_a_name(in, t); /* a name alone is known, too: a path that a memory is tied to */
        s.known += t->bodies || named ? t->idf * t->weight : 0;
        s.named += named ? t->idf * t->weight : 0;
    }
    return s;
}

static float best_covered(const struct lexical *l)
{
    float best = 0;
    for (size_t i = 0; i < l->touched_count; i++)
        best = fmaxf(best, l->covered[l->touched[i]]);
    return best;
}

static bool names_a_speaker(const struct candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (candidates[i].feature[FEATURE_SPEAKER] > 0)
            return true;
    return false;
}

static float margin_of(const struct candidate *candidates, size_t count)
{
    size_t last = count < 10 ? count : 10;
    float sum = 0;
    for (size_t i = 1; i < last; i++)
        sum += candidates[i].sum;
    return last > 1 ? (candidates[0].sum - sum / (float)(last - 1)) / 5 : 0;
}

static float peak_of(const struct candidate *candidates, size_t count)
{
    float top[10] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        float mass = candidates[i].feature[FEATURE_PPR_RAW];
        for (int k = 0; k < 10; k++)
            if (mass > top[k]) {
                float smaller = top[k];
                top[k] = mass;
                mass = smaller;
            }
    }
    for (int k = 0; k < 10; k++)
        sum += top[k];
    return sum > 0 ? top[0] / sum : 0;
}

void rank_evidence_fill(const struct rank_context *c, const struct rank_input *in,
                        const struct candidate *candidates, size_t count, float out[EVIDENCE_COUNT])
{
    struct shares s = shares_of(in);
    for (int i = 0; i < EVIDENCE_COUNT; i++)
        out[i] = 0;
    out[EVIDENCE_BIAS] = 1;
    out[EVIDENCE_KNOWN] = share(s.known, s.all);
    out[EVIDENCE_COVERED] = share(best_covered(in->lexical), s.all);
    out[EVIDENCE_NAMED] = rank_most_named(c);
    out[EVIDENCE_NAMED_SHARE] = share(s.named, s.all);
    if (!count)
        return;
    const float *first = candidates[0].feature;
    out[EVIDENCE_FIRST_COVERED] = first[FEATURE_COVERAGE];
    out[EVIDENCE_FIRST_WINDOW] = first[FEATURE_WINDOW_3];
    out[EVIDENCE_FIRST_BM25] = first[FEATURE_BM25_RAW];
    out[EVIDENCE_FIRST_BIGRAMS] = first[FEATURE_BIGRAMS];
    for (size_t i = 0; i < count && i < 3; i++)
        out[EVIDENCE_RAREST] = fmaxf(out[EVIDENCE_RAREST], candidates[i].feature[FEATURE_RAREST]);
    if (names_a_speaker(candidates, count))
        out[first[FEATURE_SPEAKER] > 0 ? EVIDENCE_SPEAKER : EVIDENCE_OTHER_SPEAKER] = 1;
    out[EVIDENCE_MARGIN] = margin_of(candidates, count);
    out[EVIDENCE_PEAK] = peak_of(candidates, count);
    out[EVIDENCE_BRIDGE] = first[FEATURE_BRIDGE];
    out[EVIDENCE_COSINE] =
        in->vectors && in->vectors->best_count ? in->vectors->best[0].score / 10 : 0;
    out[EVIDENCE_FIRST_COSINE] = fmaxf(first[FEATURE_COSINE], first[FEATURE_COSINE_CONTEXT]);
}

float rank_confidence(const float evidence[EVIDENCE_COUNT], bool vectors)
{
    const float *weight = (vectors ? &with_vectors : &words_only)->weight;
    float sum = 0;
    for (int i = 0; i < EVIDENCE_COUNT; i++)
        sum += weight[i] * evidence[i];
    return 1 / (1 + expf(-sum));
}
