/* The shipped weights of the ranker of passages. Fitted on sentences cut out of documents, on
 * paraphrases of passages and on questions of FAQs whose headings were taken out, and then scaled
 * and moved as one so that the sums lie where those of the set before lay, which was put on one
 * scale with those of memories (tests/bench/README.md). Five features and not the fifty of
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
        [FEATURE_TEXT] = 3.3322f,
        [FEATURE_COVERAGE] = 1.4951f,
        [FEATURE_COSINE] = 1.1918f,
        [FEATURE_HEADING] = 1.4888f,
        [FEATURE_DOCUMENT] = 2.4280f,
        [FEATURE_PASSAGE] = 1.7929f,
        [FEATURE_ARCHIVED] = -6.0000f,
    },
};
/* clang-format on */

const struct rank_weights *rank_passage_weights_for(bool vectors)
{
    return vectors ? &passage_encoder : &passage_words;
}
