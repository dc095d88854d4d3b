#include "parsers/legacy_text.h"

#include "memory/base/unicode.h"

#include <iconv.h>

/* An encoding fits where every byte can be read so, and enough of what isn't ASCII are characters
 * that texts in it have. Bytes of one mean rare characters of another, so the first that fits
 * counts: Hangul syllables and kana can hardly come about by accident, ideographs can. */
enum beside { ANYWHERE, AMONG_ASCII, APART }; /* where they stand: within words of ASCII letters? */
static const struct encoding {
    const char *name;  /* as the C library knows it */
    uint32_t from, to; /* the characters that tell */
    unsigned percent;  /* at least so many of all that aren't ASCII */
    enum beside beside;
} encodings[] = {
    {"EUC-KR", 0xAC00, 0xD7A3, 90, ANYWHERE},    /* Hangul syllables */
    {"EUC-JP", 0x3041, 0x30FE, 25, ANYWHERE},    /* kana */
    {"CP932", 0x3041, 0x30FE, 25, ANYWHERE},     /* Shift JIS */
    {"CP949", 0xAC00, 0xD7A3, 90, ANYWHERE},     /* EUC-KR with its rare syllables */
    {"GB2312", 0x4E00, 0x9FFF, 75, ANYWHERE},    /* ideographs */
    {"BIG5", 0x4E00, 0x9FFF, 75, ANYWHERE},      /* the same */
    {"WINDOWS-1251", 0x0430, 0x044F, 60, APART}, /* small Cyrillic letters */
    {"KOI8-R", 0x0430, 0x044F, 60, APART},
    {"WINDOWS-1252", 0x00A0, 0x00FF, 80, AMONG_ASCII}, /* letters of Western Europe */
};

static bool is_ascii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Counts sequences of several bytes that are UTF-8, and bytes that are not. */
static void count_sequences(str bytes, size_t *good, size_t *bad)
{
    *good = *bad = 0;
    for (size_t at = 0, length; at < bytes.len; at += length) {
        int32_t c = utf8_decode(bytes, at, &length);
        *good += c >= 0x80;
        *bad += c < 0;
    }
}

/* Do most characters beyond ASCII stand beside a letter of ASCII? */
static bool is_among_ascii(str text)
{
    size_t beside = 0, all = 0;
    for (size_t at = 0, length; at < text.len; at += length) {
        if (utf8_decode(text, at, &length) < 0x80)
            continue;
        size_t end = at + length;
        all++;
        beside += (at && is_ascii_letter(text.at[at - 1])) ||
                  (end < text.len && is_ascii_letter(text.at[end]));
    }
    return 2 * beside >= all;
}

/* All of it, or false. */
static bool convert(struct arena *a, const char *name, str bytes, str *out)
{
    enum { MOST_FOR_ONE = 3 }; /* bytes of UTF-8 for a byte */
    iconv_t set = iconv_open("UTF-8", name);
    if (set == (iconv_t)-1)
        return false;
    size_t room = bytes.len * MOST_FOR_ONE + 4, left = room, in_left = bytes.len;
    char *begin = arena_bytes(a, room), *to = begin, *in = (char *)bytes.at;
    bool ok = iconv(set, &in, &in_left, &to, &left) != (size_t)-1 && !in_left;
    iconv_close(set);
    *out = str_from(begin, room - left);
    return ok && utf8_valid(*out);
}

static bool fits(const struct encoding *g, str text)
{
    size_t telling = 0, all = 0;
    for (size_t at = 0, length; at < text.len; at += length) {
        int32_t c = utf8_decode(text, at, &length);
        all += c >= 0x80;
        telling += c >= 0x80 && (uint32_t)c >= g->from && (uint32_t)c <= g->to;
    }
    return all && 100 * telling >= g->percent * all &&
           (g->beside == ANYWHERE || is_among_ascii(text) == (g->beside == AMONG_ASCII));
}

bool legacy_text_decode(struct arena *a, str bytes, str *text, const char **encoding)
{
    size_t good, bad;
    count_sequences(bytes, &good, &bad);
    if (!bad || good > bad)
        return false;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        struct arena mark = *a;
        if (convert(a, encodings[i].name, bytes, text) && fits(&encodings[i], *text)) {
            *encoding = encodings[i].name;
            return true;
        }
        arena_rewind(a, mark);
    }
    return false;
}
