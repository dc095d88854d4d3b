#include "memory/base/str.h"

#include "memory/base/ascii.h"

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int str_cmp(str a, str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.at, b.at, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

str str_trim(str s)
{
    while (s.len && is_space(s.at[0])) {
        s.at++;
        s.len--;
    }
    while (s.len && is_space(s.at[s.len - 1]))
        s.len--;
    return s;
}

size_t str_find_char(str s, char c, size_t from)
{
    if (from >= s.len)
        return s.len;
    const char *hit = memchr(s.at + from, c, s.len - from);
    return hit ? (size_t)(hit - s.at) : s.len;
}

size_t str_find(str s, str needle, size_t from)
{
    if (from > s.len || needle.len > s.len - from)
        return s.len;
    if (needle.len == 0)
        return from;
    const char *hit = memmem(s.at + from, s.len - from, needle.at, needle.len);
    return hit ? (size_t)(hit - s.at) : s.len;
}

bool str_eq_nocase(str a, str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (ascii_lower(a.at[i]) != ascii_lower(b.at[i]))
            return false;
    return true;
}

bool str_next_line(str *rest, str *line)
{
    if (rest->len == 0)
        return false;
    size_t cut = str_find_char(*rest, '\n', 0);
    *line = str_cut(*rest, 0, cut);
    *rest = str_cut(*rest, cut + 1, rest->len);
    if (line->len && line->at[line->len - 1] == '\r')
        line->len--;
    return true;
}

bool str_next_word(str *rest, str *word)
{
    size_t from = 0;
    while (from < rest->len && is_space(rest->at[from]))
        from++;
    size_t to = from;
    while (to < rest->len && !is_space(rest->at[to]))
        to++;
    *word = str_cut(*rest, from, to);
    *rest = str_cut(*rest, to, rest->len);
    return word->len > 0;
}

bool str_to_int(str s, int64_t *out)
{
    enum { MAX_DIGITS = 18 }; /* 10^18 fits into 63 bits */
    if (s.len == 0 || s.len > MAX_DIGITS)
        return false;
    int64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] < '0' || s.at[i] > '9')
            return false;
        value = value * 10 + (s.at[i] - '0');
    }
    *out = value;
    return true;
}

str str_file_name(str path)
{
    size_t from = path.len;
    while (from > 0 && path.at[from - 1] != '/')
        from--;
    return str_cut(path, from, path.len);
}
