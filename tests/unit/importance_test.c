#include "memory/importance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HOUR = 3600 * 1000, DAY = 24 * HOUR };

struct row {
    struct importance_input in;
    int hundredths; /* of the sum */
};

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int got = (int)((double)importance_of(&rows[i].in).sum * 100 + 0.5);
        if (got != rows[i].hundredths)
            fail_msg("row %zu: got .%02d, wanted .%02d", i, got, rows[i].hundredths);
    }
}

/* .30 min(1, ln(1 + uses) / ln 11) + .25 2^(-age / 24 h) + .25 min(1, connections / 10) + .20 base
 */
static void four_parts_make_the_sum(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {{.kind = KIND_DECISION}, 43},
        {{.kind = KIND_FACT}, 39},
        {{.kind = KIND_QUESTION}, 35},
        {{.kind = KIND_EPISODE}, 31},
        {{.kind = KIND_EPISODE, .age_ms = DAY}, 19}, /* .125 + .06 = .185 */
        {{.kind = KIND_EPISODE, .age_ms = 100LL * DAY}, 6},
        {{.kind = KIND_EPISODE, .age_ms = 100LL * DAY, .uses = 10}, 36},
        {{.kind = KIND_EPISODE, .age_ms = 100LL * DAY, .uses = 1}, 15},
        {{.kind = KIND_FACT, .connections = 4}, 49},
        {{.kind = KIND_FACT, .connections = 10}, 64},
        {{.kind = KIND_DECISION, .is_pinned = true}, 45},
        {{.kind = KIND_DECISION, .is_chatter = true}, 25},
    };
    check(rows, sizeof rows / sizeof *rows);
}

static void nothing_counts_beyond_its_share(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {{.kind = KIND_DECISION, .is_pinned = true, .uses = 1000000, .connections = 5000}, 100},
        {{.kind = KIND_EPISODE, .age_ms = -DAY}, 31}, /* a clock that went back */
        {{.kind = KIND_EPISODE, .uses = -3}, 31},
        {{.kind = KIND_EPISODE, .age_ms = INT64_MAX}, 6},
    };
    check(rows, sizeof rows / sizeof *rows);
}

static void its_parts_are_told_apart(void **state)
{
    (void)state;
    struct importance i =
        importance_of(&(struct importance_input){.kind = KIND_FACT, .uses = 10, .connections = 10});
    assert_float_equal((double)i.uses, .30, 1e-6);
    assert_float_equal((double)i.recency, .25, 1e-6);
    assert_float_equal((double)i.connections, .25, 1e-6);
    assert_float_equal((double)i.base, .14, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_parts_make_the_sum),
        cmocka_unit_test(nothing_counts_beyond_its_share),
        cmocka_unit_test(its_parts_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
