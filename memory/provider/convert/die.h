/* How the program that converts the encoder's weights ends where it can't. */
#ifndef ENGRAM_PROVIDER_CONVERT_DIE_H
#define ENGRAM_PROVIDER_CONVERT_DIE_H

#include <stdio.h>
#include <stdlib.h>

_Noreturn static inline void die(const char *what, const char *which)
{
    fprintf(stderr, "encoder weights: %s: %s\n", which, what);
    exit(EXIT_FAILURE);
}

#endif
