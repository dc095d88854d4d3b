/* A folder that a test makes and fills, in memory where the system has such a place. Included by
 * one unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_SCRATCH_H
#define ENGRAM_TESTS_SCRATCH_H

#include "memory/base/arena.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* base/root is what is looked at; what must not be seen stands beside it. */
static char base[64];
static struct arena arena;

/* A path in base/root. */
static const char *at(const char *name)
{
    return arena_printf(&arena, "%s/root/%s", base, name).at;
}

/* The shell in base/root; the first failure ends it and the test. */
static void sh(const char *script)
{
    str line = arena_printf(&arena, "cd %s/root && set -e\n%s", base, script);
    if (system(line.at) != 0)
        fail_msg("failed: %s", script);
}

/* libgit2 drops what PCRE2 gives it at each opening of a repository with extensions. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpcre2-8.so";
}

static int scratch_make(void **state)
{
    (void)state;
    bool in_memory = access("/dev/shm", W_OK | X_OK) == 0; /* many files take no time there */
    snprintf(base, sizeof base, "%s/engram-test-XXXXXX", in_memory ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(base));
    assert_int_equal(mkdir(at(""), 0700), 0);
    return 0;
}

static int scratch_remove(void **state)
{
    (void)state;
    if (system(arena_printf(&arena, "rm -rf %s", base).at) != 0)
        return -1;
    arena_free(&arena);
    return 0;
}

/* git as on any machine: nobody's settings, a fixed name. */
static inline void scratch_set_up_git(void)
{
    static const char *const settings[][2] = {
        {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"},
        {"GIT_AUTHOR_NAME", "Ann"},         {"GIT_AUTHOR_EMAIL", "ann@example.org"},
        {"GIT_COMMITTER_NAME", "Ann"},      {"GIT_COMMITTER_EMAIL", "ann@example.org"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
}

#define SCRATCH_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

#endif
