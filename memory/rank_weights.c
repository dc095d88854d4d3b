/* The shipped weights of the ranker of prose, written by tests/bench/weights.py from what
 * tests/bench/fit found. Fitted together on LoCoMo's ten conversations (Maharana et al., ACL 2024),
 * HippoRAG's tuning sets of HotpotQA and MuSiQue (Gutierrez et al., NeurIPS 2024) and the
 * developers' diary of tests/bench/developer_questions.json, without the encoder;
 * tests/bench/README.md has the figures held out. `archived`, `time`, `path` and `negation`
 * are set by hand: the data sets lack such memories and questions. */
#include "memory/rank.h"
#include "memory/weights_file.h"

/* The layout is the generator's. */
/* clang-format off */
static const struct rank_weights all = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.2185f,
        [FEATURE_BM25] = 1.1428f,
        [FEATURE_TEXT] = -1.1645f,
        [FEATURE_PPR] = 1.8238f,
        [FEATURE_PPR_RAW] = -0.4476f,
        [FEATURE_PPR_ALONE] = 0.8508f,
        [FEATURE_BEFORE_2] = 0.6005f,
        [FEATURE_BEFORE_1] = -1.0064f,
        [FEATURE_AFTER_1] = -0.5931f,
        [FEATURE_AFTER_2] = -0.5528f,
        [FEATURE_AFTER_3] = -0.5592f,
        [FEATURE_ANSWERS] = -0.0736f,
        [FEATURE_ANSWER] = 2.1956f,
        [FEATURE_ASKS] = -0.9787f,
        [FEATURE_LENGTH] = 1.3712f,
        [FEATURE_LENGTH_ALONE] = -3.8474f,
        [FEATURE_COVERAGE] = -1.2659f,
        [FEATURE_WINDOW_3] = 0.1038f,
        [FEATURE_WINDOW_5] = 3.3383f,
        [FEATURE_RAREST] = 0.0178f,
        [FEATURE_BIGRAMS] = 0.6746f,
        [FEATURE_GROUP] = 1.6978f,
        [FEATURE_SPEAKER] = 1.1345f,
        [FEATURE_ENTITY] = 0.4364f,
        [FEATURE_BRIDGE] = 0.2066f,
        [FEATURE_WALKED] = 1.0092f,
        [FEATURE_NAME] = 0.5789f,
        [FEATURE_NAMES] = -1.0790f,
        [FEATURE_HANDED] = 5.2538f,
        [FEATURE_NEAR] = 1.2585f,
        [FEATURE_TELLS_TIME] = 0.3724f,
        [FEATURE_TIME_ASKED] = 1.5008f,
        [FEATURE_TELLS_NUMBER] = 0.2914f,
        [FEATURE_NUMBER_ASKED] = 1.3133f,
        [FEATURE_SELF] = 0.5376f,
        [FEATURE_BM25_RAW_ALONE] = -0.8907f,
        [FEATURE_BM25_ALONE] = 1.2591f,
        [FEATURE_PPR_RAW_ALONE] = -0.1663f,
        [FEATURE_COVERAGE_ALONE] = -2.3137f,
        [FEATURE_RAREST_ALONE] = 0.2081f,
        [FEATURE_BIGRAMS_ALONE] = 0.8253f,
        [FEATURE_ENTITY_ALONE] = -4.1884f,
        [FEATURE_BRIDGE_ALONE] = 4.7567f,
        [FEATURE_WALKED_ALONE] = -0.2416f,
        [FEATURE_NAME_ALONE] = 1.8642f,
        [FEATURE_NAMES_ALONE] = 3.4285f,
        [FEATURE_HANDED_ALONE] = -2.2267f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 2.5000f,
    },
};

