#include "memory/model_query.h"
#include "server/engine.h"

#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 20000 };

static struct {
    struct config config;
    struct engine *engine;
    int wake;
    sem_t entered, go, asked, answer;
    atomic_int runs, resumes, taken_back;
    size_t taken;
} f;

/* ---- tools of the test ---- */

static bool answer(struct request *r, struct tool_reply *reply)
{
    reply->structured = json_object();
    reply->text = r->session;
    return true;
}

static bool call_at_once(struct request *r, const json_t *arguments, struct tool_reply *reply,
                         struct err *e)
{
    (void)arguments;
    (void)e;
    atomic_fetch_add(&f.runs, 1);
    return answer(r, reply);
}

static bool call_when_told(struct request *r, const json_t *arguments, struct tool_reply *reply,
                           struct err *e)
{
    sem_post(&f.entered);
    sem_wait(&f.go);
    return call_at_once(r, arguments, reply, e);
}

static bool call_until_cancelled(struct request *r, const json_t *arguments,
                                 struct tool_reply *reply, struct err *e)
{
    sem_post(&f.entered);
    while (!r->services->cancelled(r->services->ctx))
        usleep(100);
    return call_at_once(r, arguments, reply, e);
}

/* No descriptor to read: the parse fails, which is as good as any other end here. */
static bool order_parse(struct request *r, const json_t *arguments, struct tool_reply *reply,
                        struct err *e)
{
    (void)r;
    (void)arguments;
    (void)e;
    struct arena *a = heap_alloc(1, sizeof *a);
    reply->order = ARENA_NEW(a, struct parse_order);
    *reply->order =
        (struct parse_order){.fd = eventfd(0, EFD_CLOEXEC), .name = S("a.md"), .arena = a};
    return true;
}

static bool resume(struct request *r, struct parse_order *order, const struct facts *facts,
                   const struct err *parse_error, struct tool_reply *reply, struct err *e)
{
    (void)order;
    (void)e;
    assert_true((facts == NULL) != (parse_error == NULL));
    atomic_fetch_add(&f.resumes, 1);
    return answer(r, reply);
}

static bool taken_back(struct err *e)
{
    atomic_fetch_add(&f.taken_back, 1);
    e->code = ERR_CANCELLED;
    return false;
}

/* Two steps; the first ends when it is told. */
static bool resume_twice(struct request *r, struct parse_order *order, const struct facts *facts,
                         const struct err *parse_error, struct tool_reply *reply, struct err *e)
{
    (void)order;
    (void)facts;
    int before = atomic_fetch_add(&f.resumes, 1);
    if (parse_error && parse_error->code == ERR_CANCELLED)
        return taken_back(e);
    if (before > 0)
        return answer(r, reply);
    sem_post(&f.entered);
    sem_wait(&f.go);
    reply->again = true;
    return true;
}

/* A model that fails when it is told to. */
static bool fail_when_told(struct arena *a, const struct provider_settings *s,
                           const struct rerank_ask *ask, struct provider_request *out,
                           struct err *e)
{
    (void)a;
    (void)s;
    (void)ask;
    (void)out;
    sem_post(&f.asked);
    sem_wait(&f.answer);
    e->code = ERR_INPUT;
    return false;
}

static bool call_that_asks(struct request *r, const json_t *arguments, struct tool_reply *reply,
                           struct err *e)
{
    static const struct provider_row row = {.name = "told", .rerank = fail_when_told};
    static const str texts[] = {{"one", 3}};
    if (r->models->call.state == CALL_MADE)
        return r->services->cancelled(r->services->ctx) ? taken_back(e)
                                                        : call_at_once(r, arguments, reply, e);
    reply->waits = true;
    r->models->call = (struct model_call){.state = CALL_WAITS,
                                          .purpose = MODEL_RERANK,
                                          .settings = {.row = &row},
                                          .budget_ms = PATIENCE_MS,
                                          .rerank = {.query = S("q"), .texts = texts, .count = 1}};
    return true;
}

