/* The queue of what models are asked: each item done once or still pending, whatever fails. */
#include "memory/memory_vectors.h"
#include "memory/model_job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/queue_world.h"

/* ---- each item once ---- */

static void every_text_is_asked_about_once(void **state)
{
    (void)state;
    says(NOTHING);
    for (int i = 0; i < 20; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d of a long list of notes.", i);
        put_text(text);
    }
    assert_int_equal(run_queue(), 20);
    assert_int_equal(fake.sent, 20);
    assert_int_equal(run_queue(), 0);
    put_text("One more note that comes later than the others.");
    assert_int_equal(run_queue(), 1);
    struct queue_line l = line_of(MODEL_EXTRACT);
    assert_int_equal(l.pending, 0);
    assert_int_equal(l.calls, 21);
    assert_int_equal(l.tokens, 21 * 110);
    assert_int_equal(l.bytes_out, 21 * 40);
}

static void a_job_that_dies_leaves_its_items_to_who_takes_over(void **state)
{
    (void)state;
    struct err e = {0};
    says(NOTHING);
    put_text("The first note of two, long enough to be asked about.");
    put_text("The second note of two, long enough to be asked about.");
    struct model_job *lost = next_job();
    assert_null(next_job()); /* both are leased */
    model_job_free(lost);
    assert_true(model_queue_take_over(m, &e));
    assert_int_equal(run_queue(), 2);
}

static void a_lease_ends_by_itself(void **state)
{
    (void)state;
    says(NOTHING);
    put_text("The first note of two, long enough to be asked about.");
    model_job_free(next_job());
    now_ms += LEASE_REQUESTS * models.batch_ms;
    assert_int_equal(run_queue(), 1);
}

static void an_answer_that_comes_behind_its_lease_is_void(void **state)
{
    (void)state;
    struct err e = {0};
    size_t done;
    says(ANN_OWNS_CHECKOUT);
    put_text(ANN);
    struct model_job *late = next_job();
    now_ms += LEASE_REQUESTS * models.batch_ms;
    struct model_clock other = {now_ms, 8, false}, mine = now();
    struct model_job *theirs;
    assert_true(model_queue_next(m, &other, &theirs, &(bool){false}, &e));
    assert_non_null(theirs);
    model_job_ask(late, &fake_transport);
    assert_true(model_queue_finish(m, &mine, late, &done, &e));
    assert_int_equal(done, 0);
    model_job_free(late);
    model_job_ask(theirs, &fake_transport);
    assert_true(model_queue_finish(m, &other, theirs, &done, &e));
    assert_int_equal(done, 1);
    model_job_free(theirs);
}

static void what_is_forgotten_meanwhile_is_not_brought_back(void **state)
{
    (void)state;
    says(ANN_OWNS_CHECKOUT);
    int64_t id = put_text(ANN);
    struct model_job *j = next_job();
    model_job_ask(j, &fake_transport);
    forget(id);
    assert_int_equal(finish_job(j), 0);
    assert_int_equal(run_queue(), 0);
    struct recall_result r = recall_of("Who looks after checkout?");
    assert_int_equal(r.fact_count, 0);
}

/* ---- what fails ---- */

static void an_endpoint_that_is_away_costs_no_item_and_is_asked_less_and_less(void **state)
{
    (void)state;
    says(NOTHING);
    put_text("The first note of two, long enough to be asked about.");
    put_text("The second note of two, long enough to be asked about.");
    fake.fails = ERR_NET;
    int64_t began_ms = now_ms;
    for (size_t i = 1; i <= 12; i++) {
        assert_int_equal(run_queue(), 0);
        assert_int_equal(fake.sent, i); /* one request, whatever is pending */
        struct queue_line l = line_of(MODEL_EXTRACT);
        assert_true(l.closed_ms > now_ms);
        assert_int_equal(l.pending, 2);
        assert_int_equal(l.dead, 0);
        now_ms = l.closed_ms;
    }
    assert_true(now_ms - began_ms > 3600 * 1000);
    fake.fails = ERR_NONE;
    now_ms += 2 * (int64_t)MAX_RETRY_MS;
    assert_int_equal(run_queue(), 2);
    assert_int_equal(line_of(MODEL_EXTRACT).why.len, 0);
}

