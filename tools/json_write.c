#include "tools/json_write.h"

enum { REAL_DIGITS = 6 }; /* scores and shares: 0.7, not 0.69999998807907104 */

static int add_bytes(const char *at, size_t len, void *out)
{
    buf_add(out, (str){at, len});
    return 0;
}

static void escape_separators(struct buf *out, size_t start)
{
    static const str lead = {"\xE2\x80", 2};
    struct buf clean = {0};
    size_t from = start;
    for (size_t at; (at = str_find(buf_str(out), lead, from)) < out->len; from = at + 3) {
        unsigned char last = (unsigned char)out->at[at + 2];
        bool separator = last == 0xA8 || last == 0xA9;
        buf_add(&clean, str_cut(buf_str(out), from, separator ? at : at + 3));
        if (separator)
            buf_add(&clean, last == 0xA8 ? S("\\u2028") : S("\\u2029"));
    }
    if (from > start) {
        buf_add(&clean, str_cut(buf_str(out), from, out->len));
        out->len = start;
        buf_add(out, buf_str(&clean));
    }
    buf_free(&clean);
}

void json_write(struct buf *out, const json_t *value)
{
    size_t start = out->len;
    json_dump_callback(value, add_bytes, out,
                       JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS));
    escape_separators(out, start);
}