static bool pend(struct request *r, struct parse_order *order, struct tool_reply *reply,
                 struct err *e)
{
    (void)order;
    (void)e;
    return answer(r, reply);
}

#define DEFINITION "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}"
static const struct tool quick = {"quick", DEFINITION, call_at_once, NULL, NULL};
static const struct tool gated = {"gated", DEFINITION, call_when_told, NULL, NULL};
static const struct tool endless = {"endless", DEFINITION, call_until_cancelled, NULL, NULL};
static const struct tool asking = {"asking", DEFINITION, call_that_asks, NULL, NULL};
static const struct tool parsing = {"parsing", DEFINITION, order_parse, resume, pend};
static const struct tool storing = {"storing", DEFINITION, order_parse, resume_twice, pend};

/* ---- driving ---- */

static int open_engine(void **state)
{
    (void)state;
    memset(&f, 0, sizeof f);
    f.config.attach_wait_ms = PATIENCE_MS;
    f.config.parse_deadline_ms = PATIENCE_MS;
    f.config.http_proxy = S("");
    f.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    sem_init(&f.entered, 0, 0);
    sem_init(&f.go, 0, 0);
    sem_init(&f.asked, 0, 0);
    sem_init(&f.answer, 0, 0);
    f.engine = engine_open(&f.config, f.wake);
    return 0;
}

static int close_engine(void **state)
{
    (void)state;
    assert_true(engine_close(f.engine, monotonic_ms() + PATIENCE_MS));
    close(f.wake);
    return 0;
}

static void submit(const struct tool *tool, uint64_t number)
{
    struct job *job = job_new(JOB_CALL_TOOL, number, NULL, S("session"));
    job->tool = tool;
    engine_submit(f.engine, job);
}

static void rest_until_woken(void)
{
    struct pollfd wake = {.fd = f.wake, .events = POLLIN};
    uint64_t count;
    if (poll(&wake, 1, 100) == 1)
        assert_int_equal(read(f.wake, &count, sizeof count), sizeof count);
}

/* The next job that is done. */
static struct job *next_done(void)
{
    struct engine_event event = {0};
    int64_t until_ms = monotonic_ms() + PATIENCE_MS;
    while (event.kind != EVENT_DONE && monotonic_ms() < until_ms) {
        event = engine_take(f.engine);
        if (event.kind == EVENT_NONE)
            rest_until_woken();
    }
    assert_int_equal(event.kind, EVENT_DONE);
    f.taken++;
    return event.job;
}

static void expect_done(uint64_t number, enum err_code failure)
{
    struct job *job = next_done();
    assert_int_equal(job->number, number);
    assert_int_equal(job->failure.code, failure);
    job_free(job);
}

/* Of what nobody hears of. */
static void expect_end_of_work(void)
{
    int64_t until_ms = monotonic_ms() + PATIENCE_MS;
    while (engine_is_busy(f.engine) && monotonic_ms() < until_ms)
        rest_until_woken();
    assert_false(engine_is_busy(f.engine));
}

/* ---- tests ---- */

static void without_jobs_there_is_nothing_to_wait_for(void **state)
{
    (void)state;
    assert_false(engine_is_busy(f.engine));
    assert_int_equal(engine_take(f.engine).kind, EVENT_NONE);
    engine_settle(f.engine);
}

static void jobs_run_in_order_of_arrival(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 200; i++)
        submit(&quick, i);
    for (uint64_t i = 1; i <= 200; i++)
        expect_done(i, ERR_NONE);
    assert_int_equal(atomic_load(&f.runs), 200);
    assert_false(engine_is_busy(f.engine));
}

static void answers_that_nobody_takes_hold_the_engine_up(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 100; i++)
        submit(&quick, i);
    for (uint64_t i = 1; i <= 100; i++) {
        assert_true((size_t)atomic_load(&f.runs) <= f.taken + MAX_EVENTS_WAITING);
        expect_done(i, ERR_NONE);
    }
}

