/* The lexical leg: BM25 of our own over the postings of the query's terms (FTS5 fixes k1 and b,
 * ours are fitted), with the name column (speaker, heading) told apart from the text. Scores are
 * kept for every node, so that neighbours and features can look any of them up. Pure: postings in,
 * scores out. */
#ifndef ENGRAM_LEXICAL_H
#define ENGRAM_LEXICAL_H

#include "memory/best.h"
#include "memory/postings.h"

enum { MAX_QUERY_TERMS = 48 };

struct term {
    str text;
    str written;  /* as in the query, for people */
    float weight; /* 1; less for a guessed spelling or a part of an identifier */
    float idf;
    const struct term_hit
        *hits; /* ascending by node; bodies and entities alike; borrowed from the postings */
    size_t hit_count;
    size_t
        bodies;   /* of the hits, nodes with a text of their own: no entities, none that are gone */
    bool part;    /* of an identifier that stands whole beside it */
    bool guessed; /* text is a correction of what was written */
    bool unread;  /* too frequent for who asked: without hits */
    const str *others; /* further texts that count as this one (memory/variants.h) */
    size_t other_count;
    bool aside; /* says when, not what: counts little, and for no coverage */
};

struct lexical {
    struct term *terms;
    size_t term_count;
    float idf_sum;     /* of the terms that count for coverage */
    float *score;      /* BM25 with the name column, per node of the snapshot */
    float *text_score; /* without it */
    float *covered;    /* idf of the terms found in the node, per node */
    node *touched;     /* nodes with a score, entities left out */
    size_t touched_count;
    float best;            /* greatest score */
    struct scored *ranked; /* the touched nodes with the best scores: MAX_SORTED in order, up to
                              MAX_RANKED behind them in none */
    size_t ranked_count;
    bool stops_only; /* only stop words were asked: what scores holds all of them */
};

enum { MAX_SORTED = 64, MAX_RANKED = 2000, MIN_RARE_TERMS = 4, MAX_SCORED_HITS = 8192 };

/* Bytes of a query that name something, and the nodes that speak of it by another name: each of
 * these words counts as held once where it isn't. */
struct lexical_name {
    size_t from, to;
    const node *at; /* ascending; repeats are fine */
    size_t count;
};

enum { BY_OTHER_NAME = UINT16_MAX }; /* `first` of an occurrence that isn't written there */

struct lexical_query {
    str text;
    size_t most_hits; /* of a long text the rarest terms are asked, MIN_RARE_TERMS of them and more
                         as long as all have no more hits together; 0: all terms are */
    size_t aside_from, aside_to; /* bytes of text that say when, not what */
    const struct lexical_name *names;
    size_t name_count;
};

/* Reads the postings of the query's terms and scores. Arrays in `a`. Inside a read. A term of more
 * than MAX_SCORED_HITS scores the newest ones, and what the best of the other terms hit. */
bool lexical_search(struct store *s, struct postings *p, struct arena *a,
                    const struct snapshot *snap, const struct lexical_query *query,
                    struct lexical *out, struct err *e);

/* The bodies with the best scores, at most `most` (up to MAX_RANKED): a common word touches most of
 * a large store. Best first up to MAX_SORTED; a longer list is in no order behind them. */
const struct scored *lexical_best(const struct lexical *l, size_t most, size_t *count);

/* Is this index term the term, or one of the others that count as it? */
bool term_is(const struct term *t, str text);

/* The term's occurrences in a node, NULL where it has none. */
const struct term_hit *term_find(const struct term *t, node n);

/* Robertson/Spaerck Jones idf with the +1 that keeps it positive (Lucene's): ln(1 + (n - df + .5) /
 * (df + .5)). */
float bm25_idf(double n, double df);

/* tf part with k1 = .9 and b = .4: (k1 + 1) tf / (tf + k1 (1 - b + b length / mean)). */
float bm25_tf(double tf, double length, double mean_length);

#endif
