#include "server/mcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MODERN_META                                                                                \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

enum { MOST = 2048 };

/* A session whose port only takes notes. */
static struct {
    struct arena a;
    struct config config;
    struct mcp *mcp;
    json_t *sent[MOST];
    size_t sent_count, taken;
    struct job *jobs[MOST];
    size_t job_count;
    uint64_t cancelled;
    size_t holds, releases;
    bool has_root;
    char root[256];
    bool offers; /* questions to the client's model */
    size_t offer_count, answer_count;
    struct sampling_answer answer;
} f;

static void note_send(void *ctx, str message)
{
    (void)ctx;
    assert_true(f.sent_count < MOST);
    json_t *value = json_loadb(message.at, message.len, JSON_ALLOW_NUL, NULL);
    assert_non_null(value);
    assert_true(str_find_char(message, '\n', 0) == message.len);
    f.sent[f.sent_count++] = value;
}

static void note_submit(void *ctx, struct job *job)
{
    (void)ctx;
    f.jobs[f.job_count++] = job;
}

static void note_cancel(void *ctx, uint64_t number)
{
    (void)ctx;
    f.cancelled = number;
}

static void note_hold(void *ctx)
{
    (void)ctx;
    f.holds++;
}

static void note_release(void *ctx, const str *root)
{
    (void)ctx;
    f.releases++;
    f.has_root = root != NULL;
    snprintf(f.root, sizeof f.root, "%.*s", root ? (int)root->len : 0, root ? root->at : "");
}

static void note_offer(void *ctx, bool offers)
{
    (void)ctx;
    f.offers = offers;
    f.offer_count++;
}

static void note_sampled(void *ctx, const struct sampling_answer *answer)
{
    (void)ctx;
    heap_free(f.answer.result);
    f.answer = *answer;
    f.answer_count++;
}

static int open_session(void **state)
{
    (void)state;
    memset(&f, 0, sizeof f);
    struct mcp_port port = {NULL,      note_send,    note_submit, note_cancel,
                            note_hold, note_release, note_offer,  note_sampled};
    f.mcp = mcp_open(&f.config, &port);
    return 0;
}

/* Jobs that no test answered are still the port's. */
static int close_session(void **state)
{
    (void)state;
    for (size_t i = 0; i < f.job_count; i++)
        job_free(f.jobs[i]);
    mcp_close(f.mcp);
    for (size_t i = 0; i < f.sent_count; i++)
        json_decref(f.sent[i]);
    heap_free(f.answer.result);
    arena_free(&f.a);
    return 0;
}

static void line(const char *text)
{
    mcp_line(f.mcp, str_of(text));
}

static json_t *next_sent(void)
{
    assert_true(f.taken < f.sent_count);
    return f.sent[f.taken++];
}

static void assert_silent(void)
{
    assert_int_equal(f.taken, f.sent_count);
}

/* The next message must hold this, as far as this goes. */
static bool holds(const json_t *seen, const json_t *wanted)
{
    if (!json_is_object(wanted))
        return json_equal(seen, wanted);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)wanted, key,
                        value) if (!holds(json_object_get(seen, key), value)) return false;
    return true;
}

static json_t *expect(const char *text)
{
    json_t *seen = next_sent(), *wanted = json_loads(text, 0, NULL);
    assert_non_null(wanted);
    if (!holds(seen, wanted)) {
        char *shown = json_dumps(seen, 0);
        fail_msg("seen %s, wanted %s", shown, text);
    }
    json_decref(wanted);
    return seen;
}

