/* A commit as git stores it: its header read by us, as odd ones exist that libgit2 refuses whole.
 */
#ifndef ENGRAM_PARSERS_COMMIT_OBJECT_H
#define ENGRAM_PARSERS_COMMIT_OBJECT_H

#include "memory/facts_commit.h"

#include <git2.h>

/* Of one that is read: a larger one is as good as missing. Those of big projects stay far below,
 * the tags that a merge keeps in its header included. */
enum { MAX_COMMIT_BYTES = 8 << 20 };

struct commit_object {
    git_oid tree;
    git_oid *parents; /* the first MAX_COMMIT_PARENTS */
    size_t parent_count;
    bool parents_cut;
    str author, author_email;
    int64_t author_s, commit_s;
    str encoding; /* of the message and the names; empty: UTF-8 */
    str message;
};

/* Texts borrow from `bytes`. false where there is no tree to be found. */
bool commit_object_parse(struct arena *a, str bytes, struct commit_object *out);

/* The text as UTF-8: ISO 8859-1 is converted, anything else that isn't UTF-8 repaired. */
str commit_object_text(struct arena *a, const struct commit_object *c, str text);

#endif
