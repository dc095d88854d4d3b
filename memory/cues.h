/* What a query asks for and what a text tells, seen at a glance: a time, a number, oneself. By
 * short lists of English words; a text in another language simply has no cues. Pure. */
#ifndef ENGRAM_CUES_H
#define ENGRAM_CUES_H

#include "memory/base/str.h"

enum cue { CUE_TIME = 1, CUE_NUMBER = 2, CUE_SELF = 4, CUE_ALL = 7 }; /* bits */

/* CUE_TIME: it asks when, how long, in which year; CUE_NUMBER: how many, how much. */
unsigned cues_asked(str query);

/* CUE_TIME: "yesterday", "last week", "in May 2023", "two days ago"; CUE_NUMBER: digits or a small
 * number in words; CUE_SELF: the speaker speaks of "I" or "we". */
unsigned cues_told(str text);

#endif
