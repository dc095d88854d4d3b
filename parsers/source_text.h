/* Small texts of a source: names, paths, signatures. Private to parsers/. */
#ifndef ENGRAM_PARSERS_SOURCE_TEXT_H
#define ENGRAM_PARSERS_SOURCE_TEXT_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

bool source_is_blank(char c);

/* Of a name, or between the names of a path. */
bool source_is_path(char c);

/* ASCII white space folded; at most max_bytes. */
str source_squeezed(struct arena *a, str text, size_t max_bytes);

/* A name on one line; text itself where it is. */
str source_one_line(struct arena *a, str text);

/* "left.right", or the one that isn't empty. */
str source_dotted(struct arena *a, str left, str right);

/* "a::b<T>::c" and "a->b" become "a.b.c", "a.b"; "super()" is "super"; "()" for what is no such
 * path. */
str source_path(struct arena *a, str written);

#endif
