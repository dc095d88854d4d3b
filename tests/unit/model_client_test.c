/* The queue of a client's own model: who serves it asks, one question at a time. */
#include "memory/base/buf.h"
#include "memory/base/iso8601.h"
#include "memory/model_job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/queue_world.h"

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
        PROMISE(the_client_is_asked_one_question_at_a_time),
        PROMISE(what_the_client_answers_badly_costs_what_it_should),
        PROMISE(the_client_is_asked_so_often_a_day_and_no_more),
        PROMISE(a_servers_lease_stands_where_a_background_takes_over),
        PROMISE(what_only_the_client_can_do_is_not_waited_for),
        PROMISE(a_kept_answer_is_not_asked_of_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
