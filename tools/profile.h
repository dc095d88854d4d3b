/* A person's profile: a short text of who they are and what they work with, one thing a line. Pure.
 *
 *     # About me                      a heading names what follows; "About", "Me", "Who", "Role"
 * and
 *     - backend developer             "Identity" make identities of it, any other preferences
 *     Stack: Go, PostgreSQL           "key: value" has a topic, so that another value replaces it
 */
#ifndef ENGRAM_PROFILE_H
#define ENGRAM_PROFILE_H

#include "memory/base/arena.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

enum { MAX_PROFILE_LINES = 100, MAX_PROFILE_LINE_BYTES = 1000, MAX_PROFILE_BYTES = 64 * 1024 };

struct profile_line {
    str text;      /* a sentence of its own: "Stack: Go, PostgreSQL" */
    str topic;     /* what it is about, the same for every value */
    bool identity; /* else a preference */
};

/* At most MAX_PROFILE_LINES into out[MAX_PROFILE_LINES]. ERR_LIMIT names what is too much. */
bool profile_read(struct arena *a, str text, struct profile_line *out, size_t *count,
                  struct err *e);

#endif
