/* Commits from a worker that misbehaves: this program itself, under the name engram-worker, does
 * what it is asked for in words. */
#include "server/history_feed.h"

#include "memory/base/buf.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/own_worker.h"

/* ---- the worker ---- */

static bool tell(uint32_t status, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return wire_send_reply(WORKER_SOCKET, status, str_of(text));
}

static void behave(str ask)
{
    enum { LARGE_BYTES = 1 << 20 };
    for (int i = 0; i < 3; i++)
        tell(REPLY_MORE, i);
    if (str_eq(ask, S("crash")))
        raise(SIGSEGV);
    else if (str_eq(ask, S("hang")))
        pause();
    struct buf large = {0};
    buf_reserve(&large, LARGE_BYTES);
    memset(large.at, 'x', LARGE_BYTES);
    while (str_eq(ask, S("endless")) &&
           wire_send_reply(WORKER_SOCKET, REPLY_MORE, str_from(large.at, LARGE_BYTES)))
        continue;
    buf_free(&large);
    tell(ERR_NONE, 3);
}

static int worker(void)
{
    struct arena a = {0};
    struct parse_job job;
    signal(SIGSEGV, SIG_DFL); /* the sanitizers' handlers would make exits of it */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (wire_receive_job(&a, WORKER_SOCKET, &job) != WIRE_JOB || job.kind != PARSE_HISTORY)
        return WORKER_PROTOCOL;
    behave(job.name);
    arena_free(&a);
    return WORKER_DONE;
}

/* ---- tests ---- */

static struct history_feed *feed_of(const char *ask, bool (*stopped)(void *), void *ctx)
{
    int known = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct history_feed *f = history_feed_open(&(struct history_feed_options){
        .ask = str_of(ask), .known = known, .stopped = stopped, .ctx = ctx});
    close(known);
    return f;
}

/* How many came, which are numbered from 0. */
static int take_numbered(struct history_feed *f, int most)
{
    int count = 0;
    struct history_reply *r;
    for (; count < most && (r = history_feed_take(f)); count++) {
        assert_int_equal(atoi(r->bytes.at), count);
        history_reply_free(r);
    }
    return count;
}

static bool close_feed(struct history_feed *f, struct worker_end *end)
{
    struct err e = {0};
    bool ok = history_feed_close(f, end, &e);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    return ok;
}

static void replies_come_in_order_and_then_none(void **state)
{
    (void)state;
    struct worker_end end;
    struct history_feed *f = feed_of("all", NULL, NULL);
    assert_int_equal(take_numbered(f, 100), 4);
    assert_null(history_feed_take(f));
    assert_true(close_feed(f, &end));
    assert_int_equal(end.outcome, TALK_ANSWERED);
}

static void what_was_told_before_a_crash_is_there(void **state)
{
    (void)state;
    struct worker_end end;
    struct err e = {0};
    bool strike;
    struct history_feed *f = feed_of("crash", NULL, NULL);
    assert_int_equal(take_numbered(f, 100), 3);
    assert_true(close_feed(f, &end));
    worker_explain(&end, S("it"), 1, &strike, &e);
    assert_true(strike);
}

static void closing_early_ends_a_worker_that_never_would(void **state)
{
    (void)state;
    static const char *const asks[] = {"endless", "hang"};
    for (size_t i = 0; i < 2; i++) {
        struct worker_end end;
        struct history_feed *f = feed_of(asks[i], NULL, NULL);
        assert_int_equal(take_numbered(f, 3), 3);
        assert_true(close_feed(f, &end));
        assert_int_not_equal(end.outcome, TALK_ANSWERED);
    }
}

static bool third_time(void *ctx)
{
    return atomic_fetch_add((atomic_int *)ctx, 1) >= 3;
}

static void a_stop_ends_it(void **state)
{
    (void)state;
    struct worker_end end;
    atomic_int asked = 0;
    struct history_feed *f = feed_of("hang", third_time, &asked);
    assert_true(take_numbered(f, 100) <= 3);
    assert_true(close_feed(f, &end));
    assert_int_equal(end.outcome, TALK_TAKEN_BACK);
}

static int run_inner(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_come_in_order_and_then_none),
        cmocka_unit_test(what_was_told_before_a_crash_is_there),
        cmocka_unit_test(closing_early_ends_a_worker_that_never_would),
        cmocka_unit_test(a_stop_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argc;
    return own_worker_main(argv, worker, run_inner);
}
