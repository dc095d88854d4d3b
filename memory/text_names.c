#include "memory/text.h"

#include "memory/base/ascii.h"
#include "memory/text_chars.h"
#include "memory/words.h"

/* ---- names ---- */

/* Spaces where CamelCase has its bounds. */
static str split_camel(struct arena *a, str s)
{
    char *out = arena_bytes(a, 2 * s.len + 1);
    size_t n = 0, bytes;
    enum char_class last = CHAR_OTHER;
    for (size_t at = 0; at < s.len; at += bytes) {
        enum char_class class = class_at(s, at, &bytes);
        if (class == CHAR_UPPER &&
            (last == CHAR_LOWER || (last == CHAR_UPPER && opens_word(s, at, bytes, s.len))))
            out[n++] = ' ';
        memcpy(out + n, s.at + at, bytes);
        n += bytes;
        last = class == CHAR_MARK ? last : class;
    }
    return str_from(out, n);
}

static bool name_char_at(str s, size_t at)
{
    size_t bytes;
    if (at >= s.len)
        return false;
    enum char_class class = class_at(s, at, &bytes);
    return is_word(class) || class == CHAR_CJK;
}

/* Bytes of a sign that belongs to a folded name at `at`, where the word before it began at `word`:
 * the point in 2.3, the apostrophe in o'brien, the signs of c++, c# and .net, the # of an issue. 0
 * for what is only punctuation. */
static size_t name_sign(str s, size_t word, size_t at)
{
    bool inside = at > word;
    if (inside && s.at[at] == '.' && digit_at(s, at - 1) && digit_at(s, at + 1))
        return 1;
    if (inside && apostrophe(s, at) && name_char_at(s, at + apostrophe(s, at)))
        return apostrophe(s, at);
    if (inside && sign_end(s, word, at) > at)
        return sign_end(s, word, at) - at;
    if (!inside && s.at[at] == '#' && digit_at(s, at + 1))
        return 1;
    bool net = !inside && str_eq(str_cut(s, at, at + 4), S(".net")) && !name_char_at(s, at + 4);
    return net ? 1 : 0;
}

/* Punctuation and joints of a folded name to single spaces; the typographic apostrophe to the typed
 * one. */
static str flatten(struct arena *a, str s)
{
    char *out = arena_bytes(a, 5 * s.len + 1); /* & grows most, to " and " */
    size_t n = 0, word = 0, bytes;
    for (size_t at = 0; at < s.len; at += bytes) {
        bool kept = name_char_at(s, at);
        class_at(s, at, &bytes);
        size_t sign = kept ? 0 : name_sign(s, word, at);
        if (sign)
            bytes = sign;
        if (!kept && !sign) {
            word = at + bytes;
            if (n && out[n - 1] != ' ')
                out[n++] = ' ';
            if (s.at[at] == '&') {
                memcpy(out + n, "and ", 4);
                n += 4;
            }
        } else if (sign && apostrophe(s, at)) {
            out[n++] = '\'';
        } else {
            memcpy(out + n, s.at + at, bytes);
            n += bytes;
        }
    }
    return str_trim(str_from(out, n));
}

static str without_article(str s)
{
    static const str articles[] = {{"the ", 4}, {"a ", 2}, {"an ", 3}};
    for (size_t i = 0; i < sizeof articles / sizeof *articles; i++)
        if (str_starts(s, articles[i]))
            return str_cut(s, articles[i].len, s.len);
    return s;
}

/* Most names are lower-case words, some with a capital in front, between spaces: these need no look
 * at Unicode, at joints and signs. The folded words with single spaces; *plain is false for others.
 */
static str fold_plain_name(struct arena *a, str name, bool *plain)
{
    char *out = arena_bytes(a, name.len + 1);
    size_t n = 0;
    *plain = name.len <= MAX_NAME_BYTES;
    for (size_t i = 0; i < name.len && *plain; i++) {
        char c = name.at[i];
        bool opens = n == 0 || out[n - 1] == ' ';
        *plain = c == ' ' || ascii_is_digit(c) || ascii_is_lower(c) || (ascii_is_upper(c) && opens);
        if (c != ' ' || !opens)
            out[n++] = ascii_lower(c);
    }
    return str_from(out, n && out[n - 1] == ' ' ? n - 1 : n);
}

