/* What somebody who comes to a project should be told first: what was pinned, what is open, what
 * was decided last and how the last session ended. */
#ifndef ENGRAM_BRIEF_H
#define ENGRAM_BRIEF_H

#include "memory/store.h"

enum {
    MAX_BRIEF_PINNED = 10,
    MAX_BRIEF_QUESTIONS = 5,
    MAX_BRIEF_DECISIONS = 5,
    MAX_BRIEF_EPISODES = 1,
    MAX_BRIEF = MAX_BRIEF_PINNED + MAX_BRIEF_QUESTIONS + MAX_BRIEF_DECISIONS + MAX_BRIEF_EPISODES
};

/* Current memories that were pinned, or that have this kind; the newest first. Captured chatter is
 * left out. */
bool store_newest_pinned(struct store *s, int64_t *out, size_t most, size_t *count, struct err *e);
bool store_newest_of_kind(struct store *s, enum memory_kind kind, int64_t *out, size_t most,
                          size_t *count, struct err *e);

#endif
