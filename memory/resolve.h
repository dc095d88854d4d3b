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
    size_t from, to;  /* bytes of the query that name it; equal where only some of its words do */
};

/* Exact names, aliases and runs of words. Inside a read, like all of these. */
bool resolve_names(struct memory *m, struct arena *a, str query, struct resolved *out,
                   size_t *count, struct err *e);

/* Adds names that share enough of their words with the query (weighted by how rare they are; a word
 * that names the entity's type helps) and, where no name is there exactly, the few entities of a
 * type that the query names ("which database?"). Strongest first. */
bool resolve_more(struct memory *m, struct arena *a, const struct lexical *l, struct resolved *out,
                  size_t *count, struct err *e);

/* The memories that mention a resolved entity under whatever name it has, where it has several:
 * what stands for it (memory/lexical.h). At most MAX_RESOLVED in `out`. */
bool resolve_mentions(struct memory *m, struct arena *a, const struct resolved *resolved,
                      size_t count, struct lexical_name *out, size_t *out_count, struct err *e);

#endif
