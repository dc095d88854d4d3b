#include "memory/query_time.h"

#include "memory/base/ascii.h"
#include "memory/base/iso8601.h"
#include "memory/words.h"

#include <stdlib.h>

enum { MAX_WORD_BYTES = 15, MAX_EVENT_WORDS = 4, MAX_COUNT = 999 };

/* Days since 1970, [from, until). */
struct span {
    int64_t from, until;
    bool floats; /* no year was named: the last such one was taken */
};

struct word {
    char text[MAX_WORD_BYTES + 1]; /* lower case; empty where it is longer */
    size_t from, to;               /* bytes of the query */
};

struct reader {
    struct word words[MAX_TIME_WORDS];
    size_t count;
    int64_t today;
    bool behind_preposition;
};

/* ---- words ---- */

static bool is_letter(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

/* "2023-05" and "2023-05-17" are one word. */
static size_t iso_end(str s, size_t at)
{
    size_t end = at;
    for (int part = 0; part < 3; part++) {
        int digits = part ? 2 : 4;
        size_t from = end + (part > 0);
        if (part && (end >= s.len || s.at[end] != '-'))
            break;
        for (int i = 0; i < digits; i++)
            if (from + (size_t)i >= s.len || !ascii_is_digit(s.at[from + (size_t)i]))
                return part > 1 ? end : at;
        end = from + (size_t)digits;
    }
    bool goes_on = end < s.len && (ascii_is_digit(s.at[end]) || is_letter(s.at[end]));
    return end > at + 4 && !goes_on ? end : at;
}

static void split(struct reader *r, str s)
{
    for (size_t at = 0; at < s.len && r->count < MAX_TIME_WORDS;) {
        size_t end = iso_end(s, at);
        for (size_t i = at; end == at && i <= s.len; i++)
            if (i == s.len || !(is_letter(s.at[i]) || ascii_is_digit(s.at[i])))
                end = i > at ? i : at + 1;
        struct word *w = &r->words[r->count];
        *w = (struct word){.from = at, .to = end};
        for (size_t i = at; i < end && end - at <= MAX_WORD_BYTES; i++)
            w->text[i - at] = (char)(s.at[i] >= 'A' && s.at[i] <= 'Z' ? s.at[i] | 0x20 : s.at[i]);
        r->count += is_letter(s.at[at]) || ascii_is_digit(s.at[at]);
        at = end;
    }
}

static const char *word_at(const struct reader *r, size_t at)
{
    return at < r->count ? r->words[at].text : "";
}

static bool is_word(const struct reader *r, size_t at, const char *text)
{
    return !strcmp(word_at(r, at), text);
}

/* The index of the word in a list that ends with NULL, -1 where it isn't there. */
static int one_of(const char *word, const char *const *list)
{
    for (int i = 0; word[0] && list[i]; i++)
        if (!strcmp(word, list[i]))
            return i;
    return -1;
}

static void skip(const struct reader *r, size_t *at, const char *const *list)
{
    while (one_of(word_at(r, *at), list) >= 0)
        ++*at;
}

/* A run of digits, with st, nd, rd or th behind it where `ordinal` is not NULL (and then told). */
static int digits_of(const char *word, bool *ordinal)
{
    static const char *const endings[] = {"st", "nd", "rd", "th", NULL};
    char *end;
    if (!ascii_is_digit(word[0]))
        return -1;
    long n = strtol(word, &end, 10);
    bool ends = ordinal && one_of(end, endings) >= 0;
    if (ordinal)
        *ordinal = ends;
    return (*end && !ends) || n > 9999 ? -1 : (int)n;
}

static bool read_year(const struct reader *r, size_t *at, int *year)
{
    int n = digits_of(word_at(r, *at), NULL);
    bool is_year = strlen(word_at(r, *at)) == 4 && n >= 1900 && n < 2100;
    if (is_year) {
        *year = n;
        ++*at;
    }
    return is_year;
}

/* "3", "three", "a", "a couple of", "the few". */
static bool read_count(const struct reader *r, size_t *at, int *count)
{
    static const char *const numbers[] = {"zero", "one",    "two",    "three", "four",
                                          "five", "six",    "seven",  "eight", "nine",
                                          "ten",  "eleven", "twelve", NULL};
    static const char *const rough[] = {"a", "an", "couple", "few", "several", NULL};
    static const int rough_count[] = {1, 1, 2, 3, 4};
    int n = digits_of(word_at(r, *at), NULL);
    if (n < 0)
        n = one_of(word_at(r, *at), numbers);
    if (n >= 0) {
        ++*at;
        *count = n;
        return n > 0 && n <= MAX_COUNT;
    }
    *count = 0;
    for (int i; (i = one_of(word_at(r, *at), rough)) >= 0; ++*at)
        *count = rough_count[i];
    *at += *count && is_word(r, *at, "of");
    return *count > 0;
}

/* ---- calendar ---- */

enum unit { DAY, WEEK, MONTH, QUARTER, YEAR };
static const int unit_days[] = {1, 7, 30, 91, 365};
static const int unit_months[] = {0, 0, 1, 3, 12};

static bool read_unit(const struct reader *r, size_t *at, enum unit *unit)
{
    static const char *const names[] = {"day",     "days",     "week", "weeks", "month", "months",
                                        "quarter", "quarters", "year", "years", NULL};
    int i = one_of(word_at(r, *at), names);
    if (i < 0)
        return false;
    *unit = (enum unit)(i / 2);
    ++*at;
    return true;
}

/* month from 0, of any year: 12 is January of the next. */
static int64_t month_start(int year, int month)
{
    int years = month >= 0 ? month / 12 : -((11 - month) / 12);
    return days_from_civil(year + years, month - 12 * years + 1, 1);
}

static struct span months_span(int year, int month, int months)
{
    return (struct span){month_start(year, month), month_start(year, month + months), false};
}

static void today_of(const struct reader *r, int *year, int *month)
{
    int day;
    civil_from_days(r->today, year, month, &day);
    --*month;
}

/* The calendar unit of today, or `back` of them before. */
static struct span unit_span(const struct reader *r, enum unit unit, int back)
{
    int year, month, months = unit_months[unit];
    today_of(r, &year, &month);
    int64_t monday = r->today - ((r->today + 3) % 7 + 7) % 7; /* day 0 was a Thursday */
    int64_t start = unit == WEEK ? monday : r->today;
    if (months)
        return months_span(year, month - month % months - back * months, months);
    return (struct span){start - back * unit_days[unit], start - (back - 1) * unit_days[unit],
                         false};
}

/* Months of a year, or of the last year in which they had begun; `ended`: in which they were over.
 */
static struct span last_months(const struct reader *r, int month, int months, bool ended)
{
    int year, this_month;
    today_of(r, &year, &this_month);
    struct span s = months_span(year, month, months);
    if (ended ? s.until > r->today : s.from > r->today)
        s = months_span(year - 1, month, months);
    s.floats = true;
    return s;
}

static int month_of(const char *word)
{
    static const char *const names[] = {"january",  "february", "march",  "april",     "may",
                                        "june",     "july",     "august", "september", "october",
                                        "november", "december", NULL};
    static const char *const brief[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
                                        "aug", "sep", "oct", "nov", "dec", NULL};
    int i = one_of(word, names);
    if (i < 0)
        i = one_of(word, brief);
    return i >= 0 ? i : !strcmp(word, "sept") ? 8 : -1;
}

/* Spring begins in March; winter in December. */
static int season_of(const char *word)
{
    static const char *const names[] = {"spring", "summer", "autumn", "winter", "fall", NULL};
    static const int start[] = {2, 5, 8, 11, 8};
    int i = one_of(word, names);
    return i >= 0 ? start[i] : -1;
}

static int weekday_of(const char *word)
{
    static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                        "friday", "saturday", "sunday",    NULL};
    return one_of(word, names);
}

