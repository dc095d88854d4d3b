/* Places in files that a text names: "why is src/a.c:120 so?". Pure: whether there is such a file
 * is for the caller to know. */
#ifndef ENGRAM_QUERY_PLACE_H
#define ENGRAM_QUERY_PLACE_H

#include "memory/base/str.h"

#include <stdint.h>

enum { MAX_QUERY_PLACES = 8 };

struct query_place {
    str path; /* borrowed from the text */
    uint32_t line;
};

/* A word that is one place: "src/a.c:120", with a column behind it ("src/a.c:120:7") or as a link
 * has it ("src/a.c#L120"). Brackets, quotes and punctuation around it, and "./" before, don't
 * count.
 */
bool query_place_read(str word, struct query_place *out);

/* Those of a text, in order, at most MAX_QUERY_PLACES; gives how many. */
size_t query_places(str text, struct query_place out[MAX_QUERY_PLACES]);

#endif
