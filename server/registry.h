/* The registry of the user's projects: a folder each below $XDG_DATA_HOME/engram, named
 * <name>-<id>, with project.json beside the database. Any of them may be bad or planted; none of
 * that harms the others. */
#ifndef ENGRAM_REGISTRY_H
#define ENGRAM_REGISTRY_H

#include "server/config.h"
#include "server/place.h"

enum {
    MAX_REGISTERED = 10000, /* folders looked at */
    MAX_PROJECT_FILE_BYTES = 64 * 1024,
};

struct project_entry {
    str id, name, root, directory; /* root is empty where project.json can't be read */
    str last_used;                 /* RFC 3339, to the day; empty likewise */
};

/* The folder of all projects, which need not exist. ERR_INPUT where neither XDG_DATA_HOME nor HOME
 * gives one. */
bool registry_home(struct arena *a, const struct config *c, str *out, struct err *e);

/* Is the directory `path` (an open descriptor of it) safe to keep memories in: the user's own, and
 * nobody else's to write? ERR_IO says what to change. */
bool registry_folder_is_safe(int fd, str path, struct err *e);

/* The folder of a place below `home`: by today's name, else by an earlier one (a repository that
 * was renamed), else as it will be named. */
bool registry_folder(struct arena *a, str home, const struct place *place, str *out, struct err *e);

/* Makes that folder where it isn't there, and keeps its project.json true: written only where
 * something changed, the last use by day. */
bool registry_keep(struct arena *a, str home, const struct place *place, int64_t now_ms,
                   str *folder, struct err *e);

/* Every project by name, then id; none where `home` isn't there. Bad folders are left out. */
bool registry_list(struct arena *a, str home, struct project_entry **out, size_t *count,
                   struct err *e);

/* The project of this id or name. ERR_NOT_FOUND lists known ones, ERR_INPUT the ids where several
 * have the name. */
bool registry_find(struct arena *a, str home, str wanted, struct project_entry *out, struct err *e);

#endif
