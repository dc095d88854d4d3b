#include "server/worker/limits.h"

#include "server/parse_wire.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Never more than the hard limit that we were given. */
static bool limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return false;
    rlim_t bound = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? most : now.rlim_max;
    return setrlimit(resource, &(struct rlimit){bound, bound}) == 0;
}

bool limits_set(void)
{
    bool ok = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
              prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && limit(RLIMIT_CORE, 0) &&
              limit(RLIMIT_NOFILE, MAX_DESCRIPTORS);
    if (!UNDER_SANITIZER)
        ok = ok && prctl(PR_SET_DUMPABLE, 0) == 0 &&
             limit(RLIMIT_AS, (rlim_t)MAX_ADDRESS_SPACE_MIB << 20);
    int niceness = nice(NICENESS); /* without it a worker is only less polite */
    (void)niceness;
    return ok;
}

void limits_grant_cpu(unsigned seconds)
{
    struct rusage used;
    struct rlimit cpu;
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &cpu) != 0)
        return;
    rlim_t until = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + seconds;
    cpu.rlim_cur = cpu.rlim_max == RLIM_INFINITY || until < cpu.rlim_max ? until : cpu.rlim_max;
    setrlimit(RLIMIT_CPU, &cpu);
}
