/* Weights of the code ranker, fitted by tests/bench/fit on commits of public repositories as
 * questions and the files that they touch as answers; tests/bench/README.md says which. Written by
 * tests/bench/weights.py. */
#include "memory/code_rank.h"

/* clang-format off */
static const struct code_weights code = {
    .weight = {
        [CODE_BEST] = 1.1116f,
        [CODE_BEST_RAW] = 1.9601f,
        [CODE_BEST_SUBJECT] = 1.9778f,
        [CODE_WHOLE] = -0.6451f,
        [CODE_WHOLE_SUBJECT] = 1.1526f,
        [CODE_PATH] = 1.3622f,
        [CODE_FILE_NAME] = 0.6007f,
        [CODE_PATH_GIVEN] = 0.2629f,
        [CODE_NAME] = 0.3902f,
        [CODE_NAMED] = 0.3077f,
        [CODE_COVERAGE] = -0.0438f,
        [CODE_COVERAGE_BEST] = -1.9242f,
        [CODE_PPR] = 0.8599f,
        [CODE_PAIR] = 0.0073f,
        [CODE_FOLDER] = -0.3391f,
        [CODE_SIZE] = -0.2491f,
        [CODE_TEST] = 0.1028f,
        [CODE_TEST_ASKED] = 1.3605f,
        [CODE_TEXT] = 0.6236f,
        [CODE_TEXT_ASKED] = 0.6358f,
        [CODE_CHANGES] = -0.5365f,
        [CODE_RELEASE_ASKED] = -0.3319f,
        [CODE_EXAMPLE] = -0.5138f,
        [CODE_CONFIG] = 1.1103f,
        [CODE_SUBJECTS] = 2.7924f,
        [CODE_NEAR] = 0.5562f,
        [CODE_VOTES] = 0.8684f,
        [CODE_RECENCY] = 0.4787f,
        [CODE_CHURN] = -0.3068f,
        [CODE_TOGETHER] = 1.3418f,
        [CODE_BEST_HISTORY] = -1.4704f,
    },
};

static const struct code_weights code_no_history = {
    .weight = {
        [CODE_BEST] = 1.1249f,
        [CODE_BEST_RAW] = 1.5161f,
        [CODE_BEST_SUBJECT] = 2.2894f,
        [CODE_WHOLE] = -0.3761f,
        [CODE_WHOLE_SUBJECT] = 1.4133f,
        [CODE_PATH] = 1.6390f,
        [CODE_FILE_NAME] = 0.8660f,
        [CODE_PATH_GIVEN] = 0.1628f,
        [CODE_NAME] = 0.3459f,
        [CODE_NAMED] = 0.2987f,
        [CODE_COVERAGE] = 0.4521f,
        [CODE_COVERAGE_BEST] = -2.6935f,
        [CODE_PPR] = 1.3596f,
        [CODE_PAIR] = 0.3491f,
        [CODE_FOLDER] = 0.5112f,
        [CODE_SIZE] = 1.6351f,
        [CODE_TEST] = -0.3466f,
        [CODE_TEST_ASKED] = 1.4301f,
        [CODE_TEXT] = -0.0458f,
        [CODE_TEXT_ASKED] = 0.9599f,
        [CODE_CHANGES] = -1.5153f,
        [CODE_RELEASE_ASKED] = 0.7354f,
        [CODE_EXAMPLE] = -0.6915f,
        [CODE_CONFIG] = 1.4457f,
    },
};
/* clang-format on */

const struct code_weights *code_weights_shipped(bool history)
{
    return history ? &code : &code_no_history;
}
