/* The rules behind extract_entities: each looks at one place of a text and says what begins there.
 */
#ifndef ENGRAM_EXTRACT_RULES_H
#define ENGRAM_EXTRACT_RULES_H

#include "memory/extract.h"

/* What a rule found goes through here; it drops what is too general and what was there before. */
struct finder;
void finder_add(struct finder *f, size_t from, size_t to, const char *type);

/* Each looks at `at` and gives where the scan goes on, 0 where it found nothing. */
size_t extract_shape(struct finder *f, str text,
                     size_t at); /* whatever its characters tell: paths, issues, identifiers */
size_t extract_name(struct finder *f, str text, size_t at);  /* capitalised words */
size_t extract_quote(struct finder *f, str text, size_t at); /* quoted and backticked phrases */

/* The type of one trimmed word by its characters alone; NULL where they tell nothing. */
const char *shape_of(str word);

/* CamelCase, but not a family name (McDonald). */
bool is_camel(str word);

/* 2 to 8 capitals, also R&D or APIs, that are no everyday word in capitals. */
bool is_acronym(str word);

/* A folded copy of a short word in `out`, empty where it is longer than the 64 bytes there. */
str folded_word(str word, char out[64]);

#endif
