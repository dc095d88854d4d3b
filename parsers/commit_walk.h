/* A walk over commits, newest first, parents by hand: a revision walk of libgit2 fails as soon as a
 * parent is missing, as in every shallow clone. */
#ifndef ENGRAM_PARSERS_COMMIT_WALK_H
#define ENGRAM_PARSERS_COMMIT_WALK_H

#include "parsers/commit_object.h"
#include "parsers/oid_set.h"

struct commit_waiting {
    git_oid id;
    int64_t commit_s;
    uint64_t order; /* of equal times the one that was found first comes first */
};

struct commit_walk {
    git_odb *odb;                /* the caller's */
    struct oid_set found;        /* waiting, visited, or not to be visited */
    struct commit_waiting *heap; /* newest on top */
    size_t count, capacity;
    uint64_t pushed;
    bool is_shallow; /* a parent was missing */
};

/* One commit that is visited. */
struct commit_visit {
    git_oid id;
    git_odb_object *object; /* holds what `commit` borrows; the walk frees it with the next visit */
    struct commit_object commit;
    bool parents_missing; /* some */
};

/* Takes no notice of a commit that was found before. false where it cannot be read. */
bool commit_walk_push(struct commit_walk *w, const git_oid *id);

/* What the references that fit name, as far as that can be read; no more than MAX_HISTORY_FRONTIER
 * wait behind it. */
void commit_walk_push_references(struct commit_walk *w, git_repository *r, const char *glob);

/* The newest commit that waits, with its parents pushed; false when none does. The arena holds its
 * parents. */
bool commit_walk_next(struct arena *a, struct commit_walk *w, struct commit_visit *visit);
void commit_walk_close(struct commit_walk *w, struct commit_visit *visit);

#endif
