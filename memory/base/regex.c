#include "memory/base/regex.h"

#include "memory/base/arena.h"
#include "memory/base/unicode.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Far above what a sound pattern needs on a line, low enough that the worst one ends within
 * milliseconds. */
enum { MATCH_LIMIT = 200000, DEPTH_LIMIT = 20000, HEAP_LIMIT_KIB = 4096 };

struct regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

static bool set_up(struct regex *r)
{
    r->match = pcre2_match_data_create(REGEX_MAX_GROUPS, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (!r->match || !r->limits)
        return false;
    pcre2_set_match_limit(r->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
    return true;
}

struct regex *regex_compile(const char *pattern, bool nocase, struct err *e)
{
    int error;
    PCRE2_SIZE at;
    struct regex *r = heap_alloc(1, sizeof *r);
    r->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                            PCRE2_UTF | (nocase ? PCRE2_CASELESS : 0), &error, &at, NULL);
    if (!r->code) {
        PCRE2_UCHAR text[128];
        pcre2_get_error_message(error, text, sizeof text);
        fail(e, ERR_INPUT, "pattern %.100s: %s at offset %zu", pattern, (const char *)text, at);
    } else if (!set_up(r)) {
        fail(e, ERR_LIMIT, "no memory for a pattern");
    } else {
        return r;
    }
    regex_free(r);
    return NULL;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre2_match_context_free(r->limits);
    pcre2_match_data_free(r->match);
    pcre2_code_free(r->code);
    heap_free(r);
}

bool regex_find(struct regex *r, str subject, size_t from, str groups[REGEX_MAX_GROUPS])
{
    /* PCRE2's own check reads the same bytes at a fifth of the speed; unchecked, a bad subject is
     * read beyond its end. */
    if (from > subject.len || !utf8_valid(subject) || utf8_is_tail(subject, from))
        return false;
    int set = pcre2_match(r->code, (PCRE2_SPTR)subject.at, subject.len, from, PCRE2_NO_UTF_CHECK,
                          r->match, r->limits);
    if (set < 0)
        return false;
    if (set == 0) /* there are more groups than we hand out */
        set = REGEX_MAX_GROUPS;
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(r->match);
    for (int i = 0; i < REGEX_MAX_GROUPS; i++) {
        bool unset = i >= set || bounds[2 * i] == PCRE2_UNSET;
        groups[i] = unset ? S("") : str_cut(subject, bounds[2 * i], bounds[2 * i + 1]);
    }
    return true;
}
