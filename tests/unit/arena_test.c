#include "memory/base/arena.h"

#include "memory/base/buf.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void memory_is_zeroed_and_aligned_for_any_type(void **state)
{
    (void)state;
    struct arena a = {0};
    for (size_t n = 0; n < 300; n++) {
        memset(arena_bytes(&a, n % 7), 0xFF, n % 7);
        unsigned char *p = arena_alloc(&a, n, 3);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xFF, 3 * n);
    }
    arena_free(&a);
}

static void what_is_larger_than_a_block_gets_its_own(void **state)
{
    (void)state;
    enum { LARGE = 10 << 20 };
    struct arena a = {0};
    char *p = arena_bytes(&a, LARGE);
    memset(p, 1, LARGE);
    assert_true(arena_held_bytes(&a) >= LARGE);
    arena_free(&a);
    assert_int_equal(arena_held_bytes(&a), 0);
}

static void rewinding_gives_back_what_came_since_the_mark(void **state)
{
    (void)state;
    struct arena a = {0};
    str kept = arena_str(&a, S("kept"));
    struct arena mark = a;
    size_t held = arena_held_bytes(&a);
    for (int i = 0; i < 100; i++)
        arena_bytes(&a, 50000);
    assert_true(arena_held_bytes(&a) > held);
    arena_rewind(&a, mark);
    assert_int_equal(arena_held_bytes(&a), held);
    assert_true(str_eq(kept, S("kept")));
    char *again = arena_bytes(&a, 8);
    assert_ptr_equal(again, mark.at);
    arena_free(&a);
}

static void an_empty_arena_is_a_mark_too(void **state)
{
    (void)state;
    struct arena a = {0}, mark = a;
    arena_bytes(&a, 1);
    arena_rewind(&a, mark);
    assert_int_equal(arena_held_bytes(&a), 0);
    arena_bytes(&a, 1);
    arena_free(&a);
}

static void copies_end_in_a_nul_that_is_not_counted(void **state)
{
    (void)state;
    struct arena a = {0};
    str copy = arena_str(&a, str_cut(S("abcdef"), 1, 4));
    assert_int_equal(copy.len, 3);
    assert_string_equal(copy.at, "bcd");
    assert_string_equal(arena_cstr(&a, S("")), "");
    str text = arena_printf(&a, "%s-%d", "x", 42);
    assert_int_equal(text.len, 4);
    assert_string_equal(text.at, "x-42");
    arena_free(&a);
}

static void growing_an_array_keeps_what_is_in_it(void **state)
{
    (void)state;
    struct arena a = {0};
    int *in_arena = NULL, *in_heap = NULL;
    size_t count = 0, arena_capacity = 0, heap_capacity = 0;
    for (int i = 0; i < 1000; i++) {
        ARENA_GROW(&a, in_arena, count, arena_capacity);
        HEAP_GROW(in_heap, count, heap_capacity);
        in_arena[count] = in_heap[count] = i;
        count++;
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(in_arena[i], i);
        assert_int_equal(in_heap[i], i);
    }
    heap_free(in_heap);
    arena_free(&a);
}

static void a_builder_drops_what_is_over_its_cap_and_says_so(void **state)
{
    (void)state;
    struct buf b = {.max_bytes = 10};
    buf_add(&b, S("12345"));
    buf_add_char(&b, '6');
    assert_false(b.overflow);
    buf_printf(&b, "%s", "789012345");
    assert_true(b.overflow);
    assert_true(b.len <= 10);
    assert_true(str_starts(buf_str(&b), S("123456")));
    buf_free(&b);
}

static void a_builder_gives_bytes_away_at_its_front(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_printf(&b, "%d:%s", 7, "abc");
    buf_consume(&b, 2);
    assert_true(str_eq(buf_str(&b), S("abc")));
    buf_clear(&b);
    assert_int_equal(buf_str(&b).len, 0);
    assert_true(buf_reserve(&b, 100000));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned_for_any_type),
        cmocka_unit_test(what_is_larger_than_a_block_gets_its_own),
        cmocka_unit_test(rewinding_gives_back_what_came_since_the_mark),
        cmocka_unit_test(an_empty_arena_is_a_mark_too),
        cmocka_unit_test(copies_end_in_a_nul_that_is_not_counted),
        cmocka_unit_test(growing_an_array_keeps_what_is_in_it),
        cmocka_unit_test(a_builder_drops_what_is_over_its_cap_and_says_so),
        cmocka_unit_test(a_builder_gives_bytes_away_at_its_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
