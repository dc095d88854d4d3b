/* Opens a git repository that nobody vouches for: none of the user's or the system's settings are
 * read, no parent folder is searched, the owner counts, and libgit2 keeps within a worker's
 * memory and descriptors. */
#ifndef ENGRAM_PARSERS_REPOSITORY_H
#define ENGRAM_PARSERS_REPOSITORY_H

#include "memory/base/arena.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

#include <git2.h>

/* The repository whose work tree or bare folder `root` is; NULL and what to say of it: "SHA-256
 * repository, which cannot be read", "the repository belongs to another user", libgit2's own text;
 * an empty text where there is none. Free it with git_repository_free. */
git_repository *repository_open(struct arena *a, str root, str *why_not);

/* What HEAD names; both empty where there is none: no commit yet, a branch that is detached. */
void repository_head(struct arena *a, git_repository *r, str *id, str *branch);

/* libgit2's last error, with what we were at before it. Always false. */
bool repository_fail(struct err *e, const char *what);

/* An object id in hexadecimal. */
str oid_hex(struct arena *a, const git_oid *id);

/* A whole one from its hexadecimal digits. */
bool oid_parse(str hex, git_oid *out);

#endif
