/* The ranker of sources: files by a linear sum of features, one row each. Pure: the scores of one
 * query in, an order out. */
#ifndef ENGRAM_CODE_RANK_H
#define ENGRAM_CODE_RANK_H

#include "memory/base/err.h"
#include "memory/history_leg.h"

/* A row: name, what it is. How each is computed stands in code_rank.c, the weights in
 * code_rank_weights.c (fitted by tests/bench/fit). Append, never reorder. */
#define CODE_FEATURES(X)                                                                           \
    X(BEST, "best", "BM25 of its best window, over the best of the query")                         \
    X(BEST_RAW, "best_raw", "the same, a fortieth of it, at most 2")                               \
    X(BEST_SUBJECT, "best_subject", "that of the window that fits the query's first line best")    \
    X(WHOLE, "whole", "BM25 of the file as one text, over the best")                               \
    X(WHOLE_SUBJECT, "whole_subject", "the same for the query's first line")                       \
    X(PATH, "path", "idf of the query's words in its path, over the best")                         \
    X(FILE_NAME, "file_name", "its file name without the ending stands in the query")              \
    X(PATH_GIVEN, "path_given", "its path or file name stands in the query as it is written")      \
    X(NAME, "name", "rarest word of the query in a name that it defines, over the best")           \
    X(NAMED, "named", "it defines a symbol that the query names as an identifier")                 \
    X(COVERAGE, "coverage", "share of the query's idf that it covers")                             \
    X(COVERAGE_BEST, "coverage_best", "share that one window covers")                              \
    X(PPR, "ppr", "square root of its and its symbols' PageRank mass, over the best")              \
    X(PAIR, "pair", "best BM25 of a file of the same name but for ending and test marks")          \
    X(FOLDER, "folder", "BM25 of the best other file of its folder, over the best")                \
    X(SIZE, "size", "ln(1 + words) / 10")                                                          \
    X(TEST, "test", "it is a test")                                                                \
    X(TEST_ASKED, "test_asked", "it is a test and the query speaks of tests")                      \
    X(TEXT, "text", "it is prose: README, docs")                                                   \
    X(TEXT_ASKED, "text_asked", "it is prose and the query speaks of documentation")               \
    X(CHANGES, "changes", "it is a change log")                                                    \
    X(RELEASE_ASKED, "release_asked",                                                              \
      "it is a change log or package file and the query speaks of a release or version")           \
    X(EXAMPLE, "example", "it is an example or benchmark")                                         \
    X(CONFIG, "config", "it is configuration: CI, build, package files")                           \
    X(SUBJECTS, "subjects", "BM25 of the subjects of all its commits, over the best")              \
    X(NEAR, "near", "votes of the 8 commits nearest to the query, over the best")                  \
    X(VOTES, "votes", "votes of 50 commits, the newer the more, over the best")                    \
    X(RECENCY, "recency", "how lately it changed: halves in 180 days")                             \
    X(CHURN, "churn", "ln(1 + commits that changed it) / 6")                                       \
    X(TOGETHER, "together", "how surely it changes with the best files, by past commits")          \
    X(BEST_HISTORY, "best_history", "best window times subjects: both agree")

enum code_feature {
#define X(name, text, help) CODE_##name,
    CODE_FEATURES(X)
#undef X
        CODE_FEATURE_COUNT
};
extern const char *const code_feature_name[CODE_FEATURE_COUNT];

struct code_weights {
    float weight[CODE_FEATURE_COUNT];
};
const struct code_weights *code_weights_shipped(bool history);

/* From a file's text, like rank_weights_read; names begin with "code_". Names without it are
 * another ranker's and passed over; *any: there was one. */
bool code_weights_read(str text, struct code_weights *out, bool *any, struct err *e);

struct code_candidate {
    uint32_t file;
    float feature[CODE_FEATURE_COUNT];
    float sum;   /* what orders */
    float score; /* 0..1 */
};

struct code_rank_input {
    const struct code_leg *leg;
    const struct code_hits *hits;
    str query;
    const struct history_hits *history; /* NULL: the leg is off, or there is none */
    const float *together;              /* per file: CODE_TOGETHER; NULL: none */
    const float *mass;                  /* per file: PageRank; NULL: the leg is off */
    const float *named; /* per file: confidence that the query names a symbol of it */
    const struct code_weights *weights;
};

/* The best files by a cheap score, features and sums filled, best first. */
enum { MAX_CODE_CANDIDATES = 400 };
struct code_candidate *code_rank(struct arena *a, const struct code_rank_input *in, size_t *count);

#endif
