/* Recall with a provider's vectors and a reranker: what they change, and what is said when they
 * don't answer. */
#include "memory/memory_state.h"
#include "memory/memory_vectors.h"
#include "memory/model_vectors.h"
#include "memory/store_models.h"
#include "memory/store_vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/models_world.h"

static int set_up(void **state)
{
    (void)state;
    return set_up_with(fake_models(true, false, false));
}

/* A dozen of texts, so that there is a mean. */
static void put_notes(void)
{
    static const char *const notes[] = {
        "The login token expires after an hour.",   "Deploys happen on Tuesdays after lunch.",
        "Invoices are numbered without gaps.",      "The mail queue drains through Postfix.",
        "Backups run at three in the morning.",     "Search uses a trigram index.",
        "The office plant needs water on Mondays.", "Feature flags live in a table of their own.",
        "The billing job retries four times.",      "Screenshots are taken by a headless browser.",
        "Old sessions are swept every night.",      "The queue of mails is watched by an alarm.",
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        put_text(notes[i]);
}

static size_t embed_all(void)
{
    size_t rounds = 0;
    for (;; rounds++) {
        struct vector_job job;
        struct err e = {0};
        int64_t retry_ms = 0;
        if (!model_vectors_plan(m, &arena, NOW_MS, &job, &e))
            fail_msg("%s", e.text);
        if (!job.batch.text_count)
            return rounds;
        if (!model_vectors_ask(&arena, &models, &fake_transport, &job, &retry_ms, &e) ||
            !memory_put_vectors(m, &job.batch, &e))
            fail_msg("%s", e.text);
    }
}

static struct recall_result recall(const char *query)
{
    struct recall_input in = {.now_ms = NOW_MS,
                              .query = str_of(query),
                              .filter = {UINT32_MAX, UINT32_MAX},
                              .limit = 10,
                              .budget_tokens = 2000,
                              .min_score = 0,
                              .explain = true};
    return recall_asking(in);
}

static bool answered(const struct recall_result *r, const char *leg)
{
    for (size_t i = 0; i < r->leg_count; i++)
        if (str_eq(r->legs[i], str_of(leg)))
            return true;
    return false;
}

static size_t vector_rows(void)
{
    struct err e = {0};
    struct vector_counts counts;
    if (!memory_count_vectors(m, &arena, &counts, &e))
        fail_msg("%s", e.text);
    return counts.vectors;
}

/* ---- vectors ---- */

static void texts_are_embedded_by_the_provider_and_found_by_its_vectors(void **state)
{
    (void)state;
    put_notes();
    assert_int_equal(embed_all(), 1);
    assert_int_equal(fake.sent, 1); /* all in one batch */
    assert_int_equal(vector_rows(), 12);
    struct recall_result r = recall("When does the login token expire?");
    assert_true(answered(&r, "embeddings"));
    assert_false(answered(&r, "encoder"));
    assert_int_equal(r.leg_off_count, 0);
    assert_true(str_starts(r.items[0].text, S("The login token")));
}

static void a_batch_holds_at_most_what_a_request_may(void **state)
{
    (void)state;
    for (int i = 0; i < MAX_EMBED_TEXTS + 1; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d of the long list.", i);
        put_text(text);
    }
    assert_int_equal(embed_all(), 2);
}

static void a_long_text_has_a_vector_for_each_window(void **state)
{
    (void)state;
    struct buf text = {0};
    for (int i = 0; i < 300; i++)
        buf_printf(&text, "Sentence %d of a long story. ", i);
    put_text(arena_cstr(&arena, buf_str(&text)));
    size_t windows = (text.len + MAX_WINDOW_BYTES - 1) / MAX_WINDOW_BYTES;
    buf_free(&text);
    embed_all();
    assert_in_range(vector_rows(), windows, windows + 1);
}

static void secrets_are_not_sent(void **state)
{
    (void)state;
    put_notes();
    embed_all();
    recall("Is the token ghp_0123456789abcdefghijklmnopqrstuvwxyz still good?");
    assert_null(strstr(fake.texts, "ghp_0123"));
    assert_non_null(strstr(fake.texts, "REDACTED"));
}

static void a_dead_endpoint_costs_the_leg_and_nothing_else(void **state)
{
    (void)state;
    put_notes();
    embed_all();
    fake.fails = ERR_NET;
    size_t before = fake.sent;
    struct recall_result r = recall("When does the login token expire?");
    assert_true(str_starts(r.items[0].text, S("The login token")));
    assert_false(answered(&r, "embeddings"));
    assert_int_equal(r.leg_off_count, 1);
    assert_true(str_find(r.legs_off[0], S("the endpoint is away"), 0) < r.legs_off[0].len);
    assert_int_equal(fake.sent, before + 1);

    fake.fails = ERR_NONE; /* back, but nobody waits for it again so soon */
    r = recall("When does the login token expire?");
    assert_int_equal(fake.sent, before + 1);
    assert_int_equal(r.leg_off_count, 1);
    clock_ms += GATE_RETRIES * FAKE_RETRY_MS;
    r = recall("When does the login token expire?");
    assert_true(answered(&r, "embeddings"));
    assert_int_equal(r.leg_off_count, 0);
}

static void the_old_models_leg_serves_until_the_new_one_is_whole(void **state)
{
    (void)state;
    put_notes();
    embed_all();
    models.of[PROVIDER_EMBED].model = S("two");
    fake.dimensions = 32;
    open_memory();
    struct vector_job job;
    struct err e = {0};
    int64_t retry_ms;
    assert_true(model_vectors_plan(m, &arena, NOW_MS, &job, &e));
    assert_int_equal(job.batch.text_count, 12);
    assert_true(model_vectors_ask(&arena, &models, &fake_transport, &job, &retry_ms, &e));
    job.batch.encoded = 6;
    assert_true(memory_put_vectors(m, &job.batch, &e));

    fake.dimensions = FAKE_DIMENSIONS; /* the old model is asked for the query */
    struct recall_result r = recall("When does the login token expire?");
    assert_true(answered(&r, "embeddings"));
    fake.dimensions = 32;
    r = recall("When does the login token expire?");
    assert_false(answered(&r, "embeddings")); /* of other dimensions than what serves */
    assert_int_equal(r.leg_off_count, 1);
    assert_true(str_find(r.legs_off[0], S("32 dimensions"), 0) < r.legs_off[0].len);

    embed_all();
    r = recall("When does the login token expire?");
    assert_true(answered(&r, "embeddings"));
    assert_int_equal(vector_rows(), 12);
}

static void what_recall_sent_is_counted_with_the_next_write(void **state)
{
    (void)state;
    struct err e = {0};
    struct use_row use;
    put_notes();
    embed_all();
    recall("When does the login token expire?");
    recall("Which day are deploys on?");
    assert_true(memory_has_usage(m));
    assert_true(memory_flush_usage(m, 0, &e));
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_use_of_purpose(m->store, NOW_MS, MODEL_QUERY, &use, &e));
    store_read_end(m->store);
    assert_int_equal(use.all.calls, 2);
    assert_int_equal(use.today.calls, 2);
    assert_int_equal(use.all.bytes_out, 80);
    assert_false(memory_has_usage(m));
}

