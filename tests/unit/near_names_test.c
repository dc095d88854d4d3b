#include "memory/near_names.h"
#include "memory/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void pairs_are_found_as_people_would(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int why; /* -1: no pair */
    } cases[] = {
        {"postgres", "postgresql", NEAR_SPELLING},
        {"git hub", "github", NEAR_SPELLING},
        {"kubernetes", "kuberentes", NEAR_SPELLING},
        {"redis", "reddis", NEAR_SPELLING},
        {"jenkins", "jenkims", NEAR_SPELLING},
        {"payment gateway", "paymet gatway", NEAR_SPELLING},
        {"order service", "service order", NEAR_ORDER},
        {"anna schmidt", "schmidt anna", NEAR_ORDER},
        {"continuous integration server", "cis", NEAR_INITIALS},
        {"redis 6", "redis 7", -1},
        {"service 12", "service 13", -1},
        {"kafka", "karma", -1},
        {"anna", "hanna", -1}, /* too short to be a slip */
        {"payments", "payments team", -1},
        {"order service", "order services desk", -1},
        {"unit test", "ut", -1},
        {"aa bb aa", "aa bb bb", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a = {0};
        struct near_pair *pairs;
        size_t count;
        struct near_name names[] = {{7, str_of(cases[i].a)}, {9, str_of(cases[i].b)}};
        for (int swapped = 0; swapped < 2; swapped++) {
            near_names_find(&a, names, 2, &pairs, &count);
            if ((count == 1) != (cases[i].why >= 0))
                fail_msg("%s and %s", cases[i].a, cases[i].b);
            if (count) {
                assert_int_equal(pairs[0].a, 7);
                assert_int_equal(pairs[0].b, 9);
                assert_int_equal(pairs[0].why, cases[i].why);
            }
            names[0].normal = str_of(cases[i].b);
            names[1].normal = str_of(cases[i].a);
        }
        arena_free(&a);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

/* Letters of a few syllables, and now and then a slip of the one before. */
static str random_name(struct arena *a, uint64_t *rng, str last)
{
    static const char letters[] = "aeioukrstn vw";
    char text[24];
    size_t len = 5 + next_random(rng) % 14;
    for (size_t i = 0; i < len; i++)
        text[i] = letters[next_random(rng) % (sizeof letters - 1)];
    if (last.len > 6 && next_random(rng) % 2) {
        len = last.len;
        memcpy(text, last.at, len);
        for (uint64_t slips = 1 + next_random(rng) % 2; slips--;) {
            size_t at = next_random(rng) % len;
            if (next_random(rng) % 2 && len > 6) {
                memmove(text + at, text + at + 1, len - at - 1);
                len--;
            } else {
                text[at] = 'z';
            }
        }
    }
    return text_normal_name(a, str_from(text, len));
}

/* Every pair by looking at all of them. */
static void blocks_lose_no_misspelling(void **state)
{
    (void)state;
    uint64_t rng = 3;
    enum { COUNT = 300 };
    size_t near = 0;
    for (int round = 0; round < 10; round++) {
        struct arena a = {0};
        struct near_name names[COUNT];
        struct near_pair *pairs;
        size_t count, at = 0;
        for (size_t i = 0; i < COUNT; i++)
            names[i] = (struct near_name){(int64_t)i,
                                          random_name(&a, &rng, i ? names[i - 1].normal : S(""))};
        near_names_find(&a, names, COUNT, &pairs, &count);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t k = i + 1; k < COUNT; k++) {
                while (at < count && (pairs[at].a < (int64_t)i ||
                                      (pairs[at].a == (int64_t)i && pairs[at].b < (int64_t)k)))
                    at++;
                bool found = at < count && pairs[at].a == (int64_t)i && pairs[at].b == (int64_t)k;
                bool is_near = near_names_are_near(names[i].normal, names[k].normal);
                if (is_near && !found)
                    fail_msg("%.*s and %.*s", FMT(names[i].normal), FMT(names[k].normal));
                near += is_near;
            }
        arena_free(&a);
    }
    assert_true(near > 300);
}

static void names_of_one_entity_are_no_pair(void **state)
{
    (void)state;
    struct arena a = {0};
    struct near_pair *pairs;
    size_t count;
    struct near_name names[] = {
        {4, S("postgres")}, {4, S("postgresql")}, {5, S("postgresq")}, {5, S("postgress")}};
    near_names_find(&a, names, 4, &pairs, &count);
    assert_int_equal(count, 1); /* however many of their names are near */
    near_names_find(&a, names, 0, &pairs, &count);
    assert_int_equal(count, 0);
    arena_free(&a);
}

static void what_all_share_tells_nothing(void **state)
{
    (void)state;
    struct arena a = {0};
    struct near_pair *pairs;
    size_t count;
    struct near_name *names = ARENA_ARRAY(&a, struct near_name, 5000);
    for (size_t i = 0; i < 5000; i++)
        names[i] = (struct near_name){
            (int64_t)i + 1, arena_printf(&a, "shared beginning %c%c%c", (int)('a' + i / 676),
                                         (int)('a' + i / 26 % 26), (int)('a' + i % 26))};
    near_names_find(&a, names, 5000, &pairs, &count);
    assert_true(count < 5000 * (size_t)MAX_NEAR_BLOCK);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_found_as_people_would),
        cmocka_unit_test(blocks_lose_no_misspelling),
        cmocka_unit_test(names_of_one_entity_are_no_pair),
        cmocka_unit_test(what_all_share_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
