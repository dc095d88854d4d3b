/* ZIP archives whose parts are documents, by libzip, in memory: what is inflated is counted, never
 * what the archive declares. Private to parsers/. */
#ifndef ENGRAM_PARSERS_ARCHIVE_H
#define ENGRAM_PARSERS_ARCHIVE_H

#include "memory/base/buf.h"
#include "memory/base/err.h"

enum {
    MAX_ARCHIVE_ENTRIES = 1000,
    MAX_INFLATED_BYTES = 64 << 20, /* of all parts that are read */
    MAX_INFLATED_RATIO = 100,      /* to one packed byte */
    FREE_INFLATED_BYTES = 1 << 20, /* of a part: so many have any ratio */
};

struct archive {
    struct zip *zip;
    size_t inflated; /* so far */
};

/* Borrows the bytes. ERR_INPUT for a damaged archive and a name that leaves it (/a, ../a),
 * ERR_LIMIT for too many entries. */
bool archive_open(struct archive *z, str bytes, struct err *e);
void archive_close(struct archive *z);

bool archive_has(struct archive *z, str name);

/* Replaces what is in *out, which the caller frees. ERR_NOT_FOUND where there is no such part,
 * ERR_INPUT for one that is encrypted or damaged, ERR_LIMIT beyond the bounds above. */
bool archive_read(struct archive *z, str name, struct buf *out, struct err *e);

/* Does a ZIP archive name `part`, near its beginning or its end? Opens nothing. */
bool archive_names(str bytes, str part);

#endif
