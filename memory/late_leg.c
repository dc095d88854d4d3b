#include "memory/late_leg.h"

#include "memory/store_tokens.h"

/* NO_VECTOR where it has no rows. */
static bool score_passage(struct store *s, struct arena *a, int64_t passage, str model,
                          const struct late_query *q, float *score, struct err *e)
{
    struct arena mark = *a;
    str rows;
    bool ok = store_get_tokens(s, a, passage, model, MAX_LATE_BYTES, &rows, e);
    *score = ok && late_rows_valid(rows) ? late_score(q, rows) : NO_VECTOR;
    arena_rewind(a, mark);
    return ok;
}

/* Over the best one; what wasn't compared has the share of the worst. false where none was. */
static bool to_shares(float *score, const struct candidate *candidates, size_t count)
{
    float least = 1, best = NO_VECTOR;
    for (size_t i = 0; i < count; i++) {
        float one = score[candidates[i].at];
        least = one > NO_VECTOR && one < least ? one : least;
        best = one > best ? one : best;
    }
    for (size_t i = 0; i < count; i++) {
        float *one = &score[candidates[i].at], compared = *one > NO_VECTOR ? *one : least;
        *one = best > 0 && compared > 0 ? compared / best : 0;
    }
    return best > NO_VECTOR;
}

bool late_leg_score(struct store *s, struct arena *a, const struct snapshot *snap, str model,
                    const struct encoder_tokens *query, const struct candidate *candidates,
                    size_t count, const float **out, struct err *e)
{
    *out = NULL;
    if (!query->count)
        return true;
    float *score = ARENA_ARRAY(a, float, snap->graph.count + 1);
    const struct late_query *q = late_query_build(a, query);
    size_t passages = 0;
    for (size_t i = 0; i < count; i++) {
        node at = candidates[i].at;
        score[at] = NO_VECTOR;
        if (snap->meta[at].kind == NODE_PASSAGE && passages++ < MAX_LATE_PASSAGES &&
            !score_passage(s, a, snap->ids[at], model, q, &score[at], e))
            return false;
    }
    *out = to_shares(score, candidates, count) ? score : NULL;
    return true;
}
