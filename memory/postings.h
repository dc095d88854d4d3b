/* Postings of the terms that were asked for, kept in memory and up to date: a frequent word is read
 * from the full-text index once, and new texts are added to what is kept. */
#ifndef ENGRAM_POSTINGS_H
#define ENGRAM_POSTINGS_H

#include "memory/store.h"

enum { MAX_CACHED_HITS = 3 << 20 }; /* 24 MB over all terms; beyond it the cache starts anew */

struct term_hit {
    node at;
    uint16_t in_name, in_text; /* occurrences */
    uint16_t first;            /* position in the text of the first one, capped */
};

struct posting_list {
    struct term_hit *
        hits; /* ascending by node; bodies and entities alike, nodes that are gone since included */
    size_t count, capacity;
    size_t
        bodies; /* of the hits, nodes with a text of their own: no entities, none that are gone */
    size_t counted; /* hits that `bodies` covers */
    bool unread;    /* it has more hits than were asked for, and holds none */
};

struct postings;
struct postings *postings_new(void);
void postings_free(struct postings *p);

/* Takes in what changed since the last call; before the first postings_find of a read. */
bool postings_sync(struct postings *p, struct store *s, const struct snapshot *snap, struct err *e);

/* The list of a term; borrowed until the next sync. Never NULL on success. */
bool postings_find(struct postings *p, struct store *s, const struct snapshot *snap, str term,
                   const struct posting_list **out, struct err *e);

/* The same, but a term of more than most_hits that isn't kept yet comes back unread: a text of many
 * words asks its rare ones. */
bool postings_find_rare(struct postings *p, struct store *s, const struct snapshot *snap, str term,
                        size_t most_hits, const struct posting_list **out, struct err *e);

#endif
