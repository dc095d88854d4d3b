#include "memory/document_prepare.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/memory_world.h"

enum { PASSAGES = 1000 }; /* more than are ever prepared ahead */

static struct fact_node *passages(struct arena *a)
{
    struct fact_node *made = ARENA_ARRAY(a, struct fact_node, PASSAGES);
    for (int i = 0; i < PASSAGES; i++)
        made[i] = (struct fact_node){
            .kind = NODE_PASSAGE,
            .heading = arena_printf(a, "Manual > Part %d", i),
            .body = arena_printf(a, "Call `reset_counter_%d` before the Redis cache is read.", i)};
    return made;
}

/* Until some can be stored; without a memory, whose names are known. */
static void prepare_enough(struct preparing *p)
{
    struct err e = {0};
    enum preparing_next next = PREPARING_MORE;
    while (next != PREPARING_ENOUGH) {
        assert_true(preparing_some(p, NULL, &next, &e));
        if (next == PREPARING_WAITS)
            sched_yield();
    }
}

static bool names(const struct prepared *told, str name)
{
    for (size_t i = 0; i < told->name_count; i++)
        if (str_eq(told->names[i].name, name))
            return true;
    return false;
}

/* All of them, in their order; gives how many were ready at once at most. */
static int expect_all(struct arena *a, struct preparing *p, const struct fact_node *all)
{
    int most = 0;
    for (int i = 0; i < PASSAGES;) {
        int first = i;
        prepare_enough(p);
        const struct prepared *told = preparing_front(p);
        assert_non_null(told);
        for (; told; told = i < PASSAGES ? preparing_front(p) : NULL) {
            assert_true(names(told, arena_printf(a, "reset_counter_%d", i)));
            assert_true(str_eq(told->index[0].text, all[i].heading));
            assert_true(str_eq(told->index[1].text, all[i].body));
            assert_true(told->index[1].words > 0 && told->tokens > 0);
            preparing_pass(p);
            i++;
        }
        most = i - first > most ? i - first : most;
    }
    prepare_enough(p); /* there is nothing more */
    return most;
}

static void passages_come_prepared_in_their_order(void **state)
{
    (void)state;
    struct arena a = {0};
    struct known_names known = {.known = true};
    const struct fact_node *all = passages(&a);
    struct preparing *p = preparing_begin(all, PASSAGES, &known);
    expect_all(&a, p, all);
    preparing_end(p);
    arena_free(&a);
}

static void more_documents_at_once_than_threads_are_prepared_few_passages_ahead(void **state)
{
    (void)state;
    enum { WITH_THREAD = MAX_PREPARING_THREADS, ALL = WITH_THREAD + 3, MOST_ALONE = 48 };
    struct arena a = {0};
    struct known_names known = {.known = true};
    const struct fact_node *all = passages(&a);
    struct preparing *p[ALL];
    for (int i = 0; i < ALL; i++)
        p[i] = preparing_begin(all, PASSAGES, &known);
    assert_int_equal(preparing_threads(), WITH_THREAD);
    for (int i = WITH_THREAD; i < ALL; i++)
        assert_true(expect_all(&a, p[i], all) <= MOST_ALONE);
    expect_all(&a, p[0], all);
    while (preparing_threads() == WITH_THREAD) /* until it has returned; it isn't joined yet */
        sched_yield();
    struct preparing *later = preparing_begin(all, PASSAGES, &known);
    assert_int_equal(preparing_threads(), WITH_THREAD);
    preparing_end(later);
    for (int i = 0; i < ALL; i++)
        preparing_end(p[i]);
    assert_int_equal(preparing_threads(), 0);
    p[0] = preparing_begin(all, PASSAGES, &known); /* has one again */
    assert_int_equal(preparing_threads(), 1);
    preparing_end(p[0]);
    assert_int_equal(preparing_threads(), 0);
    arena_free(&a);
}

static void preparing_can_end_before_all_are_stored(void **state)
{
    (void)state;
    struct arena a = {0};
    struct known_names known = {.known = true};
    const struct fact_node *all = passages(&a);
    for (int stored = 0; stored < 300; stored += 37) { /* more than one round of batches */
        struct preparing *p = preparing_begin(all, PASSAGES, &known);
        for (int i = 0; i < stored; i++) {
            prepare_enough(p);
            assert_true(names(preparing_front(p), arena_printf(&a, "reset_counter_%d", i)));
            preparing_pass(p);
        }
        preparing_stop(p);
        preparing_end(p);
    }
    preparing_end(preparing_begin(NULL, 0, &known));
    preparing_stop(NULL);
    preparing_end(NULL);
    arena_free(&a);
}

