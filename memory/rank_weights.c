/* The shipped weights of the ranker of prose, written by tests/bench/weights.py from what
 * tests/bench/fit found. Fitted together on LoCoMo's ten conversations (Maharana et al., ACL 2024),
 * HippoRAG's tuning sets of HotpotQA and MuSiQue (Gutierrez et al., NeurIPS 2024) and the
 * developers' diary of tests/bench/developer_questions.json, without the encoder;
 * tests/bench/README.md has the figures held out. `archived`, `time`, `path` and `negation`
 * are set by hand: the data sets lack such memories and questions. */
#include "memory/rank.h"

#include <stdlib.h>

/* The layout is the generator's. */
/* clang-format off */
static const struct rank_weights all = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.9753f,
        [FEATURE_BM25] = 0.1313f,
        [FEATURE_TEXT] = 0.0642f,
        [FEATURE_PPR] = 1.4879f,
        [FEATURE_PPR_RAW] = 0.4461f,
        [FEATURE_PPR_ALONE] = 1.0181f,
        [FEATURE_BEFORE_2] = 1.0645f,
        [FEATURE_BEFORE_1] = -0.4005f,
        [FEATURE_AFTER_1] = 0.0650f,
        [FEATURE_AFTER_2] = 0.0654f,
        [FEATURE_AFTER_3] = -0.3574f,
        [FEATURE_ANSWERS] = 0.0584f,
        [FEATURE_ANSWER] = 2.1887f,
        [FEATURE_ASKS] = -1.0947f,
        [FEATURE_LENGTH] = 1.7196f,
        [FEATURE_LENGTH_ALONE] = -1.1746f,
        [FEATURE_COVERAGE] = -0.0307f,
        [FEATURE_WINDOW_3] = 0.9991f,
        [FEATURE_WINDOW_5] = 1.1640f,
        [FEATURE_RAREST] = 0.0271f,
        [FEATURE_BIGRAMS] = 0.7019f,
        [FEATURE_GROUP] = 2.0646f,
        [FEATURE_SPEAKER] = 1.0872f,
        [FEATURE_ENTITY] = 0.0762f,
        [FEATURE_BRIDGE] = 1.1469f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 1.5000f,
        [FEATURE_NEGATION] = 0.7000f,
    },
};

static const struct rank_weights with_encoder = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.6704f,
        [FEATURE_BM25] = -0.0637f,
        [FEATURE_TEXT] = -0.0961f,
        [FEATURE_PPR] = 1.7567f,
        [FEATURE_PPR_RAW] = 0.2710f,
        [FEATURE_PPR_ALONE] = 1.2664f,
        [FEATURE_BEFORE_2] = 0.8232f,
        [FEATURE_BEFORE_1] = -0.8190f,
        [FEATURE_AFTER_1] = -0.2136f,
        [FEATURE_AFTER_2] = -0.0301f,
        [FEATURE_AFTER_3] = -0.4418f,
        [FEATURE_ANSWERS] = -0.1515f,
        [FEATURE_ANSWER] = 2.0373f,
        [FEATURE_ASKS] = -1.4224f,
        [FEATURE_LENGTH] = 2.2786f,
        [FEATURE_LENGTH_ALONE] = -1.5092f,
        [FEATURE_COVERAGE] = 0.0314f,
        [FEATURE_WINDOW_3] = 0.9901f,
        [FEATURE_WINDOW_5] = 1.0338f,
        [FEATURE_RAREST] = 0.0486f,
        [FEATURE_BIGRAMS] = 0.7250f,
        [FEATURE_GROUP] = 2.0031f,
        [FEATURE_SPEAKER] = 1.1682f,
        [FEATURE_ENTITY] = -0.2486f,
        [FEATURE_COSINE] = 0.8138f,
        [FEATURE_COSINE_CONTEXT] = 2.0861f,
        [FEATURE_COSINE_BEFORE] = 0.0459f,
        [FEATURE_COSINE_AFTER] = 0.5129f,
        [FEATURE_BRIDGE] = 0.9494f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 1.5000f,
        [FEATURE_NEGATION] = 0.7000f,
    },
};

