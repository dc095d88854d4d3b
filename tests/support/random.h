/* A small generator of random numbers, so that each run of a test sees the same ones. */
#ifndef ENGRAM_TESTS_RANDOM_H
#define ENGRAM_TESTS_RANDOM_H

#include <stdint.h>

/* The next 31 random bits. */
static inline uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* From -1 up to 1. */
static inline float random_float(uint64_t *seed)
{
    return (float)next_random(seed) / (float)(1u << 30) - 1;
}

#endif
