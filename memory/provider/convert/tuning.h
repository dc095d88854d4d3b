/* What was learned on top of the package's encoder, so that it finds passages of documents by what
 * they answer (tests/bench/encoder/README.md): low-rank additions to its matrices (Hu et al.,
 * "LoRA", ICLR 2022, section 4.1), other norms and biases, and the two arrays of late interaction.
 *
 *     "engram tuning 1\n", rank as 4 bytes, little-endian as all that follows
 *     arrays in the order in which the converter asks for them: a row is a float, its scale, and a
 *     signed byte for each element; a row of tuning_replace is floats
 */
#ifndef ENGRAM_PROVIDER_CONVERT_TUNING_H
#define ENGRAM_PROVIDER_CONVERT_TUNING_H

#include "memory/base/str.h"

struct tuning {
    const char *path; /* NULL: nothing was learned, and the functions do nothing */
    str rest;
    size_t rank;
};

/* All end the program where the file isn't what they expect. */
void tuning_begin(struct tuning *t, const char *path, str file);
void tuning_end(const struct tuning *t); /* nothing may be left */

/* weights[in][out] += down * up: rows [rank][in] of the one, then rows [rank][out] of the other. */
void tuning_add_product(struct tuning *t, float *weights, size_t in, size_t out);

/* Each row += row * map[n][n] */
void tuning_map_rows(struct tuning *t, float *rows, size_t count, size_t n);

void tuning_replace(struct tuning *t, float *values, size_t n);

#endif
