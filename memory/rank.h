/* The ranker of prose: a linear sum of features, one row each, then a logistic so that 0..1 means
 * the same in every query. Pure: values of one query in, an order out. */
#ifndef ENGRAM_RANK_H
#define ENGRAM_RANK_H

#include "memory/lexical.h"
#include "memory/ppr.h"

/* A row: name, weight, what it is. Each is 0..1. Weights chosen by hand after the prototype's .3
 * BM25 : .7 PPR. */
#define FEATURES(X)                                                                                \
    X(BM25, "bm25", 0.42f,                                                                         \
      "BM25 of the text and its speaker or heading, over the best of the query")                   \
    X(NEIGHBOURS, "neighbours", 0.42f, "BM25 of the turns or passages at -2..+2, over the best")   \
    X(PPR, "ppr", 0.60f, "personalized PageRank mass, square root, over the best")                 \
    X(ANSWER, "answer", 0.24f, "BM25 of the turn before where that is a question")                 \
    X(SPEAKER, "speaker", 0.16f, "its speaker is named in the query")                              \
    X(COVERAGE, "coverage", 0.30f, "share of the query's idf that its words cover")                \
    X(WINDOW, "window", 0.30f, "share of the query's idf that it and its neighbours cover")        \
    X(ENTITY, "entity", 0.10f, "it mentions an entity that the query names")                       \
    X(SUMMARY, "archived", -0.20f, "it was archived, or lives on in a summary")

enum feature {
#define X(name, text, weight, help) FEATURE_##name,
    FEATURES(X)
#undef X
        FEATURE_COUNT
};
extern const char *const feature_name[FEATURE_COUNT];
extern const char *const feature_help[FEATURE_COUNT];
extern const float feature_weight[FEATURE_COUNT];

struct rank_input {
    const struct snapshot *snap;
    const struct lexical *lexical;
    const struct ppr_work *ppr; /* NULL: the leg is off */
    bool neighbours;            /* the leg is on */
    const float *named;         /* per node: confidence with which the query names this entity */
};

struct candidate {
    node at;
    float feature[FEATURE_COUNT];
    float sum;   /* what orders */
    float score; /* 0..1 */
};

/* Candidates: what the words hit, the neighbours of that, what the walk reached; MAX_CANDIDATES
 * with the best cheap score. */
enum { MAX_CANDIDATES = 400 };
struct candidate *rank_candidates(struct arena *a, const struct rank_input *in, size_t *count);

/* Fills features and scores, sorts: greater sum, then newer, then greater node first. A query of
 * which little is known here (few of its words, none of its names) lowers all scores alike: that is
 * what abstention rests on. */
void rank_score(const struct rank_input *in, struct candidate *candidates, size_t count);

/* 1 / (1 + e^-(steepness (sum - middle))): the two constants of the scale; the floor below which an
 * answer is none. */
float rank_logistic(float sum);
extern const float rank_default_floor;

#endif
