/* Which documents a query is about: those that many of the best passages are of. A page shares
 * words with pages of other documents by chance, a document that answers has several that do. Pure.
 */
#ifndef ENGRAM_RANK_DOCUMENTS_H
#define ENGRAM_RANK_DOCUMENTS_H

#include "memory/lexical.h"

enum { BEST_PASSAGES = 20 };

struct document_shares {
    struct {
        node at;
        float sum; /* of 1 / rank of its passages among the best */
    } documents[BEST_PASSAGES];
    size_t count;
    float best;
};

/* From the hits, best first; BEST_PASSAGES passages count. */
void document_shares_build(struct document_shares *d, const struct snapshot *snap,
                           const struct lexical *l);

/* That of the passage's document over the best; 0 of what is no passage. */
float document_share(const struct document_shares *d, const struct snapshot *snap, node passage);

#endif
