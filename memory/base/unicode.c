#include "memory/base/unicode.h"

#include "memory/base/buf.h"

#include <utf8proc.h>

enum { REPLACEMENT = 0xFFFD };

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* The second byte's bounds are what keeps overlong forms, surrogates and values over U+10FFFF out
 * (Unicode Standard, table 3-7). *bytes is the length of the good part for a bad sequence. */
static int32_t decode(const unsigned char *c, size_t left, size_t *bytes)
{
    *bytes = 1;
    if (c[0] < 0x80)
        return c[0];
    if (c[0] < 0xC2 || c[0] > 0xF4)
        return -1;
    size_t need = c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    unsigned char low = c[0] == 0xE0 ? 0xA0 : c[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c[0] == 0xED ? 0x9F : c[0] == 0xF4 ? 0x8F : 0xBF;
    if (left < 2 || c[1] < low || c[1] > high)
        return -1;
    int32_t value = (c[0] & (0xFF >> (need + 1))) << 6 | (c[1] & 0x3F);
    for (*bytes = 2; *bytes < need; ++*bytes) {
        if (*bytes == left || !is_tail(c[*bytes]))
            return -1;
        value = value << 6 | (c[*bytes] & 0x3F);
    }
    return value;
}

int32_t utf8_decode(str s, size_t at, size_t *bytes)
{
    int32_t value = decode((const unsigned char *)s.at + at, s.len - at, bytes);
    if (value < 0)
        *bytes = 1;
    return value;
}

bool utf8_is_tail(str s, size_t at)
{
    return at < s.len && is_tail((unsigned char)s.at[at]);
}

size_t utf8_back(str s, size_t at)
{
    while (at > 0 && utf8_is_tail(s, at))
        at--;
    return at;
}

size_t utf8_ahead(str s, size_t at)
{
    while (utf8_is_tail(s, at))
        at++;
    return at;
}

size_t utf8_encode(int32_t code_point, char out[4])
{
    return (size_t)utf8proc_encode_char(code_point, (utf8proc_uint8_t *)out);
}

/* Position of the first byte at or behind `at` that isn't ASCII. */
static size_t skip_ascii(str s, size_t at)
{
    uint64_t word;
    while (at + sizeof word <= s.len) {
        memcpy(&word, s.at + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
        at += sizeof word;
    }
    while (at < s.len && (unsigned char)s.at[at] < 0x80)
        at++;
    return at;
}

/* Position of the first bad byte at or behind `at`, or s.len. */
static size_t find_bad(str s, size_t at)
{
    while ((at = skip_ascii(s, at)) < s.len) {
        size_t bytes;
        if (utf8_decode(s, at, &bytes) < 0)
            break;
        at += bytes;
    }
    return at;
}

bool utf8_valid(str s)
{
    return find_bad(s, 0) == s.len;
}

static void add_code_point(struct buf *b, int32_t code_point)
{
    char bytes[4];
    buf_add(b, str_from(bytes, utf8_encode(code_point, bytes)));
}

/* Moves what a builder holds into the arena. */
static str settle(struct arena *a, struct buf *b)
{
    str out = arena_str(a, buf_str(b));
    buf_free(b);
    return out;
}

str utf8_repair(struct arena *a, str s)
{
    size_t bad = find_bad(s, 0);
    if (bad == s.len)
        return s;
    struct buf out = {0};
    size_t from = 0;
    while (bad < s.len) {
        size_t bytes;
        decode((const unsigned char *)s.at + bad, s.len - bad, &bytes);
        buf_add(&out, str_cut(s, from, bad));
        add_code_point(&out, REPLACEMENT);
        from = bad + bytes;
        bad = find_bad(s, from);
    }
    buf_add(&out, str_cut(s, from, s.len));
    return settle(a, &out);
}

str utf8_prefix(str s, size_t max_bytes)
{
    if (s.len <= max_bytes)
        return s;
    size_t to = max_bytes;
    while (to > 0 && max_bytes - to < 3 && is_tail((unsigned char)s.at[to]))
        to--;
    return str_cut(s, 0, to);
}

/* ---- normal forms ---- */

/* Sorting combining marks takes quadratic time in utf8proc, so texts go through in pieces. One is
 * cut before a character that neither reorders nor composes with what precedes it, from PIECE_BYTES
 * on; wherever it is at MAX_PIECE_BYTES. */
enum {
    PIECE_BYTES = 192,
    MAX_PIECE_BYTES = 512,
    /* The longest decomposition is 18 code points from 3 bytes (U+FDFA). */
    MAX_PIECE_CODE_POINTS = MAX_PIECE_BYTES * 6,
};

static const utf8proc_option_t NFC = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
static const utf8proc_option_t FOLD =
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;

static bool starts_piece(int32_t code_point)
{
    if (code_point < 0x80)
        return true;
    if (code_point >= 0x1100 &&
        code_point <= 0x11FF) /* Hangul jamo compose though they are letters */
        return false;
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

static size_t piece_end(str s, size_t from)
{
    size_t at = from + PIECE_BYTES, last = from + MAX_PIECE_BYTES;
    if (at >= s.len)
        return s.len;
    while (is_tail((unsigned char)s.at[at]))
        at++; /* at most 3: s is valid */
    while (at < s.len) {
        size_t bytes;
        int32_t code_point = utf8_decode(s, at, &bytes);
        if (starts_piece(code_point) || at + bytes > last)
            break;
        at += bytes;
    }
    return at;
}

struct piece {
    utf8proc_int32_t code_points[MAX_PIECE_CODE_POINTS + 1]; /* + 1: a NUL is written behind */
};

/* A piece of valid UTF-8 of at most MAX_PIECE_BYTES; the result lies in *p. */
static str map_piece(struct piece *p, str s, utf8proc_option_t options)
{
    utf8proc_ssize_t n = utf8proc_decompose((const utf8proc_uint8_t *)s.at, (utf8proc_ssize_t)s.len,
                                            p->code_points, MAX_PIECE_CODE_POINTS, options);
    if (n < 0 || n > MAX_PIECE_CODE_POINTS)
        return s;
    utf8proc_ssize_t bytes = utf8proc_reencode(p->code_points, n, options);
    return bytes < 0 ? s : str_from((const char *)p->code_points, (size_t)bytes);
}

static str map_text(struct arena *a, str s, utf8proc_option_t options)
{
    struct buf out = {0};
    struct piece piece;
    for (size_t from = 0, to; from < s.len; from = to) {
        to = piece_end(s, from);
        buf_add(&out, map_piece(&piece, str_cut(s, from, to), options));
    }
    return settle(a, &out);
}

str unicode_nfc(struct arena *a, str s)
{
    s = utf8_repair(a, s);
    for (size_t at = 0; (at = skip_ascii(s, at)) < s.len; at++)
        if ((unsigned char)s.at[at] >= 0xCC) /* U+0300 and up: below, all is in NFC */
            return map_text(a, s, NFC);
    return s;
}

static bool has_upper(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] >= 'A' && s.at[i] <= 'Z')
            return true;
    return false;
}

static void lower_ascii(char *out, str s)
{
    for (size_t i = 0; i < s.len; i++)
        out[i] = (char)(s.at[i] | (s.at[i] >= 'A' && s.at[i] <= 'Z' ? 0x20 : 0));
}

str unicode_fold(struct arena *a, str s)
{
    s = utf8_repair(a, s);
    if (skip_ascii(s, 0) < s.len)
        return map_text(a, s, FOLD);
    if (!has_upper(s))
        return s;
    char *out = arena_bytes(a, s.len + 1);
    lower_ascii(out, s);
    out[s.len] = '\0';
    return str_from(out, s.len);
}

/* The code points of s that are valid, into `out` of the same size. */
static str drop_bad(str s, char *out)
{
    size_t n = 0;
    for (size_t at = 0, bytes; at < s.len; at += bytes) {
        if (utf8_decode(s, at, &bytes) < 0)
            continue;
        memcpy(out + n, s.at + at, bytes);
        n += bytes;
    }
    return str_from(out, n);
}

size_t unicode_fold_word(str s, char *out, size_t max_bytes)
{
    s = utf8_prefix(s, MAX_FOLD_WORD_BYTES);
    if (skip_ascii(s, 0) == s.len) {
        s = str_cut(s, 0, max_bytes);
        lower_ascii(out, s);
        return s.len;
    }
    char good[MAX_FOLD_WORD_BYTES];
    struct piece piece;
    str folded = utf8_prefix(map_piece(&piece, drop_bad(s, good), FOLD), max_bytes);
    memcpy(out, folded.at, folded.len);
    return folded.len;
}

/* ---- classes ---- */

/* White_Space of the Unicode Character Database. */
static bool is_space(int32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

str unicode_squeeze(struct arena *a, str s)
{
    s = utf8_repair(a, s);
    char *out = arena_bytes(a, s.len + 1);
    size_t n = 0;
    bool pending = false;
    for (size_t at = 0, bytes; at < s.len; at += bytes) {
        if (is_space(utf8_decode(s, at, &bytes))) {
            pending = n > 0;
            continue;
        }
        if (pending)
            out[n++] = ' ';
        pending = false;
        memcpy(out + n, s.at + at, bytes);
        n += bytes;
    }
    out[n] = '\0';
    return str_from(out, n);
}

struct range {
    int32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t n, int32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c <= ranges[i].last)
            return c >= ranges[i].first;
    return false;
}

#define IN(ranges, c) in_ranges((ranges), sizeof(ranges) / sizeof(ranges)[0], (c))

/* Blocks whose letters count as CHAR_CJK; ascending. */
static const struct range unspaced[] = {
    {0x0E00, 0x0EFF},   /* Thai, Lao */
    {0x1100, 0x11FF},   /* Hangul jamo */
    {0x1780, 0x17FF},   /* Khmer */
    {0x3005, 0x3007},   /* Han iteration mark, closing mark, zero */
    {0x3021, 0x3029},   /* Hangzhou numerals */
    {0x3031, 0x318F},   /* kana, Bopomofo, compatibility jamo */
    {0x31A0, 0x31BF},   /* Bopomofo extended */
    {0x31F0, 0x31FF},   /* Katakana extensions */
    {0x3400, 0x4DBF},   /* Han extension A */
    {0x4E00, 0x9FFF},   /* Han */
    {0xA960, 0xA97F},   /* Hangul jamo extended A */
    {0xAC00, 0xD7FF},   /* Hangul syllables, jamo extended B */
    {0xF900, 0xFAFF},   /* Han compatibility */
    {0xFF66, 0xFFDC},   /* half-width kana and jamo */
    {0x1AFF0, 0x1B16F}, /* kana supplements */
    {0x20000, 0x3FFFF}, /* Han extensions B and up */
};

static enum char_class ascii_class(int32_t c)
{
    if (c >= 'a' && c <= 'z')
        return CHAR_LOWER;
    if (c >= 'A' && c <= 'Z')
        return CHAR_UPPER;
    if (c >= '0' && c <= '9')
        return CHAR_DIGIT;
    return is_space(c) ? CHAR_SPACE : CHAR_OTHER;
}

enum char_class unicode_class(int32_t code_point)
{
    if (code_point < 0x80)
        return ascii_class(code_point);
    if (is_space(code_point))
        return CHAR_SPACE;
    switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LL:
        return CHAR_LOWER;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
        return CHAR_UPPER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return IN(unspaced, code_point) ? CHAR_CJK : CHAR_LETTER;
    case UTF8PROC_CATEGORY_NL:
        return IN(unspaced, code_point) ? CHAR_CJK : CHAR_DIGIT;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO:
        return CHAR_DIGIT;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return CHAR_MARK;
    default:
        return CHAR_OTHER;
    }
}

