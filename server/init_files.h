/* Which files of a project tell a newcomer about it: README, change log, guides, instructions for
 * agents, decision records, documentation. Looks below the root by descriptor, follows no link, and
 * opens no file. */
#ifndef ENGRAM_INIT_FILES_H
#define ENGRAM_INIT_FILES_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum {
    MAX_INIT_FILES = 300,
    MAX_INIT_DEPTH = 6,       /* folders below the root */
    MAX_INIT_ENTRIES = 40000, /* looked at; each counts once as a file, once as a folder */
    MAX_INIT_FILE_BYTES = 2 << 20,
    MAX_INIT_BYTES = 24 << 20, /* of all together */
};

struct init_file {
    str path; /* from the root */
    str why;  /* why it is left out; empty: it is wanted */
    size_t bytes;
    int rank; /* of the row that wants it: less comes first */
    bool may_be_decision;
};

/* Wanted files first, by rank and path; then those that are left out, each with its reason (at most
 * MAX_INIT_FILES). *unseen counts files beyond that, and folders beyond MAX_INIT_DEPTH or
 * MAX_INIT_ENTRIES. */
bool init_files_list(struct arena *a, str root, struct init_file **out, size_t *count,
                     size_t *unseen, struct err *e);

#endif