static const struct rank_weights no_ppr = {
    .weight = {
        [FEATURE_BM25_RAW] = 1.2741f,
        [FEATURE_BM25] = 0.6302f,
        [FEATURE_TEXT] = 0.5697f,
        [FEATURE_BEFORE_2] = 1.2511f,
        [FEATURE_BEFORE_1] = 0.0003f,
        [FEATURE_AFTER_1] = 0.4197f,
        [FEATURE_AFTER_2] = 0.2130f,
        [FEATURE_AFTER_3] = -0.3326f,
        [FEATURE_ANSWERS] = 0.0558f,
        [FEATURE_ANSWER] = 2.2347f,
        [FEATURE_ASKS] = -1.1098f,
        [FEATURE_LENGTH] = 1.6374f,
        [FEATURE_LENGTH_ALONE] = -1.3004f,
        [FEATURE_COVERAGE] = -0.2077f,
        [FEATURE_WINDOW_3] = 1.1280f,
        [FEATURE_WINDOW_5] = 1.1444f,
        [FEATURE_RAREST] = 0.1415f,
        [FEATURE_BIGRAMS] = 0.7916f,
        [FEATURE_GROUP] = 2.3244f,
        [FEATURE_SPEAKER] = 1.0672f,
        [FEATURE_ENTITY] = 0.8210f,
        [FEATURE_BRIDGE] = 1.0794f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 1.5000f,
        [FEATURE_NEGATION] = 0.7000f,
    },
};

static const struct rank_weights no_neighbours = {
    .weight = {
        [FEATURE_BM25_RAW] = 0.9264f,
        [FEATURE_BM25] = -0.1423f,
        [FEATURE_TEXT] = -0.2262f,
        [FEATURE_PPR] = 1.9104f,
        [FEATURE_PPR_RAW] = 0.5452f,
        [FEATURE_PPR_ALONE] = 1.0883f,
        [FEATURE_ASKS] = -1.4315f,
        [FEATURE_LENGTH] = 1.5640f,
        [FEATURE_LENGTH_ALONE] = -1.1874f,
        [FEATURE_COVERAGE] = -0.8034f,
        [FEATURE_WINDOW_3] = 0.8505f,
        [FEATURE_WINDOW_5] = 2.6429f,
        [FEATURE_RAREST] = -0.0944f,
        [FEATURE_BIGRAMS] = 0.4634f,
        [FEATURE_GROUP] = 2.2506f,
        [FEATURE_SPEAKER] = 1.0989f,
        [FEATURE_ENTITY] = -0.1297f,
        [FEATURE_BRIDGE] = 1.1266f,
        [FEATURE_ARCHIVED] = -1.0000f,
        [FEATURE_TIME] = 1.0000f,
        [FEATURE_PATH] = 1.5000f,
        [FEATURE_NEGATION] = 0.7000f,
    },
};
/* clang-format on */

const struct rank_weights *rank_weights_for(bool ppr, bool neighbours, bool vectors)
{
    if (ppr && neighbours && vectors)
        return &with_encoder;
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

static bool read_number(str text, float *out)
{
    char copy[32], *end;
    if (text.len == 0 || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    *out = strtof(copy, &end);
    return *end == '\0' && *out > -1e6f && *out < 1e6f; /* false for NaN */
}

bool rank_weights_read(str text, struct rank_weights *out, struct err *e)
{
    str line, name, value, rest = text;
    *out = (struct rank_weights){0};
    for (int number = 1; str_next_line(&rest, &line); number++) {
        line = str_cut(line, 0, str_find_char(line, '#', 0));
        if (!str_next_word(&line, &name) || str_starts(name, S("code_"))) /* of the other ranker */
            continue;
        float *place = place_of(out, name);
        if (!place)
            return fail(e, ERR_INPUT, "weights, line %d: '%.*s' is no feature", number,
                        FMT(str_cut(name, 0, 60)));
        if (!str_next_word(&line, &value) || !read_number(value, place))
            return fail(e, ERR_INPUT, "weights, line %d: %.*s wants a number", number, FMT(name));
    }
    return true;
}
