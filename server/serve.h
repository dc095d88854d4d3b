/* `engram serve`: MCP over stdin and stdout until end of file, SIGTERM, SIGINT, SIGHUP, EPIPE or
 * the parent's death. */
#ifndef ENGRAM_SERVE_H
#define ENGRAM_SERVE_H

#include "server/config.h"

enum {
    /* After the end of stdin: calls are started for so long, and those that run may end until then.
     */
    DRAIN_START_MS = 600,
    DRAIN_MS = 900,
    /* After a signal nothing is started; what runs may end. */
    STOP_MS = 400,
    /* A client that fetches nothing for so long after the end won't come back. */
    STALL_MS = 900,
};

/* Returns the exit code. */
int serve(const struct config *config);

#endif
