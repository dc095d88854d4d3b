/* Objects of a repository that were read lately, held by their id within a bound of bytes: what is
 * one commit's before is another one's behind. */
#ifndef ENGRAM_PARSERS_OBJECT_CACHE_H
#define ENGRAM_PARSERS_OBJECT_CACHE_H

#include <git2.h>

#include <stddef.h>

enum { CACHED_OBJECTS = 8192 }; /* a power of two */

struct object_cache {
    git_odb *odb;            /* the caller's */
    git_object_t type;       /* objects of another one are as good as missing, */
    size_t max_object_bytes; /* and so are larger ones */
    size_t max_bytes;
    git_odb_object *slots[CACHED_OBJECTS];
    size_t held_bytes, hand;
};

void object_cache_open(struct object_cache *c, git_odb *odb, git_object_t type,
                       size_t max_object_bytes, size_t max_bytes);
/* A zeroed one, too. */
void object_cache_close(struct object_cache *c);

/* Freed by the caller with git_odb_object_free; NULL where it is missing, of another type or too
 * large. A blob's header tells that before anything of it is unpacked; commits and trees, which are
 * many and hardly ever large, are looked up once and checked behind that. */
git_odb_object *object_cache_get(struct object_cache *c, const git_oid *id);

/* The same without a cache. */
git_odb_object *object_read(git_odb *odb, const git_oid *id, git_object_t type, size_t max_bytes);

#endif
