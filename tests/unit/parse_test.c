/* Parses with a worker that misbehaves: this program itself, under the name engram-worker, does
 * what the document's name says. Started as parse_test it makes a folder with both names, and runs
 * there again. */
#include "server/config.h"
#include "server/parse.h"
#include "server/parse_wire.h"
#include "server/spawn.h"
#include "server/worker_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/own_worker.h"

/* ---- the worker ---- */

static void send_bytes(str bytes)
{
    while (bytes.len) {
        ssize_t n = send(WORKER_SOCKET, bytes.at, bytes.len, MSG_NOSIGNAL);
        if (n <= 0)
            _exit(0);
        bytes = str_cut(bytes, (size_t)n, bytes.len);
    }
}

static struct facts two_passages(struct arena *a, enum node_kind kind, str body)
{
    struct facts f = {.title = S("Title"), .media_type = S("text/plain")};
    facts_add_node(a, &f,
                   (struct fact_node){.kind = kind,
                                      .key = S("k1"),
                                      .name = S("n"),
                                      .body = body,
                                      .line_start = 1,
                                      .line_end = 1});
    facts_add_node(a, &f,
                   (struct fact_node){.kind = kind,
                                      .key = S("k2"),
                                      .name = S("n"),
                                      .body = body,
                                      .line_start = 2,
                                      .line_end = 2});
    facts_add_edge(a, &f, (struct fact_edge){0, 1, EDGE_NEXT, 1.0f});
    facts_add_warning(a, &f, S("warned"));
    return f;
}

static void reply_facts(struct arena *a, enum node_kind kind, str body)
{
    struct facts f = two_passages(a, kind, body);
    struct buf bytes = {0};
    facts_write(&bytes, &f);
    wire_send_reply(WORKER_SOCKET, ERR_NONE, buf_str(&bytes));
    buf_free(&bytes);
}

