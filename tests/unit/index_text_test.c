#include "memory/index_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct heard {
    struct arena a;
    struct token *expected;
    size_t count, at;
};

static int hear(void *ctx, str token, bool colocated)
{
    struct heard *h = ctx;
    assert_in_range(h->at, 0, h->count - 1);
    const struct token *t = &h->expected[h->at++];
    assert_int_equal(token.len, t->len);
    assert_memory_equal(token.at, t->text, t->len);
    assert_int_equal(colocated, t->colocated);
    return 0;
}

static void a_text_gives_the_words_again_that_it_was_taken_apart_into(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    static const char *const texts[] = {
        "",
        "  \n",
        "The running servers don't stop.",
        "shopping_cart.addItem(HTTPServer2) in src/cart.c:120, see #12 and C++",
        "東京都の Größe, naïve",
        "an_identifier_of_more_than_sixty_four_bytes_which_is_cut_where_the_index_cuts_its_words_"
        "too",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct heard h = {0};
        h.expected = text_token_list(&h.a, str_of(texts[i]), MOST, &h.count);
        struct index_text t = index_text_of(&h.a, str_of(texts[i]));
        int64_t words = 0, telling = 0;
        for (size_t k = 0; k < h.count; k++) {
            words += !h.expected[k].colocated;
            telling += !h.expected[k].colocated && !h.expected[k].stop;
        }
        assert_int_equal(index_text_each(&t, hear, &h), 0);
        assert_int_equal(h.at, h.count);
        assert_int_equal(t.words, words);
        assert_int_equal(t.telling, telling);
        arena_free(&h.a);
    }
}

static int refuse(void *ctx, str token, bool colocated)
{
    (void)token, (void)colocated;
    ++*(int *)ctx;
    return 7;
}

static void who_hears_the_words_can_end_it(void **state)
{
    (void)state;
    struct arena a = {0};
    int heard = 0;
    struct index_text t = index_text_of(&a, S("one two three"));
    assert_int_equal(index_text_each(&t, refuse, &heard), 7);
    assert_int_equal(heard, 1);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_gives_the_words_again_that_it_was_taken_apart_into),
        cmocka_unit_test(who_hears_the_words_can_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
