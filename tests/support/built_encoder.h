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

/* The bytes of a file, since struct encoder shows no pieces. */
static char *read_all(struct arena *a, const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *all = arena_alloc(a, *bytes, 1);
    assert_int_equal(fread(all, 1, *bytes, f), *bytes);
    fclose(f);
    return all;
}

#endif
