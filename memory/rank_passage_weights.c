/* The shipped weights of the ranker of passages, then scaled and moved as one so that the sums lie
 * where those of the set before lay, which was put on one scale with those of memories
 * (tests/bench/README.md). The words' were fitted on sentences cut out of documents, on paraphrases
 * of passages and on questions of FAQs whose headings were taken out; those with vectors on
 * questions upon other documents (tests/bench/encoder), and moved by 1.5 since, about what the
 * best sums of memories with vectors have risen by. A few features and not the fifty of memories:
 * what was learned of talks ranks passages worse than their words alone do. */
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
        [FEATURE_TEXT] = 0.8172f,
        [FEATURE_COVERAGE] = 3.1171f,
        [FEATURE_COSINE] = 5.7590f,
        [FEATURE_DOCUMENT] = 0.6827f,
        [FEATURE_PASSAGE] = 2.4497f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};

static const struct rank_weights passage_late = {
    .weight = {
        [FEATURE_TEXT] = 0.1716f,
        [FEATURE_COVERAGE] = 2.6894f,
        [FEATURE_COSINE] = 4.3449f,
        [FEATURE_DOCUMENT] = 0.6238f,
        [FEATURE_LATE] = 6.5341f,
        [FEATURE_PASSAGE] = -1.8082f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};
/* clang-format on */

const struct rank_weights *rank_passage_weights_for(bool vectors, bool late)
{
    return late ? &passage_late : vectors ? &passage_encoder : &passage_words;
}
