/* Weights of the code ranker, fitted by tests/bench/fit on commits of public repositories as
 * questions and the files that they touch as answers; tests/bench/README.md says which. Written by
 * tests/bench/weights.py. */
#include "memory/code_rank.h"

/* clang-format off */
static const struct code_weights code = {
    .weight = {
        [CODE_BEST] = 1.6759f,
        [CODE_BEST_RAW] = 1.3524f,
        [CODE_BEST_SUBJECT] = 2.4628f,
        [CODE_WHOLE] = -0.1945f,
        [CODE_WHOLE_SUBJECT] = 1.3438f,
        [CODE_PATH] = 1.6587f,
        [CODE_FILE_NAME] = 0.8555f,
        [CODE_PATH_GIVEN] = 0.1329f,
        [CODE_NAME] = 0.2252f,
        [CODE_NAMED] = 0.4392f,
        [CODE_COVERAGE] = 0.3932f,
        [CODE_COVERAGE_BEST] = -2.5278f,
        [CODE_PPR] = 0.8798f,
        [CODE_PAIR] = 0.4022f,
        [CODE_FOLDER] = 0.4884f,
        [CODE_SIZE] = 1.6850f,
        [CODE_TEST] = -0.3511f,
        [CODE_TEST_ASKED] = 1.4164f,
        [CODE_TEXT] = -0.0926f,
        [CODE_TEXT_ASKED] = 0.9674f,
        [CODE_CHANGES] = -1.6552f,
        [CODE_RELEASE_ASKED] = 0.7217f,
        [CODE_EXAMPLE] = -0.6545f,
        [CODE_CONFIG] = 1.3969f,
    },
};
/* clang-format on */

const struct code_weights *code_weights_shipped(bool history)
{
    (void)history;
    return &code;
}
