/* English stems by Snowball's stemmer (Porter 2), fast enough to index by: a thread remembers the
 * words it saw last. */
#ifndef ENGRAM_BASE_STEM_H
#define ENGRAM_BASE_STEM_H

#include "memory/base/str.h"

enum { MAX_STEM_BYTES = 64 };

/* The stem of a folded word of at most MAX_STEM_BYTES into out, which holds MAX_STEM_BYTES; its
 * length, never 0 for a word that isn't empty. A longer word is cut. `word` may lie in `out`. */
size_t stem_english(str word, char *out);

/* The same, with *yes = is(word), which is remembered together with the stem: a question that goes
 * with every word costs nothing more. `is` is one and the same function in all calls of a program.
 */
size_t stem_english_asking(str word, char *out, bool (*is)(str word), bool *yes);

#endif
