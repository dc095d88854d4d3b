/* What memories hold, in an order in which people read. Private to memory/. */
#ifndef ENGRAM_STORE_OUTLINE_H
#define ENGRAM_STORE_OUTLINE_H

#include "memory/memory_views.h"
#include "memory/store.h"

/* The three of memory_outline, in a read that is open. */
bool store_each_memory(struct store *s, outline_memory *visit, void *ctx, struct err *e);
bool store_each_entity(struct store *s, outline_entity *visit, void *ctx, struct err *e);
bool store_each_document(struct store *s, outline_document *visit, void *ctx, struct err *e);

#endif
