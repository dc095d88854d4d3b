/* What a person may change of the entities: merge, dismiss, restore, rename, alias, split,
 * set_type. */
#ifndef ENGRAM_REVIEW_EDITS_H
#define ENGRAM_REVIEW_EDITS_H

#include "memory/memory_review.h"
#include "memory/review_journal.h"

/* An entity by id or name; dismissed and merged ones only by id. ERR_NOT_FOUND names `field`. */
bool review_find_entity(struct entry *j, const char *field, str text, struct node_row *out,
                        struct err *e);

/* An entity of its own that was part of another until now, told like it; undone, all that came to
 * it goes back there. Inside a write. */
bool review_new_entity(struct entry *j, const struct node_row *of, str name, int64_t *id,
                       struct err *e);

/* The end of an edge that was at `from` is at `to`. Inside a write. */
bool review_move_end(struct entry *j, int64_t edge, bool dst, int64_t from, int64_t to,
                     struct err *e);

/* Carries one edit out and notes the way back. Inside a write. */
bool review_edit(struct entry *j, const struct edit_input *in, struct err *e);

#endif
