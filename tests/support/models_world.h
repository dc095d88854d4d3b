/* A memory with models for a test: a folder of its own, a clock that the test moves, and the calls
 * that every such test makes. Included by one unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_MODELS_WORLD_H
#define ENGRAM_TESTS_MODELS_WORLD_H

#include "memory/memory_state.h"
#include "tests/support/fake_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NOW_MS = 1000000 };

static int64_t clock_ms;
static char directory[64];
static struct memory *m;
static struct models models;
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

/* Opens the memory, anew where it is open, with `models` as they are. */
static void open_memory(void)
{
    struct err e = {0};
    struct memory_options options = {.directory = str_of(directory),
                                     .monotonic_ms = tick,
                                     .sleep_ms = pass,
                                     .ppr = true,
                                     .neighbours = true,
                                     .ranker = true,
                                     .models = &models};
    memory_close(m);
    m = NULL;
    if (!memory_open(&options, &m, &e))
        fail_msg("%s", e.text);
}

/* An empty memory that may ask these; for a test's set-up. */
static int set_up_with(struct models some)
{
    snprintf(directory, sizeof directory, "/tmp/engram-models-XXXXXX");
    fake = (struct fake){0};
    models = some;
    clock_ms = NOW_MS;
    m = NULL;
    if (!mkdtemp(directory))
        return -1;
    open_memory();
    return 0;
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

static int64_t put_text(const char *text)
{
    struct remember_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = NOW_MS},
                                .text = str_of(text)};
    struct remember_result out;
    struct err e = {0};
    if (!memory_remember(m, &arena, &in, &out, &e))
        fail_msg("%s: %s", text, e.text);
    return out.id;
}

static size_t size_of(void *ctx, const struct item *item)
{
    (void)ctx;
    return item->text.len / 4;
}

/* Recall, and what its models are asked meanwhile. */
static struct recall_result recall_asking(struct recall_input in)
{
    struct recall_result out;
    struct err e = {0};
    in.models = model_query_new(&arena);
    for (;;) {
        if (!memory_recall(m, &arena, &in, size_of, NULL, &out, &e))
            fail_msg("%s", e.text);
        if (!out.waits)
            return out;
        model_query_ask(in.models, &fake_transport, model_query_budget_ms(in.models));
    }
}

#define PROMISE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
