/* Single bytes by their class in ASCII, whatever the locale. Bytes of 0x80 and above are in none;
 * text in other scripts is classified by memory/base/unicode.h. */
#ifndef ENGRAM_BASE_ASCII_H
#define ENGRAM_BASE_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_letter(char c)
{
    return ascii_is_upper(c) || ascii_is_lower(c);
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline bool ascii_is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

#endif
