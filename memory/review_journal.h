/* The journal of review_entities: what an entry changes, noted as the steps that take it back, and
 * the undoing of an entry. */
#ifndef ENGRAM_REVIEW_JOURNAL_H
#define ENGRAM_REVIEW_JOURNAL_H

#include "memory/memory_state.h"

/* One entry in the making. undo has one step back a line, "op \t field \t ... \t \n", ids between
 * tabs so that forget finds them; text tells people what was done. */
struct entry {
    struct memory *m;
    struct arena *a;
    int64_t now_ms;
    struct buf undo, text;
};

/* Notes a step; the operations are those of take_back in the .c. */
void step_back(struct entry *j, const char *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Note how a node's state or an entity's row is now. Inside a write. */
bool note_state(struct entry *j, int64_t id, struct err *e);
bool note_entity(struct entry *j, int64_t id, struct err *e);

/* Takes an entry ("j4") back. ERR_NOT_FOUND, ERR_CONFLICT where it was undone already or a later
 * one touches the same. Inside a write. */
bool review_undo(struct entry *j, str id_text, struct applied *out, struct err *e);

#endif
