#include "memory/cues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_query_asks_for_a_time_or_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        unsigned cues;
    } cases[] = {
        {"When did we move to Postgres?", CUE_TIME},
        {"HOW LONG do sessions live?", CUE_TIME},
        {"in which year was the box sold", CUE_TIME},
        {"How many retries are there?", CUE_NUMBER},
        {"what is the number of shards", CUE_NUMBER},
        {"How old is the oldest customer?", CUE_TIME | CUE_NUMBER},
        {"Which database do we use?", 0},
        {"How does the ledger work?", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cues_asked(str_of(cases[i].query)), cases[i].cues);
}

static void a_text_tells_a_time_a_number_or_of_its_speaker(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned cues;
    } cases[] = {
        {"The cellar was flooded yesterday.", CUE_TIME},
        {"Last week the pump failed", CUE_TIME},
        {"It has run for a couple of weeks", CUE_TIME | CUE_NUMBER},
        {"Founded in 2019", CUE_TIME | CUE_NUMBER},
        {"Port 7443 is open", CUE_NUMBER},
        {"I'm painting again", CUE_SELF},
        {"The week is a unit", 0},   /* no opener before it */
        {"The last of the wine", 0}, /* no period behind it */
        {"Gestern lief die Pumpe", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cues_told(str_of(cases[i].text)), cases[i].cues);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_asks_for_a_time_or_a_number),
        cmocka_unit_test(a_text_tells_a_time_a_number_or_of_its_speaker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
