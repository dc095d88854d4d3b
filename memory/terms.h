/* Names that a passage of a document introduces, beside those that any text names
 * (memory/extract.h): the title that it stands under, terms of a definition list, what is defined
 * by "X is a ..." or abbreviated, options of a command, pages of the manual, what is written in
 * capitals. Pure. */
#ifndef ENGRAM_TERMS_H
#define ENGRAM_TERMS_H

#include "memory/extract.h"

enum { MAX_TERMS = 24 }; /* of one passage; the first ones count */

/* In order; `heading` is the passage's path of headings, "Chapter > Section". Borrowed from both.
 * No questions, no sentences, no words of everyday alone. Types: term, option, identifier. Each
 * once as written; linear in text.len. */
struct found_entity *terms_of(struct arena *a, str heading, str text, size_t *count);

#endif
