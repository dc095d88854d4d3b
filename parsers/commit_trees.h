/* What differs between two trees of a repository: both walked side by side over their raw bytes,
 * equal ids skipped, so that the work is that of what changed. */
#ifndef ENGRAM_PARSERS_COMMIT_TREES_H
#define ENGRAM_PARSERS_COMMIT_TREES_H

#include "memory/facts_commit.h"

#include "parsers/object_cache.h"

enum {
    MAX_TREE_BYTES = 64 << 20, /* a folder of a million files; a larger one is as good as missing */
    MAX_CACHED_TREE_BYTES = 48 << 20,
    MAX_TREE_PAIRS = 20000, /* opened for one commit: trees without files can hold trees for ever */
};

/* One entry of a tree's bytes. */
struct tree_entry {
    str name;
    const git_oid *id; /* in the tree's bytes */
    bool is_tree, is_submodule;
};

/* Splits the next entry off; false at the end, and where the bytes are no tree (*bad). */
bool tree_entry_next(str *rest, struct tree_entry *out, bool *bad);

/* Fills the changes of a record by path, exact renames joined; `before` NULL: everything was added.
 * changes_cut where there are too many (then none is listed), where a tree is missing or damaged,
 * and where a path is no plain one or too long. */
void commit_changes_read(struct arena *a, struct object_cache *trees, const git_oid *before,
                         const git_oid *behind, struct commit_record *out);

#endif
