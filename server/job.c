#include "server/job.h"

#include "memory/base/unicode.h"
#include "tools/resources.h"

struct job *job_new(enum job_kind kind, uint64_t number, json_t *params, str session)
{
    struct job *job = heap_alloc(1, sizeof *job);
    job->kind = kind;
    job->number = number;
    job->params = json_incref(params);
    job->session = arena_str(&job->arena, session);
    job->models = model_query_new(&job->arena);
    return job;
}

void job_free(struct job *job)
{
    json_decref(job->params);
    json_decref(job->result);
    arena_free(&job->arena);
    heap_free(job);
}

/* ---- results of tools ---- */

/* {content: [{type: text, text}]} */
static json_t *text_result(str text)
{
    struct arena a = {0};
    text = utf8_repair(&a, text);
    json_t *block =
        json_pack("{s:s, s:o}", "type", "text", "text", json_stringn(text.at, text.len));
    arena_free(&a);
    return json_pack("{s:[o]}", "content", block);
}

/* An error may quote what came in or was stored: it is made visible here, once for all of them. */
json_t *job_tool_error(str text)
{
    struct arena a = {0};
    json_t *result = text_result(unicode_visible(&a, text));
    arena_free(&a);
    json_object_set_new(result, "isError", json_true());
    return result;
}

/* Takes reply's structured value. */
static json_t *tool_result(const struct tool_reply *reply)
{
    json_t *result = text_result(reply->text);
    if (reply->structured)
        json_object_set_new(result, "structuredContent", reply->structured);
    json_object_set_new(result, "isError", json_false());
    return result;
}

static void answer_tool(struct job *job, bool ok, const struct tool_reply *reply)
{
    if (ok)
        job->result = tool_result(reply);
    else
        json_decref(reply->structured);
}

/* ---- kinds ---- */

static struct parse_order *call_tool(struct job *job, struct request *r)
{
    struct tool_reply reply = {0};
    const json_t *arguments = json_object_get(job->params, "arguments");
    bool ok = job->tool->call(r, arguments, &reply, &job->failure);
    if (ok && reply.order)
        return reply.order;
    if (!ok || !reply.waits)
        answer_tool(job, ok, &reply);
    return NULL;
}

static str text_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return (str){json_string_value(value) ? json_string_value(value) : "",
                 json_string_length(value)};
}

static void read_resource(struct job *job, struct request *r)
{
    resource_read(r, text_of(job->params, "uri"), &job->result, &job->failure);
}

static void get_prompt(struct job *job, struct request *r)
{
    prompt_get(r, text_of(job->params, "name"), json_object_get(job->params, "arguments"),
               &job->result, &job->failure);
}

static void complete_argument(struct job *job, struct request *r)
{
    const json_t *argument = json_object_get(job->params, "argument");
    complete(r, json_object_get(job->params, "ref"), text_of(argument, "name"),
             text_of(argument, "value"), &job->result, &job->failure);
}

struct parse_order *job_run(struct job *job, struct request *r)
{
    switch (job->kind) {
    case JOB_CALL_TOOL:
        return call_tool(job, r);
    case JOB_READ_RESOURCE:
        read_resource(job, r);
        break;
    case JOB_GET_PROMPT:
        get_prompt(job, r);
        break;
    case JOB_COMPLETE:
        complete_argument(job, r);
        break;
    }
    return NULL;
}

bool job_waits(const struct job *job)
{
    return !job->result && job->failure.code == ERR_NONE && model_query_waits(job->models);
}

bool job_resume(struct job *job, struct request *r, struct parse_order *order,
                const struct facts *facts, const struct err *parse_error)
{
    struct tool_reply reply = {0};
    bool ok = job->tool->resume(r, order, facts, parse_error, &reply, &job->failure);
    if (ok && reply.again)
        return false;
    answer_tool(job, ok, &reply);
    return true;
}

void job_pend(struct job *job, struct request *r, struct parse_order *order)
{
    struct tool_reply reply = {0};
    bool ok = job->tool->pend(r, order, &reply, &job->failure);
    answer_tool(job, ok, &reply);
}
