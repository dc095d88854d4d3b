#include "memory/late_interaction.h"

#include <math.h>

enum {
    WIDTH = ENCODER_TOKEN_DIMENSIONS,
    MOST = 7,           /* of a dimension, in steps */
    QUERY_SCALE = 8192, /* of a component: 14 bits with sign */
};

/* A dimension of a unit vector is .125 on average; what is beyond seven steps is cut. */
static const float STEP = .044f;

struct late_query {
    size_t count;
    float weight_sum;
    float weight[ENCODER_MAX_PIECES];
    int16_t row[ENCODER_MAX_PIECES][WIDTH];
};

/* ---- rows ---- */

static unsigned pack_one(float value)
{
    float steps = roundf(value / STEP);
    return (unsigned)((int)fminf(fmaxf(steps, -MOST), MOST) + MOST);
}

str late_pack(struct arena *a, const struct encoder_tokens *t)
{
    size_t count = t->count < MAX_LATE_ROWS ? t->count : MAX_LATE_ROWS;
    char *out = arena_bytes(a, count * LATE_ROW_BYTES), *to = out;
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < WIDTH; i += 2)
            *to++ = (char)(pack_one(t->at[r][i]) | pack_one(t->at[r][i + 1]) << 4);
    return str_from(out, count * LATE_ROW_BYTES);
}

bool late_rows_valid(str rows)
{
    return rows.len && rows.len % LATE_ROW_BYTES == 0 && rows.len / LATE_ROW_BYTES <= MAX_LATE_ROWS;
}

struct late_query *late_query_build(struct arena *a, const struct encoder_tokens *t)
{
    struct late_query *q = ARENA_NEW(a, struct late_query);
    q->count = t->count < ENCODER_MAX_PIECES ? t->count : ENCODER_MAX_PIECES;
    for (size_t r = 0; r < q->count; r++) {
        q->weight[r] = t->weight[r];
        q->weight_sum += t->weight[r];
        for (size_t i = 0; i < WIDTH; i++)
            q->row[r][i] = (int16_t)lrintf(t->at[r][i] * QUERY_SCALE);
    }
    return q;
}

/* ---- scores ---- */

typedef void best_products(const struct late_query *q, const unsigned char *row,
                           int32_t best[ENCODER_MAX_PIECES]);

/* best[i] becomes the product of the query's row i with this one where that is greater. */
static inline __attribute__((always_inline)) void
compare_row(const struct late_query *q, const unsigned char *row, int32_t best[ENCODER_MAX_PIECES])
{
    int16_t wide[WIDTH];
    for (size_t i = 0; i < LATE_ROW_BYTES; i++) {
        wide[2 * i] = (int16_t)((row[i] & 15) - MOST);
        wide[2 * i + 1] = (int16_t)((row[i] >> 4) - MOST);
    }
    for (size_t r = 0; r < q->count; r++) {
        int32_t sum = 0;
        for (size_t i = 0; i < WIDTH; i++)
            sum += q->row[r][i] * wide[i];
        best[r] = sum > best[r] ? sum : best[r];
    }
}

static void compare_plain(const struct late_query *q, const unsigned char *row,
                          int32_t best[ENCODER_MAX_PIECES])
{
    compare_row(q, row, best);
}

/* The same loop with wider registers: integers sum up alike in any order. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void
compare_avx2(const struct late_query *q, const unsigned char *row, int32_t best[ENCODER_MAX_PIECES])
{
    compare_row(q, row, best);
}

static best_products *choose_compare(void)
{
    return __builtin_cpu_supports("avx2") ? compare_avx2 : compare_plain;
}
#else
static best_products *choose_compare(void)
{
    return compare_plain;
}
#endif

/* The greatest products with each of so many rows. */
static void compare_rows(const struct late_query *q, best_products *compare,
                         const unsigned char *rows, size_t count, int32_t best[ENCODER_MAX_PIECES])
{
    for (size_t r = 0; r < q->count; r++)
        best[r] = INT32_MIN;
    for (size_t i = 0; i < count; i++)
        compare(q, rows + i * LATE_ROW_BYTES, best);
}

/* Of two halves of a stretch. */
static float mean_of_best(const struct late_query *q, const int32_t *one, const int32_t *other)
{
    float sum = 0;
    for (size_t r = 0; r < q->count; r++)
        sum += q->weight[r] * (float)(one[r] > other[r] ? one[r] : other[r]);
    float mean = q->weight_sum > 0 ? sum * STEP / (QUERY_SCALE * q->weight_sum) : 0;
    return fmaxf(-1, fminf(mean, 1)); /* rounding may lead over it, and bytes of others' making */
}

float late_score(const struct late_query *q, str rows)
{
    enum { HALF = LATE_STRETCH_ROWS / 2 };
    int32_t halves[2][ENCODER_MAX_PIECES];
    best_products *compare = choose_compare();
    const unsigned char *row = (const unsigned char *)rows.at;
    size_t count = rows.len / LATE_ROW_BYTES;
    float best = -1;
    for (size_t at = 0, half = 0; at < count; at += HALF, half ^= 1) {
        size_t some = count - at < HALF ? count - at : HALF;
        compare_rows(q, compare, row + at * LATE_ROW_BYTES, some, halves[half]);
        if (at > 0 || some == count)
            best = fmaxf(best, mean_of_best(q, halves[half], halves[at > 0 ? half ^ 1 : half]));
    }
    return best;
}
