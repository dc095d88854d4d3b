#include "memory/provider/encoder_weights.h"

#include "memory/provider/encoder.h"

#include <assert.h>

enum { ALIGNMENT = 64, INNER = 1536 };

static_assert(sizeof(struct weights_header) == ALIGNMENT, "the arrays begin behind it");

struct cursor {
    const char *file;
    size_t at;
    bool floats;
};

static const void *take(struct cursor *c, size_t n, size_t size)
{
    const void *array = c->file ? c->file + c->at : NULL;
    c->at += (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return array;
}

static struct norm take_norm(struct cursor *c, size_t n)
{
    struct norm norm = {.n = n};
    norm.scale = take(c, n, sizeof(float));
    norm.bias = take(c, n, sizeof(float));
    return norm;
}

static struct matrix take_rows(struct cursor *c, size_t in, size_t out)
{
    struct matrix m = {.in = in, .out = out};
    if (c->floats) {
        m.floats = take(c, in * out, sizeof(float));
    } else {
        m.bytes = take(c, in * out, sizeof(int8_t));
        m.scales = take(c, out, sizeof(float));
    }
    return m;
}

static struct matrix take_matrix(struct cursor *c, size_t in, size_t out)
{
    struct matrix m = take_rows(c, in, out);
    m.bias = take(c, out, sizeof(float));
    return m;
}

static struct weights_layer take_layer(struct cursor *c)
{
    struct weights_layer layer = {0};
    layer.qkv = take_matrix(c, ENCODER_DIMENSIONS, 3 * ENCODER_DIMENSIONS);
    layer.attended = take_matrix(c, ENCODER_DIMENSIONS, ENCODER_DIMENSIONS);
    layer.attention_norm = take_norm(c, ENCODER_DIMENSIONS);
    layer.inner = take_matrix(c, ENCODER_DIMENSIONS, INNER);
    layer.outer = take_matrix(c, INNER, ENCODER_DIMENSIONS);
    layer.outer_norm = take_norm(c, ENCODER_DIMENSIONS);
    return layer;
}

size_t weights_place(const struct weights_header *header, const char *file, struct weights *w)
{
    struct cursor c = {file, sizeof *header, header->kind == WEIGHTS_FLOATS};
    w->wordpiece.piece_count = header->pieces;
    w->wordpiece.node_count = header->nodes;
    w->wordpiece.nodes = take(&c, header->nodes, sizeof(struct piece_node));
    w->strange = take(&c, header->pieces, sizeof *w->strange);
    w->positions = take(&c, (size_t)ENCODER_MAX_ROWS * ENCODER_DIMENSIONS, sizeof(float));
    w->embeddings = take_rows(&c, ENCODER_DIMENSIONS, header->pieces);
    w->embedding_norm = take_norm(&c, ENCODER_DIMENSIONS);
    for (size_t i = 0; i < WEIGHTS_LAYERS; i++)
        w->layers[i] = take_layer(&c);
    w->token = take_matrix(&c, ENCODER_DIMENSIONS, ENCODER_TOKEN_DIMENSIONS);
    w->query_weight = take(&c, ENCODER_DIMENSIONS + 1, sizeof(float));
    return c.at;
}