static void initialize(const char *version, const char *capabilities)
{
    line(arena_printf(&f.a,
                      "{\"jsonrpc\":\"2.0\",\"id\":\"init\",\"method\":\"initialize\",\"params\":"
                      "{\"protocolVersion\":\"%s\",\"capabilities\":%s,\"clientInfo\":{\"name\":"
                      "\"t\",\"version\":\"1\"}}}",
                      version, capabilities)
             .at);
    expect("{\"id\":\"init\",\"result\":{\"serverInfo\":{\"name\":\"engram\"}}}");
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static struct job *take_job(void)
{
    assert_true(f.job_count > 0);
    struct job *job = f.jobs[0];
    memmove(f.jobs, f.jobs + 1, --f.job_count * sizeof f.jobs[0]);
    return job;
}

static void finish(struct job *job, json_t *result)
{
    job->result = result;
    mcp_done(f.mcp, job);
}

static void finish_badly(struct job *job, enum err_code code, const char *text)
{
    job->failure.code = code;
    snprintf(job->failure.text, sizeof job->failure.text, "%s", text);
    mcp_done(f.mcp, job);
}

static const char *call_recall(const char *id, const char *meta)
{
    return arena_printf(&f.a,
                        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/"
                        "call\",\"params\":{\"name\":\"recall\","
                        "\"arguments\":{\"query\":\"x\"}%s%s}}",
                        id, *meta ? "," : "", meta)
        .at;
}

/* ---- the ways in ---- */

static void every_legacy_version_is_spoken_and_another_is_offered(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
        {"2025-11-25", "2025-11-25"}, {"1999-01-01", "2025-11-25"}, {"2026-07-28", "2025-11-25"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        initialize(pairs[i][0], "{}");
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(f.sent[f.sent_count - 1], "result"),
                                              "protocolVersion")),
            pairs[i][1]);
    }
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}");
    expect("{\"id\":1,\"error\":{\"code\":-32602}}");
}

static void instructions_are_short_and_plain(void **state)
{
    (void)state;
    assert_in_range(strlen(mcp_instructions), 200, MAX_INSTRUCTIONS_BYTES - 1);
    for (const char *c = mcp_instructions; *c; c++)
        assert_true((*c >= ' ' && *c < 0x7f) || *c == '\n');
}

static void before_initialize_only_ping_is_open(void **state)
{
    (void)state;
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    expect("{\"id\":1,\"result\":{}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
    expect("{\"id\":2,\"error\":{\"code\":-32602}}");
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
    line("   ");
    assert_silent();
}

static void both_eras_live_on_one_connection(void **state)
{
    (void)state;
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" MODERN_META
         "}}");
    json_t *discovered = expect(
        "{\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
        "\"cacheScope\":\"public\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
        "{\"name\":\"engram\"}}}}");
    assert_true(json_is_integer(json_object_get(json_object_get(discovered, "result"), "ttlMs")));
    initialize("2025-06-18", "{}");
    line("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
    assert_null(json_object_get(json_object_get(next_sent(), "result"), "resultType"));
    line("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{" MODERN_META "}}");
    expect("{\"id\":3,\"result\":{\"resultType\":\"complete\",\"cacheScope\":\"public\"}}");
}

static void a_modern_claim_must_be_complete(void **state)
{
    (void)state;
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
         "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}");
    expect("{\"id\":1,\"error\":{\"code\":-32602}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{\"_meta\":"
         "{\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\"}}}");
    expect("{\"id\":2,\"error\":{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"],"
           "\"requested\":\"2031-01-01\"}}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"_meta\":"
         "{\"io.modelcontextprotocol/protocolVersion\":5}}}");
    expect("{\"id\":3,\"error\":{\"code\":-32602}}");
}

static void methods_of_the_other_era_are_unknown(void **state)
{
    (void)state;
    static const char *const removed[] = {"initialize", "ping", "logging/setLevel",
                                          "resources/subscribe"};
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++) {
        line(arena_printf(&f.a,
                          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{" MODERN_META
                          "}}",
                          removed[i])
                 .at);
        expect("{\"id\":1,\"error\":{\"code\":-32601}}");
    }
    initialize("2025-11-25", "{}");
    static const char *const unknown[] = {"server/discover", "subscriptions/listen",
                                          "logging/setLevel", "no/such"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        line(arena_printf(&f.a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\"}", unknown[i]).at);
        expect("{\"id\":1,\"error\":{\"code\":-32601}}");
    }
}

