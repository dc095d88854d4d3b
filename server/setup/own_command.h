/* Runs an agent's own command to its end: no input, a deadline, and what it said when it failed. */
#ifndef ENGRAM_SETUP_OWN_COMMAND_H
#define ENGRAM_SETUP_OWN_COMMAND_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum { OWN_COMMAND_DEADLINE_MS = 30 * 1000, MAX_OWN_OUTPUT_BYTES = 64 * 1024 };

/* `program` is a path, words[0] what it is called; words end in NULL. ERR_IO says how it failed and
 * ends in the last line that it printed. */
bool own_command_run(struct arena *a, str program, const char *const *words, struct err *e);

#endif