static const struct rank_weights with_encoder = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.8238f,
        [FEATURE_BM25] = 0.8987f,
        [FEATURE_TEXT] = -1.3546f,
        [FEATURE_PPR] = 1.9393f,
        [FEATURE_PPR_RAW] = -0.8644f,
        [FEATURE_PPR_ALONE] = 0.6988f,
        [FEATURE_BEFORE_2] = 0.4532f,
        [FEATURE_BEFORE_1] = -1.3979f,
        [FEATURE_AFTER_1] = -0.7910f,
        [FEATURE_AFTER_2] = -0.5438f,
        [FEATURE_AFTER_3] = -0.5713f,
        [FEATURE_ANSWERS] = -0.2751f,
        [FEATURE_ANSWER] = 1.9896f,
        [FEATURE_ASKS] = -1.3731f,
        [FEATURE_LENGTH] = 2.5801f,
        [FEATURE_LENGTH_ALONE] = -5.6495f,
        [FEATURE_COVERAGE] = -0.8574f,
        [FEATURE_WINDOW_3] = 0.0075f,
        [FEATURE_WINDOW_5] = 2.8257f,
        [FEATURE_RAREST] = 0.0564f,
        [FEATURE_BIGRAMS] = 0.6974f,
        [FEATURE_GROUP] = 1.6280f,
        [FEATURE_SPEAKER] = 1.2526f,
        [FEATURE_ENTITY] = -0.1186f,
        [FEATURE_COSINE] = 1.1119f,
        [FEATURE_COSINE_CONTEXT] = 2.4538f,
        [FEATURE_COSINE_BEFORE] = -0.1481f,
        [FEATURE_COSINE_AFTER] = 0.3584f,
        [FEATURE_BRIDGE] = 0.0001f,
        [FEATURE_WALKED] = 1.6077f,
        [FEATURE_NAME] = 0.2859f,
        [FEATURE_NAMES] = -0.8336f,
        [FEATURE_HANDED] = 4.7497f,
        [FEATURE_NEAR] = 0.4389f,
        [FEATURE_TELLS_TIME] = 0.3724f,
        [FEATURE_TIME_ASKED] = 1.4079f,
        [FEATURE_TELLS_NUMBER] = 0.1755f,
        [FEATURE_NUMBER_ASKED] = 1.0732f,
        [FEATURE_SELF] = 0.4723f,
        [FEATURE_BM25_RAW_ALONE] = -0.7633f,
        [FEATURE_BM25_ALONE] = 1.4059f,
        [FEATURE_PPR_RAW_ALONE] = -0.2022f,
        [FEATURE_COVERAGE_ALONE] = -2.4703f,
        [FEATURE_RAREST_ALONE] = 0.2068f,
        [FEATURE_BIGRAMS_ALONE] = 0.8640f,
        [FEATURE_ENTITY_ALONE] = -3.4882f,
        [FEATURE_COSINE_ALONE] = -1.1031f,
        [FEATURE_BRIDGE_ALONE] = 4.3089f,
        [FEATURE_WALKED_ALONE] = -0.2356f,
        [FEATURE_NAME_ALONE] = 2.0765f,
        [FEATURE_NAMES_ALONE] = 3.1853f,
        [FEATURE_HANDED_ALONE] = -1.0764f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 2.5000f,
    },
};

static const struct rank_weights no_ppr = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.3863f,
        [FEATURE_BM25] = 0.8768f,
        [FEATURE_TEXT] = 0.0096f,
        [FEATURE_BEFORE_2] = 1.1323f,
        [FEATURE_BEFORE_1] = -0.4641f,
        [FEATURE_AFTER_1] = -0.0630f,
        [FEATURE_AFTER_2] = -0.1066f,
        [FEATURE_AFTER_3] = -0.4532f,
        [FEATURE_ANSWERS] = -0.1048f,
        [FEATURE_ANSWER] = 2.3301f,
        [FEATURE_ASKS] = -0.9854f,
        [FEATURE_LENGTH] = 1.4030f,
        [FEATURE_LENGTH_ALONE] = -4.2302f,
        [FEATURE_COVERAGE] = -1.5513f,
        [FEATURE_WINDOW_3] = 1.3205f,
        [FEATURE_WINDOW_5] = 2.4043f,
        [FEATURE_RAREST] = 0.1074f,
        [FEATURE_BIGRAMS] = 0.8709f,
        [FEATURE_GROUP] = 2.3442f,
        [FEATURE_SPEAKER] = 1.0684f,
        [FEATURE_ENTITY] = 0.4644f,
        [FEATURE_NEAR] = 1.0280f,
        [FEATURE_TELLS_TIME] = 0.4037f,
        [FEATURE_TIME_ASKED] = 1.4437f,
        [FEATURE_TELLS_NUMBER] = 0.2992f,
        [FEATURE_NUMBER_ASKED] = 1.2635f,
        [FEATURE_SELF] = 0.5074f,
        [FEATURE_BM25_RAW_ALONE] = -0.6070f,
        [FEATURE_BM25_ALONE] = 2.7228f,
        [FEATURE_COVERAGE_ALONE] = -3.5214f,
        [FEATURE_RAREST_ALONE] = 0.3014f,
        [FEATURE_BIGRAMS_ALONE] = 0.2658f,
        [FEATURE_ENTITY_ALONE] = 1.4232f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 2.5000f,
    },
};

