#include "memory/known_names.h"

#include "memory/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* How many places in a row are taken, which is what a look-up may go through. */
static size_t longest_run(const struct known_names *k)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < 2 * k->capacity; i++) {
        run = k->slots[i % k->capacity] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Names whose hashes without a seed agree in what a table of some thousand places goes by. */
static void names_that_are_chosen_to_fall_on_one_place_fall_on_many(void **state)
{
    (void)state;
    enum { CHOSEN = 1100, PLACES = 2048 };
    struct known_names k = {0};
    size_t chosen = 0;
    for (long i = 0; chosen < CHOSEN; i++) {
        char text[24];
        snprintf(text, sizeof text, "n%ld", i);
        str name = str_of(text);
        if ((hash64(name) >> 2) % PLACES == 0) {
            known_names_add(&k, name);
            chosen++;
            assert_int_equal(known_names_about(&k, name), NAME_IS);
        }
    }
    assert_int_equal(k.count, CHOSEN);
    assert_int_equal(k.capacity, PLACES);
    assert_true(longest_run(&k) < CHOSEN / 2);
    known_names_free(&k);
}

static void each_load_falls_on_other_places(void **state)
{
    (void)state;
    struct known_names k = {0};
    known_names_add(&k, S("license"));
    uint64_t seed = k.seed;
    known_names_free(&k);
    known_names_add(&k, S("license"));
    assert_true(seed && k.seed && k.seed != seed);
    known_names_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_told_from_what_begins_one_and_from_what_begins_none),
        cmocka_unit_test(where_names_are_unknown_each_text_may_be_one),
        cmocka_unit_test(many_names_are_all_known),
        cmocka_unit_test(names_that_are_chosen_to_fall_on_one_place_fall_on_many),
        cmocka_unit_test(each_load_falls_on_other_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
