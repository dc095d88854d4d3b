/* Two memories on one file stand for two processes: what one writes, the other's snapshot takes in
 * row by row. */
#include "memory/memory_review.h"
#include "memory/memory_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static int64_t fake_clock_ms;

static int64_t tick(void *ctx)
{
    (void)ctx;
    return ++fake_clock_ms;
}

static void pass(void *ctx, int64_t ms)
{
    (void)ctx;
    fake_clock_ms += ms;
}

static char directory[64];

static struct memory *open_memory(void)
{
    struct memory_options options = {.directory = str_of(directory),
                                     .ppr = true,
                                     .neighbours = true,
                                     .usage = true,
                                     .monotonic_ms = tick,
                                     .sleep_ms = pass};
    struct memory *m = NULL;
    struct err e = {0};
    if (!memory_open(&options, &m, &e))
        fail_msg("%s", e.text);
    return m;
}

static int64_t put(struct memory *m, struct arena *a, const char *text, const char *session,
                   const char *topic)
{
    struct remember_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = 1000000 + fake_clock_ms},
                                .text = str_of(text),
                                .session = str_of(session),
                                .topic = str_of(topic)};
    struct remember_result out;
    struct err e = {0};
    if (!memory_remember(m, a, &in, &out, &e))
        fail_msg("%s: %s", text, e.text);
    return out.id;
}

static void refresh(struct memory *m)
{
    struct err e = {0};
    if (!memory_read(m, &e))
        fail_msg("%s", e.text);
    store_read_end(m->store);
}

/* Weight of all edges between two nodes, as a walker meets them. */
static double weight_between(const struct snapshot *s, node a, node b)
{
    const struct half_edge *edge;
    double sum = 0;
    for (struct row_walk w = graph_row(&s->graph, a); (edge = row_next(&s->graph, &w));)
        sum += edge->to == b ? (double)edge->weight : 0;
    return sum;
}

static void assert_same_world(const struct snapshot *grown, const struct snapshot *fresh)
{
    assert_int_equal(grown->bodies, fresh->bodies);
    assert_int_equal(grown->words, fresh->words);
    assert_int_equal(grown->memories, fresh->memories);
    assert_int_equal(grown->entities, fresh->entities);
    for (node n = 0; n < fresh->graph.count; n++) {
        node g = snapshot_find(grown, fresh->ids[n]);
        assert_true(g != NO_NODE);
        const struct node_meta *a = &grown->meta[g], *b = &fresh->meta[n];
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->state, b->state);
        assert_int_equal(a->words, b->words);
        assert_int_equal(a->uses, b->uses);
        assert_int_equal(a->degree, b->degree);
        assert_true(grown->graph.pull[g] == fresh->graph.pull[n]);
        int64_t before = a->before == NO_NODE ? 0 : grown->ids[a->before];
        assert_int_equal(before, b->before == NO_NODE ? 0 : fresh->ids[b->before]);
        for (node k = 0; k < fresh->graph.count; k++) {
            double one = weight_between(grown, g, snapshot_find(grown, fresh->ids[k]));
            double other = weight_between(fresh, n, k);
            assert_true(one - other < 1e-6 && other - one < 1e-6);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/engram-snapshot-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static void a_snapshot_that_grew_equals_one_loaded_anew(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err e = {0};
    struct memory *reader = open_memory(), *writer = open_memory();
    refresh(reader);
    put(writer, &a, "Redis keeps the sessions of the Checkout Service.", "s1", "session store");
    put(writer, &a, "Does the Checkout Service retry?", "s1", "");
    refresh(reader);
    int64_t old = put(writer, &a, "Postgres Cluster holds the orders.", "s1", "order store");
    put(writer, &a, "CockroachDB holds the orders now.", "s2", "order store");
    put(writer, &a, "Redis keeps the sessions of the Checkout Service.", "s1", "session store");
    refresh(reader);
    str ids[] = {node_id_format(&a, NODE_MEMORY, old)};
    struct forget_result gone;
    struct forget_input forget = {.from = {.now_ms = 5}, .ids = ids, .id_count = 1};
    assert_true(memory_forget(writer, &a, &forget, &gone, &e));
    struct edit_input edits[] = {
        {.action = EDIT_MERGE, .entity = S("CockroachDB"), .into = S("Redis")},
        {.action = EDIT_DISMISS, .entity = S("Checkout Service")}};
    struct review_input review = {
        .from = {.now_ms = 6}, .edits = edits, .edit_count = 2, .limit = 5};
    struct review_result reviewed;
    if (!memory_review(writer, &a, &review, &reviewed, &e))
        fail_msg("%s", e.text);
    put(writer, &a, "Kafka Streams feeds CockroachDB.", "s2", "");
    refresh(reader);
    struct memory *fresh = open_memory();
    refresh(fresh);
    assert_same_world(&reader->snap, &fresh->snap);
    memory_close(fresh);
    memory_close(reader);
    memory_close(writer);
    arena_free(&a);
}

static void a_number_is_never_used_again(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err e = {0};
    struct memory *m = open_memory();
    int64_t last = put(m, &a, "The last one so far.", "", "");
    str ids[] = {node_id_format(&a, NODE_MEMORY, last)};
    struct forget_result gone;
    assert_true(memory_forget(m, &a, &(struct forget_input){.ids = ids, .id_count = 1}, &gone, &e));
    memory_close(m);
    m = open_memory();
    assert_true(put(m, &a, "One more.", "", "") > last);
    memory_close(m);
    arena_free(&a);
}

static void a_failed_call_changes_nothing(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err e = {0};
    struct memory *m = open_memory();
    put(m, &a, "Something to begin with.", "s", "");
    refresh(m);
    uint32_t before = m->snap.graph.count;
    str unknown[] = {S("m999999")};
    struct remember_input in = {.text = S("Replaces what isn't there, says Grace Hopper."),
                                .session = S("another"),
                                .supersedes = unknown,
                                .supersedes_count = 1};
    struct remember_result out;
    assert_false(memory_remember(m, &a, &in, &out, &e));
    assert_int_equal(e.code, ERR_NOT_FOUND);
    refresh(m);
    assert_int_equal(m->snap.graph.count, before);
    memory_close(m);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_snapshot_that_grew_equals_one_loaded_anew, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_number_is_never_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_call_changes_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
