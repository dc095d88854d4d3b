/* Texts and sources in one answer: a passage or memory that answers brings the symbol, file or
 * commit that it speaks of, and what the sources answer with brings the texts that speak of it
 * (memory/ties.h). */
#ifndef ENGRAM_RECALL_TIES_H
#define ENGRAM_RECALL_TIES_H

#include "memory/recall_answer.h"
#include "memory/resolve.h"

/* Adds the names under which texts speak of what leads the answer of the sources: the query means
 * these, whatever words it says it with. `resolved` has room for MAX_RESOLVED. Inside a read. */
bool recall_ties_name(struct memory *m, struct arena *a, const struct code_answer *code,
                      struct resolved *resolved, size_t *count, struct err *e);

/* Lifts the texts that speak of what leads the answer of the sources, where it leads surely: each a
 * little behind it. `candidates` stay best first. Inside a read. */
void recall_ties_lift(const struct answer *w, const struct code_answer *code,
                      struct candidate *candidates, size_t count);

/* Adds to `code` what the texts that answer best speak of where the query's words stand in them,
 * each a little behind its text; what is there already isn't told twice. Inside a read. */
bool recall_ties_follow(const struct answer *w, const struct candidate *candidates, size_t count,
                        struct code_answer *code, struct err *e);

#endif
