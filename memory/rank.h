/* The ranker of prose (memories and passages): a linear sum of features, one row each, orders; how
 * sure the query's evidence is gives a score whose 0..1 means the same in every query. Pure: values
 * of one query in, an order out. */
#ifndef ENGRAM_RANK_H
#define ENGRAM_RANK_H

#include "memory/base/err.h"
#include "memory/lexical.h"
#include "memory/ppr.h"
#include "memory/query_time.h"
#include "memory/vector_leg.h"

/* A row: name, what it is. How each is computed stands in rank_features.c, the weights in
 * rank_weights.c (fitted by tests/bench/fit). Append, never reorder: weight files go by name, the
 * columns of
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
    X(LENGTH_ALONE, "length_alone", "length times alone: see below")                               \
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
    X(ARCHIVED, "archived", "it was archived, or its document tells what was decided anew")        \
    X(TIME, "time", "it lies in the time that the query names, less beside it")                    \
    X(PATH, "path",                                                                                \
      "it says a relation on a path from a name in the query, by how few other ways there are")    \
    X(NEGATION, "negation", "the query denies something, and so does it")                          \
    X(WALKED, "walked", "ppr without what started here: mass that came over edges")                \
    X(NAME, "name", "square root of the greatest mass of a name in it, by how specific that is")   \
    X(NAMES, "names", "the same, summed over its names")                                           \
    X(HANDED, "handed", "square root of what a name that the query doesn't say hands to it")       \
    X(NEAR, "near", "BM25 of eight turns on each side, each step less")                            \
    X(TELLS_TIME, "tells_time", "it was said by somebody and tells a time")                        \
    X(TIME_ASKED, "time_asked", "it tells a time, and the query asks for one")                     \
    X(TELLS_NUMBER, "tells_number", "it was said by somebody and tells a number")                  \
    X(NUMBER_ASKED, "number_asked", "it tells a number, and the query asks for one")               \
    X(SELF, "self", "it was said by somebody of themselves: I, my, we")                            \
    X(BM25_RAW_ALONE, "bm25_raw_alone",                                                            \
      "bm25_raw where nothing stands before or behind, times "                                     \
      "how much the texts of this store hold; and so on")                                          \
    X(BM25_ALONE, "bm25_alone", "")                                                                \
    X(PPR_RAW_ALONE, "ppr_raw_alone", "")                                                          \
    X(COVERAGE_ALONE, "coverage_alone", "")                                                        \
    X(RAREST_ALONE, "rarest_alone", "")                                                            \
    X(BIGRAMS_ALONE, "bigrams_alone", "")                                                          \
    X(ENTITY_ALONE, "entity_alone", "")                                                            \
    X(COSINE_ALONE, "cosine_alone", "")                                                            \
    X(BRIDGE_ALONE, "bridge_alone", "")                                                            \
    X(WALKED_ALONE, "walked_alone", "")                                                            \
    X(NAME_ALONE, "name_alone", "")                                                                \
    X(NAMES_ALONE, "names_alone", "")                                                              \
    X(HANDED_ALONE, "handed_alone", "")                                                            \
    X(PASSAGE, "passage", "it is a passage of a document")                                         \
    X(HEADING, "heading", "share of the query's idf that its headings cover")                      \
    X(DOCUMENT, "document",                                                                        \
      "1 / rank of its document's passages among the best by words, summed, over the best")        \
    X(LATE, "late", "late interaction of a passage with the query, over the best")

enum feature {
#define X(name, text, help) FEATURE_##name,
    FEATURES(X)
#undef X
        FEATURE_COUNT
};
extern const char *const feature_name[FEATURE_COUNT];

/* One fitted set: it orders. What a score says is another question (rank_confidence.h): a listwise
 * fit compares the candidates of one query, never two queries. */
struct rank_weights {
    float weight[FEATURE_COUNT];
};

/* Set by hand: what orders where the fitted ranker is off. */
extern const struct rank_weights rank_evidence;

/* The shipped set that was fitted without the legs that are off. */
const struct rank_weights *rank_weights_for(bool ppr, bool neighbours, bool vectors);

/* That of passages: what tells a turn of a talk says nothing of a page. Fitted so that a sum means
 * the same beside those of memories. late: there is rank_input.late. */