/* Descriptors and environment as the worker sees them. */
static str surroundings(struct arena *a)
{
    struct buf out = {0};
    for (int fd = 0; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            buf_printf(&out, "fd %d\n", fd);
    for (char **variable = environ; *variable; variable++)
        buf_printf(&out, "env %s\n", *variable);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    buf_printf(&out, "blocked %d ignored %d\n", sigismember(&blocked, SIGTERM),
               signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    str text = arena_str(a, buf_str(&out));
    buf_free(&out);
    return text;
}

static void behave(struct arena *a, str name, int fd)
{
    if (str_eq(name, S("sound")))
        reply_facts(a, NODE_PASSAGE, S("body"));
    else if (str_eq(name, S("echo"))) {
        char bytes[64];
        ssize_t n = pread(fd, bytes, sizeof bytes, 0);
        reply_facts(a, NODE_PASSAGE, str_from(bytes, n > 0 ? (size_t)n : 0));
    } else if (str_eq(name, S("surroundings")))
        reply_facts(a, NODE_PASSAGE, surroundings(a));
    else if (str_eq(name, S("refuse")))
        wire_send_reply(WORKER_SOCKET, ERR_INPUT, S("'x' is a PDF"));
    else if (str_eq(name, S("crash")))
        raise(SIGSEGV);
    else if (str_eq(name, S("abort")))
        abort();
    else if (str_eq(name, S("killed")))
        raise(SIGKILL);
    else if (str_eq(name, S("cpu")))
        raise(SIGXCPU);
    else if (str_eq(name, S("loop")))
        for (volatile int i = 0;; i++)
            continue;
    else if (str_eq(name, S("stopped")))
        raise(SIGSTOP);
    else if (str_eq(name, S("memory")))
        heap_resize(NULL, SIZE_MAX, 2);
    else if (str_eq(name, S("exit")))
        _exit(0);
    else if (str_eq(name, S("failed set-up")))
        _exit(WORKER_SETUP);
    else if (str_eq(name, S("silent"))) {
        close(WORKER_SOCKET);
        pause();
    } else if (str_eq(name, S("lingers"))) {
        reply_facts(a, NODE_PASSAGE, S("body"));
        pause();
    } else if (str_eq(name, S("garbage")))
        send_bytes(S("this is no reply at all, not even a short one"));
    else if (str_eq(name, S("long")))
        send_bytes(S("EGR1\0\0\0\0\xFF\xFF\xFF\xFF"));
    else if (str_eq(name, S("half")))
        send_bytes(S("EGR1\0\0\0\0\x10\0\0\0half"));
    else if (str_eq(name, S("half, then nothing"))) {
        send_bytes(S("EGR1\0\0\0\0\x10\0\0\0half"));
        pause();
    } else if (str_eq(name, S("bad status")))
        send_bytes(S("EGR1\x63\0\0\0\0\0\0\0"));
    else if (str_eq(name, S("bad facts")))
        wire_send_reply(WORKER_SOCKET, ERR_NONE, S("EGF1 nonsense"));
    else if (str_eq(name, S("not passages")))
        reply_facts(a, NODE_COMMIT, S("body"));
    else if (str_eq(name, S("bad UTF-8")))
        reply_facts(a, NODE_PASSAGE, S("bo\xFF"));
    else if (str_eq(name, S("bad UTF-8 error")))
        wire_send_reply(WORKER_SOCKET, ERR_INPUT, S("bad \xFF"));
}

static int worker(void)
{
    struct arena a = {0};
    struct parse_job job;
    signal(SIGSEGV, SIG_DFL); /* the sanitizers' handlers would make exits of it */
    signal(SIGABRT, SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (wire_receive_job(&a, WORKER_SOCKET, &job) != WIRE_JOB)
        return WORKER_PROTOCOL;
    behave(&a, job.name, job.fd);
    close(job.fd);
    arena_free(&a);
    return 0;
}

/* ---- helpers ---- */

static struct arena arena;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

struct result {
    bool ok, strike;
    struct facts facts;
    struct err err;
    int64_t took_ms;
};

static int document_of(const char *text)
{
    int fd = memfd_create("document", MFD_CLOEXEC);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

static struct result parse_with(struct arena *a, const char *behaviour, int64_t deadline_ms,
                                bool (*cancelled)(void *), void *ctx)
{
    struct result r = {0};
    int fd = document_of("the document");
    int64_t began = monotonic_ms();
    r.ok = parse_document(a, fd, str_of(behaviour), deadline_ms, cancelled, ctx, &r.facts,
                          &r.strike, &r.err);
    r.took_ms = monotonic_ms() - began;
    assert_true(fcntl(fd, F_GETFD) >= 0); /* still ours */
    close(fd);
    return r;
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* ---- tests ---- */

enum { LONG_MS = 30000, SHORT_MS = 300 };

static void a_sound_answer_is_read(void **state)
{
    (void)state;
    struct result r = parse_with(&arena, "sound", LONG_MS, NULL, NULL);
    assert_true(r.ok);
    assert_false(r.strike);
    assert_int_equal(r.facts.node_count, 2);
    assert_int_equal(r.facts.edge_count, 1);
    assert_true(str_eq(r.facts.title, S("Title")));
    assert_true(str_eq(r.facts.warnings[0], S("warned")));
}

static void the_worker_gets_the_document_and_its_name(void **state)
{
    (void)state;
    struct result r = parse_with(&arena, "echo", LONG_MS, NULL, NULL);
    assert_true(r.ok);
    assert_true(str_eq(r.facts.nodes[0].body, S("the document")));
}

static void the_worker_sees_nothing_of_ours(void **state)
{
    (void)state;
    setenv("OPENAI_API_KEY", "key", 1);
    setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    setenv("GIT_DIR", "/nowhere", 1);
    setenv("HOMEWORK", "x", 1);
    setenv("HOME", "/home/x", 1);
    setenv("XDG_DATA_HOME", "/home/x/data", 1);
    int leaked = open("/dev/null", O_RDONLY); /* as a library might, without O_CLOEXEC */
    sigset_t some, before;
    sigemptyset(&some);
    sigaddset(&some, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &some, &before);
    signal(SIGPIPE, SIG_IGN);
    struct result r = parse_with(&arena, "surroundings", LONG_MS, NULL, NULL);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(leaked);
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("GIT_DIR");
    assert_true(r.ok);
    const char *seen = arena_cstr(&arena, r.facts.nodes[0].body);
    assert_null(strstr(seen, "KEY"));
    assert_null(strstr(seen, "LD_LIBRARY"));
    assert_null(strstr(seen, "GIT_"));
    assert_null(strstr(seen, "HOMEWORK"));
    assert_non_null(strstr(seen, "env HOME=/home/x\n"));
    assert_non_null(strstr(seen, "env XDG_DATA_HOME=/home/x/data\n"));
    assert_non_null(strstr(seen, "fd 0\nfd 1\nfd 2\nfd 3\nfd 4\nenv")); /* 4 is the document */
    assert_non_null(strstr(seen, "blocked 0 ignored 0\n"));
}

static const struct {
    const char *behaviour;
    enum err_code code;
    bool strike;
    const char *text;
} faults[] = {
    {"refuse", ERR_INPUT, false, "'x' is a PDF"},
    {"bad UTF-8 error", ERR_INPUT, false, "bad \xEF\xBF\xBD"},
    {"crash", ERR_IO, true, "crashed on 'crash' (signal 11"},
    {"abort", ERR_IO, true, "crashed on 'abort' (signal 6"},
    {"killed", ERR_IO, false, "was killed while it read 'killed'"},
    {"cpu", ERR_LIMIT, true, "'cpu' takes too long"},
    {"memory", ERR_LIMIT, true, "'memory' takes too much memory"},
    {"exit", ERR_IO, false, "gave no answer on 'exit' (exit code 0)"},
    {"failed set-up", ERR_IO, false, "(exit code 3)"},
    {"garbage", ERR_IO, true, "no sound answer on 'garbage'"},
    {"long", ERR_IO, true, "no sound answer"},
    {"half", ERR_IO, false, "gave no answer"},
    {"bad status", ERR_IO, true, "no sound answer"},
    {"bad facts", ERR_IO, true, "damaged"},
    {"not passages", ERR_IO, true, "aren't those of a document"},
    {"bad UTF-8", ERR_IO, true, "aren't those of a document"},
    {"silent", ERR_IO, true, "no sound answer on 'silent'"},
};

static void each_fault_is_told_from_the_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct result r = parse_with(&arena, faults[i].behaviour, LONG_MS, NULL, NULL);
        if (r.ok || r.err.code != faults[i].code || r.strike != faults[i].strike ||
            !strstr(r.err.text, faults[i].text) || r.took_ms > LONG_MS / 2)
            fail_msg("%s: %s, code %d, strike %d, %lld ms, '%s'", faults[i].behaviour,
                     r.ok ? "ok" : "failed", r.err.code, r.strike, (long long)r.took_ms,
                     r.err.text);
    }
}

static void a_worker_beyond_its_deadline_is_killed(void **state)
{
    (void)state;
    static const char *const behaviours[] = {"loop", "stopped", "half, then nothing"};
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        struct result r = parse_with(&arena, behaviours[i], SHORT_MS, NULL, NULL);
        assert_false(r.ok);
        assert_true(r.strike);
        assert_int_equal(r.err.code, ERR_LIMIT);
        assert_non_null(strstr(r.err.text, "takes longer than 300 ms"));
        assert_in_range(r.took_ms, SHORT_MS, SHORT_MS + 5000);
    }
}

static void a_worker_that_lingers_is_killed_and_its_answer_counts(void **state)
{
    (void)state;
    struct result r = parse_with(&arena, "lingers", LONG_MS, NULL, NULL);
    assert_true(r.ok);
    assert_true(r.took_ms < LONG_MS / 2);
}

static bool third_time(void *ctx)
{
    return ++*(int *)ctx == 3;
}

static void a_cancelled_parse_is_no_strike(void **state)
{
    (void)state;
    int asked = 0;
    struct result r = parse_with(&arena, "loop", LONG_MS, third_time, &asked);
    assert_false(r.ok);
    assert_false(r.strike);
    assert_int_equal(r.err.code, ERR_CANCELLED);
    assert_true(r.took_ms < LONG_MS / 2);
}

static void nothing_is_left_behind(void **state)
{
    (void)state;
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].behaviour, "silent") != 0) /* takes a second */
            parse_with(&arena, faults[i].behaviour, LONG_MS, NULL, NULL);
    parse_with(&arena, "sound", LONG_MS, NULL, NULL);
    parse_with(&arena, "loop", SHORT_MS, NULL, NULL);
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child at all */
    assert_int_equal(errno, ECHILD);
}

