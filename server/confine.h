/* Opens files beneath a root and nowhere else: openat2 with RESOLVE_BENEATH |
 * RESOLVE_NO_MAGICLINKS, regular files only, never blocking, and never the database or its side
 * files. Nothing is opened for reading before it is known to be such a file. */
#ifndef ENGRAM_CONFINE_H
#define ENGRAM_CONFINE_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

/* `path` is relative to root, or absolute below it (as it is written, or below root's real path).
 * `..` is taken away by name before anything is opened; symbolic links may be followed as long as
 * they stay below root. *fd is open for reading (O_CLOEXEC), *relative is the normalised path from
 * root, links in it kept. ERR_INPUT for a path outside (links included), a directory, FIFO, device,
 * socket, database, NUL or over MAX_PATH_BYTES; ERR_NOT_FOUND where nothing is there; ERR_IO where
 * it may not be read. */
bool confine_open(struct arena *a, str root, str path, int *fd, str *relative, struct err *e);

/* Opens `path`, which is relative, below the directory `root` for reading, O_NONBLOCK; no link is
 * followed, nothing leads out. For who looks itself what it is. -1 with errno. */
int confine_open_plain(struct arena *a, int root, str path);

/* Names a database that this process has open. Its file, -wal, -shm and -journal are refused from
 * now on under any name: closing a second descriptor of them would drop SQLite's locks.
 * Thread-safe. */
void confine_protect(str database);

/* The whole file behind fd, at most max_bytes (ERR_LIMIT names both). A regular file is read from
 * its start, whatever fd's offset; a pipe until its end. */
bool read_fd(struct arena *a, int fd, size_t max_bytes, str *out, struct err *e);

#endif
