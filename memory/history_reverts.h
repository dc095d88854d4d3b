/* Which commits no longer hold, since others took them back. */
#ifndef ENGRAM_HISTORY_REVERTS_H
#define ENGRAM_HISTORY_REVERTS_H

#include "memory/history_past.h"

enum { MAX_BROUGHT = 500 /* commits that a merge brought: one that brought more goes alone */ };

/* A commit is superseded while one that took it back isn't superseded itself, however long the
 * chain of reverts is and on however many branches it was taken back; what a merge brought goes and
 * comes back with it. SUPERSEDES edges, states, and the memories that came of the messages. */
bool history_reverts_follow(struct past_writes *w, struct past *p, struct arena *a, struct err *e);

/* As git_commit.reverts has it: ids with a blank between two, a line feed, a subject; or one of
 * both alone. */
str reverts_text(struct arena *a, str ids, str subject);

/* The ids of such a text: all that stays of it where the commit's words are forgotten. */
str reverts_ids(str text);

#endif
