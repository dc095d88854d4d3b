/* Occurrences of the terms that were asked for, by document number, kept between queries: a
 * frequent term is read from a full-text index once. */
#ifndef ENGRAM_TERM_CACHE_H
#define ENGRAM_TERM_CACHE_H

#include "memory/store.h"

enum { MAX_TERM_COLUMNS = 4, MAX_CACHED_TERM_HITS = 3 << 20 /* 24 MB; beyond it all is dropped */ };

struct cached_hit {
    uint32_t doc;                 /* index into the owner's documents */
    uint8_t in[MAX_TERM_COLUMNS]; /* occurrences by column, capped */
};

struct cached_hits {
    struct cached_hit *at; /* ascending by doc */
    size_t count, capacity;
};

struct term_cache; /* zeroed is empty; heap */
struct term_cache *term_cache_new(void);
void term_cache_free(struct term_cache *c); /* NULL is fine */

/* Drops all: after a change of documents that moves or adds any. */
void term_cache_drop(struct term_cache *c);

/* Between two queries: drops all where too much was gathered. */
void term_cache_bound(struct term_cache *c);

typedef bool read_postings(struct store *s, str term, posting_visit *visit, void *ctx,
                           struct err *e);

/* The term's occurrences in documents whose ids stand, ascending, in `ids` (stride bytes apart).
 * Valid until the next call. */
bool term_cache_find(struct term_cache *c, struct store *s, read_postings *read, str term,
                     const int64_t *ids, size_t stride, size_t count,
                     const struct cached_hits **out, struct err *e);

/* Of a term found before; NULL: it wasn't. */
const struct cached_hit *term_cache_hit(const struct term_cache *c, str term, uint32_t doc);

#endif
