/* One `engram init` of a project at a time: two that read the same documents and decisions would
 * take them out of each other's hands, and each would miss what the other has. */
#ifndef ENGRAM_INIT_TURN_H
#define ENGRAM_INIT_TURN_H

#include "memory/base/err.h"
#include "memory/base/str.h"

/* Waits until it is our turn, and says on stderr where that isn't at once. The turn ends with
 * init_turn_end or with the process. -1 with *e. */
int init_turn_take(str directory, struct err *e);

void init_turn_end(int turn); /* -1 is fine */

#endif
