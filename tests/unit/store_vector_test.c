/* Which texts lack vectors, what becomes of vectors whose text changes or goes, and what a reader
 * gets to see of it. Vectors here are made up; those of the encoder come last. */
#include "memory/late_interaction.h"
#include "memory/memory_state.h"
#include "memory/memory_vectors.h"
#include "memory/store_tokens.h"
#include "memory/store_vector.h"
#include "memory/vector_leg.h"
#include "memory/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static void change_body(int64_t id, const char *text)
{
    struct err e = {0};
    assert_true(store_begin(m->store, &e));
    assert_true(store_end(m->store, store_put_body(m->store, id, S(""), str_of(text), &e), &e));
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

static void assert_pending(size_t count, ...)
{
    va_list ids;
    struct text_batch batch = pending();
    assert_int_equal(batch.text_count, count);
    va_start(ids, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(batch.texts[i].id, va_arg(ids, int64_t));
    va_end(ids);
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

static uint64_t texts_rewritten(void)
{
    struct err e = {0};
    if (!memory_read(m, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return m->snap.rewritten;
}

/* ---- promises ---- */

static void memories_are_pending_in_order_and_entities_never(void **state)
{
    (void)state;
    int64_t a = put_text("Redis keeps the sessions.", "s"), b = put_text("Does Postgres?", "s"),
            c = put_text("Alone.", "");
    assert_pending(3, a, b, c);
    struct text_batch batch = pending();
    assert_int_equal(batch.texts[0].before.len, 0);
    assert_true(str_eq(batch.texts[1].before, S("Redis keeps the sessions.")));
    assert_int_equal(batch.texts[2].before.len, 0);
    assert_int_equal(counts().pending, 3);
    assert_int_equal(counts().model.len, 0);
}

static void the_tail_of_the_text_before_begins_at_a_character(void **state)
{
    (void)state;
    char text[400] = "";
    for (int i = 0; i < 120; i++)
        strcat(text, "\xe2\x82\xac"); /* three bytes each */
    put_text(text, "s");
    put_text("And then?", "s");
    str before = pending().texts[1].before;
    assert_int_equal(before.len, 159);
    assert_true(utf8_valid(before));
}

static void what_was_put_is_read_back_node_by_node(void **state)
{
    (void)state;
    int64_t a = put_text("One.", "s"), b = put_text("Two.", "s");
    encode_pending("model-a", -7);
    assert_pending(0);
    struct seen s = since("model-a", 0);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.rows[0].node, a);
    assert_int_equal(s.rows[0].part, 0);
    assert_int_equal(s.rows[1].node, b);
    assert_int_equal(s.rows[1].part, VECTOR_IN_CONTEXT);
    assert_int_equal(s.rows[2].part, 0);
    assert_int_equal(s.first[2], -7);
    assert_true(s.rows[2].scale == 0.5f);
    assert_int_equal(since("model-b", 0).count, 0);
    assert_int_equal(counts().vectors, 3);
    assert_int_equal(counts().texts, 2);

    int64_t c = put_text("Three.", "");
    encode_pending("model-a", 1);
    struct seen more = since("model-a", s.rows[2].seq);
    assert_int_equal(more.count, 1);
    assert_int_equal(more.rows[0].node, c);
}

static void a_text_without_vectors_is_done_too(void **state)
{
    (void)state;
    put_text("Kein Wort davon.", "");
    struct text_batch batch = pending();
    make_up(&batch, 1);
    batch.vectors[0].count = 0;
    store_all(batch);
    assert_pending(0);
    assert_int_equal(counts().vectors, 0);
}

static void only_what_was_encoded_of_a_batch_is_put(void **state)
{
    (void)state;
    put_text("One.", "");
    int64_t b = put_text("Two.", "");
    struct text_batch batch = pending();
    make_up(&batch, 1);
    batch.encoded = 1;
    store_all(batch);
    assert_pending(1, b);
}

static void vectors_of_a_text_that_changed_or_went_meanwhile_are_not_put(void **state)
{
    (void)state;
    int64_t a = put_text("One.", ""), b = put_text("Two.", ""), c = put_text("Three.", "");
    struct text_batch batch = pending();
    make_up(&batch, 1);
    change_body(a, "One, but otherwise.");
    forget(b);
    store_all(batch);
    assert_pending(1, a);
    assert_int_equal(since("model-a", 0).count, 1);
    assert_int_equal(since("model-a", 0).rows[0].node, c);
    store_all(batch); /* twice: nothing is pending any more, so nothing is doubled */
    assert_int_equal(counts().vectors, 1);
}

static void a_changed_body_loses_its_vectors_and_the_same_body_keeps_them(void **state)
{
    (void)state;
    int64_t a = put_text("One.", "");
    encode_pending("model-a", 1);
    change_body(a, "One.");
    assert_pending(0);
    assert_int_equal(counts().vectors, 1);
    assert_int_equal(token_byte(a, "model-a"), 1);
    int64_t last = since("model-a", 0).rows[0].seq;
    change_body(a, "Another one.");
    assert_pending(1, a);
    assert_int_equal(counts().vectors, 0);
    assert_int_equal(token_byte(a, "model-a"), 0);
    encode_pending("model-a", 2);
    assert_int_equal(token_byte(a, "model-a"), 2);
    assert_int_equal(since("model-a", last).count, 1); /* comes again under a new number */
}

/* The context of the next turn was made with the words of the forgotten one. */
static void forgetting_takes_the_bytes_along_and_the_context_of_the_next_turn(void **state)
{
    (void)state;
    int64_t a = put_text("The password hint is a bird.", "s"), b = put_text("Which one?", "s"),
            c = put_text("No idea.", "s");
    encode_pending("model-a", 'Q');
    uint64_t before = texts_rewritten();
    forget(a);
    assert_true(texts_rewritten() > before); /* who has b's vectors in memory is told */
    assert_pending(1, b);
    struct seen s = since("model-a", 0);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(s.rows[i].node, c);
    assert_int_equal(pending().texts[0].before.len, 0);

    forget(b);
    forget(c);
    char command[256];
    snprintf(command, sizeof command,
             "cat %s/memory.db* | tr -cd Q | wc -c | grep -qE '^[0-9]?[0-9]$'", directory);
    assert_int_equal(system(command), 0); /* 512 for each vector; some letters are of the schema */
}

/* ---- models ---- */

static struct text_batch pending_of(const char *model)
{
    struct err e = {0};
    struct text_batch batch;
    if (!vectors_pending(m, &arena, str_of(model), made_dimensions, INT64_MAX, &batch, &e))
        fail_msg("%s", e.text);
    return batch;
}

static void encode_pending_of(const char *model, int8_t byte)
{
    struct text_batch batch = pending_of(model);
    make_up(&batch, byte);
    store_all(batch);
}

static str whole(void)
{
    struct err e = {0};
    str out;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_whole_model(m->store, &arena, &out, &e));
    store_read_end(m->store);
    return out;
}

static void vectors_of_the_old_model_stay_until_all_texts_have_some_of_the_new(void **state)
{
    (void)state;
    int64_t a = put_text("One.", "");
    put_text("Two.", "");
    put_text("Three.", "");
    encode_pending("model-a", 1);
    assert_true(str_eq(whole(), S("model-a")));

    struct text_batch batch = pending_of("model-b");
    assert_int_equal(batch.text_count, 3);
    assert_int_equal(counts().pending, 3);
    make_up(&batch, 2);
    batch.encoded = 2;
    store_all(batch);
    assert_int_equal(since("model-a", 0).count, 3);
    assert_int_equal(since("model-b", 0).count, 2);
    assert_int_equal(token_byte(a, "model-a"), 1);
    assert_int_equal(token_byte(a, "model-b"), 2);
    assert_int_equal(counts().pending, 1);
    assert_int_equal(counts().outdated, 1);
    assert_true(str_eq(whole(), S("model-a")));

    batch = pending_of("model-b");
    assert_int_equal(batch.text_count, 1);
    make_up(&batch, 2);
    store_all(batch);
    assert_int_equal(pending_of("model-b").text_count, 0); /* finds that nothing is left */
    assert_true(str_eq(whole(), S("model-b")));
    assert_int_equal(since("model-a", 0).count, 0);
    assert_int_equal(since("model-b", 0).count, 3);
    assert_int_equal(token_byte(a, "model-a"), 0);
    assert_int_equal(token_byte(a, "model-b"), 2);
    assert_int_equal(counts().outdated, 0);
}

/* A drop that ended in the middle: who comes back is encoded anew, and has all its tokens. */
static void a_model_that_comes_back_while_it_goes_has_all_its_tokens_again(void **state)
{
    (void)state;
    int64_t ids[] = {put_text("One.", ""), put_text("Two.", ""), put_text("Three.", "")};
    struct err e = {0};
    bool left;
    encode_pending("model-a", 1);
    encode_pending_of("model-b", 2);
    assert_true(str_eq(whole(), S("model-a")));
    assert_true(store_begin(m->store, &e));
    int64_t b;
    assert_true(store_put_vector_model(m->store, S("model-b"), made_dimensions, &b, &e) &&
                store_set_vector_state(m->store, b, VECTORS_WHOLE, &e) &&
                store_outdate_models(m->store, b, true, &e) &&
                store_drop_outdated_models(m->store, 1, &left, &e));
    assert_true(store_end(m->store, true, &e));
    assert_true(left);
    encode_pending_of("model-a", 3);
    assert_int_equal(pending_of("model-a").text_count, 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_not_equal(token_byte(ids[i], "model-a"), 0);
}

static void tokens_are_replaced_by_none(void **state)
{
    (void)state;
    int64_t a = put_text("One.", "");
    struct err e = {0};
    encode_pending("model-a", 1);
    assert_true(store_begin(m->store, &e));
    assert_true(store_end(m->store, store_put_tokens(m->store, a, 1, S(""), &e), &e));
    assert_int_equal(token_byte(a, "model-a"), 0);
}

static void a_change_that_is_given_up_leaves_the_old_model(void **state)
{
    (void)state;
    put_text("One.", "");
    put_text("Two.", "");
    encode_pending("model-a", 1);
    struct text_batch batch = pending_of("model-b");
    make_up(&batch, 2);
    batch.encoded = 1;
    store_all(batch);
    int64_t later = put_text("Three, which the old one hasn't seen.", "");

    batch = pending_of("model-a");
    for (size_t i = 0; i < batch.text_count; i++)
        assert_true(batch.texts[i].id >= later - 1); /* what the other one left, and the new one */
    make_up(&batch, 1);
    store_all(batch);
    assert_int_equal(pending_of("model-a").text_count, 0);
    assert_true(str_eq(whole(), S("model-a")));
    assert_int_equal(since("model-a", 0).count, 3);
    assert_int_equal(since("model-b", 0).count, 0);
    assert_true(str_eq(counts().model, S("model-a")));
}

static void a_text_that_the_old_model_could_not_read_is_given_to_the_new_one(void **state)
{
    (void)state;
    put_text("Kein Wort davon.", "");
    struct text_batch batch = pending();
    make_up(&batch, 1);
    batch.vectors[0].count = 0;
    store_all(batch);
    assert_int_equal(pending_of("model-b").text_count, 1);
}

static void a_model_may_tell_its_dimensions_late(void **state)
{
    (void)state;
    struct err e = {0};
    int64_t model;
    put_text("One.", "");
    assert_true(store_begin(m->store, &e));
    bool ok = store_put_vector_model(m->store, S("model-a"), 0, &model, &e);
    assert_true(store_end(m->store, ok, &e));
    encode_pending("model-a", 1);
    assert_int_equal(since("model-a", 0).rows[0].dimensions, DIMENSIONS);
}

static void a_model_has_one_number_of_dimensions(void **state)
{
    (void)state;
    struct err e = {0};
    int64_t model;
    put_text("One.", "");
    encode_pending("model-a", 1);
    assert_true(store_begin(m->store, &e));
    bool ok = store_put_vector_model(m->store, S("model-a"), 768, &model, &e);
    assert_false(store_end(m->store, ok, &e));
    assert_int_equal(e.code, ERR_CONFLICT);
}

static void a_number_of_dimensions_that_no_vector_has_is_forgotten(void **state)
{
    (void)state;
    struct err e = {0};
    int64_t model;
    put_text("One.", "");
    assert_true(store_begin(m->store, &e));
    bool ok = store_put_vector_model(m->store, S("model-a"), 768, &model, &e);
    assert_true(store_end(m->store, ok, &e));
    encode_pending("model-a", 1);
    assert_int_equal(since("model-a", 0).rows[0].dimensions, DIMENSIONS);
}

/* All texts get vectors of the model, and those of others go. */
static void change_to(const char *model, size_t dimensions)
{
    made_dimensions = dimensions;
    struct text_batch batch = pending_of(model);
    make_up(&batch, 1);
    store_all(batch);
    assert_int_equal(pending_of(model).text_count, 0);
    assert_true(str_eq(whole(), str_of(model)));
}

/* Whether the leg has rows enough to score with, and of what length. */
static bool leg_scores(struct vector_leg *leg, const char *model, size_t dimensions)
{
    struct err e = {0};
    struct vector_scores scores;
    float query[MAX_MODEL_DIMENSIONS] = {1};
    if (!memory_read(m, &e) || !vector_leg_sync(leg, m->store, &m->snap, str_of(model), &e))
        fail_msg("%s", e.text);
    bool ok = vector_leg_score(leg, &arena, &m->snap, query, &scores) &&
              vector_leg_dimensions(leg) == dimensions;
    store_read_end(m->store);
    return ok;
}

static void a_model_that_comes_back_with_longer_vectors_has_none_of_its_old_ones(void **state)
{
    (void)state;
    struct vector_leg *leg = vector_leg_new();
    for (int i = 0; i < 20; i++)
        put_text(arena_cstr(&arena, arena_printf(&arena, "Text number %d.", i)), "");
    encode_pending("model-a", 1);
    assert_true(leg_scores(leg, "model-a", DIMENSIONS));
    change_to("model-b", DIMENSIONS); /* the leg doesn't hear of it, */
    change_to("model-a", MAX_MODEL_DIMENSIONS);
    assert_true(leg_scores(leg, "model-a", MAX_MODEL_DIMENSIONS));
    change_to("model-b", DIMENSIONS); /* but asks for a model that is gone */
    assert_false(leg_scores(leg, "model-a", MAX_MODEL_DIMENSIONS));
    assert_true(leg_scores(leg, "model-b", DIMENSIONS));
    vector_leg_free(leg);
}

/* ---- with the encoder ---- */

static struct encoder *open_encoder(void)
{
    struct encoder *en;
    struct err e = {0};
    const char *folder = getenv("ENGRAM_BUILD_DIR");
    str path = arena_printf(&arena, "%s/" ENCODER_FILE, folder ? folder : ".");
    if (!encoder_open(path.at, &en, &e)) {
        print_message("skipped: %s\n", e.text);
        skip();
    }
    return en;
}

static bool after_some(void *ctx)
{
    return --*(int *)ctx < 0;
}

static void texts_are_encoded_in_their_order_until_told_to_stop(void **state)
{
    (void)state;
    struct err e = {0};
    struct encoder *en = open_encoder();
    struct buf longer = {0};
    for (int i = 0; i < 800; i++)
        buf_printf(&longer, "The deploy of service %d waits for the database. ", i);
    put_text("We keep the sessions in Redis.", "s");
    put_text(arena_cstr(&arena, buf_str(&longer)), "s");
    put_text("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97", "");
    buf_free(&longer);

    struct text_batch batch;
    assert_true(memory_pending_texts(m, &arena, en, &batch, &e));
    assert_int_equal(batch.text_count, 3);
    memory_encode_texts(en, &arena, &batch, NULL, NULL);
    assert_int_equal(batch.encoded, 3);
    assert_int_equal(batch.vectors[0].count, 1);
    assert_int_equal(batch.vectors[0].at[0].part, 0);
    assert_true(batch.vectors[1].count > 20);
    for (size_t i = 0; i < batch.vectors[1].count; i++) {
        const struct text_vector *v = &batch.vectors[1].at[i];
        assert_int_equal(v->part, (int)i - 1);
        double square = 0;
        for (int k = 0; k < DIMENSIONS; k++)
            square += (double)v->data[k] * v->data[k] * (double)v->scale * (double)v->scale;
        assert_true(square > .98 && square < 1.02); /* of length 1 but for the rounding */
    }
    assert_int_equal(batch.vectors[2].count, 0);
    store_all(batch);
    assert_int_equal(counts().pending, 0);

    int looks = 3; /* the last one comes within the second text */
    memory_encode_texts(en, &arena, &batch, after_some, &looks);
    assert_int_equal(batch.encoded, 1);
    memory_close_encoder(en);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(memories_are_pending_in_order_and_entities_never),
        PROMISE(the_tail_of_the_text_before_begins_at_a_character),
        PROMISE(what_was_put_is_read_back_node_by_node),
        PROMISE(a_text_without_vectors_is_done_too),
        PROMISE(only_what_was_encoded_of_a_batch_is_put),
        PROMISE(vectors_of_a_text_that_changed_or_went_meanwhile_are_not_put),
        PROMISE(a_changed_body_loses_its_vectors_and_the_same_body_keeps_them),
        PROMISE(forgetting_takes_the_bytes_along_and_the_context_of_the_next_turn),
        PROMISE(vectors_of_the_old_model_stay_until_all_texts_have_some_of_the_new),
        PROMISE(a_model_that_comes_back_while_it_goes_has_all_its_tokens_again),
        PROMISE(tokens_are_replaced_by_none),
        PROMISE(a_change_that_is_given_up_leaves_the_old_model),
        PROMISE(a_text_that_the_old_model_could_not_read_is_given_to_the_new_one),
        PROMISE(a_model_may_tell_its_dimensions_late),
        PROMISE(a_model_has_one_number_of_dimensions),
        PROMISE(a_number_of_dimensions_that_no_vector_has_is_forgotten),
        PROMISE(a_model_that_comes_back_with_longer_vectors_has_none_of_its_old_ones),
        PROMISE(texts_are_encoded_in_their_order_until_told_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
