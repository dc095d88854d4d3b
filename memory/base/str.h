/* A borrowed run of bytes: every text in engram that isn't owned by the arena that made it. */
#ifndef ENGRAM_BASE_STR_H
#define ENGRAM_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed from whoever owns the bytes; never assumed to end in NUL. */
typedef struct {
    const char *at;
    size_t len;
} str;

#define S(literal) ((str){"" literal, sizeof(literal) - 1})
#define FMT(s) (int)(s).len, (s).at /* for "%.*s"; s is evaluated twice: a value, no call */

static inline str str_of(const char *c)
{
    return c ? (str){c, strlen(c)} : (str){"", 0};
}

static inline str str_from(const char *at, size_t len)
{
    return (str){at, len};
}

static inline bool str_eq(str a, str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool str_starts(str s, str prefix)
{
    return s.len >= prefix.len && memcmp(s.at, prefix.at, prefix.len) == 0;
}

static inline bool str_ends(str s, str suffix)
{
    return s.len >= suffix.len && memcmp(s.at + s.len - suffix.len, suffix.at, suffix.len) == 0;
}

/* Bytes [from, to), clamped to the text. */
static inline str str_cut(str s, size_t from, size_t to)
{
    to = to > s.len ? s.len : to;
    from = from > to ? to : from;
    return (str){s.at + from, to - from};
}

/* Byte order, shorter first among equals: usable with qsort through a wrapper. */
int str_cmp(str a, str b);

/* Without ASCII white space at both ends. */
str str_trim(str s);

/* Position of the first `c` at or behind `from`, or s.len. */
size_t str_find_char(str s, char c, size_t from);

/* Position of the first `needle` at or behind `from`, or s.len. */
size_t str_find(str s, str needle, size_t from);

/* ASCII letters compared without case. */
bool str_eq_nocase(str a, str b);

/* What stands behind the last slash of a path; all of it where there is none. */
str str_file_name(str path);

/* Splits off the next line (without its \n or \r\n) from *rest; false when nothing is left. */
bool str_next_line(str *rest, str *line);

/* Splits off the next run of bytes that holds no white space; false when nothing is left. */
bool str_next_word(str *rest, str *word);

/* Decimal digits only, at most 18 of them; false for anything else. */
bool str_to_int(str s, int64_t *out);

#endif
