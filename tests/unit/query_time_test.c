#include "memory/base/iso8601.h"
#include "memory/query_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A Friday. */
static int64_t now(void)
{
    int64_t ms;
    assert_true(iso_parse(S("2026-05-01T12:30:00Z"), &ms, NULL));
    return ms;
}

static int64_t day(const char *text, int64_t open)
{
    int64_t ms = open;
    assert_true(!text || iso_parse(str_of(text), &ms, NULL));
    return ms;
}

/* `said`: the words that say it; from and until are days, until the one behind the last, NULL:
 * open. */
static const struct {
    const char *query, *said, *from, *until;
} ranges[] = {
    {"What blocked Joao yesterday?", "yesterday", "2026-04-30", "2026-05-01"},
    {"the day before yesterday", "the day before yesterday", "2026-04-29", "2026-04-30"},
    {"What is new today?", "today", "2026-05-01", "2026-05-02"},
    {"What happened at last week's deploy?", "last week", "2026-04-20", "2026-04-27"},
    {"this week", "this week", "2026-04-27", "2026-05-04"},
    {"what broke in the last week", "in the last week", "2026-04-24", "2026-05-02"},
    {"over the past three days", "over the past three days", "2026-04-28", "2026-05-02"},
    {"the last couple of weeks", "the last couple of weeks", "2026-04-17", "2026-05-02"},
    {"last month", "last month", "2026-04-01", "2026-05-01"},
    {"last quarter", "last quarter", "2026-01-01", "2026-04-01"},
    {"last year", "last year", "2025-01-01", "2026-01-01"},
    {"last weekend", "last weekend", "2026-04-25", "2026-04-27"},
    {"last Friday", "last Friday", "2026-04-24", "2026-04-25"},
    {"on Friday", "on Friday", "2026-05-01", "2026-05-02"},
    {"on Saturday", "on Saturday", "2026-04-25", "2026-04-26"},
    {"since Monday", "since Monday", "2026-04-27", NULL},
    {"two weeks ago", "two weeks ago", "2026-04-14", "2026-04-21"},
    {"3 days ago", "3 days ago", "2026-04-28", "2026-04-29"},
    {"a month ago", "a month ago", "2026-03-17", "2026-04-17"},
    {"recently", "recently", "2026-04-01", "2026-05-02"},
    {"Why did it slip in May 2023?", "in May 2023", "2023-05-01", "2023-06-01"},
    {"May 2023", "May 2023", "2023-05-01", "2023-06-01"},
    {"in May", "in May", "2026-05-01", "2026-06-01"},
    {"in June", "in June", "2025-06-01", "2025-07-01"},
    {"in mid-March", "in mid-March", "2026-03-01", "2026-04-01"},
    {"at the end of March", "of March", "2026-03-01", "2026-04-01"},
    {"last May", "last May", "2025-05-01", "2025-06-01"},
    {"on 3 March", "on 3 March", "2026-03-03", "2026-03-04"},
    {"on the 3rd of March 2024", "on the 3rd of March 2024", "2024-03-03", "2024-03-04"},
    {"March 3rd, 2024", "March 3rd, 2024", "2024-03-03", "2024-03-04"},
    {"on 9 May", "on 9 May", "2025-05-09", "2025-05-10"},
    {"on 29 Feb 2024", "on 29 Feb 2024", "2024-02-29", "2024-03-01"},
    {"on 31 June", "June", "2025-06-01", "2025-07-01"},
    {"in spring 2024", "in spring 2024", "2024-03-01", "2024-06-01"},
    {"in winter", "in winter", "2025-12-01", "2026-03-01"},
    {"the summer of 2023", "the summer of 2023", "2023-06-01", "2023-09-01"},
    {"last autumn", "last autumn", "2025-09-01", "2025-12-01"},
    {"in the first quarter of 2025", "in the first quarter of 2025", "2025-01-01", "2025-04-01"},
    {"Q4 2024", "Q4 2024", "2024-10-01", "2025-01-01"},
    {"costs in Q2", "in Q2", "2026-04-01", "2026-07-01"},
    {"second half of 2024", "second half of 2024", "2024-07-01", "2025-01-01"},
    {"in 2023", "in 2023", "2023-01-01", "2024-01-01"},
    {"on 2023-05-17", "on 2023-05-17", "2023-05-17", "2023-05-18"},
    {"2023-05", "2023-05", "2023-05-01", "2023-06-01"},
    {"before May 2023", "before May 2023", NULL, "2023-05-01"},
    {"until the 3rd of March", "until the 3rd of March", NULL, "2026-03-04"},
    {"after last week", "after last week", "2026-04-27", NULL},
    {"since 2024", "since 2024", "2024-01-01", NULL},
    {"from March", "from March", "2026-03-01", "2026-04-01"},
    {"from March on", "from March on", "2026-03-01", NULL},
    {"between May and July", "between May and July", "2025-05-01", "2025-08-01"},
    {"between May and July 2024", "between May and July 2024", "2024-05-01", "2024-08-01"},
    {"between November and February", "between November and February", "2025-11-01", "2026-03-01"},
    {"from 3 March to 9 March 2024", "from 3 March to 9 March 2024", "2024-03-03", "2024-03-10"},
};

