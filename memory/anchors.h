/* Memories that speak of places in the sources: binding them to the symbol or file that they meant,
 * following one that was moved or renamed, and telling whether what they speak of is still so. */
#ifndef ENGRAM_ANCHORS_H
#define ENGRAM_ANCHORS_H

#include "memory/store_code.h"

/* Binds every anchor whose path the worktree has, with an ANCHORS edge from the memory; then moves
 * the binding of a symbol that is defined nowhere any more to the only one of the worktree with the
 * same body, or else with the same body but for its name. Inside a write, at the end of an index.
 */
bool anchors_bind(struct store *s, struct arena *a, int64_t worktree, int64_t now_ms,
                  struct err *e);

/* What became of the places that a memory speaks of, as the worktree has them: *stale empty (as it
 * was, or never known), "changed", "gone" or "moved", with a note on which and where to. Inside a
 * read. */
bool anchors_state(struct store *s, struct arena *a, int64_t worktree, int64_t memory, str *stale,
                   str *note, struct err *e);

#endif
