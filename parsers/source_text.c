#include "parsers/source_text.h"

#include "memory/base/unicode.h"

bool source_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

str source_squeezed(struct arena *a, str text, size_t max_bytes)
{
    char *begin = arena_bytes(a, text.len < max_bytes ? text.len : max_bytes), *to = begin;
    bool gap = false;
    for (size_t i = 0; i < text.len; i++) {
        if (source_is_blank(text.at[i])) {
            gap = to > begin;
            continue;
        }
        if ((size_t)(to - begin) + gap + 1 > max_bytes)
            break;
        if (gap)
            *to++ = ' ';
        gap = false;
        *to++ = text.at[i];
    }
    return utf8_prefix(str_from(begin, (size_t)(to - begin)), max_bytes);
}

static bool has_blank(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (source_is_blank(text.at[i]))
            return true;
    return false;
}

str source_one_line(struct arena *a, str text)
{
    return has_blank(text) ? source_squeezed(a, text, text.len) : text;
}

str source_dotted(struct arena *a, str left, str right)
{
    if (!left.len || !right.len)
        return left.len ? left : right;
    char *begin = arena_bytes(a, left.len + 1 + right.len);
    memcpy(begin, left.at, left.len);
    begin[left.len] = '.';
    memcpy(begin + left.len + 1, right.at, right.len);
    return str_from(begin, left.len + 1 + right.len);
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '@' || (unsigned char)c >= 0x80;
}

bool source_is_path(char c)
{
    return is_name_char(c) || c == '.' || c == ':';
}

static bool is_plain(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_name_char(text.at[i]))
            return false;
    return true;
}

/* Behind the ">" that closes the "<" at i, or `len` where none does. */
static size_t skip_angles(str text, size_t i)
{
    int depth = 0;
    for (; i < text.len; i++) {
        depth += text.at[i] == '<';
        depth -= text.at[i] == '>' && text.at[i - 1] != '-';
        if (!depth)
            return i + 1;
    }
    return i;
}

static bool is_dollar_this(str written, size_t i)
{
    return str_starts(str_cut(written, i, written.len), S("$this")) &&
           (!i || !is_name_char(written.at[i - 1]));
}

str source_path(struct arena *a, str written)
{
    if (is_plain(written) && !is_dollar_this(written, 0))
        return written;
    if (str_eq(written, S("super()")))
        return S("super");
    char *begin = arena_bytes(a, written.len), *to = begin;
    bool parted = false; /* a separator came since the last name */
    bool gap = false;    /* a blank did */
    for (size_t i = 0; i < written.len;) {
        char c = written.at[i];
        if (is_dollar_this(written, i)) {
            i++; /* PHP's $this */
        } else if (is_name_char(c)) {
            if (parted && to > begin)
                *to++ = '.';
            else if (gap)
                to = begin; /* `MACRO name`: the last one counts */
            parted = gap = false;
            *to++ = c;
            i++;
        } else if (c == '<') {
            i = skip_angles(written, i);
        } else if (strchr(".:\\?!>-", c) || source_is_blank(c)) {
            parted |= !source_is_blank(c);
            gap |= source_is_blank(c);
            i++;
        } else if (to == begin && strchr("&*~", c)) {
            i++;
        } else {
            return S("()");
        }
    }
    return str_from(begin, (size_t)(to - begin));
}
