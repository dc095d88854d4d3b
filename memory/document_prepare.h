/* What is told of a document's passages before they are stored: whom they name, the words that the
 * index takes, what their texts tell of. That is half of the work and needs no store, so a thread
 * of its own does it, some passages ahead of who stores them; he lends a hand where it is slower,
 * and does all where there is no thread: of many documents at once only some have one. Private to
 * memory/. */
#ifndef ENGRAM_DOCUMENT_PREPARE_H
#define ENGRAM_DOCUMENT_PREPARE_H

#include "memory/named.h"

enum {
    MAX_ENTITIES_OF_PASSAGE = 40,
    MAX_PREPARING_THREADS = 2 /* of the process */
};

struct prepared {
    struct named *names; /* what the passage introduces first; at most MAX_ENTITIES_OF_PASSAGE */
    size_t name_count;
    struct index_text index[2]; /* heading, body */
    unsigned cues;
    size_t tokens;
};

struct preparing;

/* passages: without secrets, borrowed as *known is. Where *known doesn't hold the names, they are
 * looked up, so no thread is started, and all names are told before anything is stored: the
 * document doesn't name what only it brings. Heap. */
struct preparing *preparing_begin(const struct fact_node *passages, size_t count,
                                  const struct known_names *known);

enum preparing_next {
    PREPARING_MORE,
    PREPARING_WAITS, /* nothing was done: the thread is at the first, no other can be taken */
    PREPARING_ENOUGH /* to be stored in one go; the first one is ready, or there is none */
};

/* Prepares some passages that nobody is at. Waits for nobody. */
bool preparing_some(struct preparing *p, struct memory *m, enum preparing_next *next,
                    struct err *e);

/* The first one that isn't stored, valid until preparing_pass; NULL where it isn't ready. */
const struct prepared *preparing_front(struct preparing *p);

/* The first one is stored: the next one is first. */
void preparing_pass(struct preparing *p);

/* Nothing more is wanted than preparing_end: the thread needn't end what it is at. NULL is allowed.
 */
void preparing_stop(struct preparing *p);

/* Waits for the thread, a passage at most. NULL is allowed. */
void preparing_end(struct preparing *p);

/* Threads of the process that prepare, or ahead of whom many passages aren't stored yet; others may
 * be started up to MAX_PREPARING_THREADS. */
int preparing_threads(void);

#endif
