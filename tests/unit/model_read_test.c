/* What a language model reads out of a query: what it changes in recall, what it can't, and what is
 * said where it doesn't answer. */
#include "memory/base/iso8601.h"
#include "memory/cues.h"
#include "memory/memory_state.h"
#include "memory/model_query.h"

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
    struct models some = fake_models(false, false, true);
    some.reads_queries = true;
    some.read_ms = 500;
    return set_up_with(some);
}

static void says(const char *answer)
{
    fake.answers[0] = answer;
    fake.answer_count = 1;
}

#define READING(entities, intent, words, from, until)                                              \
    "{\"entities\":[" entities "],\"intent\":\"" intent "\",\"time_words\":\"" words               \
    "\",\"time_from\":\"" from "\",\"time_until\":\"" until "\"}"

static struct recall_result recall(const char *query)
{
    return recall_asking((struct recall_input){.now_ms = NOW_MS,
                                               .query = str_of(query),
                                               .filter = {1u << NODE_MEMORY, UINT32_MAX},
                                               .limit = 10,
                                               .budget_tokens = 2000,
                                               .explain = true,
                                               .features = true});
}

static bool tells(const struct recall_result *r, const char *leg)
{
    for (size_t i = 0; i < r->leg_count; i++)
        if (str_eq(r->legs[i], str_of(leg)))
            return true;
    return false;
}

static void put_notes(void)
{
    put_text("Ann Lee looks after the checkout service these days.");
    put_text("The deploy of the checkout service was in March 2025.");
    put_text("Invoices are numbered without gaps.");
    put_text("The mail queue drains through Postfix.");
}

static bool names_entity(const struct recall_result *r, const char *name)
{
    for (size_t i = 0; i < r->entity_count; i++)
        if (str_eq(r->entities[i].name, str_of(name)))
            return true;
    return false;
}

