/* The shipped weights of the ranker of passages, then scaled and moved as one so that the sums lie
 * where those of the set before lay, which was put on one scale with those of memories
 * (tests/bench/README.md). The words' were fitted on sentences cut out of documents, on paraphrases
 * of passages and on questions of FAQs whose headings were taken out; those with vectors on
 * questions upon other documents (tests/bench/encoder). A few features and not the fifty of
 * memories: what was learned of talks ranks passages worse than their words alone do. */
#include "memory/rank.h"

/* The layout is the generator's. */
/* clang-format off */
static const struct rank_weights passage_words = {
    .weight = {
        [FEATURE_TEXT] = 3.6702f,
        [FEATURE_COVERAGE] = 1.3936f,
        [FEATURE_HEADING] = 1.7246f,
        [FEATURE_DOCUMENT] = 2.4754f,
        [FEATURE_PASSAGE] = 1.2896f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};

static const struct rank_weights passage_encoder = {
    .weight = {
        [FEATURE_TEXT] = 2.0234f,
        [FEATURE_COVERAGE] = 3.8957f,
        [FEATURE_COSINE] = 3.5607f,
        [FEATURE_DOCUMENT] = 0.9411f,
        [FEATURE_PASSAGE] = 1.5398f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};

static const struct rank_weights passage_late = {
    .weight = {
        [FEATURE_TEXT] = 0.9684f,
        [FEATURE_COVERAGE] = 3.7509f,
        [FEATURE_COSINE] = 2.3653f,
        [FEATURE_DOCUMENT] = 0.8436f,
        [FEATURE_LATE] = 7.0255f,
        [FEATURE_PASSAGE] = -3.1184f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};
/* clang-format on */

const struct rank_weights *rank_passage_weights_for(bool vectors, bool late)
{
    return late ? &passage_late : vectors ? &passage_encoder : &passage_words;
}
