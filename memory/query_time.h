/* The time that a question names ("last week", "in May 2023", "since Monday", "before the
 * release"), as a range that recall favours and that never excludes. English and ISO dates; UTC.
 * Pure: text and clock in, range out. */
#ifndef ENGRAM_QUERY_TIME_H
#define ENGRAM_QUERY_TIME_H

#include "memory/base/str.h"

enum query_time_kind {
    TIME_NONE,
    TIME_RANGE,
    TIME_BEFORE_EVENT, /* [event_from, event_to) of the query says when; the range is not known here
                        */
    TIME_AFTER_EVENT,
};

struct query_time {
    enum query_time_kind kind;
    int64_t from_ms, until_ms; /* [from, until) of a TIME_RANGE; INT64_MIN and INT64_MAX: open */
    size_t from, to;           /* bytes of the query that say the range, its preposition included */
    size_t event_from, event_to;
};

/* The first range that the query names, else the first event. A month, a day or a season without a
 * year is the last one that has begun by now_ms; weeks start on Monday; "ago" is half its unit
 * around that day. Words that are times only sometimes (may, march, fall, 2023) count behind a
 * preposition or beside a number. Reads the first MAX_TIME_WORDS words. */
enum { MAX_TIME_WORDS = 128 };
struct query_time query_time_parse(str query, int64_t now_ms);

/* How well a time fits: 1 in the range, falling to 0 over half its length (12 hours to 31 days)
 * beside it; 0 where the kind is no TIME_RANGE. */
float query_time_fit(const struct query_time *t, int64_t at_ms);

/* Does the query ask for nothing but a time ("what did we do yesterday?")? */
bool query_time_is_all(const struct query_time *t, str query);

#endif
