/* Recall of a place: what is told of a file, or of one of its lines. The commit that made the line,
 * memories that speak of it or of what stands around it, the symbol around it, the commits that
 * touched the file last. */
#ifndef ENGRAM_PLACE_RECALL_H
#define ENGRAM_PLACE_RECALL_H

#include "memory/code_recall.h"

enum { MAX_ANCHORED = 200 };

/* A memory that belongs to the place. */
struct anchored {
    node at;
    float closeness; /* 0..1; 1: of this very line, or of the file where no line is asked for */
};

/* Memories of in->file: anchored to it (nearer lines first), to the symbol around the line, or
 * linked to the commit that made it. Room for MAX_ANCHORED; one may come twice. Inside a read. */
bool place_memories(struct memory *m, struct arena *a, const struct recall_input *in,
                    struct anchored *out, size_t *count, struct err *e);

/* Puts the commits and the symbol of in->file and in->line to the items of `code`; what stands
 * there already is told with the place's score and why. Inside a read. */
bool place_items(struct memory *m, struct arena *a, const struct recall_input *in,
                 struct code_answer *code, struct err *e);

#endif
