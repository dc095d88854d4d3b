#include "memory/query_tag.h"

#include "memory/base/ascii.h"

enum { MAX_FILLERS = 5, MAX_PARTS = 4, MAX_PART = 1000000000 };

struct word {
    str text;
    size_t from, to; /* bytes of the query */
};

static bool is_letter(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

static bool one_of(str word, const char *const *words)
{
    while (*words && !str_eq_nocase(word, str_of(*words)))
        words++;
    return *words;
}

/* ---- what the query says ---- */

static size_t split(str query, struct word *out)
{
    size_t count = 0;
    for (size_t at = 0; at < query.len && count < MAX_TAG_WORDS;) {
        size_t end = at, from, to;
        while (end < query.len && !memchr(" \t\r\n", query.at[end], 4))
            end++;
        for (from = at; from < end && memchr("(\"'`[", query.at[from], 5);)
            from++;
        for (to = end; to > from && memchr(".,;:!?)\"'`]", query.at[to - 1], 11);)
            to--;
        if (from < to)
            out[count++] = (struct word){str_cut(query, from, to), from, to};
        at = end + 1;
    }
    return count;
}

/* "v2", "1.4", "2.0-rc1"; a number alone may be anything. */
static bool looks_like_version(str word)
{
    size_t at = word.len && ascii_lower(word.at[0]) == 'v';
    if (at == word.len || !ascii_is_digit(word.at[at]))
        return false;
    while (at < word.len && ascii_is_digit(word.at[at]))
        at++;
    return ascii_lower(word.at[0]) == 'v' ||
           (at + 1 < word.len && word.at[at] == '.' && ascii_is_digit(word.at[at + 1]));
}

static bool has_digit(str word)
{
    size_t at = 0;
    while (at < word.len && !ascii_is_digit(word.at[at]))
        at++;
    return at < word.len;
}

static const char *const said[] = {"release", "version", "tag", NULL};

/* The name at words[at]; *marked: a word around it says what it is. */
static bool read_name(const struct word *words, size_t count, size_t at, bool *marked,
                      struct query_tag *out)
{
    if (at >= count)
        return false;
    bool is_behind = at + 1 < count && one_of(words[at + 1].text, said);
    *marked |= is_behind;
    out->name = words[at].text;
    out->to = words[at + is_behind].to;
    return *marked || looks_like_version(out->name) ||
           (has_digit(out->name) && is_letter(out->name.at[0]) && out->name.len > 2);
}

static bool read_at(const struct word *words, size_t count, size_t at, struct query_tag *out)
{
    static const char *const before[] = {"before", "until", "till", NULL},
                             *const behind[] = {"since", "after", "from", NULL},
                             *const fillers[] = {"the",     "our",     "that", "this",
                                                 "release", "tag",     "of",   "tagged",
                                                 "a",       "version", NULL};
    bool marked = false, project_marked;
    size_t here = at + 1;
    *out = (struct query_tag){.before = one_of(words[at].text, before), .from = words[at].from};
    if (!out->before && !one_of(words[at].text, behind))
        return false;
    for (; here < count && here - at <= MAX_FILLERS && one_of(words[here].text, fillers); here++)
        marked |= one_of(words[here].text, said);
    project_marked = marked;
    if (here + 1 < count && looks_like_version(words[here + 1].text) &&
        !has_digit(words[here].text) && read_name(words, count, here + 1, &project_marked, out)) {
        out->project = words[here].text;
        return true;
    }
    return read_name(words, count, here, &marked, out);
}

bool query_tag_parse(str query, struct query_tag *out)
{
    struct word words[MAX_TAG_WORDS];
    size_t count = split(query, words);
    for (size_t i = 0; i < count; i++)
        if (read_at(words, count, i, out))
            return true;
    return false;
}

/* ---- which tag is meant ---- */

/* "tokio-util-0.7.0-rc.1": project "tokio-util", parts 0 7 0, rest "rc.1". */
struct version {
    str project, rest;
    uint32_t part[MAX_PARTS]; /* what isn't said is 0 */
    size_t count;             /* 0: it is no version */
};

static struct version version_of(str name)
{
    struct version v = {0};
    size_t at = 0;
    while (at < name.len &&
           !(ascii_is_digit(name.at[at]) &&
             (at == 0 || !(is_letter(name.at[at - 1]) || ascii_is_digit(name.at[at - 1])) ||
              (ascii_lower(name.at[at - 1]) == 'v' && (at == 1 || !is_letter(name.at[at - 2]))))))
        at++;
    size_t end = at - (at > 0 && ascii_lower(name.at[at - 1]) == 'v');
    while (end > 0 && memchr("-_/.+", name.at[end - 1], 5))
        end--;
    v.project = str_cut(name, 0, end);
    while (at < name.len && ascii_is_digit(name.at[at]) && v.count < MAX_PARTS) {
        uint32_t *part = &v.part[v.count++];
        for (; at < name.len && ascii_is_digit(name.at[at]) && *part < MAX_PART / 10; at++)
            *part = *part * 10 + (uint32_t)(name.at[at] - '0');
        at += at + 1 < name.len && name.at[at] == '.' && ascii_is_digit(name.at[at + 1]);
    }
    while (at < name.len && memchr("-_.+", name.at[at], 4))
        at++;
    v.rest = str_cut(name, at, name.len);
    return v;
}

enum match { NO_MATCH, OF_SERIES, OF_VERSION, OF_PROJECT, OF_NAME };

static enum match match_of(const struct query_tag *q, const struct version *asked, str name)
{
    if (str_eq_nocase(q->name, name))
        return OF_NAME;
    struct version v = version_of(name);
    bool of_project = q->project.len && str_eq_nocase(q->project, v.project);
    if (!asked->count || !v.count || !str_eq_nocase(asked->rest, v.rest) ||
        (q->project.len && v.project.len && !of_project) ||
        (asked->project.len && !str_eq_nocase(asked->project, v.project)))
        return NO_MATCH;
    bool begins = true;
    for (size_t i = 0; i < asked->count; i++)
        begins &= asked->part[i] == v.part[i];
    if (begins && memcmp(asked->part, v.part, sizeof v.part) == 0)
        return of_project ? OF_PROJECT : OF_VERSION;
    return begins && !v.rest.len ? OF_SERIES : NO_MATCH;
}

const struct commit_tag *query_tag_find(const struct query_tag *q, const struct commit_tag *tags,
                                        size_t count)
{
    struct version asked = version_of(q->name);
    const struct commit_tag *found = NULL;
    enum match best = NO_MATCH;
    for (size_t i = 0; i < count; i++) {
        const struct commit_tag *t = &tags[i];
        enum match match = match_of(q, &asked, t->name);
        bool shorter = match > OF_SERIES && found && t->name.len != found->name.len
                           ? t->name.len < found->name.len
                           : found && t->commit_s < found->commit_s;
        if (match > best || (match && match == best && shorter)) {
            best = match;
            found = t;
        }
    }
    return found;
}