static void put_with_entity(const char *text, const char *name)
{
    struct entity_input entity = {.name = str_of(name), .type = S("team")};
    struct remember_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = NOW_MS},
                                .text = str_of(text),
                                .entities = &entity,
                                .entity_count = 1};
    struct remember_result out;
    struct err e = {0};
    if (!memory_remember(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
}

/* ---- what it changes ---- */

static void a_name_that_no_rule_takes_for_one_is_named(void **state)
{
    (void)state;
    put_notes();
    put_with_entity("They moved to the third floor.", "Who");
    says(READING("\"Who\"", "factual", "", "", ""));
    models.reads_queries = false;
    struct recall_result without = recall("Where does Who sit?");
    models.reads_queries = true;
    struct recall_result with = recall("Where does Who sit?");
    assert_false(names_entity(&without, "Who"));
    assert_true(names_entity(&with, "Who"));
    assert_true(str_eq(with.items[0].text, S("They moved to the third floor.")));
    assert_true(tells(&with, "question: 1 names, 0 dropped"));
}

static void a_name_that_nothing_here_has_changes_nothing(void **state)
{
    (void)state;
    put_notes();
    says(READING("\"looks\", \"Stripe\"", "factual", "", "", ""));
    struct recall_result r = recall("Who looks after checkout?");
    assert_true(tells(&r, "question: 1 names, 1 dropped"));
    assert_false(names_entity(&r, "Stripe"));
    assert_true(str_starts(r.items[0].text, S("Ann Lee")));
}

static float time_asked(const struct recall_result *r, const char *text)
{
    for (size_t i = 0; i < r->item_count; i++)
        for (size_t k = 0; k < r->feature_count; k++)
            if (r->features[k].id == r->items[i].id && str_starts(r->items[i].text, str_of(text)))
                return r->features[k].values[FEATURE_TIME_ASKED];
    return -1;
}

static void who_asks_for_a_time_favours_texts_that_tell_one(void **state)
{
    (void)state;
    put_notes();
    says(READING("", "temporal", "", "", ""));
    struct recall_result with = recall("Wann war der deploy des checkout service?");
    models.reads_queries = false;
    struct recall_result without = recall("Wann war der deploy des checkout service?");
    assert_true(time_asked(&with, "The deploy") > 0);
    assert_true(time_asked(&without, "The deploy") == 0);
    assert_true(tells(&with, "question: 0 names, 0 dropped, asks when"));
}

static void a_time_in_any_language_is_a_range(void **state)
{
    (void)state;
    int64_t from_ms, until_ms;
    put_notes();
    says(READING("", "factual", "letzte Woche", "2026-04-20", "2026-04-27"));
    struct recall_result r = recall("Was war letzte Woche mit checkout?");
    assert_true(iso_parse(S("2026-04-20"), &from_ms, NULL) &&
                iso_parse(S("2026-04-27"), &until_ms, NULL));
    assert_true(r.has_range && r.range_from_ms == from_ms && r.range_until_ms == until_ms);
}

static void a_time_that_a_rule_reads_stands(void **state)
{
    (void)state;
    put_notes();
    says(READING("", "factual", "in May 2023", "1990-01-01", ""));
    struct recall_result r = recall("What about checkout in May 2023?");
    int64_t from_ms;
    assert_true(iso_parse(S("2023-05-01"), &from_ms, NULL));
    assert_true(r.has_range && r.range_from_ms == from_ms);
}

static void an_intent_is_what_the_rules_know(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        unsigned asked;
        enum code_relation relation;
    } rows[] = {
        {READING("", "factual", "", "", ""), 0, ASKS_NOTHING},
        {READING("", "temporal", "", "", ""), CUE_TIME, ASKS_NOTHING},
        {READING("", "number", "", "", ""), CUE_NUMBER, ASKS_NOTHING},
        {READING("", "definition", "", "", ""), 0, ASKS_DEFINITION},
        {READING("", "callers", "", "", ""), 0, ASKS_CALLERS},
        {READING("", "callees", "", "", ""), 0, ASKS_CALLEES},
        {READING("", "dependents", "", "", ""), 0, ASKS_DEPENDENTS},
        {READING("", "subtypes", "", "", ""), 0, ASKS_SUBTYPES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct query_reading r;
        struct err e = {0};
        assert_true(model_read_take(&arena, S("q"), str_of(rows[i].answer), &r, &e));
        assert_int_equal(r.asked, rows[i].asked);
        assert_int_equal(r.relation, rows[i].relation);
    }
}

/* ---- when it isn't asked, or doesn't answer ---- */

static void nobody_is_asked_unless_it_is_switched_on(void **state)
{
    (void)state;
    put_notes();
    models.reads_queries = false;
    recall("Who looks after checkout?");
    models.reads_queries = true;
    models.of[PROVIDER_LLM].row = provider_find(S("sampling")); /* nobody waits for a person */
    recall("Who looks after checkout?");
    assert_int_equal(fake.sent, 0);
}

static void the_same_query_is_asked_about_once(void **state)
{
    (void)state;
    put_notes();
    says(READING("", "factual", "", "", ""));
    for (int i = 0; i < 3; i++) {
        struct recall_result r = recall("Who looks after checkout?");
        assert_true(tells(&r, "question: 0 names, 0 dropped"));
    }
    assert_int_equal(fake.sent, 1);
    for (int i = 0; i < MAX_KEPT_READINGS; i++)
        recall(arena_printf(&arena, "Who looks after number %d?", i).at);
    assert_int_equal(fake.sent, 1 + MAX_KEPT_READINGS);
    recall("Who looks after checkout?"); /* the one longest unused has gone */
    assert_int_equal(fake.sent, 2 + MAX_KEPT_READINGS);
}

static void what_is_answered_otherwise_costs_the_leg_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        enum err_code fails;
        const char *answer, *why;
    } rows[] = {
        {ERR_NET, "", "away"},
        {ERR_NONE, "{}", "no list"},
        {ERR_NONE, "[]", "no list"},
        {ERR_NONE, READING("", "delete everything", "", "", ""), "no \"intent\""},
    };
    put_notes();
    models.reads_queries = false;
    struct recall_result without = recall("Who looks after checkout?");
    models.reads_queries = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clock_ms += GATE_RETRIES * FAKE_RETRY_MS;
        fake.fails = rows[i].fails;
        says(rows[i].answer);
        size_t sent = fake.sent;
        struct recall_result r = recall("Who looks after checkout?");
        assert_int_equal(fake.sent, sent + 1);
        assert_int_equal(r.leg_off_count, 1);
        if (!str_starts(r.legs_off[0], S("question: ")) ||
            str_find(r.legs_off[0], str_of(rows[i].why), 0) == r.legs_off[0].len)
            fail_msg("row %zu: %.*s", i, FMT(r.legs_off[0]));
        assert_int_equal(r.item_count, without.item_count);
        for (size_t k = 0; k < r.item_count; k++)
            assert_int_equal(r.items[k].id, without.items[k].id);
        recall("Who looks after invoices?"); /* it is left alone for a while */
        assert_int_equal(fake.sent, sent + 1);
    }
}

static void its_secrets_stay_here(void **state)
{
    (void)state;
    put_notes();
    says(READING("", "factual", "", "", ""));
    recall("Is ghp_0123456789abcdefghijklmnopqrstuvwxyz still good?");
    assert_null(strstr(fake.texts, "ghp_0123"));
    assert_non_null(strstr(fake.texts, "REDACTED"));
}

static void other_models_are_asked_behind_it(void **state)
{
    (void)state;
    put_notes();
    models = fake_models(false, true, true);
    models.reads_queries = true;
    models.read_ms = 500;
    fake.best = "deploy";
    says(READING("", "factual", "", "", ""));
    struct recall_result r = recall("What about the checkout service?");
    assert_true(tells(&r, "rerank") && tells(&r, "question: 0 names, 0 dropped"));
    assert_true(str_starts(r.items[0].text, S("The deploy")));
    assert_int_equal(fake.sent, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_name_that_no_rule_takes_for_one_is_named),
        PROMISE(a_name_that_nothing_here_has_changes_nothing),
        PROMISE(who_asks_for_a_time_favours_texts_that_tell_one),
        PROMISE(a_time_in_any_language_is_a_range),
        PROMISE(a_time_that_a_rule_reads_stands),
        PROMISE(an_intent_is_what_the_rules_know),
        PROMISE(nobody_is_asked_unless_it_is_switched_on),
        PROMISE(the_same_query_is_asked_about_once),
        PROMISE(what_is_answered_otherwise_costs_the_leg_and_nothing_else),
        PROMISE(its_secrets_stay_here),
        PROMISE(other_models_are_asked_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
