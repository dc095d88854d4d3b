#include "memory/vector_leg.h"

#include "memory/base/hash.h"
#include "memory/memory_vectors.h"
#include "memory/provider/provider.h"

#include <math.h>

enum {
    MIN_ROWS = 8,   /* fewer have no mean worth the name */
    MIN_GROUP = 32, /* fewer nodes of a group are measured by all */
    MAX_BEST = 60,
    QUERY_SCALE = 8192, /* of a component: 14 bits with sign */
};

/* What is said in a project and what its documents say lie apart: each is measured by its own mean
 * and spread, so that a handbook doesn't change which memory is near. */
enum group { SAID, WRITTEN, GROUPS, ALL = GROUPS };

struct row {
    int64_t id; /* of the node; 0: replaced since */
    node at;
    float scale;
    float on_own, on_all; /* dot products with the mean of its group, and of all */
    bool in_context;
    uint8_t group;
};

struct mean {
    float at[MAX_MODEL_DIMENSIONS], square;
    size_t rows;     /* it is that of the first so many rows of the group */
    size_t measured; /* up to which row the dot products with it are known */
};

struct vector_leg {
    struct row *rows;
    int8_t *data;      /* count x dimensions */
    size_t dimensions; /* 0: no row has come */
    uint64_t model;    /* hash of its name */
    size_t count, capacity;
    int64_t last_seq, last_id;
    uint64_t loads, rewritten;
    size_t group_count[GROUPS + 1]; /* rows of each group, and of all */
    struct mean mean[GROUPS + 1];
    int by[GROUPS]; /* by what each group is measured: itself, or ALL where few nodes are of it */
};

struct vector_leg *vector_leg_new(void)
{
    return heap_alloc(1, sizeof(struct vector_leg));
}

void vector_leg_free(struct vector_leg *v)
{
    if (!v)
        return;
    heap_free(v->rows);
    heap_free(v->data);
    heap_free(v);
}

static void clear(struct vector_leg *v)
{
    v->count = v->dimensions = v->capacity = 0;
    for (int g = 0; g <= ALL; g++)
        v->group_count[g] = v->mean[g].rows = v->mean[g].measured = 0;
    heap_free(v->rows);
    heap_free(v->data);
    v->rows = NULL;
    v->data = NULL;
    v->last_seq = v->last_id = 0;
}

/* The model came back with vectors of another length, while nobody looked: rows of both can't stand
 * side by side. What was read stays read. */
static void drop_rows_but_of(struct vector_leg *v, size_t dimensions)
{
    int64_t seq = v->last_seq, id = v->last_id;
    if (!v->dimensions || v->dimensions == dimensions)
        return;
    clear(v);
    v->last_seq = seq;
    v->last_id = id;
}

/* ---- rows ---- */

static enum group group_of(const struct snapshot *snap, size_t at)
{
    return snap->meta[at].kind == NODE_PASSAGE ? WRITTEN : SAID;
}

struct taking {
    struct vector_leg *v;
    const struct snapshot *snap;
    int64_t current; /* node whose rows come now */
};

/* A node that was encoded again: rare, so a pass over all rows is cheap enough. */
static void drop_rows_of(struct vector_leg *v, int64_t id)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->rows[i].id == id)
            v->rows[i].id = 0;
}

/* Rows are of one length: see drop_rows_but_of. */
static void make_room(struct vector_leg *v, size_t dimensions)
{
    v->dimensions = dimensions;
    if (v->count < v->capacity)
        return;
    v->capacity = v->capacity ? v->capacity * 2 : 256;
    v->rows = heap_resize(v->rows, v->capacity, sizeof *v->rows);
    v->data = heap_resize(v->data, v->capacity, dimensions);
}

static int8_t *data_of(const struct vector_leg *v, size_t row)
{
    return v->data + row * v->dimensions;
}

static bool take_row(void *ctx, const struct vector_row *r)
{
    struct taking *t = ctx;
    struct vector_leg *v = t->v;
    if (r->node != t->current && r->node <= v->last_id)
        drop_rows_of(v, r->node);
    t->current = r->node;
    v->last_seq = r->seq;
    v->last_id = r->node > v->last_id ? r->node : v->last_id;
    node at = snapshot_find(t->snap, r->node);
    if (at == NO_NODE)
        return true;
    drop_rows_but_of(v, r->dimensions);
    make_room(v, r->dimensions);
    enum group group = group_of(t->snap, at);
    v->group_count[group]++;
    v->group_count[ALL]++;
    v->rows[v->count] = (struct row){.id = r->node,
                                     .at = at,
                                     .scale = r->scale,
                                     .in_context = r->part == VECTOR_IN_CONTEXT,
                                     .group = (uint8_t)group};
    memcpy(data_of(v, v->count++), r->data, v->dimensions);
    return true;
}

