/* Which entities a query names, and how sure that is (seed 000: only with a confidence of .6 or
 * more). */
#ifndef ENGRAM_RESOLVE_H
#define ENGRAM_RESOLVE_H

#include "memory/lexical.h"
#include "memory/memory_state.h"

enum { MAX_RESOLVED = 12 };

struct resolved {
    node at;
    int64_t id;
    str name, type;
    float confidence; /* .6 .. 1 */
};

/* Strongest first. Exact names, aliases and runs of words first, then names that share enough of
 * their words (weighted by how rare they are; a word that names the entity's type helps). Inside a
 * read. */
bool resolve_entities(struct memory *m, struct arena *a, str query, const struct lexical *l,
                      struct resolved *out, size_t *count, struct err *e);

#endif
