#include "memory/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_public_id_is_a_letter_and_a_number(void **state)
{
    (void)state;
    struct arena a = {0};
    static const struct {
        const char *text;
        enum node_kind kind;
        int64_t id;
    } good[] = {{"m12", NODE_MEMORY, 12},
                {"e7", NODE_ENTITY, 7},
                {"d3", NODE_DOCUMENT, 3},
                {"p45", NODE_PASSAGE, 45},
                {"f9", NODE_FILE, 9},
                {"s88", NODE_SYMBOL, 88},
                {"c10", NODE_COMMIT, 10},
                {"n1", NODE_SESSION, 1},
                {"m999999999999999999", NODE_MEMORY, 999999999999999999}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        enum node_kind kind = NODE_KIND_COUNT;
        int64_t id = 0;
        assert_true(node_id_parse(str_of(good[i].text), &kind, &id));
        assert_int_equal(kind, good[i].kind);
        assert_int_equal(id, good[i].id);
        assert_string_equal(node_id_format(&a, kind, id).at, good[i].text);
    }
    static const char *const bad[] = {"",
                                      "m",
                                      "12",
                                      "m0",
                                      "m01",
                                      "M1",
                                      "x1",
                                      "q1",
                                      "j1",
                                      "m-1",
                                      "m1 ",
                                      "m1.0",
                                      "m1000000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        enum node_kind kind;
        int64_t id;
        if (node_id_parse(str_of(bad[i]), &kind, &id))
            fail_msg("\"%s\" is taken", bad[i]);
    }
    arena_free(&a);
}

static void kinds_of_memories_are_known_by_their_name(void **state)
{
    (void)state;
    for (int i = 0; i < MEMORY_KIND_COUNT; i++) {
        enum memory_kind kind;
        assert_true(memory_kind_parse(str_of(memory_kind_name[i]), &kind));
        assert_int_equal(kind, i);
    }
    enum memory_kind kind;
    assert_false(memory_kind_parse(S("Decision"), &kind));
    assert_false(memory_kind_parse(S(""), &kind));
}

static void fill(struct arena *a, struct facts *f)
{
    f->title = S("A title");
    f->media_type = S("text/markdown");
    for (uint32_t i = 0; i < 50; i++)
        facts_add_node(a, f,
                       (struct fact_node){.kind = (enum node_kind)(i % NODE_KIND_COUNT),
                                          .key = arena_printf(a, "key %u", i),
                                          .name = S("name"),
                                          .body = S("some\0body"),
                                          .heading = S(""),
                                          .line_start = i,
                                          .line_end = i + 1,
                                          .page = 7});
    for (uint32_t i = 0; i < 49; i++)
        facts_add_edge(
            a, f,
            (struct fact_edge){i, i + 1, (enum edge_kind)(i % EDGE_KIND_COUNT), 0.5f * (float)i});
    facts_add_warning(a, f, S("something is odd"));
}

static void facts_come_back_as_they_were_written(void **state)
{
    (void)state;
    struct arena a = {0};
    struct facts f = {0}, back;
    struct buf bytes = {0};
    struct err e = {0};
    fill(&a, &f);
    facts_write(&bytes, &f);
    assert_true(facts_read(&a, buf_str(&bytes), &back, &e));
    assert_true(str_eq(back.title, f.title) && str_eq(back.media_type, f.media_type));
    assert_int_equal(back.node_count, f.node_count);
    assert_int_equal(back.edge_count, f.edge_count);
    assert_int_equal(back.warning_count, 1);
    assert_true(str_eq(back.warnings[0], S("something is odd")));
    for (size_t i = 0; i < f.node_count; i++) {
        const struct fact_node *x = &f.nodes[i], *y = &back.nodes[i];
        assert_true(x->kind == y->kind && str_eq(x->key, y->key) && str_eq(x->name, y->name) &&
                    str_eq(x->body, y->body) && str_eq(x->heading, y->heading) &&
                    x->line_start == y->line_start && x->line_end == y->line_end &&
                    x->page == y->page);
    }
    for (size_t i = 0; i < f.edge_count; i++)
        assert_memory_equal(&f.edges[i], &back.edges[i], sizeof f.edges[i]);
    buf_free(&bytes);
    arena_free(&a);
}

static void damaged_facts_are_refused_or_read_but_never_believed(void **state)
{
    (void)state;
    struct arena a = {0};
    struct facts f = {0}, back;
    struct buf bytes = {0};
    fill(&a, &f);
    facts_write(&bytes, &f);
    for (size_t n = 0; n < bytes.len; n++) { /* every cut is refused */
        struct err e = {0};
        struct arena mark = a;
        assert_false(facts_read(&a, str_cut(buf_str(&bytes), 0, n), &back, &e));
        assert_int_equal(e.code, ERR_INPUT);
        arena_rewind(&a, mark);
    }
    uint64_t seed = 3;
    for (int i = 0; i < 3000;
         i++) { /* any byte may be wrong: what is read stays within its bounds */
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t at = (size_t)(seed >> 20) % bytes.len;
        char old = bytes.at[at];
        bytes.at[at] = (char)(seed >> 56);
        struct err e = {0};
        struct arena mark = a;
        if (facts_read(&a, buf_str(&bytes), &back, &e))
            for (size_t k = 0; k < back.edge_count; k++)
                assert_true(back.edges[k].from < back.node_count &&
                            back.edges[k].to < back.node_count &&
                            back.edges[k].kind < EDGE_KIND_COUNT && back.edges[k].weight >= 0);
        arena_rewind(&a, mark);
        bytes.at[at] = old;
    }
    buf_free(&bytes);
    arena_free(&a);
}

static void more_bytes_than_the_bound_are_a_limit(void **state)
{
    (void)state;
    struct arena a = {0};
    struct facts back;
    struct err e = {0};
    static const char byte;
    assert_false(facts_read(&a, str_from(&byte, (size_t)MAX_FACTS_BYTES + 1), &back, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_public_id_is_a_letter_and_a_number),
        cmocka_unit_test(kinds_of_memories_are_known_by_their_name),
        cmocka_unit_test(facts_come_back_as_they_were_written),
        cmocka_unit_test(damaged_facts_are_refused_or_read_but_never_believed),
        cmocka_unit_test(more_bytes_than_the_bound_are_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
