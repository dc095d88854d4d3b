/* One folder of a worktree as it lies on the disk: what is in it, and the rules that it holds.
 * Opened beneath the root's descriptor, no link followed, closed again before anything else. */
#ifndef ENGRAM_PARSERS_WORKTREE_FOLDER_H
#define ENGRAM_PARSERS_WORKTREE_FOLDER_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum { MAX_FOLDER_ENTRIES = 100000 };

enum place_type { PLACE_FILE, PLACE_FOLDER, PLACE_LINK, PLACE_OTHER };

struct place_name {
    str text;
    enum place_type type;
    uint64_t bytes; /* this and the times: of a file */
    int64_t mtime_ns, ctime_ns;
};

struct worktree_folder {
    struct place_name *names; /* in the byte order of the paths that they lead to; without the
                                 folders of version control */
    size_t count, capacity;
    uint64_t beyond;                            /* entries over MAX_FOLDER_ENTRIES */
    bool is_repository;                         /* it has a ".git" */
    bool is_generated;                          /* it has a mark that says so (worktree_rules.h) */
    str gitignore, engramignore, gitattributes; /* empty where there is none */
};

enum folder_result {
    FOLDER_READ,
    FOLDER_GONE,
    FOLDER_IS_LINK,
    FOLDER_ELSEWHERE, /* on another file system */
    FOLDER_UNREADABLE,
};

/* `path` relative to the root, empty for the root itself. */
enum folder_result worktree_folder_read(struct arena *a, int root, const char *path,
                                        struct worktree_folder *out);

/* A regular file of at most MAX_PATTERN_FILE_BYTES (the first ones of a longer file), beneath
 * `folder`; empty where there is none. Never blocks, never follows a link at its end. */
str read_rules_file(struct arena *a, int folder, const char *path);

#endif
