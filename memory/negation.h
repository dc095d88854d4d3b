/* Does a text say that something is not so: a question for what we don't do is answered by a text
 * that denies it, too. English and German; pure. */
#ifndef ENGRAM_NEGATION_H
#define ENGRAM_NEGATION_H

#include "memory/base/str.h"

/* "not", "never", "don't", "no longer", "instead of", "decided against", ...; reads at most the
 * first MAX_NEGATION_BYTES. */
enum { MAX_NEGATION_BYTES = 4096 };
bool text_negates(str text);

#endif
