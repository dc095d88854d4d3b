/* A memory with models for a test, and the calls that every such test makes. Included by one unit
 * test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_MODELS_WORLD_H
#define ENGRAM_TESTS_MODELS_WORLD_H

#include "tests/support/fake_models.h"
#include "tests/support/memory_world.h"

enum { NOW_MS = 1000000 };

static struct models models;

/* Opens the memory, anew where it is open, with `models` as they are. */
static void open_memory(void)
{
    open_memory_with((struct memory_options){
        .ppr = true, .neighbours = true, .ranker = true, .models = &models});
}

/* An empty memory that may ask these; for a test's set-up. */
static int set_up_with(struct models some)
{
    fake = (struct fake){0};
    models = some;
    clock_ms = NOW_MS;
    make_directory();
    open_memory();
    return 0;
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

#endif
