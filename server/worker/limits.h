/* What confines a process that reads untrusted bytes, set by itself before it reads any. */
#ifndef ENGRAM_WORKER_LIMITS_H
#define ENGRAM_WORKER_LIMITS_H

#include <stdbool.h>

enum {
    MAX_ADDRESS_SPACE_MIB = 512,
    MAX_JOB_CPU_SECONDS =
        120, /* behind the parent's deadline, for the case that there is no parent left */
    MAX_SOURCE_CPU_SECONDS = 5, /* of one source file */
    MAX_DESCRIPTORS = 64,
    NICENESS = 5,
};

/* Memory, core dumps, descriptors; no new privileges, no dump, no life after the parent thread's.
 * Low priority. */
bool limits_set(void);

/* Allows so much from now on; SIGXCPU ends the process behind it. */
void limits_grant_cpu(unsigned seconds);

#endif
