/* Writes files whole or not at all: beside, flushed, then renamed to their place. */
#ifndef ENGRAM_FILE_WRITE_H
#define ENGRAM_FILE_WRITE_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

#include <sys/stat.h>

/* Makes the folder and what is missing above it, with `mode`; *made (may be NULL) says how many. */
bool file_write_folders(struct arena *a, str path, mode_t mode, size_t *made, struct err *e);

/* Replaces the file `name` in the directory `folder`. `like`: whose permissions and, as far as the
 * user may, owner it gets; NULL: the user's, with `mode` under the umask. */
bool file_write_replace(struct arena *a, int folder, str name, str bytes, const struct stat *like,
                        mode_t mode, struct err *e);

/* The same for what may be lost with the power: a private file that isn't flushed. */
bool file_write_note(struct arena *a, int folder, str name, str bytes, struct err *e);

/* A file that is nowhere but in memory, read from its beginning; -1 with *e. */
int file_write_memory(const char *name, str bytes, struct err *e);

#endif
