#include "memory/weights_file.h"

#include <stdlib.h>

enum { MAX_SHOWN_BYTES = 60 };

static bool read_number(str text, float *out)
{
    char copy[32], *end;
    if (text.len == 0 || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    *out = strtof(copy, &end);
    return *end == '\0' && *out > -1e6f && *out < 1e6f; /* false for NaN */
}

/* Of whoever the weight of this name is. */
static str prefix_of(str name)
{
    static const char *const prefixes[] = {CODE_WEIGHT_PREFIX, PASSAGE_WEIGHT_PREFIX};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (str_starts(name, str_of(prefixes[i])))
            return str_of(prefixes[i]);
    return S("");
}

bool weights_next(struct weights_file *f, str *name, float *value, struct err *e)
{
    str line, number = S("");
    while (str_next_line(&f->rest, &line)) {
        f->line++;
        line = str_cut(line, 0, str_find_char(line, '#', 0));
        if (!str_next_word(&line, name) || !str_eq(prefix_of(*name), f->prefix))
            continue;
        str_next_word(&line, &number);
        if (!read_number(number, value))
            return fail(e, ERR_INPUT, "weights, line %d: %.*s is '%.*s'; wanted: a number", f->line,
                        FMT(str_cut(*name, 0, MAX_SHOWN_BYTES)),
                        FMT(str_cut(number, 0, MAX_SHOWN_BYTES)));
        *name = str_cut(*name, f->prefix.len, name->len);
        return true;
    }
    return false;
}

bool weights_unknown(const struct weights_file *f, str name, struct err *e)
{
    return fail(e, ERR_INPUT, "weights, line %d: '%.*s%.*s' is no feature", f->line, FMT(f->prefix),
                FMT(str_cut(name, 0, MAX_SHOWN_BYTES)));
}
