/* The kinds of questions that review asks: what each says, what its answers do, and what they would
 * change. A row of the table in the .c a kind. */
#ifndef ENGRAM_REVIEW_QUESTIONS_H
#define ENGRAM_REVIEW_QUESTIONS_H

#include "memory/memory_review.h"
#include "memory/review_journal.h"

/* Kinds, as the database stores them; contradictions are in store.h. */
#define DISMISS_HUB "dismiss"
#define MERGE_NAMES "merge"
#define SPLIT_MEANINGS "split"
#define RETIRE_MEMORY "retire"
#define CONFIRM_DECISION "confirm"
#define DISMISS_ONCE "once"

/* A question that was not measured yet is filed with a guess of 1 or more; measured ones are below,
 * so that a guess is measured before anything is asked. */
enum { MIN_GUESS = 1 };

/* *out in words; *moot: what it asks about isn't so any more, or not now. Inside a read. */
bool question_describe(struct memory *m, struct arena *a, const struct question_row *row,
                       struct question *out, bool *moot, struct err *e);

/* Carries out what an answer asks for, where it asks for anything; noting the way back. Inside a
 * write. */
bool question_carry_out(struct entry *j, const struct question_row *row, bool yes, struct err *e);

/* Measures the open questions that come first, at most `most`: their weights are what their answers
 * are expected to change (memory/review_effect.h), times how often people gave that answer to this
 * kind. Inside a read with the snapshot up to date. */
bool questions_measure(struct memory *m, struct arena *a, size_t most, struct question_row **out,
                       size_t *count, struct err *e);

#endif
