#include "memory/query_place.h"

#include <string.h>

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static str bare(str word)
{
    while (word.len && is_one_of(word.at[0], "([{<\"'`"))
        word = str_cut(word, 1, word.len);
    while (word.len && is_one_of(word.at[word.len - 1], ")]}>\"'`,;:.!?"))
        word.len--;
    return word;
}

/* Takes `mark` and a number behind it off the end. */
static bool take_number(str *text, str mark, uint32_t *number)
{
    int64_t value;
    size_t from = text->len;
    while (from > 0 && text->at[from - 1] >= '0' && text->at[from - 1] <= '9')
        from--;
    str before = str_cut(*text, 0, from);
    if (from == text->len || !str_ends(before, mark) ||
        !str_to_int(str_cut(*text, from, text->len), &value) || value < 1 || value > UINT32_MAX)
        return false;
    *text = str_cut(before, 0, before.len - mark.len);
    *number = (uint32_t)value;
    return true;
}

bool query_place_read(str word, struct query_place *out)
{
    uint32_t line;
    str path = bare(word);
    if (!take_number(&path, S("#L"), &line)) {
        if (!take_number(&path, S(":"), &line))
            return false;
        take_number(&path, S(":"), &line); /* the first was a column */
    }
    if (str_starts(path, S("./")))
        path = str_cut(path, 2, path.len);
    *out = (struct query_place){path, line};
    return path.len > 0;
}

size_t query_places(str text, struct query_place out[MAX_QUERY_PLACES])
{
    size_t count = 0;
    str word;
    while (count < MAX_QUERY_PLACES && str_next_word(&text, &word))
        count += query_place_read(word, &out[count]);
    return count;
}
