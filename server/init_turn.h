/* One `engram init` of a project at a time: two that read the same documents and decisions would
 * take them out of each other's hands, and each would miss what the other has. */
#ifndef ENGRAM_INIT_TURN_H
#define ENGRAM_INIT_TURN_H

#include "memory/base/err.h"
#include "memory/base/str.h"

#include <stdint.h>

enum { MAX_INIT_WAIT_MS = 10 * 60 * 1000 }; /* a terminal may have stopped who has the turn */

/* Waits until it is our turn, and says on stderr for which process where that isn't at once. The
 * turn ends with init_turn_end or with the process. -1 with *e; ERR_BUSY after wait_ms. */
int init_turn_take(str directory, int64_t wait_ms, struct err *e);

void init_turn_end(int turn); /* -1 is fine */

#endif