static str fold_name(struct arena *a, str name)
{
    bool plain;
    str folded = fold_plain_name(a, name, &plain);
    if (plain)
        return folded;
    name = utf8_prefix(str_trim(utf8_repair(a, name)), MAX_NAME_BYTES);
    str flat = flatten(a, unicode_fold(a, split_camel(a, name)));
    return str_trim(utf8_prefix(flat, MAX_NAME_BYTES));
}

str text_normal_name(struct arena *a, str name)
{
    str flat = fold_name(a, name);
    while (str_ends(flat, S("'s")))
        flat.len -= 2;
    for (str shorter = without_article(flat); shorter.len < flat.len;
         shorter = without_article(flat))
        flat = shorter;
    return flat;
}

bool text_is_stop(str folded)
{
    return word_is_stop(folded);
}

bool text_is_generic(str normal_name)
{
    return word_is_generic(normal_name) || word_is_calendar(normal_name);
}

/* ---- distance ---- */

enum { MAX_DISTANCE_CHARS = 64 };

/* Code points of s, or MAX_DISTANCE_CHARS + 1 where there are more. */
static int code_points(str s, int32_t out[MAX_DISTANCE_CHARS])
{
    int n = 0;
    for (size_t at = 0, bytes; at < s.len; at += bytes) {
        unsigned char c = (unsigned char)s.at[at];
        if (n == MAX_DISTANCE_CHARS)
            return n + 1;
        bytes = 1;
        out[n++] = c < 0x80 ? c : utf8_decode(s, at, &bytes);
    }
    return n;
}

/* Which letters a text has, by their lowest bits. */
static uint64_t letters_of(const int32_t *points, int count)
{
    uint64_t letters = 0;
    for (int i = 0; i < count; i++)
        letters |= UINT64_C(1) << (points[i] & 63);
    return letters;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* What both begin with is put in line by itself: it changes no distance. */
static int shared_start(const int32_t *a, int m, const int32_t *b, int n)
{
    int shared = 0;
    while (shared < m && shared < n && a[shared] == b[shared])
        shared++;
    return shared;
}

static int shared_end(const int32_t *a, int m, const int32_t *b, int n)
{
    int shared = 0;
    while (shared < m && shared < n && a[m - 1 - shared] == b[n - 1 - shared])
        shared++;
    return shared;
}

/* Optimal string alignment: rows of the table for i - 2, i - 1 and i code points of the first text,
 * of which only what is within `most` of the diagonal can be as near as that (Ukkonen, "Algorithms
 * for approximate string matching", 1985). */
static int aligned(const int32_t *a, int m, const int32_t *b, int n, int most)
{
    int rows[3][MAX_DISTANCE_CHARS + 2];
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        int from = i > most ? i - most : 1, to = min_int(i + most, n);
        int best = row[from - 1] = from == 1 ? i : most + 2; /* before the band: more than most */
        if (i + most <= n)
            above[to] = most + 1; /* beyond the band of the row above */
        for (int j = from; j <= to; j++) {
            int change = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = min_int(change, min_int(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_int(row[j], above2[j - 2] + 1);
            best = min_int(best, row[j]);
        }
        if (best > most + 1) /* a transposition may still step over one row */
            return most + 1;
    }
    return min_int(rows[m % 3][n], most + 1);
}

int text_edit_distance(str first, str second, int most)
{
    int32_t a[MAX_DISTANCE_CHARS], b[MAX_DISTANCE_CHARS];
    if (str_eq(first, second))
        return 0;
    int m = code_points(first, a), n = code_points(second, b);
    if (m > MAX_DISTANCE_CHARS || n > MAX_DISTANCE_CHARS || m - n > most || n - m > most)
        return most + 1;
    /* A change puts one letter in another's place, so as many may be in one text alone. */
    if (__builtin_popcountll(letters_of(a, m) ^ letters_of(b, n)) > 2 * most)
        return most + 1;
    int start = shared_start(a, m, b, n);
    int end = shared_end(a + start, m - start, b + start, n - start);
    return aligned(a + start, m - start - end, b + start, n - start - end, most);
}
