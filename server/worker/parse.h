/* `engram-worker parse`: reads untrusted bytes for its parent, confined, one job after the other.
 * Opens no file, database or network. */
#ifndef ENGRAM_WORKER_PARSE_H
#define ENGRAM_WORKER_PARSE_H

/* Serves jobs from WORKER_SOCKET until the parent hangs up. Returns the exit code
 * (server/parse_wire.h). */
int worker_parse(char **operands);

#endif
