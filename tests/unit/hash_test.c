#include "memory/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_same_bytes_have_the_same_hash(void **state)
{
    (void)state;
    struct arena a = {0};
    char copy[] = "some text";
    assert_int_equal(hash64(S("some text")), hash64(str_of(copy)));
    assert_int_not_equal(hash64(S("some text")), hash64(S("some texts")));
    assert_int_not_equal(hash64(S("")), hash64(S("\0")));
    assert_true(str_eq(hash128_hex(&a, S("some text")), hash128_hex(&a, str_of(copy))));
    arena_free(&a);
}

/* The value that xxHash's own tools print for XXH3-128 of no bytes: it is stored, so it may never
 * change. */
static void the_stored_hash_is_xxh3_128_in_lower_case_hexadecimal(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_string_equal(hash128_hex(&a, S("")).at, "99aa06d3014798d86001c324468d497f");
    arena_free(&a);
}

/* Oracle: an array that is searched from its start. */
static void a_map_holds_what_was_put_into_it(void **state)
{
    (void)state;
    enum { KEYS = 700, STEPS = 5000 };
    struct arena a = {0};
    struct map m = {0};
    int64_t wanted[KEYS];
    bool known[KEYS] = {0};
    uint64_t seed = 7;
    for (int i = 0; i < STEPS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t k = (size_t)(seed >> 33) % KEYS;
        bool is_new;
        int64_t *value = map_put(&m, arena_printf(&a, "key %zu", k), i, &is_new);
        assert_int_equal(is_new, !known[k]);
        if (is_new)
            wanted[k] = i;
        else
            assert_int_equal(*value, wanted[k]);
        if (i % 3 == 0)
            wanted[k] = *value = -i;
        known[k] = true;
    }
    size_t count = 0;
    for (size_t k = 0; k < KEYS; k++) {
        int64_t *value = map_find(&m, arena_printf(&a, "key %zu", k));
        assert_int_equal(value != NULL, known[k]);
        if (value)
            assert_int_equal(*value, wanted[k]);
        count += known[k];
    }
    assert_int_equal(m.count, count);
    map_free(&m);
    arena_free(&a);
}

static void a_zeroed_map_is_empty(void **state)
{
    (void)state;
    struct map m = {0};
    assert_null(map_find(&m, S("x")));
    map_free(&m);
    assert_int_equal(*map_put(&m, S(""), 5, NULL), 5); /* the empty text is a key like any other */
    assert_non_null(map_find(&m, S("")));
    map_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bytes_have_the_same_hash),
        cmocka_unit_test(the_stored_hash_is_xxh3_128_in_lower_case_hexadecimal),
        cmocka_unit_test(a_map_holds_what_was_put_into_it),
        cmocka_unit_test(a_zeroed_map_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