static void an_endpoint_that_answers_nonsense_costs_no_item_either(void **state)
{
    (void)state;
    put_text("The first note of two, long enough to be asked about.");
    put_text("The second note of two, long enough to be asked about.");
    says("{\"what\": 1}");
    for (int i = 0; i < 3 * MAX_FAULTS; i++) {
        size_t sent = fake.sent;
        assert_int_equal(run_queue(), 0);
        assert_int_equal(fake.sent, sent + 2); /* one, and a question that any model can answer */
        struct queue_line l = line_of(MODEL_EXTRACT);
        assert_int_equal(l.pending, 2);
        assert_int_equal(l.dead, 0);
        assert_true(l.closed_ms > now_ms && l.why.len > 0);
        now_ms = l.closed_ms;
    }
    says(NOTHING);
    now_ms += 2 * (int64_t)MAX_RETRY_MS;
    assert_int_equal(run_queue(), 2);
}

/* ---- several at the same time ---- */

static void jobs_on_their_way_together_have_items_of_their_own(void **state)
{
    (void)state;
    enum { NOTES = MAX_JOB_QUESTIONS + 2 };
    says(NOTHING);
    for (int i = 0; i < NOTES; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d, long enough to be asked about.", i);
        put_text(text);
    }
    struct model_job *one = next_job(), *two = next_job();
    assert_true(one && two && !next_job());
    model_job_ask(two, &fake_transport);
    model_job_ask(one, &fake_transport);
    assert_int_equal(finish_job(two) + finish_job(one), NOTES);
    assert_int_equal(fake.sent, NOTES);
    assert_null(next_job());
}

static void jobs_that_fail_together_close_their_endpoint_as_one_does(void **state)
{
    (void)state;
    for (int i = 0; i < MAX_JOB_QUESTIONS + 2; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d, long enough to be asked about.", i);
        put_text(text);
    }
    fake.fails = ERR_NET;
    struct model_job *one = next_job(), *two = next_job();
    model_job_ask(one, &fake_transport);
    model_job_ask(two, &fake_transport);
    finish_job(one);
    int64_t closed_ms = line_of(MODEL_EXTRACT).closed_ms;
    finish_job(two);
    assert_int_equal(line_of(MODEL_EXTRACT).closed_ms, closed_ms);
}

/* Texts to embed have no lease: two that ask about the same ones do the same. */
static void texts_that_are_embedded_twice_have_their_vectors_once(void **state)
{
    (void)state;
    struct vector_counts counts;
    struct err e = {0};
    models = fake_models(true, false, false);
    open_memory();
    put_text("The first note of two.");
    put_text("The second note of two.");
    struct model_job *one = next_job(), *two = next_job();
    assert_true(one && two && model_job_embeds(one) && model_job_embeds(two));
    struct model_clock busy = {now_ms, 7, true};
    struct model_job *none;
    assert_true(model_queue_next(m, &busy, &none, &(bool){false}, &e));
    assert_null(none);
    model_job_ask(one, &fake_transport);
    model_job_ask(two, &fake_transport);
    finish_job(one);
    finish_job(two);
    assert_true(memory_count_vectors(m, &arena, &counts, &e));
    assert_int_equal(counts.vectors, 2);
    assert_int_equal(counts.pending, 0);
}

/* ---- what fails by itself ---- */

static void what_the_endpoint_refuses_dies_alone(void **state)
{
    (void)state;
    struct err e = {0};
    size_t count;
    says(NOTHING);
    put_text("A note that is fine, long enough to be asked about.");
    put_text("A POISONED note, long enough to be asked about.");
    put_text("Another note that is fine, long enough to be asked about.");
    fake.poison = "POISONED";
    size_t done = run_queue();
    for (int i = 0; i < MAX_FAULTS + 1; i++) {
        now_ms += 2 * (int64_t)MAX_RETRY_MS;
        done += run_queue();
    }
    assert_int_equal(done, 2);
    struct queue_line l = line_of(MODEL_EXTRACT);
    assert_int_equal(l.pending, 0);
    assert_int_equal(l.dead, 1);
    assert_true(l.why.len > 0);
    size_t sent = fake.sent;
    /* Each time a question that any model can answer tells whose fault it is. */
    assert_int_equal(sent, 2 + 2 * MAX_FAULTS);

    fake.poison = NULL;
    assert_true(model_queue_retry(m, &count, &e));
    assert_int_equal(count, 1);
    assert_int_equal(run_queue(), 1);
    assert_int_equal(line_of(MODEL_EXTRACT).dead, 0);
}

