/* Late interaction: how well a passage answers a query, by the vectors of their single pieces in
 * context. Each piece of the query looks for its like in the passage, and the greatest cosines are
 * averaged (Khattab and Zaharia, "ColBERT", SIGIR 2020, section 3.3), here by a learned weight of
 * each piece, and in the stretch of the passage where they come out best: pieces that are found all
 * over a page say less than those that stand together. Pure. */
#ifndef ENGRAM_LATE_INTERACTION_H
#define ENGRAM_LATE_INTERACTION_H

#include "memory/provider/encoder.h"

enum {
    LATE_ROW_BYTES = ENCODER_TOKEN_DIMENSIONS / 2, /* four bits for each dimension */
    MAX_LATE_ROWS = 1024,                          /* of a text; what is behind them isn't kept */
    MAX_LATE_BYTES = MAX_LATE_ROWS * LATE_ROW_BYTES,
    LATE_STRETCH_ROWS = 64, /* about what passages were learned with */
};

/* The first MAX_LATE_ROWS tokens as rows, in `a`. */
str late_pack(struct arena *a, const struct encoder_tokens *tokens);

/* Is this something that late_pack may have made? */
bool late_rows_valid(str rows);

struct late_query; /* in an arena */
struct late_query *late_query_build(struct arena *a, const struct encoder_tokens *tokens);

/* The weighted mean over the query's tokens of the greatest cosine with any row of a stretch,
 * -1..1, of the best stretch; they begin half a stretch apart. rows are valid. */
float late_score(const struct late_query *q, str rows);

#endif
