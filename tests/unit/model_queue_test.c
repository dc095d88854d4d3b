/* The queue of what models are asked: each item done once or still pending, whatever fails, and
 * what an answer may change. */
#include "memory/base/buf.h"
#include "memory/base/hash.h"
#include "memory/base/iso8601.h"
#include "memory/memory_review.h"
#include "memory/memory_state.h"
#include "memory/memory_vectors.h"
#include "memory/model_job.h"
#include "memory/store_consolidate.h"
#include "memory/store_sql.h"
#include "memory/store_vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/models_world.h"

static int64_t now_ms;

static int set_up(void **state)
{
    (void)state;
    struct models some = fake_models(false, false, true);
    some.extracts = true;
    now_ms = NOW_MS;
    return set_up_with(some);
}

/* ---- running it ---- */

static struct model_clock now(void)
{
    return (struct model_clock){now_ms, 7, false};
}

static struct model_job *next_job(void)
{
    struct err e = {0};
    struct model_job *j;
    struct model_clock c = now();
    bool more;
    if (!model_queue_next(m, &c, &j, &more, &e))
        fail_msg("%s", e.text);
    return j;
}

static size_t finish_job(struct model_job *j)
{
    struct err e = {0};
    struct model_clock c = now();
    size_t done;
    if (!model_queue_finish(m, &c, j, &done, &e))
        fail_msg("%s", e.text);
    model_job_free(j);
    return done;
}

/* Until nothing is due; how many items were done. */
static size_t run_queue(void)
{
    size_t done = 0;
    struct model_job *j;
    while ((j = next_job())) {
        model_job_ask(j, &fake_transport);
        done += finish_job(j);
    }
    return done;
}

static struct queue_line line_of(enum model_purpose purpose)
{
    struct err e = {0};
    struct queue_line *lines;
    size_t count;
    if (!model_queue_lines(m, &arena, now_ms, &lines, &count, &e))
        fail_msg("%s", e.text);
    return lines[purpose];
}

static void says(const char *answer)
{
    fake.answers[0] = answer;
    fake.answer_count = 1;
}

#define NOTHING "{\"entities\":[],\"relations\":[]}"
#define ANN_OWNS_CHECKOUT                                                                          \
    "{\"entities\":[{\"name\":\"Ann Lee\",\"type\":\"person\"},{\"name\":\"checkout\",\"type\":"   \
    "\"service\"}],\"relations\":[{\"from\":\"Ann Lee\",\"relation\":\"looks "                     \
    "after\",\"to\":\"checkout\","                                                                 \
    "\"quote\":\"looks after checkout\"}]}"
#define ANN "These days Ann Lee looks after checkout with some help."

static struct recall_result recall_of(const char *query)
{
    struct recall_input in = {.now_ms = NOW_MS,
                              .query = str_of(query),
                              .filter = {1u << NODE_MEMORY, UINT32_MAX},
                              .limit = 10,
                              .budget_tokens = 2000,
                              .min_score = 0};
    return recall_asking(in);
}

