/* Dates and times as text: RFC 3339 in, UTC out. Milliseconds since 1970-01-01T00:00:00Z inside; no
 * clock here. */
#ifndef ENGRAM_BASE_ISO8601_H
#define ENGRAM_BASE_ISO8601_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum { DAY_MS = 24 * 60 * 60 * 1000, HOUR_MS = 60 * 60 * 1000 };

/* "2026-05-08", "2026-05-08T13:56:00Z", "2026-05-08 13:56", with fraction and offset; no zone is
 * UTC. *is_date tells that no time of day was given (may be NULL). Years 0001 to 9999. */
bool iso_parse(str s, int64_t *ms, bool *is_date);

/* YYYY-MM-DDTHH:MM:SSZ; times outside of years 1 to 9999 are clamped. */
str iso_format(struct arena *a, int64_t ms);

/* Days since 1970-01-01 of a civil date (proleptic Gregorian), and back. */
int64_t days_from_civil(int year, int month, int day);
void civil_from_days(int64_t days, int *year, int *month, int *day);

#endif
