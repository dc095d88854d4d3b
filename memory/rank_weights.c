/* The shipped weights of the ranker of prose, written by tests/bench/weights.py from what
 * tests/bench/fit found. Fitted together on LoCoMo's ten conversations (Maharana et al., ACL 2024),
 * HippoRAG's tuning sets of HotpotQA and MuSiQue (Gutierrez et al., NeurIPS 2024) and the
 * developers' diary of tests/bench/developer_questions.json: 2,504 questions, 490,971 candidates,
 * one dump with the encoder on for all sets; tests/bench/README.md has the figures held out.
 * `archived` and `path` are set by hand: the data sets lack such memories and questions. */
#include "memory/rank.h"
#include "memory/weights_file.h"

/* The layout is the generator's. */
/* clang-format off */
static const struct rank_weights all = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.1867f,
        [FEATURE_BM25] = 0.9722f,
        [FEATURE_TEXT] = -1.1757f,
        [FEATURE_PPR] = 1.9324f,
        [FEATURE_PPR_RAW] = -0.6153f,
        [FEATURE_PPR_ALONE] = 0.7252f,
        [FEATURE_BEFORE_2] = 0.5551f,
        [FEATURE_BEFORE_1] = -0.9607f,
        [FEATURE_AFTER_1] = -0.5483f,
        [FEATURE_AFTER_2] = -0.5817f,
        [FEATURE_AFTER_3] = -0.5688f,
        [FEATURE_ANSWERS] = -0.0463f,
        [FEATURE_ANSWER] = 2.1554f,
        [FEATURE_ASKS] = -0.9493f,
        [FEATURE_LENGTH] = 1.2416f,
        [FEATURE_LENGTH_ALONE] = -3.7951f,
        [FEATURE_COVERAGE] = -0.5903f,
        [FEATURE_WINDOW_3] = -0.3595f,
        [FEATURE_WINDOW_5] = 3.4731f,
        [FEATURE_RAREST] = -0.0676f,
        [FEATURE_BIGRAMS] = 0.7621f,
        [FEATURE_GROUP] = 1.6120f,
        [FEATURE_SPEAKER] = 1.1340f,
        [FEATURE_ENTITY] = 0.5835f,
        [FEATURE_BRIDGE] = 0.2518f,
        [FEATURE_TIME] = 3.5187f,
        [FEATURE_NEGATION] = 0.8324f,
        [FEATURE_WALKED] = 1.0447f,
        [FEATURE_NAME] = 0.3006f,
        [FEATURE_NAMES] = -0.9012f,
        [FEATURE_HANDED] = 5.4982f,
        [FEATURE_NEAR] = 1.2623f,
        [FEATURE_TELLS_TIME] = 0.4055f,
        [FEATURE_TIME_ASKED] = 1.3916f,
        [FEATURE_TELLS_NUMBER] = 0.2806f,
        [FEATURE_NUMBER_ASKED] = 1.3096f,
        [FEATURE_SELF] = 0.5090f,
        [FEATURE_BM25_RAW_ALONE] = -0.8534f,
        [FEATURE_BM25_ALONE] = 1.3833f,
        [FEATURE_PPR_RAW_ALONE] = -0.2241f,
        [FEATURE_COVERAGE_ALONE] = -2.4764f,
        [FEATURE_RAREST_ALONE] = 0.3521f,
        [FEATURE_BIGRAMS_ALONE] = 0.8388f,
        [FEATURE_ENTITY_ALONE] = -4.1994f,
        [FEATURE_BRIDGE_ALONE] = 4.5915f,
        [FEATURE_WALKED_ALONE] = -0.1232f,
        [FEATURE_NAME_ALONE] = 2.2204f,
        [FEATURE_NAMES_ALONE] = 3.0204f,
        [FEATURE_HANDED_ALONE] = -2.5813f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_PATH] = 2.0000f,
    },
};

