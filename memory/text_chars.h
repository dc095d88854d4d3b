/* Single characters as tokens and names see them. For memory/text*.c and the rules on text. */
#ifndef ENGRAM_TEXT_CHARS_H
#define ENGRAM_TEXT_CHARS_H

#include "memory/base/unicode.h"

/* Class of the character at `at` (< s.len) and its length. */
static inline enum char_class class_at(str s, size_t at, size_t *bytes)
{
    unsigned char c = (unsigned char)s.at[at];
    *bytes = 1;
    if (c >= 0x80)
        return unicode_class(utf8_decode(s, at, bytes));
    if ((unsigned char)((c | 0x20) - 'a') < 26)
        return c & 0x20 ? CHAR_LOWER : CHAR_UPPER;
    if ((unsigned char)(c - '0') < 10)
        return CHAR_DIGIT;
    return c == ' ' || (c >= '\t' && c <= '\r') ? CHAR_SPACE : CHAR_OTHER;
}

/* Letters, marks and digits of scripts with spaces. */
static inline bool is_word(enum char_class class)
{
    return class == CHAR_LOWER || class == CHAR_UPPER || class == CHAR_LETTER ||
           class == CHAR_DIGIT || class == CHAR_MARK;
}

static inline bool is_letter(enum char_class class)
{
    return class == CHAR_LOWER || class == CHAR_UPPER || class == CHAR_LETTER;
}

/* Whether a character of that kind stands at `at`; false behind the end. */
bool word_at(str s, size_t at);
bool letter_at(str s, size_t at);
bool upper_at(str s, size_t at);
bool digit_at(str s, size_t at); /* 0 to 9 */

/* Bytes of an apostrophe at `at`, typed or typographic (U+2019); 0 for anything else. */
size_t apostrophe(str s, size_t at);

/* The end of a sign that belongs to the word [from, at): C++, C#. `at` where there is none. */
size_t sign_end(str s, size_t from, size_t at);

/* Whether an upper-case letter at `at`, behind another one, opens a word of its own: "HTTPServer",
 * but not the plural in "APIs". Nothing at or behind `to` is looked at. */
bool opens_word(str s, size_t at, size_t bytes, size_t to);

#endif