static void a_name_that_is_only_known_is_told_from_one_by_rule(void **state)
{
    (void)state;
    struct known_names known = {0};
    known_names_add(&known, S("harbour lights"));
    const struct fact_node one = {.kind = NODE_PASSAGE,
                                  .heading = S(""),
                                  .body = S("see harbour lights and `reset_counter`")};
    struct preparing *p = preparing_begin(&one, 1, &known);
    prepare_enough(p);
    const struct prepared *told = preparing_front(p);
    for (size_t i = 0; i < told->name_count; i++)
        assert_int_equal(told->names[i].is_known,
                         str_eq(told->names[i].normal, S("harbour lights")));
    assert_true(names(told, S("harbour lights")) && names(told, S("reset_counter")));
    preparing_end(p);
    known_names_free(&known);
}

static int set_up(void **state)
{
    (void)state;
    make_directory();
    open_memory_with((struct memory_options){0});
    return 0;
}

static int pauses; /* of the step */

static void pause_once(void *ctx, int64_t ms)
{
    (void)ctx;
    pauses++;
    clock_ms += ms;
}

/* As the engine does it between other calls. */
static void put_in_steps(const struct document_input *in, const struct facts *facts)
{
    enum { TO_OTHERS = 50 }; /* so that the thread takes a batch first */
    struct err e = {0};
    struct document_result out;
    struct document_put *p = memory_document_begin(&arena, in, facts);
    for (bool done = false; !done;) {
        pauses = 0;
        for (int i = 0; i < TO_OTHERS; i++)
            sched_yield();
        assert_true(memory_document_step(m, p, &done, &out, &e));
        assert_true(pauses <= 1);
    }
    assert_true(memory_document_end(m, p, S("")));
}

/* The first passages take so long that the rest is prepared meanwhile. */
static void a_step_that_can_only_wait_for_the_thread_ends(void **state)
{
    (void)state;
    enum { COUNT = 16, SLOW = 8, CALLS = 2000, DOCUMENTS = 5 };
    struct fact_node nodes[COUNT];
    struct buf slow = {0};
    for (int i = 0; i < CALLS; i++)
        buf_printf(&slow, "Call `reset_counter_%d` before the Redis cache is read. ", i);
    for (int i = 0; i < COUNT; i++)
        nodes[i] = (struct fact_node){.kind = NODE_PASSAGE,
                                      .key = arena_printf(&arena, "key%d", i),
                                      .name = S("Part"),
                                      .heading = S("Manual"),
                                      .body = i < SLOW ? buf_str(&slow) : S("It is read.")};
    struct facts facts = {.nodes = nodes,
                          .node_count = COUNT,
                          .title = S("Manual"),
                          .media_type = S("text/markdown")};
    struct document_input in = {
        .path = S(""), .title = S(""), .from = {.origin = ORIGIN_AGENT, .now_ms = 1}};
    m->options.sleep_ms = pause_once;
    for (int i = 0; i < DOCUMENTS; i++) { /* the thread isn't at the first ones of each */
        in.source = in.hash = arena_printf(&arena, "manual%d", i);
        put_in_steps(&in, &facts);
    }
    buf_free(&slow);
}

static void
where_names_are_unknown_all_are_told_and_few_texts_before_the_first_is_stored(void **state)
{
    (void)state;
    struct err e = {0};
    struct known_names unknown = {0};
    const struct fact_node *all = passages(&arena);
    struct preparing *p = preparing_begin(all, PASSAGES, &unknown);
    enum preparing_next next = PREPARING_MORE;
    enum { BATCHES = PASSAGES / 8, TEXTS_AHEAD = 96 };
    int calls = 0;
    for (; next != PREPARING_ENOUGH; calls++)
        assert_true(preparing_some(p, m, &next, &e));
    assert_true(calls > BATCHES); /* each a short one */
    assert_int_equal(expect_all(&arena, p, all), TEXTS_AHEAD);
    preparing_end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passages_come_prepared_in_their_order),
        cmocka_unit_test(more_documents_at_once_than_threads_are_prepared_few_passages_ahead),
        PROMISE(where_names_are_unknown_all_are_told_and_few_texts_before_the_first_is_stored),
        PROMISE(a_step_that_can_only_wait_for_the_thread_ends),
        cmocka_unit_test(preparing_can_end_before_all_are_stored),
        cmocka_unit_test(a_name_that_is_only_known_is_told_from_one_by_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