static const struct rank_weights with_encoder = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.8032f,
        [FEATURE_BM25] = 0.6804f,
        [FEATURE_TEXT] = -1.3138f,
        [FEATURE_PPR] = 1.9342f,
        [FEATURE_PPR_RAW] = -0.8881f,
        [FEATURE_PPR_ALONE] = 0.6978f,
        [FEATURE_BEFORE_2] = 0.4036f,
        [FEATURE_BEFORE_1] = -1.4575f,
        [FEATURE_AFTER_1] = -0.7648f,
        [FEATURE_AFTER_2] = -0.5577f,
        [FEATURE_AFTER_3] = -0.5930f,
        [FEATURE_ANSWERS] = -0.2662f,
        [FEATURE_ANSWER] = 1.9889f,
        [FEATURE_ASKS] = -1.3373f,
        [FEATURE_LENGTH] = 2.3680f,
        [FEATURE_LENGTH_ALONE] = -5.5215f,
        [FEATURE_COVERAGE] = -0.3115f,
        [FEATURE_WINDOW_3] = -0.3441f,
        [FEATURE_WINDOW_5] = 2.9989f,
        [FEATURE_RAREST] = -0.0500f,
        [FEATURE_BIGRAMS] = 0.7801f,
        [FEATURE_GROUP] = 1.5231f,
        [FEATURE_SPEAKER] = 1.2471f,
        [FEATURE_ENTITY] = -0.0040f,
        [FEATURE_COSINE] = 1.0466f,
        [FEATURE_COSINE_CONTEXT] = 2.4020f,
        [FEATURE_COSINE_BEFORE] = -0.0617f,
        [FEATURE_COSINE_AFTER] = 0.3250f,
        [FEATURE_BRIDGE] = 0.0867f,
        [FEATURE_TIME] = 3.5287f,
        [FEATURE_NEGATION] = 0.7880f,
        [FEATURE_WALKED] = 1.6688f,
        [FEATURE_NAME] = 0.0176f,
        [FEATURE_NAMES] = -0.6446f,
        [FEATURE_HANDED] = 4.7464f,
        [FEATURE_NEAR] = 0.5008f,
        [FEATURE_TELLS_TIME] = 0.4206f,
        [FEATURE_TIME_ASKED] = 1.3129f,
        [FEATURE_TELLS_NUMBER] = 0.1555f,
        [FEATURE_NUMBER_ASKED] = 1.0698f,
        [FEATURE_SELF] = 0.4566f,
        [FEATURE_BM25_RAW_ALONE] = -0.7488f,
        [FEATURE_BM25_ALONE] = 1.4182f,
        [FEATURE_PPR_RAW_ALONE] = -0.3869f,
        [FEATURE_COVERAGE_ALONE] = -2.6091f,
        [FEATURE_RAREST_ALONE] = 0.3980f,
        [FEATURE_BIGRAMS_ALONE] = 0.9839f,
        [FEATURE_ENTITY_ALONE] = -3.5034f,
        [FEATURE_COSINE_ALONE] = -0.9253f,
        [FEATURE_BRIDGE_ALONE] = 4.1539f,
        [FEATURE_WALKED_ALONE] = -0.1117f,
        [FEATURE_NAME_ALONE] = 2.3906f,
        [FEATURE_NAMES_ALONE] = 2.8359f,
        [FEATURE_HANDED_ALONE] = -1.2488f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_PATH] = 2.0000f,
    },
};

