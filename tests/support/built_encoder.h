/* The files that the build makes of the encoder's package. Behind cmocka.h. */
#ifndef ENGRAM_TESTS_BUILT_ENCODER_H
#define ENGRAM_TESTS_BUILT_ENCODER_H

#include "memory/provider/encoder.h"
#include "memory/provider/encoder_weights.h"

#include <stdio.h>
#include <stdlib.h>

/* variable: of the environment, ENGRAM_BUILD_DIR or ENGRAM_SOURCE_DIR. */
static const char *at(struct arena *a, const char *variable, const char *path)
{
    return arena_printf(a, "%s/%s", getenv(variable), path).at;
}

#endif
