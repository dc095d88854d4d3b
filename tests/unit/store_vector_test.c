/* Which texts lack vectors, and what becomes of vectors whose text changes or goes. Vectors here
 * are made up; those of the encoder come last. */
#include "memory/provider/encoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/vectors_world.h"

static void change_body(int64_t id, const char *text)
{
    struct err e = {0};
    assert_true(store_begin(m->store, &e));
    assert_true(store_end(m->store, store_put_body(m->store, id, S(""), str_of(text), &e), &e));
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

static uint64_t texts_rewritten(void)
{
    struct err e = {0};
    if (!memory_read(m, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return m->snap.rewritten;
}

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
    put_unread();
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
    assert_int_equal(system(command), 0); /* 384 for each vector; some letters are of the schema */
}
static bool within(size_t most)
{
    struct err e = {0};
    bool out;
    assert_true(store_read_begin(m->store, &e));
    if (!store_vectors_within(m->store, most, &out, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
    return out;
}

static void so_many_vectors_and_no_more_are_within_a_number(void **state)
{
    (void)state;
    assert_true(within(0));
    put_text("One.", "");
    put_text("Two.", "");
    put_text("Three.", "");
    encode_pending("model-a", 1);
    assert_false(within(2));
    assert_true(within(3));
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
    for (int i = 0; i < 300; i++)
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
        PROMISE(so_many_vectors_and_no_more_are_within_a_number),
        PROMISE(tokens_are_replaced_by_none),
        PROMISE(texts_are_encoded_in_their_order_until_told_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
