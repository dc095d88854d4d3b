/* Which project a caller is in: root, git common directory, HEAD and branch, id and name, read by a
 * small bounded reader of ours (.git, commondir, HEAD, one ref file or packed-refs); never by the
 * git program or library. */
#ifndef ENGRAM_PLACE_H
#define ENGRAM_PLACE_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum { PLACE_ID_DIGITS = 12, MAX_PLACE_NAME_BYTES = 64 };

/* Sources in order of precedence; empty where there is none. */
struct place_hints {
    str project;    /* --project or ENGRAM_PROJECT */
    str roots_path; /* first file:// root of roots/list, decoded */
    str claude_dir; /* CLAUDE_PROJECT_DIR */
    str cwd;
    str home;
};

struct place {
    /* Real path of the work tree's top (or of the directory where there is no repository). */
    str root;
    /* The same of the main work tree where root is a linked one: what all worktrees agree on. */
    str main_root;
    /* What the id is made from: the real path of the git common directory, or root. Without a final
     * /.git, so that a directory keeps its memory when `git init` is run in it. */
    str identity;
    str id;   /* PLACE_ID_DIGITS hexadecimal digits */
    str name; /* readable: the base name of main_root without .git, [A-Za-z0-9._-] */
    /* Real paths of this work tree's git directory, where HEAD is, and of the common one; empty
     * without git. */
    str git_dir, common_dir;
    str branch;         /* empty when detached or without git */
    str head;           /* hexadecimal object id, empty when unborn or without git */
    const char *source; /* which hint decided, for status */
};

/* The first hint that isn't empty decides. All but HEAD and branch, which stay empty. ERR_INPUT for
 * / and HOME (with what to do), ERR_NOT_FOUND for a directory that isn't there. */
bool place_resolve(struct arena *a, const struct place_hints *hints, struct place *out,
                   struct err *e);

/* Reads HEAD and branch as they are now. What can't be read or isn't as git writes it leaves them
 * empty. */
void place_read_head(struct arena *a, struct place *p);

/* Decodes file:///path%20x; false for another scheme or host, a relative path or a NUL byte. */
bool place_from_file_uri(struct arena *a, str uri, str *path);

#endif
