#include "memory/provider/encoder_math.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 4, /* outputs whose weights are widened together */
    LANES = 8,
};

/* Of a row of floats, wherever it begins. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

static_assert((long long)MATH_MAX_IN * MATH_MAX_FACTOR * INT8_MAX <= INT32_MAX,
              "a sum of products fits 32 bits");

static_assert(MATH_MAX_ROWS % (2 * LANES) == 0, "rows filled up to whole blocks have room");

/* ---- the paths ---- */

struct kernels {
    void (*scale_rows)(const float *in, size_t rows, size_t n, int16_t *factors, float *row_scales);
    void (*multiply_bytes)(const struct matrix *m, const int16_t *factors, const float *row_scales,
                           size_t rows, float *out);
    void (*multiply_floats)(const struct matrix *m, const float *in, size_t rows, float *out);
    void (*attend_head)(const float *q, const float *k, const float *v, size_t stride, size_t rows,
                        size_t head, float *out, size_t out_stride, struct math_scratch *scratch);
    void (*gelu)(float *values, size_t n);
};

/* TOGETHER: rows whose products with BLOCK outputs are summed in registers at once. */
#define KERNEL(name) name##_plain
#define TOGETHER 2
#define TARGET
#include "memory/provider/encoder_kernels.inc"

/* Outside the sanitizers, under which a sentence takes half a second: they watch the plain path,
 * which is the same source and has to give the same bits. */
#define KERNEL(name) name##_avx2
#define TOGETHER 2
#if defined(__x86_64__)
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#define TARGET __attribute__((target("avx2"), no_sanitize("address", "undefined")))
#else
#define HAS_AVX2 false
#define TARGET
#endif
#include "memory/provider/encoder_kernels.inc"

#define KERNEL(name) name##_vnni
#define TOGETHER 4
#if defined(__x86_64__)
#define HAS_VNNI                                                                                   \
    (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&                 \
     __builtin_cpu_supports("avx512vl"))
#define TARGET                                                                                     \
    __attribute__((target("avx512vnni,avx512bw,avx512vl,prefer-vector-width=512"),                 \
                   no_sanitize("address", "undefined")))
#else
#define HAS_VNNI false
#define TARGET
#endif
#include "memory/provider/encoder_kernels.inc"

static const struct kernels *const kernels[MATH_PATHS] = {
    [MATH_PLAIN] = &kernels_plain, [MATH_AVX2] = &kernels_avx2, [MATH_VNNI] = &kernels_vnni};

bool math_has(enum math_path path)
{
    const bool has[MATH_PATHS] = {
        [MATH_PLAIN] = true, [MATH_AVX2] = HAS_AVX2, [MATH_VNNI] = HAS_VNNI};
    return has[path];
}

enum math_path math_best_path(void)
{
    for (int path = MATH_PATHS; --path > MATH_PLAIN;)
        if (math_has((enum math_path)path))
            return (enum math_path)path;
    return MATH_PLAIN;
}

void math_multiply(enum math_path path, const struct matrix *m, const float *in, size_t rows,
                   float *out, struct math_scratch *scratch)
{
    assert(m->in <= MATH_MAX_IN && rows <= MATH_MAX_ROWS && m->out % BLOCK == 0);
    if (m->floats) {
        kernels[path]->multiply_floats(m, in, rows, out);
        return;
    }
    float row_scales[MATH_MAX_ROWS];
    kernels[path]->scale_rows(in, rows, m->in, scratch->factors, row_scales);
    kernels[path]->multiply_bytes(m, scratch->factors, row_scales, rows, out);
}

void math_attend(enum math_path path, const float *qkv, size_t rows, size_t width, size_t heads,
                 float *out, struct math_scratch *scratch)
{
    size_t head = width / heads;
    assert(rows <= MATH_MAX_ROWS && head <= MATH_MAX_ROWS);
    for (size_t at = 0; at < width; at += head)
        kernels[path]->attend_head(qkv + at, qkv + width + at, qkv + 2 * width + at, 3 * width,
                                   rows, head, out + at, width, scratch);
}

void math_gelu(enum math_path path, float *values, size_t n)
{
    kernels[path]->gelu(values, n);
}

/* ---- what is the same on every path ---- */

void math_normalise(const struct norm *norm, const float *in, size_t rows, float *out)
{
    static const float epsilon = 1e-12f; /* the model's */
    size_t n = norm->n;
    for (size_t r = 0; r < rows; r++, in += n, out += n) {
        float sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            sum += in[i];
        float mean = sum / (float)n;
        for (size_t i = 0; i < n; i++)
            squares += (in[i] - mean) * (in[i] - mean);
        float steepness = 1 / sqrtf(squares / (float)n + epsilon);
        for (size_t i = 0; i < n; i++)
            out[i] = (norm->scale ? norm->scale[i] : 1) * steepness * (in[i] - mean) +
                     (norm->bias ? norm->bias[i] : 0);
    }
}

float math_exp(float x)
{
    return exponential_plain(x);
}
