#include "memory/text_chars.h"

bool word_at(str s, size_t at)
{
    size_t bytes;
    return at < s.len && is_word(class_at(s, at, &bytes));
}

bool letter_at(str s, size_t at)
{
    size_t bytes;
    return at < s.len && is_letter(class_at(s, at, &bytes));
}

bool upper_at(str s, size_t at)
{
    size_t bytes;
    return at < s.len && class_at(s, at, &bytes) == CHAR_UPPER;
}

bool digit_at(str s, size_t at)
{
    return at < s.len && s.at[at] >= '0' && s.at[at] <= '9';
}

size_t apostrophe(str s, size_t at)
{
    if (at < s.len && s.at[at] == '\'')
        return 1;
    return at + 3 <= s.len && memcmp(s.at + at, "\xE2\x80\x99", 3) == 0 ? 3 : 0;
}

size_t sign_end(str s, size_t from, size_t at)
{
    static const str plus[] = {{"c", 1},    {"g", 1},       {"j", 1},
                               {"libc", 4}, {"libstdc", 7}, {"notepad", 7}};
    str word = str_cut(s, from, at);
    if (at + 1 < s.len && s.at[at] == '+' && s.at[at + 1] == '+')
        for (size_t i = 0; i < sizeof plus / sizeof *plus; i++)
            if (str_eq_nocase(word, plus[i]))
                return at + 2;
    if (at < s.len && s.at[at] == '#' && word.len == 1 && strchr("cfjqCFJQ", word.at[0]) &&
        !letter_at(s, at + 1))
        return at + 1;
    return at;
}

bool opens_word(str s, size_t at, size_t bytes, size_t to)
{
    size_t next = at + bytes, next_bytes;
    if (next >= to || class_at(s, next, &next_bytes) != CHAR_LOWER)
        return false;
    bool plural = s.at[next] == 's' && !letter_at(str_cut(s, 0, to), next + 1);
    return !plural;
}
