/* The ranker of prose (memories and passages): a linear sum of features, one row each, orders; a
 * logistic of the evidence gives a score whose 0..1 means the same in every query. Pure: values of
 * one query in, an order out. */
#ifndef ENGRAM_RANK_H
#define ENGRAM_RANK_H

#include "memory/base/err.h"
#include "memory/lexical.h"
#include "memory/ppr.h"
#include "memory/query_time.h"
#include "memory/vector_leg.h"

/* A row: name, what it is. How each is computed stands in rank.c, the weights in rank_weights.c
 * (fitted by tests/bench/fit). Append, never reorder: weight files go by name, the columns of
 * --features by this order. */
#define FEATURES(X)                                                                                \
    X(BM25_RAW, "bm25_raw", "BM25 with speaker, topic or heading, a tenth of it, at most 3")       \
    X(BM25, "bm25", "the same over the best of the query")                                         \
    X(TEXT, "text", "BM25 of the text alone, over the best")                                       \
    X(PPR, "ppr", "square root of the PageRank mass over the best")                                \
    X(PPR_RAW, "ppr_raw", "PageRank mass over the best")                                           \
    X(PPR_ALONE, "ppr_alone",                                                                      \
      "ppr where nothing stands before or behind: the graph is all there is")                      \
    X(BEFORE_2, "before_2", "BM25 of the turn two before, over the best")                          \
    X(BEFORE_1, "before_1", "BM25 of the turn before")                                             \
    X(AFTER_1, "after_1", "BM25 of the turn behind")                                               \
    X(AFTER_2, "after_2", "BM25 of the turn two behind")                                           \
    X(AFTER_3, "after_3", "BM25 of the turn three behind")                                         \
    X(ANSWERS, "answers", "the turn before is a question")                                         \
    X(ANSWER, "answer", "BM25 of the turn before where that is a question")                        \
    X(ASKS, "asks", "it ends as a question itself")                                                \
    X(LENGTH, "length", "ln(1 + words) / 5")                                                       \
    X(LENGTH_ALONE, "length_alone", "the same where nothing stands before or behind")              \
    X(COVERAGE, "coverage", "share of the query's idf that its words cover")                       \
    X(WINDOW_3, "window_3",                                                                        \
      "share that it, the turn before and the turn behind cover, these by half")                   \
    X(WINDOW_5, "window_5", "the same over five turns")                                            \
    X(RAREST, "rarest", "it holds the query's rarest word that anything holds")                    \
    X(BIGRAMS, "bigrams",                                                                          \
      "idf share of neighbouring words of the query that stand together in it")                    \
    X(GROUP, "group", "BM25 of its whole session, over the best")                                  \
    X(SPEAKER, "speaker", "its speaker is named in the query")                                     \
    X(ENTITY, "entity", "it mentions an entity that the query names, by how specific that is")     \
    X(COSINE, "cosine", "z-score of its vector with the query's, a quarter of it, -1..2")          \
    X(COSINE_CONTEXT, "cosine_context", "the same behind the end of the turn before")              \
    X(COSINE_BEFORE, "cosine_before", "that of the turn before")                                   \
    X(COSINE_AFTER, "cosine_after", "that of the turn behind")                                     \
    X(BRIDGE, "bridge",                                                                            \
      "a specific name joins it to another memory that covers the query's words")                  \
    X(ARCHIVED, "archived", "it was archived, or lives on in a summary")                           \
    X(TIME, "time", "it lies in the time that the query names, less beside it")                    \
    X(PATH, "path",                                                                                \
      "it says a relation on a path from a name in the query, by how few other ways there are")    \
    X(NEGATION, "negation", "the query denies something, and so does it")

enum feature {
#define X(name, text, help) FEATURE_##name,
    FEATURES(X)
#undef X
        FEATURE_COUNT
};
extern const char *const feature_name[FEATURE_COUNT];
extern const char *const feature_help[FEATURE_COUNT];

/* One fitted set: it orders. What the score says is another question (how sure is it that this
 * answers?), and has a scale of its own in rank.c: a listwise fit compares the candidates of one
 * question, never two questions. */
struct rank_weights {
    float weight[FEATURE_COUNT];
};

/* What scores rest on, set by hand (rank.c); it orders, too, where the fitted ranker is off. */
extern const struct rank_weights rank_evidence;

/* The shipped set that was fitted without the legs that are off. */
const struct rank_weights *rank_weights_for(bool ppr, bool neighbours, bool vectors);

/* A set from a file's text: lines "name value", names as in FEATURES; # begins a comment.
 * What isn't named is 0. ERR_INPUT names the line. */
bool rank_weights_read(str text, struct rank_weights *out, struct err *e);

struct rank_input {
    const struct snapshot *snap;
    const struct lexical *lexical;
    const struct ppr_work *ppr; /* NULL: the leg is off */
    bool neighbours;            /* the leg is on */
    const float *named;         /* per node: confidence with which the query names this entity */
    const struct rank_weights *weights;
    const struct vector_scores *vectors; /* NULL: the leg is off */
    const struct query_time *time;       /* NULL: none is named */
    const float *on_path;                /* per node: value of PATH */
    const uint8_t *negates; /* per node: its text denies something; NULL: the query doesn't */
};

struct candidate {
    node at;
    float feature[FEATURE_COUNT];
    float sum;   /* what orders */
    float score; /* 0..1: the logistic of the evidence */
};

/* Candidates: what the words hit, the neighbours of that, what the walk reached; MAX_CANDIDATES
 * with the best cheap score (BM25 and that of its neighbours, plus PageRank). */
enum { MAX_CANDIDATES = 200 };
struct candidate *rank_candidates(struct arena *a, const struct rank_input *in, size_t *count);

/* Fills features and scores, sorts: greater sum, then newer, then greater node first. No score is
 * below that of an item further down. A query of which little is known here (few of its words, none
 * of its names) lowers all scores alike: that is what abstention rests on. */
void rank_score(struct arena *a, const struct rank_input *in, struct candidate *candidates,
                size_t count);

extern const float rank_default_floor;

#endif
