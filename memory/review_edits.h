/* What a person may change of the entities: merge, dismiss, restore, rename, alias, split,
 * set_type. */
#ifndef ENGRAM_REVIEW_EDITS_H
#define ENGRAM_REVIEW_EDITS_H

#include "memory/review_journal.h"

/* An entity by id or name; dismissed and merged ones only by id. ERR_NOT_FOUND names `field`. */
bool review_find_entity(struct entry *j, const char *field, str text, struct node_row *out,
                        struct err *e);

/* Carries one edit out and notes the way back. Inside a write. */
bool review_edit(struct entry *j, const struct edit_input *in, struct err *e);

#endif
