#include "tools/json_text.h"

#include <math.h>

enum {
    REAL_DIGITS = 6, /* scores and shares are the only reals: 0.7, not 0.69999998807907104 */
    THOUSANDTHS = 1000,
};

/* ---- strings ---- */

/* How many bytes at `at` can't stand in a string as they are: 0, 1, or 3 of U+2028, U+2029. */
static size_t to_escape(str s, size_t at)
{
    if ((unsigned char)s.at[at] != 0xE2)
        return 1;
    bool ends_line = s.len - at >= 3 && (unsigned char)s.at[at + 1] == 0x80 &&
                     ((unsigned char)s.at[at + 2] | 1) == 0xA9;
    return ends_line ? 3 : 0;
}

/* Where the next byte is that may have to be escaped. */
static size_t next_special(str s, size_t at)
{
    static const bool special[256] = {
        [0 ... 0x1F] = true, ['"'] = true, ['\\'] = true, [0xE2] = true};
    while (at < s.len && !special[(unsigned char)s.at[at]])
        at++;
    return at;
}

static void add_escaped(struct buf *out, str s)
{
    static const char *const of_control[0x20] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};
    unsigned char c = (unsigned char)s.at[0];
    if (s.len > 1)
        buf_add(out, (unsigned char)s.at[2] == 0xA8 ? S("\\u2028") : S("\\u2029"));
    else if (c >= 0x20)
        buf_printf(out, "\\%c", c);
    else if (of_control[c])
        buf_add(out, str_of(of_control[c]));
    else
        buf_printf(out, "\\u%04X", c);
}

static void add_string(struct buf *out, str s)
{
    size_t from = 0; /* what stands before is written */
    buf_add_char(out, '"');
    for (size_t at; (at = next_special(s, from)) < s.len;) {
        size_t bytes = to_escape(s, at);
        buf_add(out, str_cut(s, from, bytes ? at : at + 1));
        if (bytes)
            add_escaped(out, str_cut(s, at, at + bytes));
        from = at + (bytes ? bytes : 1);
    }
    buf_add(out, str_cut(s, from, s.len));
    buf_add_char(out, '"');
}

/* ---- numbers ---- */

/* Shares are told in thousandths, and these cost no printf: "0.25", "1.0". */
static bool add_thousandths(struct buf *out, double value)
{
    if (!(value >= 0 && value <= 1) || signbit(value))
        return false;
    int number = (int)(value * THOUSANDTHS + 0.5);
    if ((double)number / THOUSANDTHS != value)
        return false;
    char text[] = {(char)('0' + number / 1000), '.', (char)('0' + number / 100 % 10),
                   (char)('0' + number / 10 % 10), (char)('0' + number % 10)};
    size_t len = sizeof text;
    while (text[len - 1] == '0' && text[len - 2] != '.')
        len--;
    buf_add(out, str_from(text, len));
    return true;
}

static int add_bytes(const char *at, size_t len, void *out)
{
    buf_add(out, (str){at, len});
    return 0;
}

static void add_real(struct buf *out, const json_t *value)
{
    if (!add_thousandths(out, json_real_value(value)))
        json_dump_callback(value, add_bytes, out,
                           JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS));
}

/* ---- all ---- */

static void add_object(struct buf *out, const json_t *object)
{
    const char *key;
    json_t *member;
    char before = '{';
    if (!json_object_size(object))
        buf_add_char(out, before);
    json_object_foreach((json_t *)object, key, member)
    {
        buf_add_char(out, before);
        add_string(out, str_of(key));
        buf_add_char(out, ':');
        json_text(out, member);
        before = ',';
    }
    buf_add_char(out, '}');
}

static void add_array(struct buf *out, const json_t *array)
{
    size_t i;
    json_t *member;
    buf_add_char(out, '[');
    json_array_foreach((json_t *)array, i, member)
    {
        if (i)
            buf_add_char(out, ',');
        json_text(out, member);
    }
    buf_add_char(out, ']');
}

void json_text(struct buf *out, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        add_object(out, value);
        return;
    case JSON_ARRAY:
        add_array(out, value);
        return;
    case JSON_STRING:
        add_string(out, str_from(json_string_value(value), json_string_length(value)));
        return;
    case JSON_INTEGER:
        buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return;
    case JSON_REAL:
        add_real(out, value);
        return;
    case JSON_TRUE:
        buf_add(out, S("true"));
        return;
    case JSON_FALSE:
        buf_add(out, S("false"));
        return;
    case JSON_NULL:
        buf_add(out, S("null"));
        return;
    }
}
