/* A history that is read in rounds which are cut off. The worker is this program itself, under the
 * name engram-worker: commits are numbers, and their lines need no repository. */
#include "server/history_index.h"

#include "memory/code.h"
#include "server/parse_wire.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"
#include "tests/support/own_worker.h"

enum {
    LINE = 16,       /* a commit's parent is the number before it; 1, 17 and so on have none */
    MAX_NUMBER = 99, /* the newest that there may be */
    MOST_OF_BRANCHES = 2,
};

/* ---- the worker ---- */

static str oid(struct arena *a, int number)
{
    return arena_printf(a, "%040x", (unsigned)number);
}

static int number_of(str id)
{
    return (int)strtol(id.at + id.len - 4, NULL, 16);
}

static bool has_parent(int number)
{
    return number % LINE != 1;
}

/* What the repository is like: "cut" or "whole", then the branches' heads. */
static void read_repository(struct arena *a, str root, bool *cut, bool *heads)
{
    char word[16];
    int number;
    FILE *f = fopen(arena_printf(a, "%.*s/repository", FMT(root)).at, "r");
    *cut = f && fscanf(f, "%15s", word) == 1 && !strcmp(word, "cut");
    while (f && fscanf(f, "%d", &number) == 1)
        heads[number] = true;
    if (f)
        fclose(f);
}

static void tell(struct arena *a, int number)
{
    struct buf commits = {0}, reply = {0};
    str parent = oid(a, number - 1);
    struct commit_record c = {.id = oid(a, number),
                              .author = S("Ann"),
                              .commit_s = number,
                              .subject = S("Change"),
                              .body = S(""),
                              .parents = &parent,
                              .parent_count = has_parent(number)};
    commit_stretch_add(&commits, &c);
    commit_stretch_write(&reply, buf_str(&commits), 1);
    wire_send_reply(WORKER_SOCKET, REPLY_MORE, buf_str(&reply));
    buf_free(&commits);
    buf_free(&reply);
}

static void leave(struct arena *a, struct commit_history *rest, int number)
{
    ARENA_GROW(a, rest->frontier, rest->frontier_count, rest->frontier_capacity);
    rest->frontier[rest->frontier_count++] = oid(a, number);
}

/* Newest first, up to what is known. Older rounds of a repository that says so are cut off behind
 * one commit. */
static void answer(struct arena *a, const struct wire_history *ask, int known)
{
    bool cut, reached[MAX_NUMBER + 1] = {0}, heads[MAX_NUMBER + 1] = {0}, stands[256] = {0};
    unsigned char id[COMMIT_ID_BYTES];
    struct commit_history rest = {0};
    struct buf reply = {0};
    uint32_t told = 0;
    for (off_t at = 0; pread(known, id, sizeof id, at) == sizeof id; at += sizeof id)
        stands[id[sizeof id - 1]] = true;
    read_repository(a, ask->root, &cut, heads);
    for (size_t i = 0; i < ask->tip_count; i++)
        reached[number_of(ask->tips[i])] = true;
    uint32_t most = ask->from_branches ? MOST_OF_BRANCHES : cut ? 1 : ask->most;
    for (int n = MAX_NUMBER; n > 0; n--) {
        if (!(reached[n] || (ask->from_branches && heads[n])) || stands[n])
            continue;
        if (told == most) {
            leave(a, &rest, n);
            continue;
        }
        tell(a, n);
        told++;
        reached[n - 1] |= has_parent(n);
    }
    commit_history_write(&reply, &rest);
    if (cut && !ask->from_branches)
        wire_send_reply(WORKER_SOCKET, ERR_LIMIT, S("cut off"));
    else
        wire_send_reply(WORKER_SOCKET, ERR_NONE, buf_str(&reply));
    buf_free(&reply);
}

static int worker(void)
{
    struct arena a = {0};
    struct parse_job job;
    struct wire_history ask;
    bool ok = wire_receive_job(&a, WORKER_SOCKET, &job) == WIRE_JOB && job.kind == PARSE_HISTORY &&
              wire_read_history(&a, job.name, &ask);
    if (ok)
        answer(&a, &ask, job.fd);
    arena_free(&a);
    return ok ? WORKER_DONE : WORKER_PROTOCOL;
}

/* ---- tests ---- */

static char root[64];

static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    struct code_report report;
    struct worktree_files listing = {.is_git = true, .head = S("")};
    arena = (struct arena){0};
    make_directory();
    open_memory_with((struct memory_options){.history = true});
    snprintf(root, sizeof root, "/tmp/engram-root-XXXXXX");
    assert_non_null(mkdtemp(root));
    if (!memory_code_finish(m, &arena, str_of(root), 1000, &listing, NULL, NULL, &report, &e))
        fail_msg("%s", e.text);
    return 0;
}

static int remove_all(void **state)
{
    unlink(arena_printf(&arena, "%s/repository", root).at);
    rmdir(root);
    return tear_down(state);
}

enum cut { WHOLE, CUT_OFF };

/* How many commits stand behind a run upon branches with these heads. */
static size_t run(enum cut cut, const char *heads)
{
    struct err e = {0};
    struct history_index_result out;
    struct code_index_options options = {.memory = m, .root = str_of(root), .now_ms = 1000};
    struct code_index_result code = {.head = oid(&arena, 1), .references = str_of(heads)};
    FILE *f = fopen(arena_printf(&arena, "%s/repository", root).at, "w");
    assert_non_null(f);
    fprintf(f, "%s %s\n", cut == CUT_OFF ? "cut" : "whole", heads);
    fclose(f);
    bool ok = history_index_run(&arena, &options, &code, NULL, &out, &e);
    if (ok != (cut == WHOLE))
        fail_msg("%s: %s", heads, ok ? "it wasn't cut off" : e.text);
    return out.commits;
}

static void a_history_that_is_read_at_once_is_whole(void **state)
{
    (void)state;
    assert_int_equal(run(WHOLE, "6"), 6);
    assert_int_equal(run(WHOLE, "6"), 6);
    assert_int_equal(run(WHOLE, "9"), 9);
}

static void what_is_older_is_read_behind_a_new_commit_that_was_cut_off_as_well(void **state)
{
    (void)state;
    assert_int_equal(run(CUT_OFF, "6"), 3); /* 6 and 5, then 4 */
    assert_int_equal(run(CUT_OFF, "7"), 5); /* 7, then 3 */
    assert_int_equal(run(WHOLE, "7"), 7);
}

static void a_branch_that_was_not_reached_is_read_behind_a_reading_that_was_cut_off(void **state)
{
    (void)state;
    assert_int_equal(run(CUT_OFF, "6"), 3);
    assert_int_equal(run(CUT_OFF, "9 20"), 6); /* 20 and 19, then one of the others */
    assert_int_equal(run(WHOLE, "9 20"), 13);
}

static int run_inner(void)
{
#define IN_ROOT(name) cmocka_unit_test_setup_teardown(name, set_up, remove_all)
    const struct CMUnitTest tests[] = {
        IN_ROOT(a_history_that_is_read_at_once_is_whole),
        IN_ROOT(what_is_older_is_read_behind_a_new_commit_that_was_cut_off_as_well),
        IN_ROOT(a_branch_that_was_not_reached_is_read_behind_a_reading_that_was_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argc;
    return own_worker_main(argv, worker, run_inner);
}
