/* `engram-worker background DIRECTORY`: does for one project what no call waits for. Nobody's
 * child; one for a project; lives as long as a server has the project open. Works in short
 * transactions, so that servers never wait long for the write lock, and being killed costs a batch
 * at most. */
#ifndef ENGRAM_WORKER_BACKGROUND_H
#define ENGRAM_WORKER_BACKGROUND_H

enum {
    IDLE_MS = 2000, /* between two looks for work */
    BACKGROUND_NICENESS =
        10, /* of what computes; what commits isn't nice: servers wait for its lock */
    BACKGROUND_WRITE_MS = 500, /* for the write lock */
};

/* Elects, and leaves a process behind that works. Returns in the starter at once: WORKER_DONE where
 * one runs now, WORKER_SETUP where there is nothing to do with these settings and files. */
int worker_background(char **operands);

#endif
