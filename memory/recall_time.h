/* Times of a question against what is remembered: when an event was, and what lies in a range. */
#ifndef ENGRAM_RECALL_TIME_H
#define ENGRAM_RECALL_TIME_H

#include "memory/best.h"
#include "memory/lexical.h"
#include "memory/query_time.h"

/* Where the question says "before the release": the range up to, or from, the latest memory before
 * now_ms that holds all the event's words, notes of what happened first. Left as it is where none
 * does, or where so many hold the rarest of them that no one event is meant. */
void recall_time_of_event(const struct snapshot *snap, const struct lexical *l, str query,
                          int64_t now_ms, struct query_time *time);

/* Where the question says "before v2.1" and no other range: the range up to, or from, that tag's
 * commit. Left as it is where it names no tag that is known. */
bool recall_time_of_tag(struct store *s, struct arena *a, str query, struct query_time *time,
                        struct err *e);

/* The current memories of a range, the newest first, at most `most`; scores are 0..1.
 */
size_t recall_time_list(struct arena *a, const struct snapshot *snap, const struct query_time *time,
                        int64_t now_ms, size_t most, struct scored **out);

#endif