static void what_is_dead_can_be_dropped(void **state)
{
    (void)state;
    struct err e = {0};
    size_t count;
    says(NOTHING);
    fake.poison = "fine";
    put_text("A note that is fine, long enough to be asked about.");
    for (int i = 0; i < MAX_FAULTS; i++) {
        run_queue();
        now_ms += 2 * (int64_t)MAX_RETRY_MS;
    }
    assert_int_equal(line_of(MODEL_EXTRACT).dead, 1);
    assert_true(model_queue_drop(m, &count, &e));
    assert_int_equal(count, 1);
    assert_int_equal(line_of(MODEL_EXTRACT).dead, 0);
}

static void nobody_is_asked_beyond_the_days_tokens(void **state)
{
    (void)state;
    says(NOTHING);
    models.daily_tokens = 2 * 110;
    for (int i = 0; i < 3 * MAX_JOB_QUESTIONS; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d of a long list of notes.", i);
        put_text(text);
    }
    size_t first = run_queue();
    assert_in_range(first, 2, MAX_JOB_QUESTIONS); /* a job that has begun is done */
    assert_int_equal(run_queue(), 0);
    now_ms += 24 * 3600 * 1000;
    assert_in_range(run_queue(), 2, MAX_JOB_QUESTIONS);
}

static void a_failed_answer_counts_against_the_days_tokens(void **state)
{
    (void)state;
    models.daily_tokens = 10; /* a request of 40 bytes */
    says(NOTHING);
    put_text("A POISONED note, long enough to be asked about.");
    fake.poison = "POISONED";
    for (int i = 0; i < 3; i++, now_ms += 2 * FAKE_RETRY_MS)
        run_queue();
    assert_int_equal(fake.sent, 2); /* and the question that tells whose fault it is */
    assert_int_equal(line_of(MODEL_EXTRACT).tokens_today, 10 + 110);
}

static void a_failed_batch_of_texts_counts_all_that_was_sent(void **state)
{
    (void)state;
    models = fake_models(true, false, false);
    for (int i = 0; i <= MAX_EMBED_REQUEST_TEXTS; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d of a list%s.", i,
                 i == MAX_EMBED_REQUEST_TEXTS ? ", POISONED" : "");
        put_text(text);
    }
    fake.poison = "POISONED";
    struct model_job *j = next_job();
    model_job_ask(j, &fake_transport);
    finish_job(j);
    assert_int_equal(fake.sent, 3); /* the last tells whose fault it is */
    assert_int_equal(line_of(MODEL_EMBED).tokens, MAX_EMBED_REQUEST_TEXTS + 10 + 1);
}

static void what_one_model_of_a_host_refuses_closes_no_other(void **state)
{
    (void)state;
    models = fake_models(true, false, true);
    models.extracts = true;
    models.of[PROVIDER_LLM].model = S("gone");
    says(NOTHING);
    put_text("A note that is fine, long enough to be asked about.");
    struct model_job *j = next_job();
    model_job_ask(j, &fake_transport);
    assert_int_equal(finish_job(j), 1);
    fake.status = 404;
    assert_int_equal(run_queue(), 0);
    assert_true(line_of(MODEL_EXTRACT).closed_ms > now_ms);
    assert_int_equal(line_of(MODEL_EMBED).closed_ms, 0);
    assert_int_equal(line_of(MODEL_EMBED).why.len, 0);
    fake.status = 0;
    put_text("Another note that is fine, long enough to be asked about.");
    assert_int_equal(run_queue(), 1); /* embedded; nothing is extracted yet */
    assert_int_equal(line_of(MODEL_EMBED).pending, 0);
    assert_int_equal(line_of(MODEL_EXTRACT).pending, 2);
}

static void the_time_to_the_next_try_grows_with_some_chance_and_heeds_the_endpoint(void **state)
{
    (void)state;
    int64_t last_ms = 0;
    for (int failures = 1; failures <= 20; failures++) {
        int64_t wait_ms = model_retry_ms(0, FAKE_RETRY_MS, failures, 5, 0);
        int64_t middle_ms = (int64_t)FAKE_RETRY_MS << (failures < 12 ? failures - 1 : 11);
        middle_ms = middle_ms < MAX_RETRY_MS ? middle_ms : MAX_RETRY_MS;
        assert_in_range(wait_ms, middle_ms * 3 / 4, middle_ms * 5 / 4);
        assert_int_equal(wait_ms, model_retry_ms(0, FAKE_RETRY_MS, failures, 5, 0));
        last_ms = wait_ms;
    }
    assert_true(last_ms <= (int64_t)MAX_RETRY_MS * 5 / 4);
    assert_int_equal(model_retry_ms(100, FAKE_RETRY_MS, 1, 5, 90000), 90100);
    bool differs = false;
    for (int64_t id = 0; id < 8; id++)
        differs |= model_retry_ms(0, FAKE_RETRY_MS, 3, id, 0) !=
                   model_retry_ms(0, FAKE_RETRY_MS, 3, id + 1, 0);
    assert_true(differs);
}

