#include "memory/code_rank.h"

static const struct code_weights shipped = {.weight = {
                                                [CODE_BEST] = 3.0f,
                                                [CODE_BEST_SUBJECT] = 2.0f,
                                                [CODE_WHOLE] = 2.0f,
                                                [CODE_WHOLE_SUBJECT] = 1.5f,
                                                [CODE_PATH] = 1.5f,
                                                [CODE_FILE_NAME] = 1.0f,
                                                [CODE_PATH_GIVEN] = 2.0f,
                                                [CODE_NAMED] = 2.0f,
                                                [CODE_COVERAGE] = 1.0f,
                                                [CODE_PPR] = 0.5f,
                                            }};

const struct code_weights *code_weights_shipped(void)
{
    return &shipped;
}
