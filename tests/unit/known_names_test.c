#include "memory/known_names.h"

#include "memory/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const names[] = {
    "license",  "open source license", "node js", "c++ core", "o'brien's law", "2.3 rule", "東京都",
    "東京tower"};
enum { NAMES = sizeof names / sizeof *names };

static struct known_names all_names(void)
{
    struct known_names k = {0};
    for (size_t i = 0; i < NAMES; i++)
        known_names_add(&k, str_of(names[i]));
    return k;
}

static void a_name_is_told_from_what_begins_one_and_from_what_begins_none(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int about;
    } cases[] = {
        {"license", NAME_IS},
        {"open", NAME_OPENS},
        {"open source", NAME_OPENS},
        {"node", NAME_OPENS},
        {"node js", NAME_IS},
        {"c", NAME_OPENS},
        {"c++", NAME_OPENS},
        {"o'brien", NAME_OPENS},
        {"2", NAME_OPENS},
        {"東京", NAME_OPENS},
        {"東京都", NAME_IS},
        {"open source shop", 0},
        {"source", 0},
        {"nod", 0},
        {"open source license s", 0},
        {"", 0},
    };
    struct known_names k = all_names();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(known_names_about(&k, str_of(cases[i].text)), cases[i].about);
    known_names_free(&k);
}

static void where_names_are_unknown_each_text_may_be_one(void **state)
{
    (void)state;
    struct known_names k = {0};
    assert_int_equal(known_names_about(&k, S("license")), NAME_IS | NAME_OPENS);
}

static void many_names_are_all_known(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    struct arena a = {0};
    struct known_names k = {0};
    for (int i = 0; i < MANY; i++)
        known_names_add(&k, arena_printf(&a, "group%d member%d", i / 10, i));
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(known_names_about(&k, arena_printf(&a, "group%d member%d", i / 10, i)),
                         NAME_IS);
        assert_int_equal(known_names_about(&k, arena_printf(&a, "group%d", i / 10)), NAME_OPENS);
        assert_int_equal(known_names_about(&k, arena_printf(&a, "member%d", i)), 0);
    }
    known_names_free(&k);
    arena_free(&a);
}

/* Names whose hashes agree in what a table of some thousand places goes by. */
static void names_that_are_chosen_to_fall_on_one_place_become_unknown(void **state)
{
    (void)state;
    enum { CHOSEN = 1100, PLACES = 2048 };
    struct arena a = {0};
    struct known_names k = {0};
    size_t chosen = 0;
    for (long i = 0; chosen < CHOSEN; i++) {
        struct arena mark = a;
        str name = arena_printf(&a, "n%ld", i);
        if ((hash64(name) >> 2) % PLACES == 0) {
            known_names_add(&k, name);
            chosen++;
            assert_true(known_names_about(&k, name) & NAME_IS);
        }
        arena_rewind(&a, mark);
    }
    assert_false(k.known);
    assert_int_equal(known_names_about(&k, S("n0")), NAME_IS | NAME_OPENS);
    known_names_add(&k, S("license"));
    assert_false(k.known);
    known_names_free(&k);
    known_names_add(&k, S("license"));
    assert_int_equal(known_names_about(&k, S("n0")), 0);
    known_names_free(&k);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_told_from_what_begins_one_and_from_what_begins_none),
        cmocka_unit_test(where_names_are_unknown_each_text_may_be_one),
        cmocka_unit_test(many_names_are_all_known),
        cmocka_unit_test(names_that_are_chosen_to_fall_on_one_place_become_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
