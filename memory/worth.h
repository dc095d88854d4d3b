/* Which sentences of a conversation are worth keeping when nobody said "remember": decisions,
 * preferences, who somebody is, and facts that give a reason, a cause or a rule. By a table of
 * phrases; English; deterministic. A sentence that isn't recognised is left out: a transcript's
 * chatter would bury what matters. Pure. */
#ifndef ENGRAM_WORTH_H
#define ENGRAM_WORTH_H

#include "memory/facts.h"

enum {
    MIN_WORTH_WORDS = 4,
    MAX_WORTH_BYTES = 600, /* a longer "sentence" is a log, a table or a listing */
    MAX_WORTH_OF_TURN = 12 /* sentences; the first ones */
};

/* What somebody wrote to be read, without what is none: fenced code, quoted lines, tables and the
 * blocks that agents put into a message by themselves (<system-reminder>, ...). */
str worth_prose(struct arena *a, str text);

/* by_user: a person said it, so that "always use tabs" is a preference; from an assistant it is
 * not. false: nothing worth keeping. */
bool worth_keeping(str sentence, bool by_user, enum memory_kind *kind);

#endif
