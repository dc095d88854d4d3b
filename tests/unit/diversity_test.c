#include "memory/diversity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool repeats(const char *chosen, const char *text)
{
    struct arena a = {0};
    struct diversity d = {.a = &a};
    diversity_choose(&d, 0, S("Ann"), str_of(chosen));
    bool result = diversity_repeats(&d, 0, S("Ann"), str_of(text));
    arena_free(&a);
    return result;
}

static void only_what_adds_nothing_repeats(void **state)
{
    (void)state;
    static const struct {
        const char *chosen, *text;
        bool repeats;
    } cases[] = {
        {"Deploys go out on Tuesdays.", "Deploys go out on Tuesdays.", true},
        {"Deploys go out on Tuesdays.", "deploys go out on Tuesday!", true},
        {"The deploys go out on Tuesdays now.", "Deploys go out on Tuesdays", true},
        {"The build cache lives on dill", "The build caches live on the dill.", true},
        {"Deploys go out on Tuesdays.", "Deploys go out on Tuesdays, from Lisbon.", false},
        {"Deploys go out on Tuesdays.", "Deploys go out on Thursdays.", false},
        {"The retry limit of the mailer is 3.", "The retry limit of the mailer is 8.", false},
        {"We don't deploy on Fridays after lunch", "We deploy on Fridays after lunch", false},
        {"We deploy on Fridays after lunch", "We don't deploy on Fridays after lunch", false},
        {"Ann reports to Bob", "Bob reports to Ann", false},
        {"Deploys go out on Tuesdays and Ann watches the graphs of all the hosts",
         "Ann watches the graphs", false},
        {"Turn the proxy on before a deploy", "Turn the proxy off before a deploy", false},
        {"Thanks, Ann!", "Thanks Ann", false},
        {"Thanks, Ann!", "Thanks, Ann!", true},
        {"", "", true},
        {"the the the", "a", false},
        {"Ключи лежат в сейфе у двери", "Ключи лежат в сейфе у двери!", true},
        {"Ключи лежат в сейфе у двери", "Ключи лежат в столе у двери", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (repeats(cases[i].chosen, cases[i].text) != cases[i].repeats)
            fail_msg("%s | %s", cases[i].chosen, cases[i].text);
}

static void another_speaker_or_kind_says_it_anew(void **state)
{
    (void)state;
    struct arena a = {0};
    struct diversity d = {.a = &a};
    str text = S("I would love to see that");
    assert_false(diversity_repeats(&d, 0, S("Ann"), text));
    diversity_choose(&d, 0, S("Ann"), text);
    assert_true(diversity_repeats(&d, 0, S("Ann"), text));
    assert_false(diversity_repeats(&d, 0, S("Bob"), text));
    assert_false(diversity_repeats(&d, 1, S("Ann"), text));
    arena_free(&a);
}

static str words(struct arena *a, size_t count, size_t bytes_each, const char *end)
{
    char *out = arena_bytes(a, count * (bytes_each + 1) + 1);
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        memset(out + len, 'a' + (int)(i % 26), bytes_each);
        len += bytes_each;
        out[len++] = ' ';
    }
    out[len++] = *end;
    return str_from(out, len);
}

static void texts_over_the_bounds_repeat_only_byte_for_byte(void **state)
{
    (void)state;
    static const struct {
        size_t count, bytes_each;
        bool near; /* the same but for its last sign */
    } cases[] = {
        {MAX_DIVERSE_WORDS, 4, true},
        {MAX_DIVERSE_WORDS + 1, 4, false},
        {100, MAX_DIVERSE_BYTES / 100 - 1, false}, /* one byte too long, the sign */
        {99, MAX_DIVERSE_BYTES / 100 - 1, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct diversity d = {.a = &a};
        str one = words(&a, cases[i].count, cases[i].bytes_each, "."),
            other = words(&a, cases[i].count, cases[i].bytes_each, "!");
        diversity_choose(&d, 0, S(""), one);
        assert_true(diversity_repeats(&d, 0, S(""), one));
        assert_int_equal(diversity_repeats(&d, 0, S(""), other), cases[i].near);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_adds_nothing_repeats),
        cmocka_unit_test(another_speaker_or_kind_says_it_anew),
        cmocka_unit_test(texts_over_the_bounds_repeat_only_byte_for_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