/* ---- embedding ---- */

static void a_text_that_is_refused_by_an_embedder_does_not_hold_up_the_others(void **state)
{
    (void)state;
    models = fake_models(true, false, false);
    struct vector_counts counts;
    struct err e = {0};
    size_t count;
    for (int i = 0; i < 10; i++) {
        char text[64];
        snprintf(text, sizeof text, "Note number %d of a list%s.", i, i == 4 ? ", POISONED" : "");
        put_text(text);
    }
    fake.poison = "POISONED";
    run_queue();
    for (int i = 0; i < 12; i++) {
        now_ms += 2 * (int64_t)MAX_RETRY_MS;
        run_queue();
    }
    assert_true(memory_count_vectors(m, &arena, &counts, &e));
    assert_int_equal(counts.texts, 9);
    struct queue_line l = line_of(MODEL_EMBED);
    assert_int_equal(l.pending, 0);
    assert_int_equal(l.dead, 1);
    fake.poison = NULL;
    assert_true(model_queue_retry(m, &count, &e));
    run_queue();
    assert_true(memory_count_vectors(m, &arena, &counts, &e));
    assert_int_equal(counts.texts, 10);
    assert_int_equal(line_of(MODEL_EMBED).dead, 0);
}

static void a_wrong_length_that_no_vector_was_stored_with_is_forgotten(void **state)
{
    (void)state;
    models = fake_models(true, false, false);
    int64_t id = put_text("A note that is forgotten while its vector is made.");
    fake.dimensions = FAKE_DIMENSIONS / 2;
    struct model_job *j = next_job();
    model_job_ask(j, &fake_transport);
    forget(id);
    finish_job(j);
    fake.dimensions = FAKE_DIMENSIONS;
    put_text("A note that stays.");
    assert_int_equal(run_queue(), 1);
    assert_int_equal(line_of(MODEL_EMBED).pending, 0);

    fake.dimensions = FAKE_DIMENSIONS / 2; /* now there is one */
    put_text("Another note that stays.");
    assert_int_equal(run_queue(), 0);
    struct queue_line l = line_of(MODEL_EMBED);
    assert_true(l.pending == 1 && l.closed_ms > now_ms && l.dead == 0);
    assert_true(str_find(l.why, S("have 64 dimensions, not 32"), 0) < l.why.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(every_text_is_asked_about_once),
        PROMISE(a_job_that_dies_leaves_its_items_to_who_takes_over),
        PROMISE(a_lease_ends_by_itself),
        PROMISE(an_answer_that_comes_behind_its_lease_is_void),
        PROMISE(what_is_forgotten_meanwhile_is_not_brought_back),
        PROMISE(an_endpoint_that_is_away_costs_no_item_and_is_asked_less_and_less),
        PROMISE(an_endpoint_that_answers_nonsense_costs_no_item_either),
        PROMISE(jobs_on_their_way_together_have_items_of_their_own),
        PROMISE(jobs_that_fail_together_close_their_endpoint_as_one_does),
        PROMISE(texts_that_are_embedded_twice_have_their_vectors_once),
        PROMISE(what_the_endpoint_refuses_dies_alone),
        PROMISE(what_is_dead_can_be_dropped),
        PROMISE(nobody_is_asked_beyond_the_days_tokens),
        PROMISE(a_failed_answer_counts_against_the_days_tokens),
        PROMISE(a_failed_batch_of_texts_counts_all_that_was_sent),
        PROMISE(what_one_model_of_a_host_refuses_closes_no_other),
        PROMISE(the_time_to_the_next_try_grows_with_some_chance_and_heeds_the_endpoint),
        PROMISE(a_text_that_is_refused_by_an_embedder_does_not_hold_up_the_others),
        PROMISE(a_wrong_length_that_no_vector_was_stored_with_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