/* ---- lists and calls ---- */

static void a_cursor_is_always_unknown(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    static const char *const lists[] = {"tools/list", "resources/list", "resources/templates/list",
                                        "prompts/list"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        line(arena_printf(
                 &f.a,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"cursor\":\"x\"}}",
                 lists[i])
                 .at);
        expect("{\"error\":{\"code\":-32602}}");
        line(arena_printf(&f.a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{}}",
                          lists[i])
                 .at);
        assert_non_null(json_object_get(next_sent(), "result"));
    }
}

static void malformed_calls_are_protocol_errors(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    static const char *const bad[] = {
        "\"tools/call\"",
        "\"tools/call\",\"params\":{\"name\":\"no_such\"}",
        "\"tools/call\",\"params\":{\"name\":\"recall\",\"arguments\":[1]}",
        "\"tools/call\",\"params\":{\"name\":\"recall\",\"arguments\":\"no json\"}",
        "\"resources/read\"",
        "\"prompts/get\",\"params\":{\"name\":\"recall\",\"arguments\":3}",
        "\"completion/complete\",\"params\":{\"ref\":{}}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        line(arena_printf(&f.a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":%s}", bad[i]).at);
        expect("{\"error\":{\"code\":-32602}}");
    }
    assert_int_equal(f.job_count, 0);
}

static void arguments_that_a_tool_does_not_take_are_told_at_once(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"remember\"}}");
    expect("{\"id\":1,\"result\":{\"isError\":true}}");
    line(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"remember\","
        "\"arguments\":{\"text\":{\"bad\":[1]}}}}");
    expect("{\"id\":2,\"result\":{\"isError\":true}}");
    assert_int_equal(f.job_count, 0);
}

static void a_call_is_answered_by_its_job(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    line(call_recall("1", ""));
    line(call_recall("\"2\"", MODERN_META));
    assert_silent();
    struct job *first = take_job(), *second = take_job();
    assert_string_equal(first->tool->name, "recall");
    finish(second, json_pack("{s:b}", "isError", 0));
    expect("{\"id\":\"2\",\"result\":{\"isError\":false,\"resultType\":\"complete\"}}");
    finish(first, json_pack("{s:b}", "isError", 0));
    assert_null(json_object_get(json_object_get(expect("{\"id\":1}"), "result"), "resultType"));
}

static void arguments_may_come_as_text(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"recall\",\"arguments\":"
         "\"{\\\"query\\\":\\\"x\\\"}\"}}");
    assert_true(json_is_object(json_object_get(f.jobs[0]->params, "arguments")));
}

static void failures_are_told_as_each_kind_wants(void **state)
{
    (void)state;
    static const char read[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/"
                               "read\",\"params\":{\"uri\":\"engram://x\"%s}}";
    initialize("2025-11-25", "{}");
    line(call_recall("1", ""));
    finish_badly(take_job(), ERR_INPUT, "limit is 99, at most 50");
    expect("{\"id\":1,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":"
           "\"limit is 99, at most 50\"}]}}");
    line(arena_printf(&f.a, read, "").at);
    finish_badly(take_job(), ERR_NOT_FOUND, "no such resource");
    expect("{\"id\":1,\"error\":{\"code\":-32002,\"data\":{\"uri\":\"engram://x\"}}}");
    line(arena_printf(&f.a, read, "," MODERN_META).at);
    finish_badly(take_job(), ERR_NOT_FOUND, "no such resource");
    expect("{\"id\":1,\"error\":{\"code\":-32602,\"data\":{\"uri\":\"engram://x\"}}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"no\"}}");
    finish_badly(take_job(), ERR_INPUT, "no such prompt");
    expect("{\"error\":{\"code\":-32602}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/"
         "get\",\"params\":{\"name\":\"recall\"}}");
    finish_badly(take_job(), ERR_DB, "damaged");
    expect("{\"error\":{\"code\":-32603}}");
}

static void a_resource_is_private_and_stale_at_once(void **state)
{
    (void)state;
    line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/"
         "read\",\"params\":{\"uri\":\"engram://status\"," MODERN_META "}}");
    finish(take_job(), json_pack("{s:[]}", "contents"));
    expect("{\"id\":1,\"result\":{\"ttlMs\":0,\"cacheScope\":\"private\",\"resultType\":"
           "\"complete\"}}");
}

