/* Rows for the picture of the graph. Private to memory/, as memory/store.h; in a read. */
#ifndef ENGRAM_STORE_PICTURE_H
#define ENGRAM_STORE_PICTURE_H

#include "memory/memory_views.h"
#include "memory/picture.h"

/* At most `most` ids of what a person would look for first: memories, documents and entities that
 * several speak of, by centrality; then the code and commits that memories are tied to, what is no
 * longer current, entities of one memory, passages; then files, commits, symbols. */
bool store_picture_best(struct store *s, struct arena *a, size_t most, int64_t **out, size_t *count,
                        struct err *e);

/* How many there are in all. */
bool store_picture_count(struct store *s, size_t *out, struct err *e);

/* The neighbours of a node, the heaviest edges first. */
bool store_picture_near(struct store *s, struct arena *a, int64_t id, size_t most, int64_t **out,
                        size_t *count, struct err *e);

/* One node; *found false where there is none or it isn't to be shown (dismissed, merged, pending).
 */
bool store_picture_node(struct store *s, struct arena *a, int64_t id, struct picture_node *out,
                        bool *found, struct err *e);

/* Edges that leave a node, by id of the other end, then kind. */
bool store_picture_edges(struct store *s, struct arena *a, int64_t from, struct picture_edge **out,
                         size_t *count, struct err *e);

bool store_picture_communities(struct store *s, struct arena *a, struct picture_community **out,
                               size_t *count, struct err *e);

#endif
