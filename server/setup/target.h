/* A file that setup changes: read through links, written where they lead, whole or not at all. */
#ifndef ENGRAM_SETUP_TARGET_H
#define ENGRAM_SETUP_TARGET_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

#include <sys/stat.h>

struct target {
    str shown; /* as the agent knows it */
    str real;  /* without links */
    str text;  /* at == NULL: there is no such file */
    struct stat info;
};

/* `below`: where it must lie, links included; empty: anywhere. ERR_INPUT for what is no regular
 * file, a link that leads nowhere or out; ERR_LIMIT over MAX_EDIT_BYTES. */
bool target_read(struct arena *a, str shown, str below, struct target *out, struct err *e);

/* Writes `text` in its place, with the permissions of what was there, or as new with the folders
 * above it; for the user alone if is_private. *folders says how many were made. ERR_CONFLICT where
 * somebody wrote since target_read. */
bool target_write(struct arena *a, const struct target *t, str text, bool is_private,
                  size_t *folders, struct err *e);

/* Removes it, and as many empty folders above it. ERR_CONFLICT as above. */
bool target_remove(struct arena *a, const struct target *t, size_t folders, struct err *e);

#endif
