#include "memory/provider/convert/tuning.h"

#include "memory/provider/convert/die.h"

#include <stdint.h>

static const char MAGIC[] = "engram tuning 1\n";

enum { MAX_RANK = 64 };

static const char *take(struct tuning *t, size_t bytes)
{
    if (t->rest.len < bytes)
        die("truncated", t->path);
    const char *at = t->rest.at;
    t->rest = str_cut(t->rest, bytes, t->rest.len);
    return at;
}

static uint32_t take_number(struct tuning *t)
{
    const unsigned char *b = (const unsigned char *)take(t, sizeof(uint32_t));
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float take_float(struct tuning *t)
{
    uint32_t bits = take_number(t);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void take_row(struct tuning *t, float *row, size_t n)
{
    float scale = take_float(t);
    const char *bytes = take(t, n);
    for (size_t i = 0; i < n; i++)
        row[i] = scale * (float)(signed char)bytes[i];
}

static float *take_rows(struct tuning *t, size_t rows, size_t n)
{
    float *out = malloc(rows * n * sizeof *out);
    if (!out)
        die("no memory", t->path);
    for (size_t r = 0; r < rows; r++)
        take_row(t, out + r * n, n);
    return out;
}

void tuning_begin(struct tuning *t, const char *path, str file)
{
    *t = (struct tuning){.path = path, .rest = file};
    size_t length = sizeof MAGIC - 1;
    if (memcmp(take(t, length), MAGIC, length) != 0)
        die("not a tuning of the encoder", path);
    t->rank = take_number(t);
    if (t->rank > MAX_RANK)
        die("too high a rank", path);
}

void tuning_end(const struct tuning *t)
{
    if (t->path && t->rest.len)
        die("longer than expected", t->path);
}

void tuning_add_product(struct tuning *t, float *weights, size_t in, size_t out)
{
    if (!t->path)
        return;
    float *down = take_rows(t, t->rank, in), *up = take_rows(t, t->rank, out);
    for (size_t r = 0; r < t->rank; r++)
        for (size_t i = 0; i < in; i++)
            for (size_t o = 0; o < out; o++)
                weights[i * out + o] += down[r * in + i] * up[r * out + o];
    free(down);
    free(up);
}

void tuning_map_rows(struct tuning *t, float *rows, size_t count, size_t n)
{
    if (!t->path)
        return;
    float *map = take_rows(t, n, n), *row = malloc(n * sizeof *row);
    if (!row)
        die("no memory", t->path);
    for (size_t r = 0; r < count; r++, rows += n) {
        memcpy(row, rows, n * sizeof *row);
        for (size_t i = 0; i < n; i++)
            for (size_t o = 0; o < n; o++)
                rows[o] += row[i] * map[i * n + o];
    }
    free(map);
    free(row);
}

void tuning_replace(struct tuning *t, float *values, size_t n)
{
    for (size_t i = 0; t->path && i < n; i++)
        values[i] = take_float(t);
}
