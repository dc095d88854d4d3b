/* The ranker of commits: which of them says why? A linear sum of features, one row each. Pure: the
 * scores of one query and the messages in, an order out. */
#ifndef ENGRAM_COMMIT_RANK_H
#define ENGRAM_COMMIT_RANK_H

#include "memory/history_leg.h"

/* A row: name, what it is. How each is computed, and its weight, stand in commit_rank.c. */
#define COMMIT_FEATURES(X)                                                                         \
    X(MESSAGE, "message", "BM25 of subject and text as one, over the best")                        \
    X(SUBJECT, "subject", "BM25 of the subject alone, over the best")                              \
    X(COVERAGE, "coverage", "share of the query's idf that the message covers")                    \
    X(PASSAGE, "passage", "share that some 40 words of it, one after the other, cover")            \
    X(FILES, "files", "the best file that it touched, by the question's words")                    \
    X(WALK, "walk", "square root of its files' mean PageRank mass, over the best")                 \
    X(ECHO, "echo", "BM25 of the names of what the question's words hit hardest, over the best")   \
    X(REASON_ASKED, "reason_asked",                                                                \
      "it says because, so that, to avoid, and the question asks why")                             \
    X(MERGE, "merge", "it is a merge")                                                             \
    X(TRIVIAL, "trivial", "its subject speaks of a typo, a release, a version")                    \
    X(COPY, "copy", "an older candidate has the same subject: it was carried to another branch")   \
    X(GONE, "gone", "it was taken back, or is on no branch any more")

enum commit_feature {
#define X(name, text, help) COMMIT_##name,
    COMMIT_FEATURES(X)
#undef X
        COMMIT_FEATURE_COUNT
};
extern const char *const commit_feature_name[COMMIT_FEATURE_COUNT];

struct commit_candidate {
    uint32_t commit;   /* of the leg */
    str subject, text; /* the caller's part, between the two calls */
    float feature[COMMIT_FEATURE_COUNT];
    float sum;   /* what orders */
    float score; /* 0..1 */
};

struct commit_rank_input {
    const struct history_leg *leg;
    const struct code_hits *words;
    const struct history_hits *hits;
    str query;
    size_t most;       /* so many will be shown */
    const float *mass; /* per file: PageRank; NULL: the leg is off */
    const float *echo; /* per commit; NULL: none */
};

/* The best commits by a cheap score. The caller sets their messages, then has them ranked. */
enum { MAX_COMMIT_CANDIDATES = 200, MAX_COMMITS_TOLD = 10 };
struct commit_candidate *commit_candidates(struct arena *a, const struct commit_rank_input *in,
                                           size_t *count);

/* Fills features, sums and scores; best first. Passages are read of those alone that may be among
 * the first in->most; what stands further down is in the order of the other features. */
void commit_rank(struct arena *a, const struct commit_rank_input *in, struct commit_candidate *c,
                 size_t count);

/* Does the text give a reason, in English? */
bool text_gives_reason(str text);

#endif