static void too_many_calls_are_refused_and_ping_is_not(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    for (int i = 0; i < MAX_PENDING; i++)
        line(call_recall("1", ""));
    assert_silent();
    line(call_recall("\"over\"", ""));
    expect("{\"id\":\"over\",\"result\":{\"isError\":true}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
    expect("{\"id\":3}");
}

/* ---- cancelling, progress, sessions ---- */

static void a_cancelled_call_gets_no_answer(void **state)
{
    (void)state;
    initialize("2025-11-25", "{}");
    line(call_recall("1", ""));
    line(call_recall("\"1\"", ""));
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "cancelled\",\"params\":{\"requestId\":\"1\"}}");
    struct job *first = take_job(), *second = take_job();
    assert_int_equal(f.cancelled, second->number);
    finish(second, json_object());
    assert_silent();
    finish(first, json_object());
    expect("{\"id\":1}");
    static const char *const pointless[] = {
        "{\"requestId\":\"no\"}", "{\"requestId\":1}", "{\"requestId\":{}}", "{}", "null", "[]"};
    for (size_t i = 0; i < sizeof pointless / sizeof pointless[0]; i++)
        line(arena_printf(
                 &f.a, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":%s}",
                 pointless[i])
                 .at);
    assert_silent();
}

static void progress_goes_where_a_token_asks_for_it(void **state)
{
    (void)state;
    initialize("2024-11-05", "{}");
    line(call_recall("1", "\"_meta\":{\"progressToken\":7}"));
    line(call_recall("2", "\"_meta\":{\"progressToken\":{}}"));
    struct job *with = take_job(), *without = take_job();
    assert_true(with->wants_progress);
    assert_false(without->wants_progress);
    mcp_progress(f.mcp, with->number, 1, S("a.md"));
    json_t *sent = expect(
        "{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7,\"progress\":1}}");
    assert_null(json_object_get(json_object_get(sent, "params"), "message"));
    mcp_progress(f.mcp, without->number, 1, S("a.md"));
    assert_silent();
    uint64_t number = with->number;
    finish(with, json_object());
    expect("{\"id\":1}");
    mcp_progress(f.mcp, number, 2, S("a.md"));
    assert_silent();
    finish(without, json_object());
    expect("{\"id\":2}");
    initialize("2025-03-26", "{}");
    line(call_recall("3", "\"_meta\":{\"progressToken\":\"t\"}"));
    mcp_progress(f.mcp, f.jobs[0]->number, 1, S("a.md"));
    expect("{\"params\":{\"progressToken\":\"t\",\"message\":\"reading a.md, 1 s\"}}");
}

static void the_session_comes_from_meta_else_from_the_environment(void **state)
{
    (void)state;
    f.config.copilot_session = S("copilot");
    initialize("2025-11-25", "{}");
    line(call_recall("1", ""));
    f.config.claude_session = S("claude");
    line(call_recall("2", "\"_meta\":{\"threadId\":5}"));
    line(call_recall("3", "\"_meta\":{\"sessionId\":\"s\",\"threadId\":\"t\"}"));
    line(call_recall("4", "\"_meta\":{\"conversationId\":\"c\"}"));
    static const char *const wanted[] = {"copilot", "claude", "t", "c"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        assert_true(str_eq(f.jobs[i]->session, str_of(wanted[i])));
}

/* ---- batches ---- */

static void a_batch_is_answered_when_its_last_part_is(void **state)
{
    (void)state;
    initialize("2025-03-26", "{}");
    line("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":"
         "\"notifications/x\"},"
         "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"recall\",\"arguments\":{\"query\":\"x\"}}},"
         "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"recall\"}},7,"
         "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
         "\"2025-11-25\"}}]");
    assert_silent();
    struct job *first = take_job(), *second = take_job();
    finish(second, json_object());
    assert_silent();
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "cancelled\",\"params\":{\"requestId\":2}}");
    assert_int_equal(json_array_size(next_sent()),
                     4); /* ping, the number, initialize, the call that went on */
    finish(first, json_object());
    assert_silent();
}

