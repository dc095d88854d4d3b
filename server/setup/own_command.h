/* Runs another program to its end within a deadline: an agent's own command without input, and a
 * server with all that it is asked. */
#ifndef ENGRAM_SETUP_OWN_COMMAND_H
#define ENGRAM_SETUP_OWN_COMMAND_H

#include "memory/base/arena.h"
#include "memory/base/err.h"

enum { OWN_COMMAND_DEADLINE_MS = 30 * 1000, MAX_OWN_OUTPUT_BYTES = 64 * 1024 };

/* `program` is a path, words[0] what it is called; words end in NULL. ERR_IO says how it failed and
 * ends in the last line that it printed. */
bool own_command_run(struct arena *a, str program, const char *const *words, struct err *e);

enum { ASK_DEADLINE_MS = 5 * 1000, MAX_ASK_BYTES = 4096 };

/* *said: what it printed on standard output when it was given `input` and then its end; what it
 * prints elsewhere is lost. Its exit code doesn't count. ERR_IO where it can't be started or
 * doesn't end. */
bool own_command_ask(struct arena *a, str program, const char *const *words, str input, str *said,
                     struct err *e);

#endif
