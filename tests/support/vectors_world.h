/* A memory whose texts get vectors that are made up, and what a reader sees of them. Included by
 * one unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_VECTORS_WORLD_H
#define ENGRAM_TESTS_VECTORS_WORLD_H

#include "memory/late_interaction.h"
#include "memory/memory_vectors.h"
#include "memory/store_tokens.h"
#include "memory/store_vector.h"
#include "memory/vectors.h"
#include "tests/support/memory_world.h"

enum { DIMENSIONS = ENCODER_DIMENSIONS };

static size_t made_dimensions; /* of the vectors made up */

static int set_up(void **state)
{
    (void)state;
    clock_ms = 0;
    make_directory();
    made_dimensions = DIMENSIONS;
    open_memory_with((struct memory_options){0});
    return 0;
}

/* ---- a world ---- */

static int64_t put_text(const char *text, const char *session)
{
    struct remember_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = 1000000 + clock_ms},
                                .text = str_of(text),
                                .session = str_of(session)};
    struct remember_result out;
    struct err e = {0};
    if (!memory_remember(m, &arena, &in, &out, &e))
        fail_msg("%s: %s", text, e.text);
    return out.id;
}

static struct text_batch pending(void)
{
    struct err e = {0};
    struct text_batch batch = {.model = S("model-a"), .dimensions = made_dimensions};
    assert_true(store_read_begin(m->store, &e));
    if (!store_pending_texts(m->store, &arena, 100, INT64_MAX, &batch.texts, &batch.text_count, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return batch;
}

/* Two vectors a text, whose bytes are `byte`, the first of them in context, and a row of tokens. */
static void make_up(struct text_batch *batch, int8_t byte)
{
    batch->vectors = ARENA_ARRAY(&arena, struct text_vectors, batch->text_count);
    batch->encoded = batch->text_count;
    for (size_t i = 0; i < batch->text_count; i++) {
        struct text_vectors *v = &batch->vectors[i];
        bool has_context = batch->texts[i].before.len > 0;
        char *row = arena_bytes(&arena, LATE_ROW_BYTES);
        memset(row, byte, LATE_ROW_BYTES);
        *v = (struct text_vectors){.of = &batch->texts[i],
                                   .at = ARENA_ARRAY(&arena, struct text_vector, 2),
                                   .count = has_context ? 2 : 1,
                                   .dimensions = made_dimensions,
                                   .tokens = str_from(row, LATE_ROW_BYTES)};
        for (size_t k = 0; k < v->count; k++) {
            v->at[k] = (struct text_vector){has_context ? (int)k - 1 : 0, 0.5f,
                                            ARENA_ARRAY(&arena, int8_t, made_dimensions)};
            memset(v->at[k].data, byte, made_dimensions);
        }
    }
}

static void store_all(struct text_batch batch)
{
    struct err e = {0};
    if (!memory_put_vectors(m, &batch, &e))
        fail_msg("%s", e.text);
}

/* A text of which the model made nothing. */
static void put_unread(void)
{
    put_text("Kein Wort davon.", "");
    struct text_batch batch = pending();
    make_up(&batch, 1);
    batch.vectors[0].count = 0;
    store_all(batch);
}

static void encode_pending(const char *model, int8_t byte)
{
    struct text_batch batch = pending();
    batch.model = str_of(model);
    make_up(&batch, byte);
    store_all(batch);
}

/* ---- what a reader sees ---- */

struct seen {
    struct vector_row rows[32];
    int8_t first[32];
    size_t count;
};

static bool see(void *ctx, const struct vector_row *row)
{
    struct seen *s = ctx;
    s->rows[s->count] = *row;
    s->first[s->count++] = row->data[0];
    return s->count < 32;
}

static struct seen since(const char *model, int64_t seq)
{
    struct err e = {0};
    struct seen s = {0};
    assert_true(store_read_begin(m->store, &e));
    if (!store_vectors_since(m->store, str_of(model), seq, see, &s, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return s;
}

/* The first byte of the tokens that a text has of a model; 0: it has none. */
static int token_byte(int64_t id, const char *model)
{
    struct err e = {0};
    str rows;
    assert_true(store_read_begin(m->store, &e));
    if (!store_get_tokens(m->store, &arena, id, str_of(model), MAX_LATE_BYTES, &rows, &e))
        fail_msg("%s", e.text);
    int byte = late_rows_valid(rows) ? rows.at[0] : 0;
    store_read_end(m->store);
    return byte;
}

static struct vector_counts counts(void)
{
    struct err e = {0};
    struct vector_counts out;
    if (!memory_count_vectors(m, &arena, &out, &e))
        fail_msg("%s", e.text);
    return out;
}

#endif
