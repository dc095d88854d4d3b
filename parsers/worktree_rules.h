/* What a name alone tells of a file or a folder: that it holds secrets, came from elsewhere, was
 * made by a program or is no text. Tables; what the content tells is the source reader's. */
#ifndef ENGRAM_PARSERS_WORKTREE_RULES_H
#define ENGRAM_PARSERS_WORKTREE_RULES_H

#include "memory/base/arena.h"
#include "memory/base/str.h"

enum name_kind {
    NAME_PLAIN,
    NAME_SECRET,
    NAME_VENDORED,
    NAME_GENERATED,
    NAME_BINARY,
};

/* Texts of the kinds, as they are told: "secret". NAME_PLAIN's is empty. */
extern const char *const name_kind_text[];

/* What rows may ask of the place that a name stands in. */
struct name_place {
    bool at_root;
    bool in_git;                            /* what nobody wants would be ignored */
    bool (*has)(const void *ctx, str glob); /* does a name beside this one fit? */
    const void *ctx;
};

struct name_rules; /* read-only once built; lives in the arena */
const struct name_rules *name_rules_build(struct arena *a);

/* `name` is the last part of a path. Letters count without case for secrets and binaries. */
enum name_kind name_kind_of_file(const struct name_rules *r, str name,
                                 const struct name_place *place);
enum name_kind name_kind_of_folder(const struct name_rules *r, str name,
                                   const struct name_place *place);

/* A version control system's own folder: nothing of a project is in it, nobody is told of it. */
bool name_is_internal(str name);

/* A file that marks the folder it lies in as made by a program: a cache, an environment, a build
 * tree. */
bool name_marks_generated(str name);

#endif
