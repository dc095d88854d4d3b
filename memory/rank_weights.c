/* The shipped weights of the ranker of prose, written by tests/bench/weights.py from what
 * tests/bench/fit found. Fitted together on LoCoMo's ten conversations (Maharana et al., ACL 2024),
 * HippoRAG's tuning sets of HotpotQA and MuSiQue (Gutierrez et al., NeurIPS 2024) and the
 * developers' diary of tests/bench/developer_questions.json: 2,504 questions. The sets with vectors
 * are of 490,815 candidates and this encoder, the others of a dump of 490,971 with the one before;
 * tests/bench/README.md has the figures held out.
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
        [FEATURE_BM25_RAW] = 0.2606f,
        [FEATURE_BM25] = -0.2775f,
        [FEATURE_TEXT] = -0.8095f,
        [FEATURE_PPR] = 1.8403f,
        [FEATURE_PPR_RAW] = -0.8577f,
        [FEATURE_PPR_ALONE] = 0.9672f,
        [FEATURE_BEFORE_2] = 0.3941f,
        [FEATURE_BEFORE_1] = -1.6398f,
        [FEATURE_AFTER_1] = -0.7421f,
        [FEATURE_AFTER_2] = -0.4543f,
        [FEATURE_AFTER_3] = -0.4533f,
        [FEATURE_ANSWERS] = -0.2683f,
        [FEATURE_ANSWER] = 1.9930f,
        [FEATURE_ASKS] = -1.1056f,
        [FEATURE_LENGTH] = 3.7528f,
        [FEATURE_LENGTH_ALONE] = -4.6512f,
        [FEATURE_COVERAGE] = -0.3907f,
        [FEATURE_WINDOW_3] = -0.1610f,
        [FEATURE_WINDOW_5] = 2.6894f,
        [FEATURE_RAREST] = -0.0116f,
        [FEATURE_BIGRAMS] = 0.6943f,
        [FEATURE_GROUP] = 1.3495f,
        [FEATURE_SPEAKER] = 1.3450f,
        [FEATURE_ENTITY] = 0.0455f,
        [FEATURE_COSINE] = 2.3625f,
        [FEATURE_COSINE_CONTEXT] = 2.4655f,
        [FEATURE_COSINE_BEFORE] = -0.0587f,
        [FEATURE_COSINE_AFTER] = 0.2136f,
        [FEATURE_BRIDGE] = 0.0543f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 3.6706f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 0.5226f,
        [FEATURE_WALKED] = 1.7822f,
        [FEATURE_NAME] = 0.2594f,
        [FEATURE_NAMES] = -0.9080f,
        [FEATURE_HANDED] = 5.0625f,
        [FEATURE_NEAR] = 0.2802f,
        [FEATURE_TELLS_TIME] = 0.4866f,
        [FEATURE_TIME_ASKED] = 1.1749f,
        [FEATURE_TELLS_NUMBER] = 0.1701f,
        [FEATURE_NUMBER_ASKED] = 0.8189f,
        [FEATURE_SELF] = 0.5864f,
        [FEATURE_BM25_RAW_ALONE] = -0.5056f,
        [FEATURE_BM25_ALONE] = 2.0425f,
        [FEATURE_PPR_RAW_ALONE] = -0.6115f,
        [FEATURE_COVERAGE_ALONE] = -3.1064f,
        [FEATURE_RAREST_ALONE] = 0.3753f,
        [FEATURE_BIGRAMS_ALONE] = 1.0320f,
        [FEATURE_ENTITY_ALONE] = -3.6489f,
        [FEATURE_COSINE_ALONE] = -1.7894f,
        [FEATURE_BRIDGE_ALONE] = 4.2012f,
        [FEATURE_WALKED_ALONE] = -0.3204f,
        [FEATURE_NAME_ALONE] = 2.3059f,
        [FEATURE_NAMES_ALONE] = 3.0131f,
        [FEATURE_HANDED_ALONE] = -1.2450f,
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
        [FEATURE_BM25_RAW] = 0.2354f,
        [FEATURE_BM25] = 0.3421f,
        [FEATURE_TEXT] = -0.3675f,
        [FEATURE_BEFORE_2] = 0.9298f,
        [FEATURE_BEFORE_1] = -0.8638f,
        [FEATURE_AFTER_1] = -0.0675f,
        [FEATURE_AFTER_2] = -0.0093f,
        [FEATURE_AFTER_3] = -0.3502f,
        [FEATURE_ANSWERS] = -0.2349f,
        [FEATURE_ANSWER] = 2.0463f,
        [FEATURE_ASKS] = -1.1079f,
        [FEATURE_LENGTH] = 3.6782f,
        [FEATURE_LENGTH_ALONE] = -4.5115f,
        [FEATURE_COVERAGE] = -1.0958f,
        [FEATURE_WINDOW_3] = 1.3677f,
        [FEATURE_WINDOW_5] = 2.1698f,
        [FEATURE_RAREST] = 0.0260f,
        [FEATURE_BIGRAMS] = 0.8513f,
        [FEATURE_GROUP] = 2.1251f,
        [FEATURE_SPEAKER] = 1.2265f,
        [FEATURE_ENTITY] = 0.1056f,
        [FEATURE_COSINE] = 2.1693f,
        [FEATURE_COSINE_CONTEXT] = 2.6525f,
        [FEATURE_COSINE_BEFORE] = -0.1419f,
        [FEATURE_COSINE_AFTER] = 0.1944f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 3.6540f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 0.4660f,
        [FEATURE_NEAR] = -0.1937f,
        [FEATURE_TELLS_TIME] = 0.5104f,
        [FEATURE_TIME_ASKED] = 1.1622f,
        [FEATURE_TELLS_NUMBER] = 0.1792f,
        [FEATURE_NUMBER_ASKED] = 0.7430f,
        [FEATURE_SELF] = 0.5662f,
        [FEATURE_BM25_RAW_ALONE] = -0.0941f,
        [FEATURE_BM25_ALONE] = 3.6528f,
        [FEATURE_COVERAGE_ALONE] = -5.2590f,
        [FEATURE_RAREST_ALONE] = 0.6259f,
        [FEATURE_BIGRAMS_ALONE] = 0.4444f,
        [FEATURE_ENTITY_ALONE] = 1.7097f,
        [FEATURE_COSINE_ALONE] = -1.6508f,
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
