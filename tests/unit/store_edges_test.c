/* Edges that are put many at once: as if each had been put alone. */
#include "memory/memory_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"

enum { MOST = 200 };

static int set_up(void **state)
{
    (void)state;
    make_directory();
    open_memory_with((struct memory_options){0});
    return 0;
}

/* A node that edges of kind MENTIONS lead from, and the nodes they lead to. */
static void put_nodes(struct edge_ends *edges, size_t count)
{
    struct err e = {0};
    struct node_row row = {.kind = NODE_ENTITY};
    int64_t src;
    assert_true(memory_write(m, &e) && store_put_node(m->store, &row, &src, &e));
    for (size_t i = 0; i < count; i++) {
        edges[i] = (struct edge_ends){.src = src, .kind = EDGE_MENTIONS};
        assert_true(store_put_node(m->store, &row, &edges[i].dst, &e));
    }
    assert_true(store_end(m->store, true, &e));
}

static bool put(const struct edge_ends *edges, size_t count, struct err *e)
{
    return memory_write(m, e) &&
           store_end(m->store, store_put_edges(m->store, edges, count, 7, e), e);
}

/* Newest first. */
static struct edge_full *edges_from(int64_t src, size_t *count)
{
    struct err e = {0};
    struct edge_full *out;
    assert_true(store_read_begin(m->store, &e));
    assert_true(store_edges(m->store, &arena, src, EDGE_MENTIONS, MOST, &out, count, &e));
    store_read_end(m->store);
    return out;
}

static void any_number_is_put_in_its_order(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 63, 64, 65, 128, 130};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct edge_ends edges[MOST];
        struct err e = {0};
        size_t count;
        put_nodes(edges, counts[i]);
        assert_true(put(edges, counts[i], &e));
        struct edge_full *out = edges_from(counts[i] ? edges[0].src : 0, &count);
        assert_int_equal(count, counts[i]);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(out[k].dst, edges[count - 1 - k].dst);
            assert_int_equal(out[k].at_ms, 7);
            assert_true(out[k].weight == 1 && out[k].said_by == 0 && out[k].label.len == 0);
        }
    }
}

static void one_that_comes_twice_is_put_once(void **state)
{
    (void)state;
    struct edge_ends edges[MOST];
    struct err e = {0};
    size_t count;
    put_nodes(edges, 70);
    edges[9] = edges[8];  /* among those that go at once */
    edges[69] = edges[8]; /* behind them */
    assert_true(put(edges, 70, &e) && put(edges, 70, &e));
    edges_from(edges[0].src, &count);
    assert_int_equal(count, 68);
}

static void where_one_fails_none_is_put(void **state)
{
    (void)state;
    static const size_t bad[] = {0, 30, 63, 64, 69};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct edge_ends edges[MOST];
        struct err e = {0};
        size_t count;
        put_nodes(edges, 70);
        edges[bad[i]].dst = 1000000; /* no node */
        assert_false(put(edges, 70, &e));
        assert_int_equal(e.code, ERR_DB);
        edges_from(edges[0].src, &count);
        assert_int_equal(count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(any_number_is_put_in_its_order),
        PROMISE(one_that_comes_twice_is_put_once),
        PROMISE(where_one_fails_none_is_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
