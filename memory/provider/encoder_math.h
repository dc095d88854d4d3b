/* The arithmetic of the local encoder: matrices of bytes or floats, norms, attention, GELU. Each
 * kernel is compiled for every machine, for AVX2 and for AVX-512 with VNNI. Products of bytes are
 * summed as integers, sums of floats keep their order in every lane and nothing is contracted, so
 * that each path gives the same bits on each machine. */
#ifndef ENGRAM_PROVIDER_ENCODER_MATH_H
#define ENGRAM_PROVIDER_ENCODER_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MATH_MAX_IN = 1536,
    MATH_MAX_ROWS = 128,
    /* Factors are scaled to 16 bits; so large that MATH_MAX_IN products with a byte fit 32 bits. */
    MATH_MAX_FACTOR = 8191,
};

enum math_path { MATH_PLAIN, MATH_AVX2, MATH_VNNI, MATH_PATHS };

/* Does this processor have it? MATH_PLAIN always. */
bool math_has(enum math_path path);
enum math_path math_best_path(void);

/* out = in * weights + bias. Either floats, or bytes with a scale for each output. `in` and, with
 * bytes, `out` are multiples of 16. */
struct matrix {
    size_t in, out;
    const float *floats; /* [in][out], or NULL */
    const int8_t *bytes; /* [out][in], or NULL */
    const float *scales; /* [out]: a weight is its byte times this; only with bytes */
    const float *bias;   /* [out] */
};

struct norm {
    size_t n;
    const float *scale, *bias; /* [n]; NULL: 1 and 0 */
};

/* Working memory of a multiplication. */
struct math_scratch {
    int16_t factors[MATH_MAX_ROWS * MATH_MAX_IN];
    float scores[MATH_MAX_ROWS];
    float keys[MATH_MAX_ROWS * MATH_MAX_ROWS]; /* of one head, [dimension][row] */
};

/* in[rows][m->in] -> out[rows][m->out]; rows is at most MATH_MAX_ROWS. */
void math_multiply(enum math_path path, const struct matrix *m, const float *in, size_t rows,
                   float *out, struct math_scratch *scratch);

/* Layer normalisation of each row; out may be in. */
void math_normalise(const struct norm *norm, const float *in, size_t rows, float *out);

/* Multi-head attention (Vaswani et al., "Attention Is All You Need", 2017, section 3.2). qkv[rows]
 * is queries, keys, values, `width` floats each; out[rows][width]. A head is width / heads floats,
 * at most MATH_MAX_ROWS. */
void math_attend(enum math_path path, const float *qkv, size_t rows, size_t width, size_t heads,
                 float *out, struct math_scratch *scratch);

/* x times the share of the normal distribution below x, of each. */
void math_gelu(enum math_path path, float *values, size_t n);

/* Where libm's may differ by processor, this doesn't. Relative error below 1e-6. */
float math_exp(float x);

#endif