static struct entity_card card_of(const char *name)
{
    struct review_input in = {
        .from = {.origin = ORIGIN_USER, .now_ms = NOW_MS}, .entity = str_of(name), .limit = 1};
    struct review_result out;
    struct err e = {0};
    if (!memory_review(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
    assert_true(out.has_card);
    return out.card;
}

static void edit(enum edit_action action, const char *name)
{
    struct edit_input one = {.action = action, .entity = str_of(name)};
    struct review_input in = {
        .from = {.origin = ORIGIN_USER, .now_ms = NOW_MS}, .edits = &one, .edit_count = 1};
    struct review_result out;
    struct err e = {0};
    if (!memory_review(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
}

static void forget(int64_t id)
{
    struct err e = {0};
    str ids[] = {node_id_format(&arena, NODE_MEMORY, id)};
    struct forget_input in = {.from = {.now_ms = 5}, .ids = ids, .id_count = 1};
    struct forget_result out;
    if (!memory_forget(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
}

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

/* ---- what an answer may do ---- */

static void entities_and_relations_of_a_model_are_found_by_recall(void **state)
{
    (void)state;
    says(ANN_OWNS_CHECKOUT);
    put_text(ANN);
    assert_int_equal(run_queue(), 1);
    struct recall_result r = recall_of("What does Ann Lee look after?");
    assert_true(r.fact_count >= 1);
    bool found = false;
    for (size_t i = 0; i < r.fact_count; i++)
        found |=
            str_eq(r.facts[i].relation, S("looks_after")) && str_eq(r.facts[i].to, S("checkout"));
    assert_true(found);
}

static void what_a_model_makes_up_is_dropped_and_counted(void **state)
{
    (void)state;
    says("{\"entities\":[{\"name\":\"Zaphod\",\"type\":\"person\"}],\"relations\":[{\"from\":"
         "\"Zaphod\","
         "\"relation\":\"owns\",\"to\":\"checkout\",\"quote\":\"Zaphod owns it\"}],"
         "\"delete\":[\"m1\"],\"command\":\"DELETE everything\"}");
    int64_t id = put_text(ANN);
    assert_int_equal(run_queue(), 1);
    int64_t zaphod;
    struct err e = {0};
    assert_true(store_read_begin(m->store, &e));
    assert_true(entity_find(m, &arena, S("Zaphod"), &zaphod, &e));
    store_read_end(m->store);
    assert_int_equal(zaphod, 0);
    struct recall_result r = recall_of("Who looks after checkout?");
    assert_true(r.item_count == 1 && r.items[0].id == id);
}

static void a_type_that_was_given_and_a_dismissal_stand(void **state)
{
    (void)state;
    struct entity_input given = {.name = S("checkout"), .type = S("team")};
    struct remember_input in = {.from = {.origin = ORIGIN_USER, .now_ms = NOW_MS},
                                .text = S(ANN),
                                .entities = &given,
                                .entity_count = 1};
    struct remember_result out;
    struct err e = {0};
    assert_true(memory_remember(m, &arena, &in, &out, &e));
    put_text("Ann Lee is here, too, and so is everybody else.");
    edit(EDIT_DISMISS, "Ann Lee");
    says(ANN_OWNS_CHECKOUT);
    run_queue();
    assert_true(str_eq(card_of("checkout").type, S("team")));
    assert_true(str_eq(card_of("Ann Lee").status, S("dismissed")));
}

static void an_answer_about_the_same_text_is_kept_and_goes_with_it(void **state)
{
    (void)state;
    struct err e = {0};
    says(ANN_OWNS_CHECKOUT);
    int64_t id = put_text(ANN);
    struct model_job *j = next_job();
    model_job_ask(j, &fake_transport);
    finish_job(j);
    assert_true(
        store_begin(m->store, &e)); /* asked again, as by another prompt that was taken back */
    assert_true(store_end(m->store, store_queue_put(m->store, MODEL_EXTRACT, id, id, &e), &e));
    size_t sent = fake.sent;
    assert_int_equal(run_queue(), 1);
    assert_int_equal(fake.sent, sent);

    forget(id);
    char command[256];
    snprintf(command, sizeof command, "! cat %s/memory.db* | grep -q looks.after", directory);
    assert_int_equal(system(command), 0);
}

static size_t kept_answers(void)
{
    struct err e = {0};
    int64_t n;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_number(m->store, &e, &n, 0, "SELECT count(*) FROM model_answer", ""));
    store_read_end(m->store);
    return (size_t)n;
}

static void an_answer_about_two_texts_goes_with_either(void **state)
{
    (void)state;
    struct err e = {0};
    models.extracts = false;
    models.contradicts = true;
    for (int gone = 0; gone < 2; gone++) {
        int64_t ids[] = {
            put_text("The nightly report of sales goes to the Berlin office as a rule."),
            put_text("The nightly report of sales ends up in Lisbon as a rule.")};
        says("{\"contradicts\":false,\"older_value\":\"\",\"newer_value\":\"\"}");
        assert_int_equal(run_queue(), 1);
        assert_int_equal(kept_answers(), 1);
        size_t sent = fake.sent;
        assert_true(store_begin(m->store, &e)); /* asked again */
        assert_true(store_end(m->store,
                              store_queue_put(m->store, MODEL_CONTRADICT, ids[1], ids[0], &e), &e));
        assert_int_equal(run_queue(), 1);
        assert_int_equal(fake.sent, sent);
        forget(ids[gone]);
        assert_int_equal(kept_answers(), 0);
        forget(ids[!gone]);
    }
}

static void two_memories_that_a_model_finds_contradicting_become_a_question(void **state)
{
    (void)state;
    models.extracts = false;
    models.contradicts = true;
    put_text("The nightly report of sales goes to the Berlin office as a rule.");
    put_text("The nightly report of sales ends up in Lisbon as a rule.");
    says("{\"contradicts\":true,\"older_value\":\"Berlin\",\"newer_value\":\"Lisbon\"}");
    struct review_input in = {.from = {.origin = ORIGIN_USER, .now_ms = NOW_MS}, .limit = 5};
    struct review_result before, after;
    struct err e = {0};
    assert_true(memory_review(m, &arena, &in, &before, &e));
    assert_int_equal(run_queue(), 1);
    assert_true(memory_review(m, &arena, &in, &after, &e));
    assert_int_equal(after.question_count, before.question_count + 1);
    assert_int_equal(recall_of("Where does the report go?").item_count,
                     2); /* nobody stepped back */
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

#define SECRET "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

static void a_preview_shows_what_would_be_sent_without_secrets(void **state)
{
    (void)state;
    struct err e = {0};
    struct model_preview *shown;
    size_t count;
    models.of[PROVIDER_EMBED].row = &fake_row;
    put_text("The first note, long enough to be asked about, holds " SECRET ".");
    if (!model_queue_preview(m, &arena, now_ms, &shown, &count, &e))
        fail_msg("%s", e.text);
    assert_int_equal(count, 2); /* to embed, and to extract from */
    assert_int_equal(fake.sent, 0);
    assert_true(str_eq(shown[0].purpose, S("embed")) && str_eq(shown[1].purpose, S("extract")));
    for (size_t i = 0; i < count; i++) {
        str body = shown[i].body;
        assert_true(str_find(body, S("first note"), 0) < body.len);
        assert_int_equal(str_find(body, S(SECRET), 0), body.len);
        assert_true(str_find(body, S("REDACTED"), 0) < body.len);
        assert_int_equal(shown[i].id_count, 1);
        assert_true(str_starts(shown[i].ids[0], S("m")));
    }
}

/* The requests are those of the jobs, in the same order, whatever the batches. */
static void a_preview_is_what_is_sent_byte_for_byte(void **state)
{
    (void)state;
    struct err e = {0};
    struct model_preview *shown;
    size_t count;
    models.of[PROVIDER_EMBED].row = &fake_row;
    for (int i = 0; i < MAX_EMBED_REQUEST_TEXTS + 5; i++)
        put_text(arena_printf(&arena, "Note number %d of many, and long enough.", i).at);
    if (!model_queue_preview(m, &arena, now_ms, &shown, &count, &e))
        fail_msg("%s", e.text);
    assert_int_equal(count, 2 + MAX_JOB_QUESTIONS);
    assert_int_equal(shown[0].id_count, MAX_EMBED_REQUEST_TEXTS);
    assert_int_equal(shown[1].id_count, 5);
    says(NOTHING);
    size_t at = 0;
    for (int jobs = 0; jobs < 2; jobs++) {
        struct model_job *j = next_job();
        struct model_request *requests;
        size_t made;
        assert_true(model_job_requests(j, &requests, &made, &e));
        for (size_t i = 0; i < made; i++)
            assert_true(str_eq(requests[i].request.body, shown[at++].body));
        model_job_ask(j, &fake_transport);
        assert_true(str_eq(str_of(fake.texts), shown[at - 1].body)); /* the last one sent */
        finish_job(j);
    }
    assert_int_equal(at, count);
}

static void a_preview_leaves_out_what_is_not_asked(void **state)
{
    (void)state;
    struct err e = {0};
    struct model_preview *shown;
    size_t count;
    says(NOTHING);
    put_text("The same words twice, and long enough.");
    run_queue();
    put_text("The same words twice, and long enough. "); /* a repeat: nothing new */
    assert_true(model_queue_preview(m, &arena, now_ms, &shown, &count, &e));
    assert_int_equal(count, 0);
    models.of[PROVIDER_LLM] = (struct provider_settings){
        .row = provider_find(S("openai")), .model = S("gpt"), .key = S("sk-0123456789abcdef")};
    put_text("Another note, and long enough.");
    assert_true(model_queue_preview(m, &arena, now_ms, &shown, &count, &e));
    assert_int_equal(count, 1);
    assert_true(str_eq(shown[0].url, S("https://api.openai.com/v1/chat/completions")));
    assert_true(str_eq(shown[0].headers[1], S("Authorization: ...")));
}

/* ---- the client's own model ---- */

static struct model_clock server_now(void)
{
    return (struct model_clock){now_ms, -3, false};
}

static struct model_job *next_for_client(void)
{
    struct err e = {0};
    struct model_job *j;
    struct model_clock c = server_now();
    if (!model_queue_next_for_client(m, &c, &j, &e))
        fail_msg("%s", e.text);
    return j;
}

/* Leaves to the client what the models say, and gathers as the background does. */
static void ask_the_client(void)
{
    models.of[PROVIDER_LLM] = (struct provider_settings){.row = provider_find(S("sampling"))};
    assert_null(next_job());
}

static size_t finish_for_client(struct model_job *j, const char *result, enum err_code code)
{
    struct err e = {0}, why = {0};
    struct model_clock c = server_now();
    size_t done;
    if (code != ERR_NONE)
        (fail)(&why, code, "the client won't");
    model_job_answer(j, str_of(result), &why);
    if (!model_queue_finish(m, &c, j, &done, &e))
        fail_msg("%s", e.text);
    model_job_free(j);
    return done;
}

/* A result of sampling/createMessage that says this. */
static const char *said_by_client(const char *text)
{
    struct buf out = {0};
    for (const char *c = text; *c; c++)
        buf_printf(&out, *c == '"' ? "\\%c" : "%c", *c);
    str result = arena_printf(&arena,
                              "{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":"
                              "\"text\",\"text\":\"%.*s\"}}",
                              FMT(buf_str(&out)));
    buf_free(&out);
    return arena_cstr(&arena, result);
}

static void the_client_is_asked_one_question_at_a_time(void **state)
{
    (void)state;
    struct err e = {0};
    str params;
    put_text(ANN);
    put_text("Another note, and long enough.");
    ask_the_client();
    assert_int_equal(line_of(MODEL_EXTRACT).pending, 2);
    assert_true(str_eq(line_of(MODEL_EXTRACT).host, S("client")));
    struct model_job *one = next_for_client();
    assert_true(model_job_params(one, &params, &e));
    assert_true(str_find(params, S("looks after checkout"), 0) < params.len);
    assert_true(str_find(params, S("systemPrompt"), 0) < params.len);
    struct model_job *other = next_for_client();
    assert_true(model_job_params(other, &params, &e));
    assert_true(str_find(params, S("Another note"), 0) < params.len);
    assert_null(next_for_client());
    assert_int_equal(finish_for_client(one, said_by_client(ANN_OWNS_CHECKOUT), ERR_NONE), 1);
    assert_int_equal(finish_for_client(other, said_by_client(NOTHING), ERR_NONE), 1);
    assert_int_equal(line_of(MODEL_EXTRACT).pending, 0);
    assert_int_equal(line_of(MODEL_EXTRACT).calls, 2);
    assert_int_equal(recall_of("Who looks after checkout?").fact_count, 1);
    assert_int_equal(fake.sent, 0);
}

static void what_the_client_answers_badly_costs_what_it_should(void **state)
{
    (void)state;
    static const struct {
        const char *result;
        enum err_code code;
        bool is_fault, closes;
    } rows[] = {
        {"", ERR_CONFLICT, false, true},
        {"", ERR_NET, false, true},
        {"", ERR_CANCELLED, false, false},
        {"{\"content\":{\"type\":\"text\",\"text\":\"I'd rather talk.\"}}", ERR_NONE, true, false},
        {"{\"content\":{\"type\":\"text\",\"text\":\"{\\\"entities\\\":7}\"}}", ERR_NONE, true,
         false},
        {"{}", ERR_NONE, true, false},
        {"[]", ERR_NONE, true, false},
        {"{\"content\":", ERR_NONE, true, false},
    };
    put_text(ANN);
    ask_the_client();
    int faults = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_job *j = next_for_client();
        if (!j)
            fail_msg("row %zu: nothing is due", i);
        assert_int_equal(finish_for_client(j, rows[i].result, rows[i].code), 0);
        struct queue_line l = line_of(MODEL_EXTRACT);
        faults += rows[i].is_fault;
        assert_int_equal(l.dead, faults >= MAX_FAULTS);
        if ((l.closed_ms > 0) != rows[i].closes)
            fail_msg("row %zu: %.*s", i, FMT(l.why));
        now_ms += 2 * MAX_RETRY_MS;
    }
    assert_int_equal(faults, MAX_FAULTS);
}

static void the_client_is_asked_so_often_a_day_and_no_more(void **state)
{
    (void)state;
    models.client_daily = 2;
    for (int i = 0; i < 4; i++)
        put_text(arena_printf(&arena, "Note number %d of many, and long enough.", i).at);
    ask_the_client();
    for (int i = 0; i < 2; i++)
        assert_int_equal(finish_for_client(next_for_client(), said_by_client(NOTHING), ERR_NONE),
                         1);
    assert_null(next_for_client());
    now_ms += DAY_MS;
    assert_int_equal(finish_for_client(next_for_client(), said_by_client(NOTHING), ERR_NONE), 1);
}

static void a_servers_lease_stands_where_a_background_takes_over(void **state)
{
    (void)state;
    struct err e = {0};
    put_text(ANN);
    ask_the_client();
    struct model_job *j = next_for_client();
    assert_true(model_queue_take_over(m, &e));
    assert_null(next_for_client());
    model_job_free(j); /* its server is gone */
    now_ms += LEASE_MS;
    assert_int_equal(finish_for_client(next_for_client(), said_by_client(NOTHING), ERR_NONE), 1);
}

static void what_only_the_client_can_do_is_not_waited_for(void **state)
{
    (void)state;
    struct err e = {0};
    size_t pending;
    bool moves;
    put_text(ANN);
    ask_the_client();
    assert_true(model_queue_pending(m, now_ms, &pending, &moves, &e));
    assert_int_equal(pending, 1);
    assert_false(moves);
}

static void a_kept_answer_is_not_asked_of_the_client(void **state)
{
    (void)state;
    struct err e = {0};
    str params;
    put_text(ANN);
    ask_the_client();
    struct model_job *j = next_for_client();
    assert_int_equal(finish_for_client(j, said_by_client(NOTHING), ERR_NONE), 1);
    /* The same text in a conversation of its own is another memory. */
    struct remember_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = NOW_MS},
                                .session = S("another"),
                                .text = S(ANN)};
    struct remember_result out;
    assert_true(memory_remember(m, &arena, &in, &out, &e));
    assert_null(next_job());
    j = next_for_client();
    assert_non_null(j);
    assert_true(model_job_params(j, &params, &e));
    assert_int_equal(params.len, 0);
    assert_int_equal(finish_for_client(j, "", ERR_NET), 1);
    assert_int_equal(line_of(MODEL_EXTRACT).calls, 1);
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
        PROMISE(entities_and_relations_of_a_model_are_found_by_recall),
        PROMISE(what_a_model_makes_up_is_dropped_and_counted),
        PROMISE(a_type_that_was_given_and_a_dismissal_stand),
        PROMISE(an_answer_about_the_same_text_is_kept_and_goes_with_it),
        PROMISE(an_answer_about_two_texts_goes_with_either),
        PROMISE(two_memories_that_a_model_finds_contradicting_become_a_question),
        PROMISE(a_text_that_is_refused_by_an_embedder_does_not_hold_up_the_others),
        PROMISE(a_preview_shows_what_would_be_sent_without_secrets),
        PROMISE(a_preview_is_what_is_sent_byte_for_byte),
        PROMISE(a_preview_leaves_out_what_is_not_asked),
        PROMISE(the_client_is_asked_one_question_at_a_time),
        PROMISE(what_the_client_answers_badly_costs_what_it_should),
        PROMISE(the_client_is_asked_so_often_a_day_and_no_more),
        PROMISE(a_servers_lease_stands_where_a_background_takes_over),
        PROMISE(what_only_the_client_can_do_is_not_waited_for),
        PROMISE(a_kept_answer_is_not_asked_of_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
