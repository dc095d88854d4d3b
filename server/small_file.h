/* Reads small files that others may have put there (settings, HEAD, a registry entry): regular
 * files only, bounded, and never blocking on a FIFO or a device. */
#ifndef ENGRAM_SMALL_FILE_H
#define ENGRAM_SMALL_FILE_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

#include <sys/stat.h>

/* The whole file at `path`, relative to the directory `dir` (or AT_FDCWD). `flags` are added to
 * open's, for O_NOFOLLOW; *info may be NULL. ERR_NOT_FOUND where nothing is there, ERR_INPUT for
 * what isn't a regular file, ERR_LIMIT over max_bytes, else ERR_IO. */
bool small_file_read(struct arena *a, int dir, str path, int flags, size_t max_bytes,
                     struct stat *info, str *out, struct err *e);

#endif