static void a_time_in_a_question_is_a_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        str query = str_of(ranges[i].query);
        struct query_time t = query_time_parse(query, now());
        if (t.kind != TIME_RANGE)
            fail_msg("%s: no range", ranges[i].query);
        int64_t from = day(ranges[i].from, INT64_MIN), until = day(ranges[i].until, INT64_MAX);
        str said = str_cut(query, t.from, t.to);
        if (t.from_ms != from || t.until_ms != until || !str_eq(said, str_of(ranges[i].said)))
            fail_msg("%s: '%.*s' from day %+lld until day %+lld of what is wanted", ranges[i].query,
                     FMT(said), (long long)((t.from_ms - from) / DAY_MS),
                     (long long)((t.until_ms - until) / DAY_MS));
    }
}

static void words_that_are_times_only_sometimes_are_none_by_themselves(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "",
        "How many seats may Brightwater use?",
        "Who will march to the office?",
        "Why did the build fall over?",
        "port 2023 of the proxy",
        "the second half of the list",
        "spring boot configuration",
        "next week",
        "zero days ago",
        "between May and never",
        "first quarter",
        "9999 weeks ago",
        "2023-13-45",
        "20230517-1",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (query_time_parse(str_of(queries[i]), now()).kind != TIME_NONE)
            fail_msg("%s: a time", queries[i]);
}

static void an_event_says_when_where_no_date_does(void **state)
{
    (void)state;
    static const struct {
        const char *query, *event;
        enum query_time_kind kind;
    } cases[] = {
        {"What did we decide before the release?", "release", TIME_BEFORE_EVENT},
        {"what changed since our Zurich migration of users", "Zurich migration", TIME_AFTER_EVENT},
        {"before the release in May 2023", "", TIME_RANGE},
        {"is it cached since it is slow", "", TIME_NONE},
        {"run the seeder after every checkout", "", TIME_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        str query = str_of(cases[i].query);
        struct query_time t = query_time_parse(query, now());
        if (t.kind != cases[i].kind ||
            !str_eq(str_cut(query, t.event_from, t.event_to), str_of(cases[i].event)))
            fail_msg("%s: kind %d, '%.*s'", cases[i].query, (int)t.kind,
                     FMT(str_cut(query, t.event_from, t.event_to)));
    }
}

static void what_lies_in_the_range_fits_and_its_neighbours_somewhat(void **state)
{
    (void)state;
    struct query_time week = query_time_parse(S("last week"), now());
    assert_true(query_time_fit(&week, week.from_ms) == 1);
    assert_true(query_time_fit(&week, week.until_ms - 1) == 1);
    float near = query_time_fit(&week, week.until_ms + DAY_MS);
    assert_true(near > 0 && near < 1);
    assert_true(query_time_fit(&week, week.from_ms - DAY_MS) > 0);
    assert_true(query_time_fit(&week, week.until_ms + 4 * (int64_t)DAY_MS) == 0);
    struct query_time since = query_time_parse(S("since Monday"), now());
    assert_true(query_time_fit(&since, INT64_MAX - 1) == 1);
    assert_true(query_time_fit(&since, since.from_ms - 1) == 0);
    struct query_time none = query_time_parse(S("the build"), now());
    assert_true(query_time_fit(&none, now()) == 0);
}

static void a_question_for_a_time_alone_is_told_from_one_with_a_subject(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        bool all;
    } cases[] = {{"What did we do yesterday?", true},
                 {"what happened last week", true},
                 {"What broke last week?", false},
                 {"deploys in May 2023", false},
                 {"What happened?", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query_time t = query_time_parse(str_of(cases[i].query), now());
        if (query_time_is_all(&t, str_of(cases[i].query)) != cases[i].all)
            fail_msg("%s", cases[i].query);
    }
}

static void of_a_long_question_the_first_words_are_read(void **state)
{
    (void)state;
    static char text[4 * (MAX_TIME_WORDS + 2)];
    for (int words = MAX_TIME_WORDS - 1; words <= MAX_TIME_WORDS; words++) {
        size_t at = 0;
        for (int i = 0; i < words; i++, at += 2)
            memcpy(text + at, "x ", 2);
        memcpy(text + at, "yesterday", sizeof "yesterday");
        enum query_time_kind kind = query_time_parse(str_of(text), now()).kind;
        assert_int_equal(kind, words < MAX_TIME_WORDS ? TIME_RANGE : TIME_NONE);
    }
}

static void random_words_never_give_an_empty_range(void **state)
{
    (void)state;
    static const char *const words[] = {
        "last", "the",  "between", "and",  "May",  "31",     "2023", "of", "ago", "two",    "week",
        "year", "from", "first",   "half", "days", "winter", "to",   "on", "q3",  "2024-02"};
    uint64_t rng = 7;
    for (int round = 0; round < 20000; round++) {
        char text[128] = "";
        for (int i = 0; i < 8; i++) {
            rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
            strcat(text, words[(rng >> 33) % (sizeof words / sizeof *words)]);
            strcat(text, " ");
        }
        struct query_time t = query_time_parse(str_of(text), now());
        if (t.kind == TIME_RANGE &&
            (t.from_ms >= t.until_ms || t.from >= t.to || t.to > strlen(text)))
            fail_msg("%s", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_in_a_question_is_a_range),
        cmocka_unit_test(words_that_are_times_only_sometimes_are_none_by_themselves),
        cmocka_unit_test(an_event_says_when_where_no_date_does),
        cmocka_unit_test(what_lies_in_the_range_fits_and_its_neighbours_somewhat),
        cmocka_unit_test(a_question_for_a_time_alone_is_told_from_one_with_a_subject),
        cmocka_unit_test(of_a_long_question_the_first_words_are_read),
        cmocka_unit_test(random_words_never_give_an_empty_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