static void a_queued_job_that_is_cancelled_never_runs(void **state)
{
    (void)state;
    submit(&gated, 1);
    sem_wait(&f.entered);
    submit(&quick, 2);
    submit(&quick, 3);
    engine_cancel(f.engine, 2);
    expect_done(2, ERR_NONE);
    sem_post(&f.go);
    expect_done(1, ERR_NONE);
    expect_done(3, ERR_NONE);
    assert_int_equal(atomic_load(&f.runs), 2);
}

static void a_running_job_is_told_that_it_was_cancelled(void **state)
{
    (void)state;
    submit(&endless, 1);
    sem_wait(&f.entered);
    engine_cancel(f.engine, 77);
    engine_cancel(f.engine, 1);
    expect_done(1, ERR_NONE);
}

static void jobs_wait_for_roots_but_not_for_ever(void **state)
{
    (void)state;
    engine_hold(f.engine);
    int64_t began_ms = monotonic_ms();
    submit(&quick, 1);
    expect_done(1, ERR_NONE);
    assert_true(monotonic_ms() - began_ms >= ROOTS_WAIT_MS);
    engine_hold(f.engine);
    submit(&quick, 2);
    engine_release(f.engine, &S("/"));
    began_ms = monotonic_ms();
    expect_done(2, ERR_NONE);
    assert_true(monotonic_ms() - began_ms < ROOTS_WAIT_MS);
}

static void settling_fails_what_waits_and_ends_what_runs(void **state)
{
    (void)state;
    submit(&endless, 1);
    sem_wait(&f.entered);
    submit(&quick, 2);
    submit(&quick, 3);
    engine_settle(f.engine);
    struct job *seen[4] = {0};
    for (int i = 0; i < 3; i++) {
        struct job *job = next_done();
        seen[job->number] = job;
    }
    assert_int_equal(seen[1]->failure.code, ERR_NONE);
    assert_int_equal(seen[2]->failure.code, ERR_BUSY);
    assert_int_equal(seen[3]->failure.code, ERR_BUSY);
    for (int i = 1; i <= 3; i++)
        job_free(seen[i]);
    assert_int_equal(atomic_load(&f.runs), 1);
}

static void closing_gives_up_on_a_job_that_is_stuck(void **state)
{
    (void)state;
    submit(&gated, 1);
    sem_wait(&f.entered);
    assert_false(engine_close(f.engine, monotonic_ms() + 10));
    sem_post(&f.go);
    expect_done(1, ERR_NONE);
}

static void every_ordered_parse_is_resumed_once(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 10; i++)
        submit(&parsing, i);
    for (int i = 1; i <= 10; i++)
        job_free(next_done());
    assert_int_equal(atomic_load(&f.resumes), 10);
}

static void an_answer_as_pending_is_the_only_one(void **state)
{
    (void)state;
    f.config.attach_wait_ms = 0;
    for (uint64_t i = 1; i <= 10; i++)
        submit(&parsing, i);
    for (int i = 1; i <= 10; i++)
        job_free(next_done());
    engine_settle(f.engine);
    expect_end_of_work();
    assert_int_equal(engine_take(f.engine).kind, EVENT_NONE);
    assert_int_equal(atomic_load(&f.resumes), 10);
}

static void a_document_taken_back_while_a_step_stores_it_is_stored_no_further(void **state)
{
    (void)state;
    submit(&storing, 1);
    sem_wait(&f.entered);
    engine_cancel(f.engine, 1);
    sem_post(&f.go);
    expect_done(1, ERR_CANCELLED);
    assert_int_equal(atomic_load(&f.resumes), 2);
    assert_int_equal(atomic_load(&f.taken_back), 1);
}