static const struct rank_weights no_ppr_encoder = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.9119f,
        [FEATURE_BM25] = 1.0129f,
        [FEATURE_TEXT] = -0.3880f,
        [FEATURE_BEFORE_2] = 1.0596f,
        [FEATURE_BEFORE_1] = -0.6415f,
        [FEATURE_AFTER_1] = -0.0878f,
        [FEATURE_AFTER_2] = -0.0096f,
        [FEATURE_AFTER_3] = -0.4787f,
        [FEATURE_ANSWERS] = -0.2733f,
        [FEATURE_ANSWER] = 2.0928f,
        [FEATURE_ASKS] = -1.3669f,
        [FEATURE_LENGTH] = 2.4765f,
        [FEATURE_LENGTH_ALONE] = -5.4148f,
        [FEATURE_COVERAGE] = -1.3600f,
        [FEATURE_WINDOW_3] = 1.5635f,
        [FEATURE_WINDOW_5] = 1.7998f,
        [FEATURE_RAREST] = 0.1119f,
        [FEATURE_BIGRAMS] = 0.8596f,
        [FEATURE_GROUP] = 2.3667f,
        [FEATURE_SPEAKER] = 1.1542f,
        [FEATURE_ENTITY] = -0.0486f,
        [FEATURE_COSINE] = 0.9568f,
        [FEATURE_COSINE_CONTEXT] = 2.4363f,
        [FEATURE_COSINE_BEFORE] = -0.1107f,
        [FEATURE_COSINE_AFTER] = 0.3444f,
        [FEATURE_NEAR] = 0.0341f,
        [FEATURE_TELLS_TIME] = 0.4263f,
        [FEATURE_TIME_ASKED] = 1.3649f,
        [FEATURE_TELLS_NUMBER] = 0.2058f,
        [FEATURE_NUMBER_ASKED] = 0.9149f,
        [FEATURE_SELF] = 0.4659f,
        [FEATURE_BM25_RAW_ALONE] = -0.5605f,
        [FEATURE_BM25_ALONE] = 3.0374f,
        [FEATURE_COVERAGE_ALONE] = -3.9655f,
        [FEATURE_RAREST_ALONE] = 0.3346f,
        [FEATURE_BIGRAMS_ALONE] = 0.4814f,
        [FEATURE_ENTITY_ALONE] = 2.0336f,
        [FEATURE_COSINE_ALONE] = -0.8624f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 2.5000f,
    },
};

static const struct rank_weights no_neighbours = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.3852f,
        [FEATURE_BM25] = 1.8949f,
        [FEATURE_TEXT] = -1.6165f,
        [FEATURE_PPR] = 1.5255f,
        [FEATURE_PPR_RAW] = -1.1412f,
        [FEATURE_PPR_ALONE] = 0.6696f,
        [FEATURE_ASKS] = -1.2405f,
        [FEATURE_LENGTH] = 1.1662f,
        [FEATURE_LENGTH_ALONE] = -3.5499f,
        [FEATURE_COVERAGE] = 0.3811f,
        [FEATURE_WINDOW_3] = 0.3811f,
        [FEATURE_WINDOW_5] = 0.3811f,
        [FEATURE_RAREST] = -0.0841f,
        [FEATURE_BIGRAMS] = 0.4462f,
        [FEATURE_GROUP] = 1.9469f,
        [FEATURE_SPEAKER] = 1.1544f,
        [FEATURE_ENTITY] = 0.2692f,
        [FEATURE_BRIDGE] = 0.0983f,
        [FEATURE_WALKED] = 2.6351f,
        [FEATURE_NAME] = 0.7448f,
        [FEATURE_NAMES] = -1.5103f,
        [FEATURE_HANDED] = 6.5875f,
        [FEATURE_TELLS_TIME] = 0.2286f,
        [FEATURE_TIME_ASKED] = 1.4516f,
        [FEATURE_TELLS_NUMBER] = 0.2682f,
        [FEATURE_NUMBER_ASKED] = 1.3723f,
        [FEATURE_SELF] = 0.7224f,
        [FEATURE_BM25_RAW_ALONE] = -1.0730f,
        [FEATURE_BM25_ALONE] = 1.2269f,
        [FEATURE_PPR_RAW_ALONE] = 0.3994f,
        [FEATURE_COVERAGE_ALONE] = -1.4354f,
        [FEATURE_RAREST_ALONE] = 0.2879f,
        [FEATURE_BIGRAMS_ALONE] = 1.0640f,
        [FEATURE_ENTITY_ALONE] = -3.9902f,
        [FEATURE_BRIDGE_ALONE] = 4.7394f,
        [FEATURE_WALKED_ALONE] = -1.2849f,
        [FEATURE_NAME_ALONE] = 1.7248f,
        [FEATURE_NAMES_ALONE] = 3.6602f,
        [FEATURE_HANDED_ALONE] = -3.3452f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 2.0000f,
        [FEATURE_NEGATION] = 2.5000f,
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

bool rank_weights_read(str text, struct rank_weights *out, struct err *e)
{
    struct weights_file file = {.rest = text};
    str name;
    float value;
    *out = (struct rank_weights){0};
    while (weights_next(&file, &name, &value, e)) {
        float *place = place_of(out, name);
        if (!place)
            return weights_unknown(&file, name, e);
        *place = value;
    }
    return e->code == ERR_NONE;
}
