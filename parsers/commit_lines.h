/* Which lines a commit changed, and in what they stand. */
#ifndef ENGRAM_PARSERS_COMMIT_LINES_H
#define ENGRAM_PARSERS_COMMIT_LINES_H

#include "memory/facts_commit.h"

#include "parsers/object_cache.h"

enum {
    MAX_DIFFED_BLOB_BYTES = 1 << 20,
    MAX_CACHED_BLOB_BYTES = 32 << 20,
    MAX_DIFFED_BYTES = 4 << 20, /* of one commit, both sides together; then changes_cut */
};

/* Adds hunks to the modified files of a record. Binary and larger files get none. The cache is one
 * of blobs up to MAX_DIFFED_BLOB_BYTES: a commit's file is as its successor found it. */
void commit_lines_read(struct arena *a, struct object_cache *blobs, struct commit_record *out);

#endif
