/* How sure is it that the memory answers a query at all? One figure a query, 0..1, from what the
 * legs found: abstention rests on it. The ranker can't tell: its fit compares the candidates of one
 * query, never two queries. Pure. */
#ifndef ENGRAM_RANK_CONFIDENCE_H
#define ENGRAM_RANK_CONFIDENCE_H

#include "memory/rank_features.h"

/* Candidates with features and sums, best first. */
void rank_evidence_fill(const struct rank_context *c, const struct rank_input *in,
                        const struct candidate *candidates, size_t count,
                        float out[EVIDENCE_COUNT]);

float rank_confidence(const float evidence[EVIDENCE_COUNT], bool vectors);

#endif
