/* Files read by a worker that misbehaves: this program itself, under the name engram-worker, does
 * what each file's name says. Started as source_feed_test it makes a folder with both names, and
 * runs there again. */
#include "server/config.h"
#include "server/parse_wire.h"
#include "server/source_feed.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/own_worker.h"

/* ---- the worker ---- */

static const str BLOB = {"0123456789012345678901234567890123456789", 40};

static void send_file(str path, const char *text, size_t chunks)
{
    struct source_file f = {.path = path, .blob = BLOB, .facts = {.language = S("c"), .lines = 1}};
    f.facts.chunk_count = chunks;
    f.facts.chunks = heap_alloc(chunks, sizeof *f.facts.chunks);
    for (size_t i = 0; i < chunks; i++)
        f.facts.chunks[i] = (struct source_chunk){NO_SYMBOL, 1, 1, str_of(text)};
    struct buf reply = {0};
    source_file_write(&reply, &f);
    if (!wire_send_reply(WORKER_SOCKET, ERR_NONE, buf_str(&reply)))
        _exit(0);
    buf_free(&reply);
    heap_free(f.facts.chunks);
}

static void send_large(str path)
{
    enum { CHUNKS = 1000 };
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    send_file(path, text, CHUNKS);
}

static void behave(str path)
{
    if (str_starts(path, S("early crash")))
        raise(SIGSEGV);
    wire_send_reply(WORKER_SOCKET, REPLY_BEGUN, BLOB);
    if (str_starts(path, S("crash")))
        raise(SIGSEGV);
    else if (str_starts(path, S("killed")))
        raise(SIGKILL);
    else if (str_starts(path, S("cpu")))
        raise(SIGXCPU);
    else if (str_starts(path, S("memory")))
        heap_resize(NULL, SIZE_MAX, 2);
    else if (str_starts(path, S("hang")))
        pause();
    else if (str_starts(path, S("exit")))
        _exit(0);
    else if (str_starts(path, S("garbage")))
        wire_send_reply(WORKER_SOCKET, ERR_NONE, S("EGS1 nonsense"));
    else if (str_starts(path, S("begins twice")))
        wire_send_reply(WORKER_SOCKET, REPLY_BEGUN, BLOB);
    else if (str_starts(path, S("another")))
        send_file(S("other"), "text", 1);
    else if (str_starts(path, S("refuse")))
        wire_send_reply(WORKER_SOCKET, ERR_INPUT, S("no"));
    else if (str_starts(path, S("large")))
        send_large(path);
    else
        send_file(path, "text", 1);
}

static int worker(void)
{
    signal(SIGSEGV, SIG_DFL); /* the sanitizers' handlers would make exits of it */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (;;) {
        struct arena a = {0};
        struct parse_job job;
        struct wire_source *sources;
        size_t count;
        if (wire_receive_job(&a, WORKER_SOCKET, &job) != WIRE_JOB)
            return WORKER_DONE;
        if (job.kind != PARSE_SOURCES || !wire_read_sources(&a, job.name, &sources, &count))
            return WORKER_PROTOCOL;
        for (size_t i = 0; i < count; i++)
            behave(sources[i].path);
        close(job.fd);
        arena_free(&a);
    }
}

/* ---- helpers ---- */

enum { LONG_MS = 30000, SHORT_MS = 500 };

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static struct source_order *orders_of(const char *const *names, size_t count)
{
    struct source_order *orders = ARENA_ARRAY(&arena, struct source_order, count);
    for (size_t i = 0; i < count; i++)
        orders[i] = (struct source_order){.path = str_of(names[i]), .known = S("")};
    return orders;
}

static struct source_order *numbered(const char *what, size_t count)
{
    struct source_order *orders = ARENA_ARRAY(&arena, struct source_order, count);
    for (size_t i = 0; i < count; i++)
        orders[i].path = arena_printf(&arena, "%s %zu", what, i);
    return orders;
}

static struct source_feed_options options_of(int lanes, int64_t deadline_ms)
{
    return (struct source_feed_options){
        .root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .lanes = lanes,
        .deadline_ms = deadline_ms,
    };
}

/* All results, `most` at a time; the caller frees them. */
static size_t take_all(const struct source_feed_options *o, const struct source_order *orders,
                       size_t count, size_t most, struct source_result **out, struct err *e)
{
    struct source_feed *f = source_feed_open(o, orders, count);
    size_t taken = 0, n;
    do {
        n = source_feed_take(f, out + taken, most, e);
        taken += n;
    } while (n);
    source_feed_close(f);
    close(o->root);
    return taken;
}

static void free_all(struct source_result **results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        source_result_free(results[i]);
}

/* ---- tests ---- */

static void results_come_in_the_order_of_the_orders(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static struct source_result *results[COUNT];
    struct source_order *orders = numbered("sound", COUNT);
    struct err e = {0};
    for (int lanes = 1; lanes <= MAX_FEED_LANES; lanes++) {
        struct source_feed_options o = options_of(lanes, LONG_MS);
        assert_int_equal(take_all(&o, orders, COUNT, 64, results, &e), COUNT);
        assert_int_equal(e.code, ERR_NONE);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(str_eq(results[i]->file.path, orders[i].path));
            assert_int_equal(results[i]->file.facts.chunk_count, 1);
            assert_int_equal(results[i]->fault.code, ERR_NONE);
        }
        free_all(results, COUNT);
    }
}

