#include "memory/code_name.h"

size_t code_name_last(str name, size_t *end)
{
    size_t from = name.len, to;
    while (from > 0 && name.at[from - 1] != '.')
        from--;
    for (to = name.len; to > from + 1 && name.at[to - 1] >= '0' && name.at[to - 1] <= '9';)
        to--;
    *end = to < name.len && to > from + 1 && name.at[to - 1] == '~' ? to - 1 : name.len;
    return from;
}

str code_name_simple(str name)
{
    size_t to, from = code_name_last(name, &to);
    return from < to ? str_cut(name, from, to) : name;
}

str code_name_written(str name)
{
    size_t from = name.len;
    while (from > 0 && !memchr(".:#>", name.at[from - 1], 4))
        from--;
    return str_cut(name, from, name.len);
}
