/* The journal of review_entities: what an entry changes, noted as the steps that take it back, and
 * the undoing of an entry. */
#ifndef ENGRAM_REVIEW_JOURNAL_H
#define ENGRAM_REVIEW_JOURNAL_H

#include "memory/memory_review.h"
#include "memory/memory_state.h"

/* One entry in the making. undo has one step back a line, "op \t field \t ... \t \n", by the table
 * of the .c; text tells people what was done. */
struct entry {
    struct memory *m;
    struct arena *a;
    int64_t now_ms;
    struct buf undo, text;
};

/* Notes a step; the operations are those of step_kinds in the .c. */
void step_back(struct entry *j, const char *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Note how a node's state or an entity's row is now. Inside a write. */
bool note_state(struct entry *j, int64_t id, struct err *e);
bool note_entity(struct entry *j, int64_t id, struct err *e);

/* Puts the entry into the journal and begins the next one. Inside a write. */
bool entry_put(struct entry *j, str action, int64_t *journal, struct err *e);
void entry_free(struct entry *j);

/* Takes an entry ("j4") back. ERR_NOT_FOUND, ERR_CONFLICT where it was undone already or a later
 * one stands on what it made. Inside a write. */
bool review_undo(struct entry *j, str id_text, struct applied *out, struct err *e);

/* Entities that were split off from another, by id. */
bool journal_split_off(struct memory *m, struct arena *a, int64_t from, int64_t **out,
                       size_t *count, struct err *e);

/* A node is being forgotten: entries that touch it lose their words and the steps that are about
 * it; what else they did can still be taken back. Inside a write. */
bool journal_forget(struct memory *m, struct arena *a, int64_t id, struct err *e);

#endif
