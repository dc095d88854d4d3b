/* An attached document between two of its steps: what the caller lends may be gone by then. */
#include "tools/tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/document_prepare.h"
#include "tests/support/memory_world.h"

enum { PASSAGES = 1000 }; /* more than are prepared ahead */

static bool is_gone;

static bool lend(void *ctx, str wanted, struct memory **memory, struct project_ref *ref,
                 struct err *e)
{
    (void)ctx;
    (void)wanted;
    if (is_gone) {
        *e = (struct err){.code = ERR_NOT_FOUND};
        return false;
    }
    *memory = m;
    *ref = (struct project_ref){S("id"), S("name"), S("/root")};
    return true;
}

static int set_up(void **state)
{
    (void)state;
    is_gone = false;
    make_directory();
    open_memory_with((struct memory_options){0});
    return 0;
}

static struct facts facts_in(struct arena *a)
{
    struct facts facts = {.nodes = ARENA_ARRAY(a, struct fact_node, PASSAGES),
                          .node_count = PASSAGES,
                          .title = S("Manual"),
                          .media_type = S("text/markdown")};
    for (int i = 0; i < PASSAGES; i++)
        facts.nodes[i] = (struct fact_node){
            .kind = NODE_PASSAGE,
            .key = arena_printf(a, "key%d", i),
            .name = arena_printf(a, "Part %d", i),
            .heading = arena_printf(a, "Manual > Part %d", i),
            .body = arena_printf(a, "Call `reset_counter_%d` before the Redis cache is read.", i)};
    return facts;
}

static struct parse_order *ordered(const struct tool *tool, struct request *r)
{
    struct tool_reply reply = {0};
    struct err e = {0};
    json_t *args = json_pack("{s:s,s:s}", "content", "# Manual", "name", "manual.md");
    bool ok = tool->call(r, args, &reply, &e);
    json_decref(args);
    if (!ok)
        fail_msg("%s", e.text);
    assert_non_null(reply.order);
    return reply.order;
}

/* As the server and the command line do behind the last resume. */
static void free_order(struct parse_order *order)
{
    struct arena *own = order->arena;
    close(order->fd);
    arena_free(own);
    heap_free(own);
}

struct attaching {
    struct services services;
    struct request r;
    struct arena parsed;
    struct facts facts;
    struct parse_order *order;
};

static void begin(struct attaching *x, const struct tool *tool)
{
    *x = (struct attaching){.services = {.project = lend},
                            .r = {.arena = &arena, .now_ms = 1, .origin = ORIGIN_AGENT}};
    x->r.services = &x->services;
    x->facts = facts_in(&x->parsed);
    x->order = ordered(tool, &x->r);
}

static void end(struct attaching *x)
{
    free_order(x->order);
    arena_free(&x->parsed);
}

static void a_project_that_goes_between_two_steps_leaves_no_thread_behind(void **state)
{
    (void)state;
    const struct tool *tool = tool_find(S("attach_document"));
    struct attaching x;
    begin(&x, tool);
    struct tool_reply reply = {.again = true};
    struct err e = {0};
    while (!preparing_threads()) {
        reply = (struct tool_reply){0};
        assert_true(tool->resume(&x.r, x.order, &x.facts, NULL, &reply, &e));
        assert_true(reply.again);
    }
    is_gone = true;
    reply = (struct tool_reply){0};
    assert_false(tool->resume(&x.r, x.order, &x.facts, NULL, &reply, &e));
    assert_int_equal(e.code, ERR_NOT_FOUND);
    end(&x);
    assert_int_equal(preparing_threads(), 0); /* whoever ends it waits for it */
}

/* Behind so many steps it is taken back, and then its project goes. false: it was taken out in one
 * step already. */
static bool goes_while_taken_out(const struct tool *tool, int steps, struct err *e)
{
    struct attaching x;
    begin(&x, tool);
    struct tool_reply reply = {0};
    struct err taken_back = {.code = ERR_CANCELLED};
    for (int i = 0; i < steps; i++) {
        reply = (struct tool_reply){0};
        assert_true(tool->resume(&x.r, x.order, &x.facts, NULL, &reply, e));
        assert_true(reply.again);
    }
    reply = (struct tool_reply){0};
    bool goes_on = tool->resume(&x.r, x.order, NULL, &taken_back, &reply, e);
    is_gone = true;
    reply = (struct tool_reply){0};
    if (goes_on)
        assert_false(tool->resume(&x.r, x.order, NULL, &taken_back, &reply, e));
    is_gone = false;
    end(&x);
    return goes_on;
}

static void one_that_is_taken_back_says_why_though_its_project_goes(void **state)
{
    (void)state;
    enum { CLEANED = 50, MORE = 5 };
    const struct tool *tool = tool_find(S("attach_document"));
    struct err e = {0};
    for (int steps = CLEANED; !goes_while_taken_out(tool, steps, &e); steps += MORE)
        e = (struct err){0};
    assert_int_equal(e.code, ERR_CANCELLED);
}

/* Some passages only: their stages share transactions. Gives the status that the reply says. */
static const char *attach(const struct tool *tool, int most_steps, struct err *e)
{
    struct attaching x;
    begin(&x, tool);
    x.facts.node_count = 5;
    struct tool_reply reply = {.again = true};
    struct err taken_back = {.code = ERR_CANCELLED};
    bool ok = true;
    for (int i = 0; ok && reply.again; i++) {
        bool goes_on = i < most_steps;
        reply = (struct tool_reply){0};
        ok = tool->resume(&x.r, x.order, goes_on ? &x.facts : NULL, goes_on ? NULL : &taken_back,
                          &reply, e);
    }
    const char *status = "";
    if (ok)
        status = arena_cstr(&arena,
                            str_of(json_string_value(json_object_get(reply.structured, "status"))));
    json_decref(reply.structured);
    end(&x);
    return status;
}

static void one_that_is_taken_back_behind_any_step_can_be_attached_again(void **state)
{
    (void)state;
    enum { ALL = 1000 };
    const struct tool *tool = tool_find(S("attach_document"));
    const char *status = "";
    int steps = 1;
    for (; steps < ALL && !*status; steps++) {
        struct err e = {0};
        status = attach(tool, steps, &e);
        if (!*status)
            assert_int_equal(e.code, ERR_CANCELLED);
    }
    assert_true(steps > 3);
    assert_string_equal(status, "attached");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROMISE(a_project_that_goes_between_two_steps_leaves_no_thread_behind),
        PROMISE(one_that_is_taken_back_says_why_though_its_project_goes),
        PROMISE(one_that_is_taken_back_behind_any_step_can_be_attached_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
