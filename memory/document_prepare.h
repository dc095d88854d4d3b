/* What is told of a document's passages before they are stored: whom they name, the words that the
 * index takes, what their texts tell of. That is half of the work and needs no store, so a thread
 * of its own does it, some passages ahead of who stores them; he lends a hand where it is slower,
 * and does all where there is no thread. Private to memory/. */
#ifndef ENGRAM_DOCUMENT_PREPARE_H
#define ENGRAM_DOCUMENT_PREPARE_H

#include "memory/named.h"

enum { MAX_ENTITIES_OF_PASSAGE = 40 };

struct prepared {
    struct named *names; /* what the passage introduces first; at most MAX_ENTITIES_OF_PASSAGE */
    size_t name_count;
    struct index_text index[2]; /* heading, body */
    unsigned cues;
    size_t tokens;
};

struct preparing;

/* passages: without secrets, borrowed as *known is. Where *known doesn't hold the names, they are
 * looked up, so no thread is started, and all is to be prepared before anything is stored: the
 * document doesn't name what only it brings. Heap. */
struct preparing *preparing_begin(const struct fact_node *passages, size_t count,
                                  const struct known_names *known);

/* Prepares some passages that nobody is at. *enough: as many are ready as are stored in one go, or
 * there are no others; then the first one is. */
bool preparing_some(struct preparing *p, struct memory *m, bool *enough, struct err *e);

/* The first one that isn't stored, valid until preparing_pass; NULL where it isn't ready. */
const struct prepared *preparing_front(struct preparing *p);

/* The first one is stored: the next one is first. */
void preparing_pass(struct preparing *p);

/* NULL is allowed. */
void preparing_end(struct preparing *p);

#endif