static void one_that_was_answered_as_pending_stops_likewise_when_the_server_ends(void **state)
{
    (void)state;
    f.config.attach_wait_ms = 0;
    submit(&storing, 1);
    expect_done(1, ERR_NONE);
    sem_wait(&f.entered);
    engine_settle(f.engine);
    sem_post(&f.go);
    expect_end_of_work();
    assert_int_equal(atomic_load(&f.resumes), 2);
    assert_int_equal(atomic_load(&f.taken_back), 1);
}

enum { GATED = 99 };

/* One call more than threads ask: once it is asked, one of the others has heard its model, and
 * waits behind the call that runs. */
static void one_has_heard_its_model(void)
{
    for (uint64_t i = 1; i <= MAX_ASKS + 1; i++)
        submit(&asking, i);
    submit(&gated, GATED);
    for (int i = 0; i < MAX_ASKS; i++)
        sem_wait(&f.asked);
    sem_wait(&f.entered);
    sem_post(&f.answer);
    sem_wait(&f.asked);
}

static void expect_all_taken_back(void)
{
    for (int i = 0; i < MAX_ASKS; i++)
        sem_post(&f.answer);
    sem_post(&f.go);
    for (int i = 0; i < MAX_ASKS + 2; i++) {
        struct job *job = next_done();
        assert_int_equal(job->failure.code, job->number == GATED ? ERR_NONE : ERR_CANCELLED);
        job_free(job);
    }
    assert_int_equal(atomic_load(&f.taken_back), MAX_ASKS + 1);
}

static void a_call_that_has_heard_its_model_can_be_taken_back(void **state)
{
    (void)state;
    one_has_heard_its_model();
    for (uint64_t i = 1; i <= MAX_ASKS + 1; i++)
        engine_cancel(f.engine, i);
    expect_all_taken_back();
}

static void a_call_that_has_heard_its_model_is_told_of_the_end(void **state)
{
    (void)state;
    one_has_heard_its_model();
    engine_settle(f.engine);
    expect_all_taken_back();
}

static void a_call_that_nobody_asks_for_yet_comes_back_at_once_when_it_is_taken_back(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= MAX_ASKS + 1; i++)
        submit(&asking, i);
    for (int i = 0; i < MAX_ASKS; i++)
        sem_wait(&f.asked); /* the last one finds no thread */
    engine_cancel(f.engine, MAX_ASKS + 1);
    expect_done(MAX_ASKS + 1, ERR_CANCELLED);
    for (int i = 0; i < MAX_ASKS; i++)
        sem_post(&f.answer);
    for (int i = 0; i < MAX_ASKS; i++) {
        struct job *job = next_done();
        assert_int_equal(job->failure.code, ERR_NONE);
        job_free(job);
    }
}

#define ENGINE_TEST(name) cmocka_unit_test_setup_teardown(name, open_engine, close_engine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(without_jobs_there_is_nothing_to_wait_for),
        ENGINE_TEST(jobs_run_in_order_of_arrival),
        ENGINE_TEST(answers_that_nobody_takes_hold_the_engine_up),
        ENGINE_TEST(a_queued_job_that_is_cancelled_never_runs),
        ENGINE_TEST(a_running_job_is_told_that_it_was_cancelled),
        ENGINE_TEST(jobs_wait_for_roots_but_not_for_ever),
        ENGINE_TEST(settling_fails_what_waits_and_ends_what_runs),
        ENGINE_TEST(closing_gives_up_on_a_job_that_is_stuck),
        ENGINE_TEST(every_ordered_parse_is_resumed_once),
        ENGINE_TEST(an_answer_as_pending_is_the_only_one),
        ENGINE_TEST(a_document_taken_back_while_a_step_stores_it_is_stored_no_further),
        ENGINE_TEST(one_that_was_answered_as_pending_stops_likewise_when_the_server_ends),
        ENGINE_TEST(a_call_that_has_heard_its_model_can_be_taken_back),
        ENGINE_TEST(a_call_that_has_heard_its_model_is_told_of_the_end),
        ENGINE_TEST(a_call_that_nobody_asks_for_yet_comes_back_at_once_when_it_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