static const struct rank_weights no_ppr = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.2095f,
        [FEATURE_BM25] = 1.5273f,
        [FEATURE_TEXT] = -0.6715f,
        [FEATURE_BEFORE_2] = 0.9942f,
        [FEATURE_BEFORE_1] = -0.3679f,
        [FEATURE_AFTER_1] = 0.0047f,
        [FEATURE_AFTER_2] = -0.2178f,
        [FEATURE_AFTER_3] = -0.4762f,
        [FEATURE_ANSWERS] = -0.0469f,
        [FEATURE_ANSWER] = 2.2564f,
        [FEATURE_ASKS] = -0.9541f,
        [FEATURE_LENGTH] = 1.2376f,
        [FEATURE_LENGTH_ALONE] = -3.7276f,
        [FEATURE_COVERAGE] = -1.1587f,
        [FEATURE_WINDOW_3] = 0.8287f,
        [FEATURE_WINDOW_5] = 2.9861f,
        [FEATURE_RAREST] = -0.0063f,
        [FEATURE_BIGRAMS] = 0.9107f,
        [FEATURE_GROUP] = 2.2702f,
        [FEATURE_SPEAKER] = 1.0307f,
        [FEATURE_ENTITY] = 0.5836f,
        [FEATURE_TIME] = 3.4849f,
        [FEATURE_NEGATION] = 0.7447f,
        [FEATURE_NEAR] = 0.8071f,
        [FEATURE_TELLS_TIME] = 0.4422f,
        [FEATURE_TIME_ASKED] = 1.3757f,
        [FEATURE_TELLS_NUMBER] = 0.2920f,
        [FEATURE_NUMBER_ASKED] = 1.1951f,
        [FEATURE_SELF] = 0.4932f,
        [FEATURE_BM25_RAW_ALONE] = -0.3875f,
        [FEATURE_BM25_ALONE] = 2.7744f,
        [FEATURE_COVERAGE_ALONE] = -4.4093f,
        [FEATURE_RAREST_ALONE] = 0.5299f,
        [FEATURE_BIGRAMS_ALONE] = 0.4954f,
        [FEATURE_ENTITY_ALONE] = 1.2117f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_PATH] = 2.0000f,
    },
};

static const struct rank_weights no_ppr_encoder = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.7968f,
        [FEATURE_BM25] = 1.2393f,
        [FEATURE_TEXT] = -0.7952f,
        [FEATURE_BEFORE_2] = 0.9210f,
        [FEATURE_BEFORE_1] = -0.7448f,
        [FEATURE_AFTER_1] = -0.1172f,
        [FEATURE_AFTER_2] = -0.1286f,
        [FEATURE_AFTER_3] = -0.4974f,
        [FEATURE_ANSWERS] = -0.2547f,
        [FEATURE_ANSWER] = 2.0683f,
        [FEATURE_ASKS] = -1.3341f,
        [FEATURE_LENGTH] = 2.3317f,
        [FEATURE_LENGTH_ALONE] = -5.4496f,
        [FEATURE_COVERAGE] = -1.0565f,
        [FEATURE_WINDOW_3] = 1.1824f,
        [FEATURE_WINDOW_5] = 2.4446f,
        [FEATURE_RAREST] = -0.0132f,
        [FEATURE_BIGRAMS] = 0.9472f,
        [FEATURE_GROUP] = 2.2902f,
        [FEATURE_SPEAKER] = 1.1325f,
        [FEATURE_ENTITY] = 0.0610f,
        [FEATURE_COSINE] = 0.9416f,
        [FEATURE_COSINE_CONTEXT] = 2.4056f,
        [FEATURE_COSINE_BEFORE] = -0.0355f,
        [FEATURE_COSINE_AFTER] = 0.3170f,
        [FEATURE_TIME] = 3.4948f,
        [FEATURE_NEGATION] = 0.7013f,
        [FEATURE_NEAR] = 0.0424f,
        [FEATURE_TELLS_TIME] = 0.4577f,
        [FEATURE_TIME_ASKED] = 1.2935f,
        [FEATURE_TELLS_NUMBER] = 0.1700f,
        [FEATURE_NUMBER_ASKED] = 0.9719f,
        [FEATURE_SELF] = 0.4345f,
        [FEATURE_BM25_RAW_ALONE] = -0.3267f,
        [FEATURE_BM25_ALONE] = 2.9008f,
        [FEATURE_COVERAGE_ALONE] = -4.6908f,
        [FEATURE_RAREST_ALONE] = 0.6185f,
        [FEATURE_BIGRAMS_ALONE] = 0.5994f,
        [FEATURE_ENTITY_ALONE] = 1.8386f,
        [FEATURE_COSINE_ALONE] = -0.7939f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_PATH] = 2.0000f,
    },
};

