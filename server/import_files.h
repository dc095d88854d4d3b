/* The files below a folder that an import may read, by the endings of their names. */
#ifndef ENGRAM_IMPORT_FILES_H
#define ENGRAM_IMPORT_FILES_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum {
    MAX_IMPORT_FILES = 20000,
    MAX_IMPORT_FOLDERS = 20000,
    MAX_IMPORT_DEPTH = 12,
};

struct import_listing {
    str *paths; /* below the folder, in byte order */
    size_t count, capacity;
    size_t links, others; /* passed by: links; names that tell of no format, hidden ones */
};

/* Follows no link. ERR_LIMIT beyond the bounds above; ERR_IO where the folder can't be read. */
bool import_files_list(struct arena *a, int folder, struct import_listing *out, struct err *e);

#endif
