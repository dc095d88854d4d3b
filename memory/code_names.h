/* Reads everything that the linker needs from the store and runs it; and ties names that memories
 * use to the symbols and files that they mean. */
#ifndef ENGRAM_CODE_NAMES_H
#define ENGRAM_CODE_NAMES_H

#include "memory/code_link.h"
#include "memory/store.h"

/* Edges of all contents that some worktree has. Inside a read. */
bool code_names_link(struct store *s, struct arena *a, struct link_edge **out, size_t *count,
                     struct err *e);

#endif