static void a_batch_without_requests_is_not_answered(void **state)
{
    (void)state;
    initialize("2025-03-26", "{}");
    line("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]");
    assert_silent();
}

static void other_batches_are_refused(void **state)
{
    (void)state;
    line("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]");
    expect("{\"error\":{\"code\":-32600}}");
    initialize("2025-11-25", "{}");
    line("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]");
    expect("{\"error\":{\"code\":-32600}}");
    initialize("2025-03-26", "{}");
    line("[]");
    expect("{\"error\":{\"code\":-32600}}");
}

/* ---- roots ---- */

static void answer_roots(unsigned number, const char *answer)
{
    line(arena_printf(&f.a, "{\"jsonrpc\":\"2.0\",\"id\":\"engram-roots-%u\",%s}", number, answer)
             .at);
}

static void the_first_file_root_is_the_place(void **state)
{
    (void)state;
    initialize("2025-11-25", "{\"roots\":{}}");
    expect("{\"id\":\"engram-roots-1\",\"method\":\"roots/list\"}");
    assert_int_equal(f.holds, 1);
    answer_roots(9, "\"result\":{\"roots\":[{\"uri\":\"file:///wrong\"}]}");
    assert_int_equal(f.releases, 0);
    answer_roots(1, "\"result\":{\"roots\":[{\"uri\":\"https://x\"},7,{\"uri\":\"file:///"
                    "a%20b\"},{\"uri\":\"file:///c\"}]}");
    assert_string_equal(f.root, "/a b");
    answer_roots(1, "\"result\":{\"roots\":[{\"uri\":\"file:///late\"}]}");
    assert_int_equal(f.releases, 1);
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    assert_silent(); /* asked once */
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
    expect("{\"id\":\"engram-roots-2\"}");
    answer_roots(2, "\"error\":{\"code\":-32601,\"message\":\"no\"}");
    assert_int_equal(f.releases, 2);
    assert_false(f.has_root);
}

static void nothing_waits_for_roots_behind_the_last_line(void **state)
{
    (void)state;
    initialize("2025-11-25", "{\"roots\":{}}");
    expect("{\"method\":\"roots/list\"}");
    mcp_end(f.mcp);
    assert_int_equal(f.releases, 1);
    assert_false(f.has_root);
}

static void an_empty_list_of_roots_is_no_place(void **state)
{
    (void)state;
    initialize("2025-11-25", "{\"roots\":{\"listChanged\":true}}");
    expect("{\"method\":\"roots/list\"}");
    answer_roots(1, "\"result\":{\"roots\":[]}");
    assert_true(f.has_root);
    assert_string_equal(f.root, "");
}

static void roots_are_asked_for_only_where_they_count(void **state)
{
    (void)state;
    initialize("2025-11-25", "{\"sampling\":{}}");
    assert_silent();
    f.config.project = S("/p");
    initialize("2025-11-25", "{\"roots\":{}}");
    assert_silent();
    assert_int_equal(f.holds, 0);
}

/* ---- the client's model ---- */

