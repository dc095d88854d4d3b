/* Text in an encoding of before UTF-8, which nothing in the file names: told by what its characters
 * would be. */
#ifndef ENGRAM_PARSERS_LEGACY_TEXT_H
#define ENGRAM_PARSERS_LEGACY_TEXT_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

/* `bytes` as UTF-8, in `a`, and the name of the encoding; false where none of the table in the .c
 * fits all of it, and where it is mostly UTF-8 with some damage. Linear in the text. */
bool legacy_text_decode(struct arena *a, str bytes, str *text, const char **encoding);

#endif