/* ---- what one time can look like: each reads at *at and moves it on, or leaves it ---- */

typedef bool read_fn(const struct reader *r, size_t *at, struct span *out);

static bool read_iso(const struct reader *r, size_t *at, struct span *out)
{
    const char *w = word_at(r, *at);
    int64_t ms;
    char text[] = "0000-00-01";
    if (strlen(w) != 7 && strlen(w) != 10)
        return false;
    memcpy(text, w, strlen(w));
    if (w[4] != '-' || !iso_parse(str_of(text), &ms, NULL))
        return false;
    int64_t day = ms / DAY_MS;
    int year = (int)strtol(w, NULL, 10), month = (int)strtol(w + 5, NULL, 10) - 1;
    *out = strlen(w) == 7 ? months_span(year, month, 1) : (struct span){day, day + 1, false};
    ++*at;
    return true;
}

static bool read_day_word(const struct reader *r, size_t *at, struct span *out)
{
    static const struct {
        const char *words[3];
        int from, until; /* days from today */
    } rows[] = {
        {{"today"}, 0, 1},
        {{"tonight"}, 0, 1},
        {{"this", "morning"}, 0, 1},
        {{"this", "afternoon"}, 0, 1},
        {{"day", "before", "yesterday"}, -2, -1},
        {{"yesterday"}, -1, 0},
        {{"last", "night"}, -1, 1},
        {{"the", "other", "day"}, -7, 0},
        {{"these", "days"}, -14, 1},
        {{"recently"}, -30, 1},
        {{"lately"}, -30, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = 0;
        while (n < 3 && rows[i].words[n] && is_word(r, *at + n, rows[i].words[n]))
            n++;
        if (n == 3 || !rows[i].words[n]) {
            *out = (struct span){r->today + rows[i].from, r->today + rows[i].until, false};
            *at += n;
            return true;
        }
    }
    return false;
}

static bool read_ago(const struct reader *r, size_t *at, struct span *out)
{
    size_t here = *at;
    int count;
    enum unit unit;
    if (!read_count(r, &here, &count) || !read_unit(r, &here, &unit) || !is_word(r, here, "ago"))
        return false;
    int64_t day = r->today - (int64_t)count * unit_days[unit], half = unit_days[unit] / 2;
    *out = (struct span){day - half, day + half + 1, false};
    *at = here + 1;
    return true;
}

/* "last week", "this month", "last spring", "last Monday", "the past three days". */
static bool read_last(const struct reader *r, size_t *at, struct span *out)
{
    static const char *const leads[] = {"last", "previous", "past", "this", "current", NULL};
    enum { LAST, PREVIOUS, PAST, THIS };
    int lead = one_of(word_at(r, *at), leads), count, year, this_month;
    size_t here = *at + 1;
    enum unit unit;
    if (lead < 0)
        return false;
    int month = month_of(word_at(r, here)), season = season_of(word_at(r, here));
    int weekday = weekday_of(word_at(r, here));
    if (read_unit(r, &here, &unit)) {
        bool rolling = lead == PAST || (lead == LAST && *at > 0 && is_word(r, *at - 1, "the"));
        *out = unit_span(r, unit, lead < THIS);
        if (rolling)
            *out = (struct span){r->today - unit_days[unit], r->today + 1, false};
    } else if (is_word(r, here, "weekend")) {
        *out = unit_span(r, WEEK, 1);
        *out = (struct span){out->until - 2, out->until, false};
        here++;
    } else if (month >= 0 || season >= 0) {
        today_of(r, &year, &this_month);
        int start = month >= 0 ? month : season, months = month >= 0 ? 1 : 3;
        *out = lead < THIS ? last_months(r, start, months, true) : months_span(year, start, months);
        here++;
    } else if (weekday >= 0) {
        int64_t day = unit_span(r, WEEK, 0).from + weekday;
        day -= day >= r->today && lead < THIS ? 7 : 0;
        *out = (struct span){day, day + 1, false};
        here++;
    } else if (lead < THIS && read_count(r, &here, &count) && read_unit(r, &here, &unit)) {
        *out = (struct span){r->today - (int64_t)count * unit_days[unit], r->today + 1, false};
    } else {
        return false;
    }
    *at = here;
    return true;
}

/* The day within a month's span; false for 31 June. */
static bool day_of_month(const struct reader *r, int day, struct span *month)
{
    int y, m, d;
    civil_from_days(month->from, &y, &m, &d);
    struct span s = *month;
    if (s.floats && s.from + day - 1 > r->today)
        s = months_span(y - 1, m - 1, 1);
    *month = (struct span){s.from + day - 1, s.from + day, month->floats};
    return month->until <= s.until;
}

/* "3 March 2023", "the 3rd of March", "March 3rd, 2023", "March 2023", "March". */
static bool read_month(const struct reader *r, size_t *at, struct span *out)
{
    static const char *const also_words[] = {"may", "march", "mar", "jan", "sep", "dec", NULL};
    size_t here = *at;
    bool ordinal = false, has_year;
    int day = digits_of(word_at(r, here), &ordinal), year = 0;
    if (day >= 1 && day <= 31)
        here += ordinal && is_word(r, here + 1, "of") ? 2 : 1;
    else
        day = 0;
    int month = month_of(word_at(r, here));
    if (month < 0)
        return false;
    bool unsure = !day && one_of(word_at(r, here), also_words) >= 0;
    here++;
    if (!day) {
        day = digits_of(word_at(r, here), &ordinal);
        bool is_day = day >= 1 && day <= 31;
        here += is_day;
        day = is_day ? day : 0;
    }
    has_year = read_year(r, &here, &year);
    if (unsure && !day && !has_year && !r->behind_preposition)
        return false;
    *out = has_year ? months_span(year, month, 1) : last_months(r, month, 1, false);
    if (day && !day_of_month(r, day, out))
        return false;
    *at = here;
    return true;
}

static bool read_season(const struct reader *r, size_t *at, struct span *out)
{
    int start = season_of(word_at(r, *at)), year;
    size_t behind = *at + 1 + is_word(r, *at + 1, "of");
    bool has_year = read_year(r, &behind, &year);
    if (start < 0 || !(has_year || r->behind_preposition))
        return false;
    *out = has_year ? months_span(year, start, 3) : last_months(r, start, 3, false);
    *at = has_year ? behind : *at + 1;
    return true;
}

/* "Q1", "Q1 2025", "the first quarter of 2025", "H2 2024", "the second half of 2024". */
static bool read_part_of_year(const struct reader *r, size_t *at, struct span *out)
{
    static const char *const ordinals[] = {"first", "second", "third", "fourth", NULL};
    const char *w = word_at(r, *at);
    bool half = w[0] == 'h' || is_word(r, *at + 1, "half");
    bool brief = (w[0] == 'q' || w[0] == 'h') && w[1] >= '1' && w[1] <= (half ? '2' : '4') && !w[2];
    int n = brief ? w[1] - '1' : one_of(w, ordinals), year, months = half ? 6 : 3;
    size_t here = *at + (brief ? 1 : 2);
    if (n < 0 || n * months >= 12 || !(brief || half || is_word(r, *at + 1, "quarter")))
        return false;
    size_t behind = here + (is_word(r, here, "of") || is_word(r, here, "in"));
    if (read_year(r, &behind, &year)) {
        *out = months_span(year, n * months, months);
        here = behind;
    } else if (!half && (brief || r->behind_preposition)) {
        *out = last_months(r, n * months, months, false);
    } else {
        return false;
    }
    *at = here;
    return true;
}

static bool read_weekday(const struct reader *r, size_t *at, struct span *out)
{
    int weekday = weekday_of(word_at(r, *at));
    if (weekday < 0 || !r->behind_preposition)
        return false;
    int64_t day = unit_span(r, WEEK, 0).from + weekday;
    day -= day > r->today ? 7 : 0;
    *out = (struct span){day, day + 1, false};
    ++*at;
    return true;
}

static bool read_bare_year(const struct reader *r, size_t *at, struct span *out)
{
    int year;
    if (!r->behind_preposition || !read_year(r, at, &year))
        return false;
    *out = months_span(year, 0, 12);
    return true;
}

static bool read_time(const struct reader *r, size_t *at, struct span *out)
{
    static const char *const before[] = {"the", "early", "late", "mid", "around", "about", NULL};
    static read_fn *const readers[] = {read_iso,          read_day_word, read_ago,
                                       read_last,         read_month,    read_season,
                                       read_part_of_year, read_weekday,  read_bare_year};
    size_t here = *at;
    for (int pass = 0; pass < 2; pass++) { /* "the other day", else behind its article */
        for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
            if (readers[i](r, &here, out)) {
                *at = here;
                return true;
            }
        skip(r, &here, before);
    }
    return false;
}

/* ---- prepositions ---- */

enum side { IN, FROM, SINCE, AFTER, BEFORE, UNTIL, BETWEEN };

static const struct preposition {
    const char *word;
    enum side side;
} prepositions[] = {
    {"in", IN},       {"on", IN},       {"during", IN},     {"of", IN},
    {"within", IN},   {"over", IN},     {"throughout", IN}, {"for", IN},
    {"from", FROM},   {"since", SINCE}, {"after", AFTER},   {"before", BEFORE},
    {"until", UNTIL}, {"till", UNTIL},  {"by", UNTIL},      {"between", BETWEEN},
};

static const struct preposition *preposition_at(const struct reader *r, size_t at)
{
    for (size_t i = 0; i < sizeof prepositions / sizeof *prepositions; i++)
        if (is_word(r, at, prepositions[i].word))
            return &prepositions[i];
    return NULL;
}

/* "and July", "to 9 May": the other end of a range. A first end without a year takes that of the
 * second, or of the year before where it would lie behind it. */
static bool read_other_end(const struct reader *r, size_t *at, struct span *span)
{
    static const char *const joins[] = {"and", "to", "until", "till", NULL};
    struct span other;
    size_t here = *at + 1;
    if (one_of(word_at(r, *at), joins) < 0 || !read_time(r, &here, &other))
        return false;
    if (span->floats) {
        int year, month, day, other_year, other_month, other_day;
        civil_from_days(span->from, &year, &month, &day);
        civil_from_days(other.from, &other_year, &other_month, &other_day);
        bool earlier = month < other_month || (month == other_month && day <= other_day);
        span->from = days_from_civil(earlier ? other_year : other_year - 1, month, day);
    }
    span->until = other.until;
    *at = here;
    return span->from < span->until;
}

/* "before the release", "since our migration": up to four words behind an article. */
static bool read_event(const struct reader *r, size_t at, struct query_time *out)
{
    static const char *const articles[] = {"the", "our", "that", "this", "last", NULL};
    const struct preposition *p = preposition_at(r, at);
    size_t from = at + 1;
    skip(r, &from, articles);
    if (!p || p->side < SINCE || p->side == BETWEEN || from == at + 1)
        return false;
    size_t to = from;
    while (to < r->count && to - from < MAX_EVENT_WORDS && !word_is_stop(str_of(r->words[to].text)))
        to++;
    if (to == from)
        return false;
    bool before = p->side == BEFORE || p->side == UNTIL;
    *out = (struct query_time){.kind = before ? TIME_BEFORE_EVENT : TIME_AFTER_EVENT,
                               .event_from = r->words[from].from,
                               .event_to = r->words[to - 1].to};
    return true;
}

static bool read_range(struct reader *r, size_t at, struct query_time *out)
{
    static const char *const onwards[] = {"on", "onward", "onwards", NULL};
    const struct preposition *p = preposition_at(r, at);
    enum side side = p ? p->side : IN;
    size_t here = at + (p != NULL);
    struct span span;
    r->behind_preposition = p != NULL;
    if (!read_time(r, &here, &span))
        return false;
    bool two_ends = (side == BETWEEN || side == FROM) && read_other_end(r, &here, &span);
    if (side == BETWEEN && !two_ends)
        return false;
    if (side == FROM && !two_ends && one_of(word_at(r, here), onwards) >= 0) {
        side = SINCE;
        here++;
    }
    int64_t from = side == AFTER ? span.until : span.from;
    int64_t until = side == BEFORE ? span.from : span.until;
    bool no_end = (side == SINCE || side == AFTER) && !two_ends,
         no_start = side == BEFORE || side == UNTIL;
    *out = (struct query_time){.kind = TIME_RANGE,
                               .from_ms = no_start ? INT64_MIN : from * DAY_MS,
                               .until_ms = no_end ? INT64_MAX : until * DAY_MS,
                               .from = r->words[at].from,
                               .to = r->words[here - 1].to};
    return true;
}

/* ---- the whole ---- */

struct query_time query_time_parse(str query, int64_t now_ms)
{
    struct reader r = {.today = now_ms / DAY_MS - (now_ms % DAY_MS < 0)};
    struct query_time out = {0}, event = {0};
    split(&r, query);
    for (size_t i = 0; i < r.count; i++) {
        if (read_range(&r, i, &out))
            return out;
        if (event.kind == TIME_NONE)
            read_event(&r, i, &event);
    }
    return event;
}

float query_time_fit(const struct query_time *t, int64_t at_ms)
{
    const double least = DAY_MS / 2.0, most = 31.0 * DAY_MS;
    if (t->kind != TIME_RANGE)
        return 0;
    if (at_ms >= t->from_ms && at_ms < t->until_ms)
        return 1;
    if (t->from_ms == INT64_MIN || t->until_ms == INT64_MAX)
        return 0;
    double margin = ((double)t->until_ms - (double)t->from_ms) / 2;
    margin = margin < least ? least : margin > most ? most : margin;
    double apart = at_ms < t->from_ms ? (double)t->from_ms - (double)at_ms
                                      : (double)at_ms - (double)t->until_ms;
    return apart < margin ? (float)(1 - apart / margin) : 0;
}

bool query_time_is_all(const struct query_time *t, str query)
{
    static const char *const empty[] = {
        "happen",    "happened",  "happens",  "happening", "work",       "worked",  "go",
        "going",     "went",      "new",      "news",      "learn",      "change",  "changed",
        "summarise", "summarize", "tell",     "show",      "list",       "recap",   "know",
        "say",       "said",      "memories", "notes",     "progress",   "discuss", "discussed",
        "talk",      "talked",    "event",    "events",    "done",       "get",     "got",
        "anything",  "things",    "thing",    "something", "everything", NULL};
    struct reader r = {0};
    if (t->kind != TIME_RANGE)
        return false;
    split(&r, query);
    for (size_t i = 0; i < r.count; i++) {
        const struct word *w = &r.words[i];
        bool in_time = w->from >= t->from && w->to <= t->to;
        if (!in_time && !word_is_stop(str_of(w->text)) && one_of(w->text, empty) < 0)
            return false;
    }
    return r.count < MAX_TIME_WORDS;
}
