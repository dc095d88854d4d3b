/* What blame found, as private files in a project's data folder: so that another process, and the
 * next head, need not walk a file's history again. They may be lost at any time. */
#ifndef ENGRAM_BLAME_NOTES_H
#define ENGRAM_BLAME_NOTES_H

#include "server/parse_wire.h"

enum { MAX_BLAME_NOTES = 256 /* the longest unwritten goes first */ };

/* false where there is none of this file of this worktree that can be read. Texts live in `a`. */
bool blame_notes_find(struct arena *a, str directory, str root, str path, struct wire_blamed *out);
void blame_notes_put(str directory, str root, str path, const struct wire_blamed *made);

#endif
