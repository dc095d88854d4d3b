/* What a language model's answer may change, and how long it is kept. */
#include "memory/memory_review.h"
#include "memory/model_job.h"
#include "memory/store_sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/queue_world.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(entities_and_relations_of_a_model_are_found_by_recall),
        PROMISE(what_a_model_makes_up_is_dropped_and_counted),
        PROMISE(a_type_that_was_given_and_a_dismissal_stand),
        PROMISE(an_answer_about_the_same_text_is_kept_and_goes_with_it),
        PROMISE(an_answer_about_two_texts_goes_with_either),
        PROMISE(two_memories_that_a_model_finds_contradicting_become_a_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