static void no_orders_give_no_results(void **state)
{
    (void)state;
    struct source_result *results[1];
    struct err e = {0};
    struct source_feed_options o = options_of(2, LONG_MS);
    assert_int_equal(take_all(&o, NULL, 0, 1, results, &e), 0);
    assert_int_equal(e.code, ERR_NONE);
}

static const struct {
    const char *name;
    bool strike, has_blob;
    const char *text;
} faults[] = {
    {"crash", true, true, "crashed on 'crash' (signal 11"},
    {"early crash", true, false, "crashed on 'early crash'"},
    {"cpu", true, true, "'cpu' takes too long"},
    {"memory", true, true, "'memory' takes too much memory"},
    {"hang", true, true, "'hang' takes longer than"},
    {"garbage", true, true, "no sound answer on 'garbage'"},
    {"begins twice", true, true, "no sound answer"},
    {"another", true, true, "no sound answer on 'another'"},
    {"refuse", true, true, "no sound answer on 'refuse'"},
    {"killed", false, true, "was killed while it read 'killed'"},
    {"exit", false, true, "gave no answer on 'exit'"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static void a_file_at_fault_costs_itself_alone(void **state)
{
    (void)state;
    const char *names[2 * FAULTS + 1];
    struct source_result *results[2 * FAULTS + 1];
    struct err e = {0};
    for (size_t i = 0; i < FAULTS; i++) {
        names[2 * i] = "sound";
        names[2 * i + 1] = faults[i].name;
    }
    names[2 * FAULTS] = "sound";
    struct source_feed_options o = options_of(1, SHORT_MS);
    size_t count = 2 * FAULTS + 1;
    assert_int_equal(take_all(&o, orders_of(names, count), count, count, results, &e), count);
    for (size_t i = 0; i < count; i += 2)
        assert_int_equal(results[i]->fault.code, ERR_NONE);
    for (size_t i = 0; i < FAULTS; i++) {
        const struct source_result *r = results[2 * i + 1];
        if (!r->fault.code || r->strike != faults[i].strike ||
            str_eq(r->file.blob, BLOB) != faults[i].has_blob ||
            !strstr(r->fault.text, faults[i].text) ||
            !str_eq(r->file.path, str_of(names[2 * i + 1])))
            fail_msg("%s: code %d, strike %d, blob '%.*s', '%s'", faults[i].name, r->fault.code,
                     r->strike, FMT(r->file.blob), r->fault.text);
    }
    free_all(results, count);
}

static void what_lies_ready_is_bounded_and_nobody_waits_for_ever(void **state)
{
    (void)state;
    enum { COUNT = 120 }; /* of a mebibyte each: several times what may lie ready */
    static struct source_result *results[COUNT];
    struct err e = {0};
    struct source_feed_options o = options_of(MAX_FEED_LANES, LONG_MS);
    struct source_feed *f = source_feed_open(&o, numbered("large", COUNT), COUNT);
    for (size_t taken = 0, n; taken < COUNT; taken += n) {
        size_t bytes = 0;
        sleep_for_ms(20); /* so that the lanes come to their bound */
        n = source_feed_take(f, results + taken, COUNT, &e);
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++)
            bytes += arena_held_bytes(&results[taken + i]->arena);
        assert_true(bytes < MAX_FEED_BYTES + 2 * (size_t)MAX_SOURCE_FACTS_BYTES);
        free_all(results + taken, n);
    }
    source_feed_close(f);
    close(o.root);
}

static bool third_time(void *ctx)
{
    return atomic_fetch_add((atomic_int *)ctx, 1) >= 3;
}

static void a_stop_ends_it(void **state)
{
    (void)state;
    struct source_result *results[2];
    struct err e = {0};
    atomic_int asked = 0;
    const char *const names[] = {"hang"};
    struct source_feed_options o = options_of(1, LONG_MS);
    o.stopped = third_time;
    o.ctx = &asked;
    assert_int_equal(take_all(&o, orders_of(names, 1), 1, 1, results, &e), 0);
    assert_int_equal(e.code, ERR_CANCELLED);
}

static void closing_early_leaves_nothing_behind(void **state)
{
    (void)state;
    struct source_result *results[10];
    struct err e = {0};
    struct source_feed_options o = options_of(MAX_FEED_LANES, LONG_MS);
    struct source_feed *f = source_feed_open(&o, numbered("sound", 1000), 1000);
    size_t n = source_feed_take(f, results, 10, &e);
    assert_true(n > 0);
    source_feed_close(f);
    free_all(results, n);
    close(o.root);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static int run_inner(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_the_order_of_the_orders),
        cmocka_unit_test(no_orders_give_no_results),
        cmocka_unit_test(a_file_at_fault_costs_itself_alone),
        cmocka_unit_test(what_lies_ready_is_bounded_and_nobody_waits_for_ever),
        cmocka_unit_test(a_stop_ends_it),
        cmocka_unit_test(closing_early_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}

int main(int argc, char **argv)
{
    (void)argc;
    return own_worker_main(argv, worker, run_inner);
}
