/* The HTTP helper: the only process of ours that talks to the network, and only when it is asked to
 * over descriptor 3. It opens no file of the user's and no database. */
#ifndef ENGRAM_WORKER_HTTP_H
#define ENGRAM_WORKER_HTTP_H

/* Answers one request after the other until its parent hangs up; the exit code. */
int worker_http(char **operands);

#endif
