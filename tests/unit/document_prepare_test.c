#include "memory/document_prepare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static bool names(const struct prepared *told, str name)
{
    for (size_t i = 0; i < told->name_count; i++)
        if (str_eq(told->names[i].name, name))
            return true;
    return false;
}

static void passages_come_prepared_in_their_order(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err e = {0};
    struct known_names known = {.known = true};
    const struct fact_node *all = passages(&a);
    struct preparing *p = preparing_begin(all, PASSAGES, &known);
    for (int i = 0; i < PASSAGES;) {
        bool enough = false;
        while (!enough)
            assert_true(preparing_some(p, NULL, &enough, &e));
        const struct prepared *told = preparing_front(p);
        assert_non_null(told);
        for (; told; told = i < PASSAGES ? preparing_front(p) : NULL) {
            assert_true(names(told, arena_printf(&a, "reset_counter_%d", i)));
            assert_true(str_eq(told->index[0].text, all[i].heading));
            assert_true(str_eq(told->index[1].text, all[i].body));
            assert_true(told->index[1].words > 0 && told->tokens > 0);
            preparing_pass(p);
            i++;
        }
    }
    preparing_end(p);
    known_names_free(&known);
    arena_free(&a);
}

static void preparing_can_end_before_all_are_stored(void **state)
{
    (void)state;
    struct arena a = {0};
    struct err e = {0};
    struct known_names known = {.known = true};
    bool enough;
    struct preparing *p = preparing_begin(passages(&a), PASSAGES, &known);
    assert_true(preparing_some(p, NULL, &enough, &e));
    preparing_end(p);
    preparing_end(preparing_begin(NULL, 0, &known));
    preparing_end(NULL);
    arena_free(&a);
}

static void a_name_that_is_only_known_is_told_from_one_by_rule(void **state)
{
    (void)state;
    struct err e = {0};
    struct known_names known = {0};
    bool enough = false;
    known_names_add(&known, S("harbour lights"));
    const struct fact_node one = {.kind = NODE_PASSAGE,
                                  .heading = S(""),
                                  .body = S("see harbour lights and `reset_counter`")};
    struct preparing *p = preparing_begin(&one, 1, &known);
    while (!enough)
        assert_true(preparing_some(p, NULL, &enough, &e));
    const struct prepared *told = preparing_front(p);
    for (size_t i = 0; i < told->name_count; i++)
        assert_int_equal(told->names[i].is_known,
                         str_eq(told->names[i].normal, S("harbour lights")));
    assert_true(names(told, S("harbour lights")) && names(told, S("reset_counter")));
    preparing_end(p);
    known_names_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passages_come_prepared_in_their_order),
        cmocka_unit_test(preparing_can_end_before_all_are_stored),
        cmocka_unit_test(a_name_that_is_only_known_is_told_from_one_by_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