static const struct rank_weights no_neighbours = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.1194f,
        [FEATURE_BM25] = 1.1301f,
        [FEATURE_TEXT] = -1.3314f,
        [FEATURE_PPR] = 1.6561f,
        [FEATURE_PPR_RAW] = -0.6657f,
        [FEATURE_PPR_ALONE] = 0.8424f,
        [FEATURE_ASKS] = -1.2455f,
        [FEATURE_LENGTH] = 0.6415f,
        [FEATURE_LENGTH_ALONE] = -3.2433f,
        [FEATURE_COVERAGE] = -1.1802f,
        [FEATURE_WINDOW_3] = -1.3850f,
        [FEATURE_WINDOW_5] = 5.4386f,
        [FEATURE_RAREST] = -0.1248f,
        [FEATURE_BIGRAMS] = 0.5686f,
        [FEATURE_GROUP] = 1.6855f,
        [FEATURE_SPEAKER] = 1.1313f,
        [FEATURE_ENTITY] = 0.5786f,
        [FEATURE_BRIDGE] = 0.0241f,
        [FEATURE_TIME] = 3.5032f,
        [FEATURE_NEGATION] = 0.8979f,
        [FEATURE_WALKED] = 1.4150f,
        [FEATURE_NAME] = 0.4836f,
        [FEATURE_NAMES] = -1.2534f,
        [FEATURE_HANDED] = 6.8269f,
        [FEATURE_TELLS_TIME] = 0.2986f,
        [FEATURE_TIME_ASKED] = 1.4131f,
        [FEATURE_TELLS_NUMBER] = 0.2839f,
        [FEATURE_NUMBER_ASKED] = 1.3032f,
        [FEATURE_SELF] = 0.6844f,
        [FEATURE_BM25_RAW_ALONE] = -0.7869f,
        [FEATURE_BM25_ALONE] = 1.2617f,
        [FEATURE_PPR_RAW_ALONE] = -0.1896f,
        [FEATURE_COVERAGE_ALONE] = -2.5471f,
        [FEATURE_RAREST_ALONE] = 0.4100f,
        [FEATURE_BIGRAMS_ALONE] = 0.9685f,
        [FEATURE_ENTITY_ALONE] = -4.2319f,
        [FEATURE_BRIDGE_ALONE] = 4.8444f,
        [FEATURE_WALKED_ALONE] = -0.3166f,
        [FEATURE_NAME_ALONE] = 2.0832f,
        [FEATURE_NAMES_ALONE] = 3.3232f,
        [FEATURE_HANDED_ALONE] = -3.7588f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_PATH] = 2.0000f,
    },
};
/* clang-format on */

const struct rank_weights *rank_weights_for(bool ppr, bool neighbours, bool vectors)
{
    if (vectors && neighbours)
        return ppr ? &with_encoder : &no_ppr_encoder;
    return !ppr ? &no_ppr : !neighbours ? &no_neighbours : &all;
}

/* ---- from a file ---- */

static float *place_of(struct rank_weights *w, str name)
{

    for (int f = 0; f < FEATURE_COUNT; f++)
        if (str_eq(name, str_of(feature_name[f])))
            return &w->weight[f];
    return NULL;
}

static bool read_set(str text, str prefix, struct rank_weights *out, bool *any, struct err *e)
{
    struct weights_file file = {.rest = text, .prefix = prefix};
    str name;
    float value;
    *out = (struct rank_weights){0};
    *any = false;
    while (weights_next(&file, &name, &value, e)) {
        *any = true;
        float *place = place_of(out, name);
        if (!place)
            return weights_unknown(&file, name, e);
        *place = value;
    }
    return e->code == ERR_NONE;
}

bool rank_weights_read(str text, struct rank_weights *out, struct err *e)
{
    bool any;
    return read_set(text, S(""), out, &any, e);
}

bool rank_passage_weights_read(str text, struct rank_weights *out, bool *any, struct err *e)
{
    return read_set(text, S(PASSAGE_WEIGHT_PREFIX), out, any, e);
}
