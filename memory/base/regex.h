/* Regular expressions by PCRE2, with match limits, so that no input takes more than linear-ish
 * time. */
#ifndef ENGRAM_BASE_REGEX_H
#define ENGRAM_BASE_REGEX_H

#include "memory/base/err.h"
#include "memory/base/str.h"

struct regex; /* heap; compile once, use for ever, one thread at a time */

enum { REGEX_MAX_GROUPS = 10 };

/* UTF mode; \d, \w and \s are ASCII's. NULL with ERR_INPUT where the pattern is wrong. */
struct regex *regex_compile(const char *pattern, bool nocase, struct err *e);
void regex_free(struct regex *r);

/* First match at or behind `from`; groups[0] is the whole match, groups[i] the i-th group ({"",0}
 * where unset). groups holds REGEX_MAX_GROUPS; false where nothing matches or a match limit was
 * met. The subject must be valid UTF-8 (a bad one never matches); it is checked in each call, so
 * hand a window of a long text over. A pattern that begins with \G is tried at `from` only. */
bool regex_find(struct regex *r, str subject, size_t from, str groups[REGEX_MAX_GROUPS]);

#endif
