#include "memory/base/iso8601.h"

enum { MINUTE_MS = 60 * 1000, SECOND_MS = 1000 };

static const int64_t MIN_MS = -62135596800000; /* 0001-01-01T00:00:00Z */
static const int64_t MAX_MS = 253402300799999; /* 9999-12-31T23:59:59.999Z */

/* Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years start in March, eras are 400
 * years. */
int64_t days_from_civil(int year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

void civil_from_days(int64_t days, int *year, int *month, int *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    *day = (int)(day_of_year - (153 * march_month + 2) / 5 + 1);
    *month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

static bool digits(str s, size_t at, size_t n, int *out)
{
    if (at + n > s.len)
        return false;
    int value = 0;
    for (size_t i = at; i < at + n; i++) {
        if (s.at[i] < '0' || s.at[i] > '9')
            return false;
        value = value * 10 + (s.at[i] - '0');
    }
    *out = value;
    return true;
}

static int month_days(int year, int month)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return length[month - 1] + (month == 2 && leap);
}

static bool parse_date(str s, int64_t *ms)
{
    int year, month, day;
    if (s.len != 10 || s.at[4] != '-' || s.at[7] != '-' || !digits(s, 0, 4, &year) ||
        !digits(s, 5, 2, &month) || !digits(s, 8, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > month_days(year, month))
        return false;
    *ms = days_from_civil(year, month, day) * DAY_MS;
    return true;
}

/* HH:MM[:SS[.fraction]], the part before the zone. 60 is a leap second and counts as 59. */
static bool parse_clock(str s, int64_t *ms)
{
    int hour, minute, second = 0;
    int64_t fraction_ms = 0;
    if (s.len < 5 || s.at[2] != ':' || !digits(s, 0, 2, &hour) || !digits(s, 3, 2, &minute))
        return false;
    if (s.len > 5 && (s.at[5] != ':' || !digits(s, 6, 2, &second)))
        return false;
    if (s.len > 8) {
        if (s.at[8] != '.' || s.len == 9)
            return false;
        int64_t unit = 100;
        for (size_t i = 9; i < s.len; i++, unit /= 10) {
            if (s.at[i] < '0' || s.at[i] > '9')
                return false;
            fraction_ms += unit * (s.at[i] - '0');
        }
    }
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    second = second == 60 ? 59 : second;
    *ms = (int64_t)hour * HOUR_MS + (int64_t)minute * MINUTE_MS + (int64_t)second * SECOND_MS +
          fraction_ms;
    return true;
}

/* "", "Z", "+02:00", "-0530" */
static bool parse_zone(str s, int64_t *offset_ms)
{
    *offset_ms = 0;
    if (s.len == 0 || (s.len == 1 && (s.at[0] == 'Z' || s.at[0] == 'z')))
        return true;
    int hour, minute;
    size_t minute_at = s.len == 6 ? 4 : 3;
    if ((s.at[0] != '+' && s.at[0] != '-') || (s.len != 6 && s.len != 5) ||
        (s.len == 6 && s.at[3] != ':') || !digits(s, 1, 2, &hour) ||
        !digits(s, minute_at, 2, &minute) || hour > 23 || minute > 59)
        return false;
    int64_t size = (int64_t)hour * HOUR_MS + (int64_t)minute * MINUTE_MS;
    *offset_ms = s.at[0] == '-' ? -size : size;
    return true;
}

bool iso_parse(str s, int64_t *ms, bool *is_date)
{
    s = str_trim(s);
    if (is_date)
        *is_date = s.len == 10;
    int64_t day_ms, clock_ms, offset_ms;
    if (!parse_date(str_cut(s, 0, 10), &day_ms))
        return false;
    if (s.len == 10) {
        *ms = day_ms;
        return true;
    }
    if (s.at[10] != 'T' && s.at[10] != 't' && s.at[10] != ' ')
        return false;
    str rest = str_cut(s, 11, s.len);
    size_t zone = 0;
    while (zone < rest.len && strchr("0123456789:.", rest.at[zone]))
        zone++;
    if (!parse_clock(str_cut(rest, 0, zone), &clock_ms) ||
        !parse_zone(str_cut(rest, zone, rest.len), &offset_ms))
        return false;
    *ms = day_ms + clock_ms - offset_ms;
    return *ms >= MIN_MS && *ms <= MAX_MS;
}

static void put_digits(char *out, int width, int n, char behind)
{
    out[width] = behind;
    for (int i = width; i-- > 0; n /= 10)
        out[i] = (char)('0' + n % 10);
}

str iso_format(struct arena *a, int64_t ms)
{
    ms = ms < MIN_MS ? MIN_MS : ms > MAX_MS ? MAX_MS : ms;
    int64_t days = ms >= 0 ? ms / DAY_MS : -((DAY_MS - 1 - ms) / DAY_MS);
    int64_t rest_s = (ms - days * DAY_MS) / SECOND_MS;
    int year, month, day;
    civil_from_days(days, &year, &month, &day);
    enum { LENGTH = sizeof("YYYY-MM-DDTHH:MM:SSZ") - 1 };
    char *out = arena_bytes(a, LENGTH + 1);
    put_digits(out, 4, year, '-');
    put_digits(out + 5, 2, month, '-');
    put_digits(out + 8, 2, day, 'T');
    put_digits(out + 11, 2, (int)(rest_s / 3600), ':');
    put_digits(out + 14, 2, (int)(rest_s / 60 % 60), ':');
    put_digits(out + 17, 2, (int)(rest_s % 60), 'Z');
    out[LENGTH] = '\0';
    return str_from(out, LENGTH);
}