bool unicode_is_punctuation(int32_t code_point)
{
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool unicode_is_control(int32_t code_point)
{
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CN;
}

size_t unicode_bare(int32_t code_point, int32_t out[MAX_BARE])
{
    int last_boundary = 0;
    size_t kept = 0;
    if (code_point < 0x80) {
        out[0] = utf8proc_tolower(code_point);
        return 1;
    }
    utf8proc_ssize_t n =
        utf8proc_decompose_char(code_point, out, MAX_BARE, UTF8PROC_DECOMPOSE, &last_boundary);
    if (n < 0 || n > MAX_BARE)
        return 0;
    for (size_t i = 0; i < (size_t)n; i++)
        if (utf8proc_category(out[i]) != UTF8PROC_CATEGORY_MN)
            out[kept++] = utf8proc_tolower(out[i]);
    return kept;
}

/* ---- what may be seen ---- */

/* Invisible or able to reorder, hide or forge what is around it; ascending. ASCII and C1 controls
 * are tested apart. */
static const struct range hidden[] = {
    {0x00AD, 0x00AD},   /* soft hyphen */
    {0x034F, 0x034F},   /* combining grapheme joiner */
    {0x061C, 0x061C},   /* Arabic letter mark */
    {0x115F, 0x1160},   /* Hangul fillers */
    {0x17B4, 0x17B5},   /* Khmer inherent vowels */
    {0x180B, 0x180F},   /* Mongolian selectors and vowel separator */
    {0x200B, 0x200F},   /* zero width, direction marks */
    {0x2028, 0x202E},   /* line and paragraph separators, embeddings, overrides */
    {0x2060, 0x206F},   /* word joiner, invisible operators, isolates, deprecated */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xFDD0, 0xFDEF},   /* noncharacters */
    {0xFE00, 0xFE0F},   /* variation selectors */
    {0xFEFF, 0xFEFF},   /* byte order mark */
    {0xFFA0, 0xFFA0},   /* half-width Hangul filler */
    {0xFFF0, 0xFFFB},   /* unassigned, interlinear annotations */
    {0x1BCA0, 0x1BCA3}, /* shorthand format controls */
    {0x1D173, 0x1D17A}, /* musical format controls */
    {0xE0000, 0xE0FFF}, /* tags, further variation selectors */
};