static void *parse_many(void *ctx)
{
    size_t *good = ctx;
    struct arena a = {0};
    for (int i = 0; i < 20; i++) {
        struct result r = parse_with(&a, i % 4 == 3 ? "crash" : "sound", LONG_MS, NULL, NULL);
        *good += i % 4 == 3 ? !r.ok && r.strike : r.ok;
    }
    arena_free(&a);
    return NULL;
}

static void threads_parse_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    size_t good[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, parse_many, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], 20);
    }
}

struct stopped_parse {
    volatile bool runs;
    struct result result;
    struct arena arena;
};

static bool tell_that_it_runs(void *ctx)
{
    ((struct stopped_parse *)ctx)->runs = true;
    return false;
}

static void *parse_a_loop(void *ctx)
{
    struct stopped_parse *p = ctx;
    p->result = parse_with(&p->arena, "loop", LONG_MS, tell_that_it_runs, p);
    return NULL;
}

static void stopping_ends_what_runs(void **state)
{
    (void)state;
    workers_stop(); /* nothing runs: nothing to do */
    struct stopped_parse p = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, parse_a_loop, &p), 0);
    while (!p.runs)
        sleep_for_ms(1);
    int64_t began = monotonic_ms();
    workers_stop();
    assert_true(monotonic_ms() - began < 2000);
    assert_int_equal(waitpid(-1, NULL, WNOHANG),
                     -1); /* reaped by its thread before workers_stop came back */
    pthread_join(thread, NULL);
    assert_int_equal(p.result.err.code, ERR_CANCELLED);
    assert_false(p.result.strike);
    arena_free(&p.arena);
}

