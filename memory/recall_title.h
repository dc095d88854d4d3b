/* Documents in an answer: they come by their passages, which name them; a document itself is an
 * item where its title is what was asked for, or none of its passages answers. */
#ifndef ENGRAM_RECALL_TITLE_H
#define ENGRAM_RECALL_TITLE_H

#include "memory/recall_answer.h"

/* The newest current document whose title is the whole query, whatever its case; 0: none. Inside a
 * read. */
bool recall_title_find(struct memory *m, str query, int64_t *document, struct err *e);

/* Whether `document` is one, isn't w->titled, and has a passage among the candidates at or above
 * the floor. */
bool recall_title_is_told(const struct answer *w, const struct candidate *candidates, size_t count,
                          node document);

#endif
