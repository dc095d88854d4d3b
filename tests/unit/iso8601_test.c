#include "memory/base/iso8601.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void dates_and_times_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
        bool is_date;
    } cases[] = {
        {"1970-01-01", 0, true},
        {"2026-05-08", 1778198400000, true},
        {"2026-05-08T13:56:00Z", 1778248560000, false},
        {"2026-05-08t13:56:00z", 1778248560000, false},
        {"2026-05-08 13:56", 1778248560000, false},
        {"2026-05-08T13:56:00.5Z", 1778248560500, false},
        {"2026-05-08T13:56:00.123456789Z", 1778248560123, false},
        {"2026-05-08T15:56:00+02:00", 1778248560000, false},
        {"2026-05-08T08:26:00-05:30", 1778248560000, false},
        {"2026-05-08T15:56:00+0200", 1778248560000, false},
        {" 1969-12-31T23:59:59Z ", -1000, false},
        {"2016-12-31T23:59:60Z", 1483228799000, false}, /* a leap second is the one before it */
        {"2024-02-29", 1709164800000, true},
        {"0001-01-01", -62135596800000, true},
        {"9999-12-31T23:59:59Z", 253402300799000, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ms = 1;
        bool is_date = false;
        if (!iso_parse(str_of(cases[i].text), &ms, &is_date))
            fail_msg("%s is refused", cases[i].text);
        if (ms != cases[i].ms || is_date != cases[i].is_date)
            fail_msg("%s gave %lld", cases[i].text, (long long)ms);
        assert_true(iso_parse(str_of(cases[i].text), &ms, NULL));
    }
}

static void what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "2026",
        "2026-05",
        "2026-5-08",
        "2026-13-01",
        "2026-00-01",
        "2026-02-30",
        "2025-02-29",
        "1900-02-29",
        "0000-01-01",
        "2026-05-08T",
        "2026-05-08T25:00Z",
        "2026-05-08T12:60Z",
        "2026-05-08T12:00:61Z",
        "2026-05-08T12:00:00.Z",
        "2026-05-08T12:00:00+25:00",
        "2026-05-08T12:00:00 CET",
        "2026-05-08T1:00Z",
        "2026/05/08",
        "08.05.2026",
        "10000-01-01",
        "tomorrow",
        "0001-01-01T00:00:00+01:00",
        "2026-05-08T12:00Zx",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t ms;
        if (iso_parse(str_of(bad[i]), &ms, NULL))
            fail_msg("\"%s\" is taken", bad[i]);
    }
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    struct arena a = {0};
    uint64_t seed = 42;
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int64_t span =
            (int64_t)((seed >> 11) % UINT64_C(315537897600)); /* seconds of 9,999 years */
        int64_t wanted = (span - INT64_C(62135596800)) * 1000, got;
        struct arena mark = a;
        assert_true(iso_parse(iso_format(&a, wanted), &got, NULL));
        arena_rewind(&a, mark);
        assert_int_equal(got, wanted);
    }
    arena_free(&a);
}

static void times_beyond_the_years_1_to_9999_are_clamped(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_string_equal(iso_format(&a, INT64_MIN).at, "0001-01-01T00:00:00Z");
    assert_string_equal(iso_format(&a, INT64_MAX).at, "9999-12-31T23:59:59Z");
    assert_string_equal(iso_format(&a, -1).at, "1969-12-31T23:59:59Z");
    arena_free(&a);
}

/* Oracle: counting day by day. */
static void days_follow_one_another(void **state)
{
    (void)state;
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t day_number = days_from_civil(1896, 1, 1);
    for (int year = 1896; year < 2105; year++)
        for (int month = 1; month <= 12; month++) {
            bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            for (int day = 1; day <= length[month - 1] + (month == 2 && leap); day++) {
                int y, m, d;
                assert_int_equal(days_from_civil(year, month, day), day_number);
                civil_from_days(day_number++, &y, &m, &d);
                assert_true(y == year && m == month && d == day);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_and_times_are_read),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(times_beyond_the_years_1_to_9999_are_clamped),
        cmocka_unit_test(days_follow_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
