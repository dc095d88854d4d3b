/* The shipped weights of the ranker of passages, written by tests/bench/weights.py. Fitted on
 * sentences cut out of documents and on paraphrases of passages, and then moved and scaled as one
 * so that in a project of memories and documents the right one of either kind is as likely before
 * the wrong ones of the other (tests/bench/README.md). Four features and not the fifty of memories:
 * what was learned of talks ranks passages worse than their words alone do. */
#include "memory/rank.h"

/* The layout is the generator's. */
/* clang-format off */
static const struct rank_weights passage_words = {
    .weight = {
        [FEATURE_TEXT] = 6.2613f,
        [FEATURE_COVERAGE] = 0.7956f,
        [FEATURE_HEADING] = 4.6009f,
        [FEATURE_PASSAGE] = 1.1500f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};

static const struct rank_weights passage_encoder = {
    .weight = {
        [FEATURE_TEXT] = 4.9068f,
        [FEATURE_COVERAGE] = 1.6443f,
        [FEATURE_COSINE] = 2.4201f,
        [FEATURE_HEADING] = 3.7903f,
        [FEATURE_PASSAGE] = 1.5000f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};
/* clang-format on */

const struct rank_weights *rank_passage_weights_for(bool vectors)
{
    return vectors ? &passage_encoder : &passage_words;
}
