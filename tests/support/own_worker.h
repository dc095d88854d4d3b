/* A unit test that is its own worker: started under its name it makes a folder in which it stands
 * under two names, and runs the tests there; whom they start as engram-worker is it again. Included
 * by one unit test each. */
#ifndef ENGRAM_TESTS_OWN_WORKER_H
#define ENGRAM_TESTS_OWN_WORKER_H

#include "memory/base/arena.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int own_worker_wait(const char *program)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, (char *)NULL);
        _exit(1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int own_worker_in_folder(struct arena *a)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length <= 0)
        return 1;
    str path = str_from(self, (size_t)length);
    char *program = arena_cstr(a, path);
    char *folder =
        arena_cstr(a, arena_printf(a, "%.*s.XXXXXX", FMT(path))); /* where hard links reach */
    if (!mkdtemp(folder))
        return 1;
    const char *inner = arena_printf(a, "%s/inner", folder).at;
    const char *fake = arena_printf(a, "%s/engram-worker", folder).at;
    int code = link(program, inner) == 0 && link(program, fake) == 0 ? own_worker_wait(inner) : 1;
    unlink(inner);
    unlink(fake);
    rmdir(folder);
    return code;
}

/* What main returns. */
static int own_worker_main(char **argv, int (*worker)(void), int (*tests)(void))
{
    str name = str_file_name(str_of(argv[0]));
    struct arena a = {0};
    if (str_eq(name, S("engram-worker")))
        return worker();
    int code = str_eq(name, S("inner")) ? tests() : own_worker_in_folder(&a);
    arena_free(&a);
    return code;
}

#endif