/* The mean is that of the first rows up to a step of a quarter more each: it stays while few come,
 * and is the same in every process. */
static size_t rows_for_mean(size_t count)
{
    size_t step = 64, last = count < step ? count : step;
    for (; step <= count; step += step / 4)
        last = step;
    return last;
}

static void find_mean(struct vector_leg *v, int group, size_t rows)
{
    double sums[MAX_MODEL_DIMENSIONS] = {0}, square = 0;
    struct mean *mean = &v->mean[group];
    size_t seen = 0;
    for (size_t i = 0; i < v->count && seen < rows; i++) {
        if (group != ALL && v->rows[i].group != group)
            continue;
        const int8_t *data = data_of(v, i);
        seen++;
        for (size_t d = 0; d < v->dimensions; d++)
            sums[d] += (double)v->rows[i].scale * data[d];
    }
    for (size_t d = 0; d < v->dimensions; d++) {
        mean->at[d] = rows ? (float)(sums[d] / (double)rows) : 0;
        square += (double)mean->at[d] * mean->at[d];
    }
    mean->square = (float)square;
    mean->rows = rows;
    mean->measured = 0;
}

static void measure(struct vector_leg *v, int group)
{
    struct mean *mean = &v->mean[group];
    for (; mean->measured < v->count; mean->measured++) {
        struct row *r = &v->rows[mean->measured];
        if (group != ALL && r->group != group)
            continue;
        const int8_t *data = data_of(v, mean->measured);
        double dot = 0;
        for (size_t d = 0; d < v->dimensions; d++)
            dot += (double)mean->at[d] * data[d];
        *(group == ALL ? &r->on_all : &r->on_own) = (float)(dot * r->scale);
    }
}

static bool is_live(const struct snapshot *snap, const struct row *r)
{
    return r->id && snap->meta[r->at].kind < NODE_KIND_COUNT;
}

/* Rows of a node come one after the other. */
static bool is_large(const struct vector_leg *v, const struct snapshot *snap, int group)
{
    size_t nodes = 0;
    int64_t last = 0;
    for (size_t i = 0; v->group_count[group] >= MIN_GROUP && i < v->count && nodes < MIN_GROUP;
         i++) {
        const struct row *r = &v->rows[i];
        if (r->group != group || r->id == last || !is_live(snap, r))
            continue;
        last = r->id;
        nodes++;
    }
    return nodes == MIN_GROUP;
}

static void measure_by(struct vector_leg *v, int group)
{
    size_t wanted = rows_for_mean(v->group_count[group]);
    if (wanted != v->mean[group].rows)
        find_mean(v, group, wanted);
    measure(v, group);
}

static void measure_all(struct vector_leg *v, const struct snapshot *snap)
{
    for (int g = 0; g < GROUPS; g++) {
        v->by[g] = is_large(v, snap, g) ? g : ALL;
        if (v->group_count[g])
            measure_by(v, v->by[g]);
    }
}

bool vector_leg_sync(struct vector_leg *v, struct store *s, const struct snapshot *snap, str model,
                     struct err *e)
{
    struct vector_standing is;
    if (!store_vector_standing(s, model, &is, e)) {
        clear(v);
        return false;
    }
    if (!is.is_known || v->loads != snap->loads || v->rewritten != snap->rewritten ||
        v->model != hash64(model))
        clear(v);
    v->model = hash64(model);
    v->loads = snap->loads;
    v->rewritten = snap->rewritten;
    struct taking t = {v, snap, 0};
    if (!store_vectors_since(s, model, v->last_seq, take_row, &t, e)) {
        clear(v);
        return false;
    }
    measure_all(v, snap);
    return true;
}

size_t vector_leg_dimensions(const struct vector_leg *v)
{
    return v->dimensions;
}

/* ---- scores ---- */

typedef int32_t dot_product(const int16_t *query, const int8_t *row, size_t dimensions);

/* Of a query of unit length: below 2^27 for MAX_MODEL_DIMENSIONS. Compilers make wide registers of
 * a loop whose length they know: five times as fast. */
