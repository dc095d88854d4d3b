/* Weights of the code ranker, fitted by tests/bench/fit on commits of public repositories as
 * questions and the files that they touch as answers; tests/bench/README.md says which. Written by
 * tests/bench/weights.py. */
#include "memory/code_rank.h"

/* clang-format off */
static const struct code_weights code = {
    .weight = {
        [CODE_BEST] = 3.4101f,
        [CODE_BEST_RAW] = 2.2110f,
        [CODE_BEST_SUBJECT] = 1.7728f,
        [CODE_WHOLE] = -1.7311f,
        [CODE_WHOLE_SUBJECT] = 1.6778f,
        [CODE_PATH] = 1.2744f,
        [CODE_FILE_NAME] = 0.6350f,
        [CODE_PATH_GIVEN] = 0.2793f,
        [CODE_NAME] = 0.3860f,
        [CODE_NAMED] = 0.3942f,
        [CODE_COVERAGE] = 2.3471f,
        [CODE_COVERAGE_BEST] = -4.7641f,
        [CODE_PPR] = 0.5816f,
        [CODE_PAIR] = 0.0176f,
        [CODE_FOLDER] = -0.4002f,
        [CODE_SIZE] = -0.3048f,
        [CODE_TEST] = 0.1219f,
        [CODE_TEST_ASKED] = 1.4731f,
        [CODE_TEXT] = 0.6655f,
        [CODE_TEXT_ASKED] = 0.6458f,
        [CODE_CHANGES] = -0.5888f,
        [CODE_RELEASE_ASKED] = -0.4707f,
        [CODE_EXAMPLE] = -0.4718f,
        [CODE_CONFIG] = 1.1043f,
        [CODE_SUBJECTS] = 4.2999f,
        [CODE_NEAR] = 0.4494f,
        [CODE_VOTES] = 0.9952f,
        [CODE_RECENCY] = 0.4474f,
        [CODE_CHURN] = -0.5657f,
        [CODE_TOGETHER] = 1.2923f,
        [CODE_BEST_HISTORY] = -3.5263f,
    },
};

static const struct code_weights code_no_history = {
    .weight = {
        [CODE_BEST] = 2.3138f,
        [CODE_BEST_RAW] = 1.4963f,
        [CODE_BEST_SUBJECT] = 2.1313f,
        [CODE_WHOLE] = -1.4044f,
        [CODE_WHOLE_SUBJECT] = 1.9049f,
        [CODE_PATH] = 1.6956f,
        [CODE_FILE_NAME] = 0.8695f,
        [CODE_PATH_GIVEN] = 0.1027f,
        [CODE_NAME] = 0.2764f,
        [CODE_NAMED] = 0.2806f,
        [CODE_COVERAGE] = 3.1815f,
        [CODE_COVERAGE_BEST] = -6.3235f,
        [CODE_PPR] = 1.2685f,
        [CODE_PAIR] = 0.3744f,
        [CODE_FOLDER] = 0.5272f,
        [CODE_SIZE] = 1.8645f,
        [CODE_TEST] = -0.3652f,
        [CODE_TEST_ASKED] = 1.6003f,
        [CODE_TEXT] = 0.0165f,
        [CODE_TEXT_ASKED] = 1.0559f,
        [CODE_CHANGES] = -1.8712f,
        [CODE_RELEASE_ASKED] = 0.8352f,
        [CODE_EXAMPLE] = -0.6929f,
        [CODE_CONFIG] = 1.5325f,
    },
};
/* clang-format on */

const struct code_weights *code_weights_shipped(bool history)
{
    return history ? &code : &code_no_history;
}
