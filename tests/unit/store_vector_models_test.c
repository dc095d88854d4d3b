/* What becomes of vectors when the model changes: which serve meanwhile, which go, and what a model
 * that comes back finds. */
#include "memory/vector_leg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/vectors_world.h"

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
    put_unread();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(vectors_of_the_old_model_stay_until_all_texts_have_some_of_the_new),
        PROMISE(a_model_that_comes_back_while_it_goes_has_all_its_tokens_again),
        PROMISE(a_change_that_is_given_up_leaves_the_old_model),
        PROMISE(a_text_that_the_old_model_could_not_read_is_given_to_the_new_one),
        PROMISE(a_model_may_tell_its_dimensions_late),
        PROMISE(a_model_has_one_number_of_dimensions),
        PROMISE(a_number_of_dimensions_that_no_vector_has_is_forgotten),
        PROMISE(a_model_that_comes_back_with_longer_vectors_has_none_of_its_old_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
