/* What review tells of one entity. */
#ifndef ENGRAM_REVIEW_CARD_H
#define ENGRAM_REVIEW_CARD_H

#include "memory/memory_review.h"
#include "memory/review_journal.h"

/* By id or name. Inside a read with the snapshot up to date. */
bool review_card(struct entry *j, str entity, struct entity_card *card, struct err *e);

#endif