/* ---- the reranker ---- */

static void the_rerankers_order_comes_out_with_the_scores_as_they_stood(void **state)
{
    (void)state;
    put_notes();
    models = fake_models(false, true, false);
    fake.best = "watched";
    struct recall_result with, without;
    with = recall("What about the queue of mails?");
    models = fake_models(false, false, false);
    without = recall("What about the queue of mails?");
    assert_true(with.item_count >= 2 && with.item_count == without.item_count);
    assert_false(str_starts(without.items[0].text, S("The queue of mails")));
    assert_true(str_starts(with.items[0].text, S("The queue of mails")));
    assert_true(answered(&with, "rerank"));
    for (size_t i = 0; i < with.item_count; i++)
        assert_true(with.items[i].score == without.items[i].score);
}

static void a_reranker_that_fails_leaves_the_order_and_says_so(void **state)
{
    (void)state;
    put_notes();
    struct recall_result without, with;
    models = fake_models(false, false, false);
    without = recall("What about the queue of mails?");
    models = fake_models(false, true, false);
    fake.best = "watched";
    fake.status = 503;
    with = recall("What about the queue of mails?");
    assert_int_equal(with.item_count, without.item_count);
    for (size_t i = 0; i < with.item_count; i++)
        assert_int_equal(with.items[i].id, without.items[i].id);
    assert_int_equal(with.leg_off_count, 1);
    assert_true(str_starts(with.legs_off[0], S("rerank: ")));
    assert_false(answered(&with, "rerank"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(texts_are_embedded_by_the_provider_and_found_by_its_vectors),
        PROMISE(a_batch_holds_at_most_what_a_request_may),
        PROMISE(a_long_text_has_a_vector_for_each_window),
        PROMISE(secrets_are_not_sent),
        PROMISE(a_dead_endpoint_costs_the_leg_and_nothing_else),
        PROMISE(the_old_models_leg_serves_until_the_new_one_is_whole),
        PROMISE(what_recall_sent_is_counted_with_the_next_write),
        PROMISE(the_rerankers_order_comes_out_with_the_scores_as_they_stood),
        PROMISE(a_reranker_that_fails_leaves_the_order_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
