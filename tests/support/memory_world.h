/* A memory for a test: a folder of its own and a clock that passes by itself. Included by one unit
 * test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_MEMORY_WORLD_H
#define ENGRAM_TESTS_MEMORY_WORLD_H

#include "memory/memory_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t clock_ms;
static char directory[64];
static struct memory *m;
static struct arena arena;

static int64_t tick(void *ctx)
{
    (void)ctx;
    return ++clock_ms;
}

static void pass(void *ctx, int64_t ms)
{
    (void)ctx;
    clock_ms += ms;
}

/* Opens the memory of the folder, anew where it is open, with this folder and clock beside the
 * options. */
static void open_memory_with(struct memory_options options)
{
    struct err e = {0};
    options.directory = str_of(directory);
    options.monotonic_ms = tick;
    options.sleep_ms = pass;
    memory_close(m);
    m = NULL;
    if (!memory_open(&options, &m, &e))
        fail_msg("%s", e.text);
}

/* A folder for an empty memory that isn't open yet; for a test's set-up. */
static void make_directory(void)
{
    snprintf(directory, sizeof directory, "/tmp/engram-memory-XXXXXX");
    assert_non_null(mkdtemp(directory));
    m = NULL;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    memory_close(m);
    arena_free(&arena);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

static inline void forget(int64_t id)
{
    struct err e = {0};
    str ids[] = {node_id_format(&arena, NODE_MEMORY, id)};
    struct forget_input in = {.from = {.now_ms = 5}, .ids = ids, .id_count = 1};
    struct forget_result out;
    if (!memory_forget(m, &arena, &in, &out, &e))
        fail_msg("%s", e.text);
}

#define PROMISE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