static void an_absent_worker_is_named(void **state)
{
    (void)state;
    struct err e = {0};
    str path;
    assert_true(spawn_worker_path(&arena, &path, &e));
    assert_true(str_ends(path, S("/engram-worker")));
    const char *moved = arena_printf(&arena, "%.*s.moved", FMT(path)).at;
    assert_int_equal(rename(path.at, moved), 0);
    struct result r = parse_with(&arena, "sound", LONG_MS, NULL, NULL);
    rename(moved, path.at);
    assert_false(r.ok);
    assert_false(r.strike);
    assert_int_equal(r.err.code, ERR_IO);
    assert_non_null(strstr(r.err.text, "engram-worker is neither in"));
    assert_non_null(strstr(r.err.text, ENGRAM_LIBEXEC_DIR));
}

static int run_inner(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_answer_is_read),
        cmocka_unit_test(the_worker_gets_the_document_and_its_name),
        cmocka_unit_test(the_worker_sees_nothing_of_ours),
        cmocka_unit_test(each_fault_is_told_from_the_others),
        cmocka_unit_test(a_worker_beyond_its_deadline_is_killed),
        cmocka_unit_test(a_worker_that_lingers_is_killed_and_its_answer_counts),
        cmocka_unit_test(a_cancelled_parse_is_no_strike),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(threads_parse_at_once),
        cmocka_unit_test(stopping_ends_what_runs),
        cmocka_unit_test(an_absent_worker_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}

int main(int argc, char **argv)
{
    (void)argc;
    return own_worker_main(argv, worker, run_inner);
}