static const char INITIALIZED[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

static void assert_taken_back(uint64_t number)
{
    assert_int_equal(f.answer_count, 1);
    assert_int_equal(f.answer.number, number);
    assert_int_equal(f.answer.why.code, ERR_CANCELLED);
}

static void questions_are_offered_by_who_declared_it_and_is_ready(void **state)
{
    (void)state;
    static const char *const without[] = {"{}", "{\"sampling\":true}", "{\"sampling\":[]}",
                                          "{\"elicitation\":{}}"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        initialize("2025-11-25", without[i]);
        line(INITIALIZED);
        assert_int_equal(f.offer_count, 0);
    }
    mcp_sample(f.mcp, 1, S("{}"));
    assert_silent();
    assert_taken_back(1);
    static const char *const versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        line(arena_printf(&f.a,
                          "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                          "\"protocolVersion\":\"%s\",\"capabilities\":{\"sampling\":{}}}}",
                          versions[i])
                 .at);
        expect("{\"id\":0}");
        assert_false(f.offers);
        line(INITIALIZED);
        assert_true(f.offers);
        line(INITIALIZED);
        assert_int_equal(f.offer_count, 2 * i + 1);
    }
}

static void a_newer_revision_takes_questions_back(void **state)
{
    (void)state;
    initialize("2025-11-25", "{\"sampling\":{}}");
    line(INITIALIZED);
    mcp_sample(f.mcp, 4, S("{\"maxTokens\":9}"));
    expect("{\"id\":\"engram-sampling-4\",\"method\":\"sampling/createMessage\",\"params\":{"
           "\"maxTokens\":9}}");
    line("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\",\"params\":{" MODERN_META "}}");
    expect("{\"method\":\"notifications/"
           "cancelled\",\"params\":{\"requestId\":\"engram-sampling-4\"}}");
    assert_false(f.offers);
    assert_taken_back(4);
    expect("{\"id\":8}");
    line(INITIALIZED);
    assert_false(f.offers);
}

static void answer_question(const char *rest)
{
    line(arena_printf(&f.a, "{\"jsonrpc\":\"2.0\",\"id\":\"engram-sampling-2\"%s}", rest).at);
}

static void an_answer_is_handed_on_once(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *result;
        enum err_code code;
    } rows[] = {
        {",\"result\":{\"model\":\"m\"}", "{\"model\":\"m\"}", ERR_NONE},
        {",\"result\":[1]", "[1]", ERR_NONE},
        {",\"result\":null", "null", ERR_NONE},
        {",\"error\":7", "", ERR_NONE},
        {",\"error\":{\"code\":-1,\"message\":\"no\"}", "", ERR_CONFLICT},
        {",\"error\":{\"code\":-32601}", "", ERR_CONFLICT},
        {",\"error\":{\"code\":-32603,\"message\":[]}", "", ERR_NET},
        {",\"error\":{}", "", ERR_NET},
    };
    initialize("2025-11-25", "{\"sampling\":{}}");
    line(INITIALIZED);
    answer_question(rows[0].rest); /* to nothing */
    assert_int_equal(f.answer_count, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mcp_sample(f.mcp, 2, S("{}"));
        expect("{\"id\":\"engram-sampling-2\"}");
        line("{\"jsonrpc\":\"2.0\",\"id\":\"engram-sampling-1\",\"result\":{}}");
        assert_int_equal(f.answer_count, i);
        answer_question(rows[i].rest);
        answer_question(rows[i].rest);
        assert_int_equal(f.answer_count, i + 1);
        assert_int_equal(f.answer.number, 2);
        assert_int_equal(f.answer.why.code, rows[i].code);
        assert_true(str_eq(str_of(f.answer.result), str_of(rows[i].result)));
    }
    assert_silent();
}

static void a_question_that_was_taken_back_is_over(void **state)
{
    (void)state;
    initialize("2025-11-25", "{\"sampling\":{}}");
    line(INITIALIZED);
    mcp_sample(f.mcp, 2, S("{}"));
    expect("{\"id\":\"engram-sampling-2\"}");
    mcp_unsample(f.mcp, 1, S("another"));
    assert_silent();
    mcp_unsample(f.mcp, 2, S("too late"));
    expect("{\"method\":\"notifications/cancelled\",\"params\":{\"reason\":\"too late\"}}");
    answer_question(",\"result\":{}");
    assert_int_equal(f.answer_count, 0);
    mcp_sample(f.mcp, 2, S("{}"));
    expect("{\"id\":\"engram-sampling-2\"}");
    mcp_end(f.mcp);
    expect("{\"method\":\"notifications/cancelled\"}");
    assert_false(f.offers);
    assert_taken_back(2);
}

