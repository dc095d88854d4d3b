/* Names that look like one and the same: spelled together or apart, a letter off, a short form, the
 * same words in another order, initials. Only candidates for a question, never a decision. Blocked:
 * names meet only where they share a piece, so the time grows with the names, not with their pairs.
 * Pure. */
#ifndef ENGRAM_NEAR_NAMES_H
#define ENGRAM_NEAR_NAMES_H

#include "memory/base/arena.h"

enum { MIN_NEAR_BYTES = 5 }; /* a shorter name is spelled as it is meant */

/* Two normal names (memory/text.h) of MIN_NEAR_BYTES or more that are nearly equal: together or
 * apart, a letter off (two from ten bytes on), a short form by up to three letters (postgres,
 * postgresql). Never where digits differ, and never equal ones. */
bool near_names_are_near(str a, str b);

struct near_name {
    int64_t entity; /* names of one entity are no pair */
    str normal;
};

struct near_pair {
    int64_t a, b; /* entities, a < b */
    enum near_why { NEAR_SPELLING, NEAR_ORDER, NEAR_INITIALS } why;
};

/* Pairs of entities, each once, in order of a, then b. Beyond what near_names_are_near says: the
 * same words in another order, and three or more initials. A piece that more than MAX_NEAR_BLOCK
 * names share tells nothing and is passed over. Names with letters beyond ASCII may be missed. */
enum { MAX_NEAR_BLOCK = 64 };
void near_names_find(struct arena *a, const struct near_name *names, size_t count,
                     struct near_pair **out, size_t *pair_count);

#endif
