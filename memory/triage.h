/* Tells chatter from what is worth keeping, in what hooks capture by themselves: thanks, greetings,
 * "let me look at that". It only marks: nothing is dropped by it, and what was asked for is never
 * looked at. By a table of phrases; English. Pure. */
#ifndef ENGRAM_TRIAGE_H
#define ENGRAM_TRIAGE_H

#include "memory/base/str.h"

/* Whether a sentence says nothing beyond politeness or what its speaker is about to do. */
bool triage_is_idle(str sentence);

/* Whether a sentence opens as one about the conversation ("I think", "could you", "here is"): it may
 * say something, but not what stands alone. */
bool triage_is_talk(str sentence);

/* Whether every sentence of a text is idle; an empty text is chatter, too. */
bool triage_is_chatter(str text);

#endif