/* ---- subscriptions ---- */

static void a_subscription_is_acknowledged_and_ends(void **state)
{
    (void)state;
    static const char listen[] =
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"subscriptions/listen\",\"params\":{"
        "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"a:b\"]}"
        "," MODERN_META "}}";
    line(arena_printf(&f.a, listen, "\"L\"").at);
    json_t *sent =
        expect("{\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":"
               "{\"io.modelcontextprotocol/subscriptionId\":\"L\"}}}");
    json_t *honoured = json_object_get(json_object_get(sent, "params"), "notifications");
    assert_int_equal(json_object_size(honoured), 1);
    line(arena_printf(&f.a, listen, "8").at);
    expect("{\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":8}}}");
    line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "cancelled\",\"params\":{\"requestId\":\"L\"}}");
    assert_silent();
    mcp_end(f.mcp);
    expect("{\"id\":8,\"result\":{\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/"
           "subscriptionId\":8}}}");
    assert_silent();
}

static void subscriptions_are_bounded(void **state)
{
    (void)state;
    static const char listen[] =
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"subscriptions/listen\",\"params\":{"
        "\"notifications\":{}," MODERN_META "}}";
    for (int i = 0; i < MAX_SUBSCRIPTIONS; i++) {
        line(arena_printf(&f.a, listen, i).at);
        expect("{\"method\":\"notifications/subscriptions/acknowledged\"}");
    }
    line(arena_printf(&f.a, listen, MAX_SUBSCRIPTIONS).at);
    expect("{\"error\":{\"code\":-32602}}");
}

#define SESSION_TEST(name) cmocka_unit_test_setup_teardown(name, open_session, close_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SESSION_TEST(every_legacy_version_is_spoken_and_another_is_offered),
        SESSION_TEST(instructions_are_short_and_plain),
        SESSION_TEST(before_initialize_only_ping_is_open),
        SESSION_TEST(both_eras_live_on_one_connection),
        SESSION_TEST(a_modern_claim_must_be_complete),
        SESSION_TEST(methods_of_the_other_era_are_unknown),
        SESSION_TEST(a_cursor_is_always_unknown),
        SESSION_TEST(malformed_calls_are_protocol_errors),
        SESSION_TEST(arguments_that_a_tool_does_not_take_are_told_at_once),
        SESSION_TEST(a_call_is_answered_by_its_job),
        SESSION_TEST(arguments_may_come_as_text),
        SESSION_TEST(failures_are_told_as_each_kind_wants),
        SESSION_TEST(a_resource_is_private_and_stale_at_once),
        SESSION_TEST(too_many_calls_are_refused_and_ping_is_not),
        SESSION_TEST(a_cancelled_call_gets_no_answer),
        SESSION_TEST(progress_goes_where_a_token_asks_for_it),
        SESSION_TEST(the_session_comes_from_meta_else_from_the_environment),
        SESSION_TEST(a_batch_is_answered_when_its_last_part_is),
        SESSION_TEST(a_batch_without_requests_is_not_answered),
        SESSION_TEST(other_batches_are_refused),
        SESSION_TEST(the_first_file_root_is_the_place),
        SESSION_TEST(nothing_waits_for_roots_behind_the_last_line),
        SESSION_TEST(an_empty_list_of_roots_is_no_place),
        SESSION_TEST(roots_are_asked_for_only_where_they_count),
        SESSION_TEST(questions_are_offered_by_who_declared_it_and_is_ready),
        SESSION_TEST(a_newer_revision_takes_questions_back),
        SESSION_TEST(an_answer_is_handed_on_once),
        SESSION_TEST(a_question_that_was_taken_back_is_over),
        SESSION_TEST(a_subscription_is_acknowledged_and_ends),
        SESSION_TEST(subscriptions_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