static bool is_hidden(int32_t c)
{
    if (c < 0xA0)
        return (c < ' ' && c != '\n' && c != '\t') || c >= 0x7F;
    return (c & 0xFFFE) == 0xFFFE || IN(hidden, c);
}

/* A joiner or variation selector that does its proper work. `before` is what was written last,
 * `after` what comes next; 0 at the ends. */
static bool is_at_work(int32_t c, int32_t before, int32_t after)
{
    bool behind_visible = before > 0x7F && !is_hidden(before);
    if (c == 0x200C || c == 0x200D) /* an emoji's own selector may stand before its joiner */
        return (behind_visible || before == 0xFE0F) && after > 0x7F && !is_hidden(after);
    if (c == 0xFE0F && ((before >= '0' && before <= '9') || before == '#' || before == '*'))
        return true; /* keycaps */
    if (c >= 0xFE00 && c <= 0xFE0F)
        return behind_visible;
    return c >= 0xE0100 && c <= 0xE01EF && unicode_class(before) == CHAR_CJK;
}

static int32_t code_point_at(str s, size_t at)
{
    size_t bytes;
    return at < s.len ? utf8_decode(s, at, &bytes) : 0;
}

static bool may_hide(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if ((c < ' ' && c != '\n' && c != '\t') || c >= 0x7F)
            return true;
    }
    return false;
}

str unicode_visible(struct arena *a, str s)
{
    s = utf8_repair(a, s);
    if (!may_hide(s))
        return s;
    struct buf out = {0};
    int32_t before = 0;
    for (size_t at = 0, bytes; at < s.len; at += bytes) {
        int32_t c = utf8_decode(s, at, &bytes), after = code_point_at(s, at + bytes);
        if (c == '\r' && after == '\n')
            continue;
        bool show = is_hidden(c) && !is_at_work(c, before, after);
        if (show)
            buf_printf(&out, "\\u{%X}", (unsigned)c);
        else
            buf_add(&out, str_cut(s, at, at + bytes));
        before = show ? '}' : c;
    }
    return settle(a, &out);
}

int unicode_columns(int32_t code_point)
{
    int width = code_point < 0 ? 1 : utf8proc_charwidth(code_point);
    return width < 0 ? 0 : width;
}
