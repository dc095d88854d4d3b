/* The parts of one recalled item: its row, its best window, why it came, what stands around it; and
 * the facts of an answer. */
#ifndef ENGRAM_RECALL_ITEM_H
#define ENGRAM_RECALL_ITEM_H

#include "memory/memory_state.h"
#include "memory/rank.h"
#include "memory/resolve.h"

/* Everything of the row but score, why and context; text whole. */
bool item_load(struct memory *m, struct arena *a, node at, struct item *out, struct err *e);

/* The stretch of at most `tokens` that holds most of the query's rare terms, cut at word bounds,
 * with … where it was cut. l may be NULL: the beginning. */
str item_window(struct arena *a, str text, const struct lexical *l, size_t tokens);

/* Opens why with the memories that may contradict this one. */
bool item_disputes(struct memory *m, struct arena *a, struct item *item, struct err *e);

/* why: the memories that may contradict it, the query's words that it holds, the named entities
 * that it mentions, else the path by which the walk reached it. */
bool item_why(struct memory *m, struct arena *a, node at, const struct lexical *l,
              const struct resolved *resolved, size_t resolved_count, const float *named,
              struct item *item, struct err *e);

/* Puts one more reason behind the others, as long as there is room; an empty one is none. */
void item_add_why(struct arena *a, struct item *item, str text);

/* before and after: the neighbour turn where the item needs it (it answers a question, it asks one,
 * or it is short). */
bool item_context(struct memory *m, struct arena *a, node at, struct item *item, struct err *e);

void item_explain(struct arena *a, const struct candidate *c, const struct rank_input *rank,
                  struct item *item);

/* The labelled relations on the paths from the named entities, nearest first, then those whose
 * words the query has. on_path, per node: how surely a relation that it says is on such a path,
 * 0..1; zeroed by the caller. */
bool recall_facts(struct memory *m, struct arena *a, const struct resolved *resolved,
                  size_t resolved_count, const struct recall_input *in, const struct lexical *l,
                  float *on_path, struct recall_result *out, struct err *e);

/* How a node is called in words: an entity's name, `m12`, a document's title. */
bool node_words(struct memory *m, struct arena *a, node at, str *out, struct err *e);

#endif