static inline __attribute__((always_inline)) int32_t
sum_of_products(const int16_t *query, const int8_t *row, size_t dimensions)
{
    enum { BLOCK = 64 };
    int32_t sum = 0;
    size_t d = 0;
    for (; d + BLOCK <= dimensions; d += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            sum += query[d + k] * row[d + k];
    for (; d < dimensions; d++)
        sum += query[d] * row[d];
    return sum;
}

static int32_t dot_plain(const int16_t *query, const int8_t *row, size_t dimensions)
{
    return sum_of_products(query, row, dimensions);
}

/* The same loop with wider registers: integers sum up alike in any order. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static int32_t dot_avx2(const int16_t *query, const int8_t *row,
                                                        size_t dimensions)
{
    return sum_of_products(query, row, dimensions);
}

static dot_product *choose_dot(void)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2 : dot_plain;
}
#else
static dot_product *choose_dot(void)
{
    return dot_plain;
}
#endif

struct spread {
    double sum, square;
    size_t count;
};

static void add_to_spread(struct spread *s, float value)
{
    s->sum += value;
    s->square += (double)value * value;
    s->count++;
}

static void to_z(const struct snapshot *snap, const int by[GROUPS], float *values, size_t count)
{
    struct spread spread[GROUPS + 1] = {{0}};
    for (size_t i = 0; i < count; i++)
        if (values[i] > NO_VECTOR) {
            add_to_spread(&spread[group_of(snap, i)], values[i]);
            add_to_spread(&spread[ALL], values[i]);
        }
    for (size_t i = 0; i < count; i++) {
        const struct spread *s = &spread[by[group_of(snap, i)]];
        if (!(values[i] > NO_VECTOR))
            continue;
        double n = (double)s->count, mean = s->sum / n, variance = s->square / n - mean * mean;
        double deviation = variance > 1e-12 ? sqrt(variance) : 1;
        values[i] = (float)((values[i] - mean) / deviation);
    }
}

static float length_without(const struct mean *mean, float on_mean)
{
    return sqrtf(fmaxf(1 - 2 * on_mean + mean->square, 1e-6f));
}

bool vector_leg_score(const struct vector_leg *v, struct arena *a, const struct snapshot *snap,
                      const float *query, struct vector_scores *out)
{
    size_t nodes = snap->graph.count;
    float *turn = ARENA_ARRAY(a, float, nodes + 1), *context = ARENA_ARRAY(a, float, nodes + 1),
          on_mean[GROUPS + 1] = {0}, length[GROUPS + 1];
    int16_t scaled[MAX_MODEL_DIMENSIONS];
    if (v->count < MIN_ROWS)
        return false;
    for (size_t i = 0; i < nodes; i++)
        turn[i] = context[i] = NO_VECTOR;
    for (size_t d = 0; d < v->dimensions; d++) {
        scaled[d] = (int16_t)lrintf(query[d] * QUERY_SCALE);
        for (int g = 0; g <= ALL; g++)
            on_mean[g] += query[d] * v->mean[g].at[d];
    }
    for (int g = 0; g <= ALL; g++)
        length[g] = length_without(&v->mean[g], on_mean[g]);
    dot_product *dot_of = choose_dot();
    for (size_t i = 0; i < v->count; i++) {
        const struct row *r = &v->rows[i];
        if (!is_live(snap, r))
            continue;
        int group = v->by[r->group];
        const struct mean *mean = &v->mean[group];
        float dot = (float)dot_of(scaled, data_of(v, i), v->dimensions) * r->scale / QUERY_SCALE;
        float row_on_mean = group == ALL ? r->on_all : r->on_own;
        float cosine = (dot - on_mean[group] - row_on_mean + mean->square) /
                       (length[group] * length_without(mean, row_on_mean));
        float *to = r->in_context ? &context[r->at] : &turn[r->at];
        *to = fmaxf(*to, cosine);
    }
    to_z(snap, v->by, turn, nodes);
    to_z(snap, v->by, context, nodes);
    struct scored *best = ARENA_ARRAY(a, struct scored, nodes + 1);
    size_t count = 0;
    for (size_t i = 0; i < nodes; i++) {
        if (context[i] <= NO_VECTOR)
            context[i] = turn[i];
        if (turn[i] > NO_VECTOR)
            best[count++] = (struct scored){(node)i, turn[i]};
    }
    *out = (struct vector_scores){turn, context, best, best_first(best, count, MAX_BEST)};
    return true;
}