const struct rank_weights *rank_passage_weights_for(bool vectors, bool late);

/* A set from a file's text: lines "name value", names as in FEATURES; # begins a comment.
 * What isn't named is 0. ERR_INPUT names the line. */
bool rank_weights_read(str text, struct rank_weights *out, struct err *e);

/* That of passages: names begin with "passage_". *any: the text names one. */
bool rank_passage_weights_read(str text, struct rank_weights *out, bool *any, struct err *e);

struct rank_input {
    const struct snapshot *snap;
    const struct lexical *lexical;
    const struct ppr_work *ppr; /* NULL: the leg is off */
    bool neighbours;            /* the leg is on */
    unsigned asked;             /* cues.h: what the query asks for */
    const float *named;         /* per node: confidence with which the query names this entity */
    const struct rank_weights *weights, *passage_weights;
    const struct vector_scores *vectors; /* NULL: the leg is off */
    const float *late;                   /* per node, of passages: late_leg.h; NULL: none */
    const struct query_time *time;       /* NULL: none is named */
    const float *on_path;                /* per node: value of PATH */
    const uint8_t *negates; /* per node: its text denies something; NULL: the query doesn't */
};

/* The weights that a candidate of this kind is summed by. */
const struct rank_weights *rank_weights_of(const struct rank_input *in, enum node_kind kind);

struct candidate {
    node at;
    float feature[FEATURE_COUNT];
    float sum;   /* what orders */
    float score; /* 0..1 */
};

/* Candidates: what the words hit, the neighbours of that, what the walk reached; MAX_CANDIDATES
 * with the best cheap score (BM25 and that of its neighbours, plus PageRank). */
enum { MAX_CANDIDATES = 200 };
struct candidate *rank_candidates(struct arena *a, const struct rank_input *in, size_t *count);

/* What tells how sure it is that the memory answers a query at all. A row: name, what it is.
 * Weights of a logistic regression stand in rank_confidence.c (fitted by
 * tests/bench/floor.py). Append, never reorder. */
#define EVIDENCE(X)                                                                                \
    X(BIAS, "bias", "1")                                                                           \
    X(KNOWN, "known", "share of the query's idf whose words anything here holds")                  \
    X(COVERED, "covered", "the greatest share of it that one place covers")                        \
    X(FIRST_COVERED, "first_covered", "the share that the first candidate covers")                 \
    X(FIRST_WINDOW, "first_window", "the same with its neighbours")                                \
    X(FIRST_BM25, "first_bm25", "its BM25, a tenth, at most 3")                                    \
    X(FIRST_BIGRAMS, "first_bigrams", "its bigrams")                                               \
    X(RAREST, "rarest", "one of the first three holds the rarest word of the query that is known") \
    X(NAMED, "named", "confidence times pull of the surest specific name in the query")            \
    X(NAMED_SHARE, "named_share", "share of the query's idf that stands in names it resolves to")  \
    X(SPEAKER, "speaker", "the query names somebody who spoke, and the first candidate is theirs") \
    X(OTHER_SPEAKER, "other_speaker", "it names such a one, and the first is somebody else's")     \
    X(MARGIN, "margin", "how far the first is over the mean of the next nine, a fifth of it")      \
    X(PEAK, "peak", "the greatest mass over that of the ten greatest")                             \
    X(BRIDGE, "bridge", "bridge of the first")                                                     \
    X(COSINE, "cosine", "the greatest z-score of a vector, a tenth of it")                         \
    X(FIRST_COSINE, "first_cosine", "cosine of the first, in context where that is greater")

enum evidence {
#define X(name, text, help) EVIDENCE_##name,
    EVIDENCE(X)
#undef X
        EVIDENCE_COUNT
};
extern const char *const evidence_name[EVIDENCE_COUNT];

/* Fills features and scores, sorts: greater sum, then newer, then greater node first. No score is
 * below that of an item further down. A score is the confidence that the query is answered here at
 * all, lowered for what ranks far below the first: that is what abstention rests on. */
void rank_score(struct arena *a, const struct rank_input *in, struct candidate *candidates,
                size_t count, float evidence[EVIDENCE_COUNT]);

extern const float rank_default_floor;

#endif
