/* Consolidated memories in recall: the members that they name, the lines of theirs that are out of
 * date, and how they stand beside members that fit the same question. */
#ifndef ENGRAM_RECALL_MEMBERS_H
#define ENGRAM_RECALL_MEMBERS_H

#include "memory/lexical.h"
#include "memory/memory_state.h"
#include "memory/rank.h"

/* Fills in the members of a consolidated memory, and shows as superseded what stepped back since
 * its text was built. item->text is there. */
bool members_load(struct memory *m, struct arena *a, struct item *item, struct err *e);

/* Puts a consolidated memory in front of a member that fits hardly better by the same words. List
 * and scores stay in order. */
bool members_settle(struct memory *m, const struct lexical *l, struct candidate *candidates,
                    size_t count, struct err *e);

/* Whether `next` says only what a consolidated memory among the items quotes of it. */
bool members_told(const struct recall_result *out, const struct item *next);

#endif
