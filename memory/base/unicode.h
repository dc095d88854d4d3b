/* Unicode as the rest needs it, by utf8proc: repair, normal forms, folding, and what must not reach
 * a terminal. */
#ifndef ENGRAM_BASE_UNICODE_H
#define ENGRAM_BASE_UNICODE_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

/* Decodes the code point at s.at[at] (at < s.len) and its length in bytes; -1 with *bytes = 1 for a
 * bad byte. */
int32_t utf8_decode(str s, size_t at, size_t *bytes);

/* Writes a code point as UTF-8 and gives its length. */
size_t utf8_encode(int32_t code_point, char out[4]);

/* Is s.at[at] a byte within a code point? Not behind the end of s. */
bool utf8_is_tail(str s, size_t at);

/* Where the code point begins that holds the byte `at`, and the first beginning at or behind `at`:
 * `at` itself where one begins there, or behind the end of s. */
size_t utf8_back(str s, size_t at);
size_t utf8_ahead(str s, size_t at);

/* Valid UTF-8 without surrogates? (NUL is valid.) */
bool utf8_valid(str s);

/* Each bad sequence replaced by U+FFFD; s itself where nothing was bad. A sequence that begins well
 * and breaks off is one bad sequence (the "maximal subpart" of the Unicode Standard, section 3.9).
 */
str utf8_repair(struct arena *a, str s);

/* The longest prefix of at most max_bytes that ends at a code point. */
str utf8_prefix(str s, size_t max_bytes);

/* NFC; s is valid UTF-8 (else it is repaired first). Linear: behind some 200 combining marks in a
 * row without a letter the order of the further ones is left alone. */
str unicode_nfc(struct arena *a, str s);

/* NFKC with full case folding, default-ignorable code points dropped. Linear like unicode_nfc. */
str unicode_fold(struct arena *a, str s);

/* The same for one word, without an arena: into out, cut at a code point to at most max_bytes; the
 * bytes written. Only the first MAX_FOLD_WORD_BYTES of s are looked at; bad UTF-8 is dropped. */
enum { MAX_FOLD_WORD_BYTES = 256 };
size_t unicode_fold_word(str s, char *out, size_t max_bytes);

/* White space of any kind folded to one space, none at the ends. */
str unicode_squeeze(struct arena *a, str s);

enum char_class {
    CHAR_OTHER,
    CHAR_SPACE,
    CHAR_LOWER,
    CHAR_UPPER,
    CHAR_LETTER,
    CHAR_DIGIT,
    CHAR_CJK,
    CHAR_MARK
};

/* CHAR_LETTER: a letter without case. CHAR_CJK: Han, Hiragana, Katakana, Hangul (scripts written
 * without spaces get bigrams). Thai, Lao and Khmer letters count as CHAR_CJK for the same reason.
 * -1 (a bad byte) is CHAR_OTHER. */
enum char_class unicode_class(int32_t code_point);

bool unicode_is_punctuation(int32_t code_point); /* general category P */
bool unicode_is_control(int32_t code_point);     /* general category C: formats, unassigned, too */

/* Without case and accents: the lower case of what the canonical decomposition has but nonspacing
 * marks. How many code points are in out. */
enum { MAX_BARE = 8 };
size_t unicode_bare(int32_t code_point, int32_t out[MAX_BARE]);

/* Control characters (but \n and \t), ANSI escapes, bidirectional controls, zero-width and tag
 * characters, U+2028/9 and private noncharacters shown as \u{...}; everything else as it is; bad
 * UTF-8 repaired. \r\n becomes \n. A zero-width joiner or non-joiner stays between two visible
 * characters beyond ASCII (emoji, Persian, Indic scripts), a variation selector behind one, as long
 * as none follows another. Idempotent. What leaves the process goes through here, what is stored
 * does not. */
str unicode_visible(struct arena *a, str s);

/* Columns that a code point takes on a terminal: 0 (marks, controls), 1, or 2. */
int unicode_columns(int32_t code_point);

#endif
