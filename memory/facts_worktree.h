/* What a parser found of a worktree: the files that are worth indexing, and the ones that are not
 * and why. No file's content is read for it. */
#ifndef ENGRAM_FACTS_WORKTREE_H
#define ENGRAM_FACTS_WORKTREE_H

#include "memory/base/arena.h"
#include "memory/base/buf.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

enum {
    MAX_WORKTREE_FILES = 200000,    /* listed; what is beyond is counted */
    MAX_WORKTREE_BYTES = 256 << 20, /* of a packed listing */
    MAX_TREE_PATH_BYTES = 4096,
    MAX_TREE_DEPTH = 256, /* folders; what lies deeper is counted as skipped */
};

struct worktree_entry {
    str path; /* relative to the root, '/' between; repaired where it is no UTF-8 (then skipped) */
    uint64_t bytes;
    int64_t mtime_ns, ctime_ns;
    str skipped; /* "vendored", "generated", "secret", "over 1 MiB", "link", "not a file"; empty */
};

struct worktree_files {
    bool is_git;
    str head;       /* object id that HEAD names; empty: no commit yet, or no git */
    str branch;     /* empty: detached, or no git */
    str references; /* changes with any branch or tag; empty: no git */
    str note;       /* why git could not be asked ("SHA-256 repository"), or what was cut; empty */
    struct worktree_entry *entries; /* by path, in byte order */
    size_t entry_count, entry_capacity;
    uint64_t beyond; /* files that no entry was made for: over a bound */
};

void worktree_files_write(struct buf *out, const struct worktree_files *w);
bool worktree_files_read(struct arena *a, str bytes, struct worktree_files *out, struct err *e);

#endif
