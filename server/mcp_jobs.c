#include "server/mcp_session.h"

/* ---- jobs ---- */

str mcp_heap_str(str s)
{
    char *copy = heap_alloc(s.len + 1, 1);
    memcpy(copy, s.at, s.len);
    return (str){copy, s.len};
}

static json_t *progress_token(const json_t *params)
{
    json_t *token = mcp_meta_of(params, "progressToken");
    return json_is_string(token) || json_is_integer(token) ? json_incref(token) : NULL;
}

static struct pending *add_pending(struct mcp *m, const struct call *c, enum job_kind kind)
{
    HEAP_GROW(m->pending, m->pending_count, m->pending_capacity);
    struct pending *p = &m->pending[m->pending_count++];
    *p = (struct pending){.number = ++m->last_number,
                          .kind = kind,
                          .id = mcp_heap_str(c->id),
                          .version = c->version,
                          .batch = c->batch,
                          .token = progress_token(c->params),
                          .bytes = c->bytes};
    m->pending_bytes += c->bytes;
    if (c->batch)
        c->batch->waiting++;
    return p;
}

void mcp_drop_pending(struct mcp *m, struct pending *p)
{
    struct batch *batch = p->batch;
    m->pending_bytes -= p->bytes;
    heap_free((char *)p->id.at);
    heap_free(p->uri);
    json_decref(p->token);
    size_t behind = (size_t)(m->pending + m->pending_count - (p + 1));
    memmove(p, p + 1, behind * sizeof *p);
    m->pending_count--;
    if (batch) {
        batch->waiting--;
        mcp_send_batch_when_complete(m, batch);
    }
}

static bool has_room(const struct mcp *m, const struct call *c)
{
    return m->pending_count < MAX_PENDING && m->pending_bytes + c->bytes <= MAX_PENDING_BYTES;
}

static void submit(struct mcp *m, const struct call *c, enum job_kind kind, const struct tool *tool)
{
    static const char busy[] = "too many calls wait already: wait for answers before you send more";
    if (!has_room(m, c) && kind == JOB_CALL_TOOL) {
        mcp_answer(m, c, job_tool_error(str_of(busy)));
        return;
    }
    if (!has_room(m, c)) {
        mcp_refuse(m, c, CODE_INTERNAL, NULL, "%s", busy);
        return;
    }
    struct pending *p = add_pending(m, c, kind);
    if (kind == JOB_READ_RESOURCE)
        p->uri = (char *)mcp_heap_str(mcp_text_of(mcp_param(c, "uri"))).at;
    struct job *job = job_new(kind, p->number, c->params, mcp_session_hint(m, c->params));
    job->tool = tool;
    job->wants_progress = p->token != NULL;
    job->bytes = c->bytes;
    m->port.submit(m->port.ctx, job);
}

/* Some clients send an object as its JSON text. */
static void unwrap_arguments(json_t *params)
{
    str text = mcp_text_of(json_object_get(params, "arguments"));
    json_t *object = text.len ? json_loadb(text.at, text.len, JSON_ALLOW_NUL, NULL) : NULL;
    if (json_is_object(object))
        json_object_set(params, "arguments", object);
    json_decref(object);
}

static str tool_names(struct mcp *m)
{
    str names = S("");
    for (size_t i = 0; i < tool_count; i++)
        names = arena_printf(&m->scratch, "%.*s%s%s", FMT(names), i ? ", " : "", tools[i].name);
    return names;
}

/* Absent and null count as none. */
static bool has_object_or_nothing(const struct call *c, const char *key)
{
    json_t *value = mcp_param(c, key);
    bool nothing = !value || json_is_null(value);
    if (nothing)
        json_object_del(c->params, key);
    return nothing || json_is_object(value);
}

/* false when they are not what the tool takes; then the model is told. */
static bool put_arguments_right(struct mcp *m, const struct call *c, const struct tool *tool)
{
    json_t *checked = NULL;
    struct err e = {0};
    bool ok = tool_check_arguments(tool, mcp_param(c, "arguments"), &checked, &e);
    if (ok)
        json_object_set_new(c->params, "arguments", checked);
    else
        mcp_answer(m, c, job_tool_error(str_of(e.text)));
    return ok;
}

void on_tools_call(struct mcp *m, const struct call *c)
{
    str name = mcp_text_of(mcp_param(c, "name"));
    const struct tool *tool = tool_find(name);
    if (!tool) {
        str shown = mcp_quoted(m, name), names = tool_names(m);
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "unknown tool \"%.*s\"; there are: %.*s",
                   FMT(shown), FMT(names));
        return;
    }
    unwrap_arguments(c->params);
    if (!has_object_or_nothing(c, "arguments"))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "arguments must be an object");
    else if (put_arguments_right(m, c, tool))
        submit(m, c, JOB_CALL_TOOL, tool);
}

void on_resources_read(struct mcp *m, const struct call *c)
{
    if (!json_is_string(mcp_param(c, "uri")))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "resources/read needs params.uri, a string");
    else
        submit(m, c, JOB_READ_RESOURCE, NULL);
}

void on_prompts_get(struct mcp *m, const struct call *c)
{
    if (!json_is_string(mcp_param(c, "name")))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "prompts/get needs params.name, a string");
    else if (!has_object_or_nothing(c, "arguments"))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "arguments must be an object");
    else
        submit(m, c, JOB_GET_PROMPT, NULL);
}

void on_complete(struct mcp *m, const struct call *c)
{
    json_t *argument = mcp_param(c, "argument");
    if (!json_is_object(mcp_param(c, "ref")) ||
        !json_is_string(json_object_get(argument, "name")) ||
        !json_is_string(json_object_get(argument, "value")))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL,
                   "completion/complete needs params.ref, an object, and params.argument {name, "
                   "value}, strings");
    else
        submit(m, c, JOB_COMPLETE, NULL);
}

static struct pending *find_pending(struct mcp *m, uint64_t number)
{
    for (size_t i = 0; i < m->pending_count; i++)
        if (m->pending[i].number == number)
            return &m->pending[i];
    return NULL;
}

static void answer_failed_read(struct mcp *m, const struct call *c, const struct pending *p,
                               const struct err *e)
{
    bool unknown = e->code == ERR_NOT_FOUND;
    int code = unknown && c->version != modern   ? CODE_RESOURCE_NOT_FOUND
               : unknown || e->code == ERR_INPUT ? CODE_INVALID_PARAMS
                                                 : CODE_INTERNAL;
    mcp_answer_error(m, c, code, json_pack("{s:s}", "uri", p->uri), str_of(e->text));
}

static void answer_failure(struct mcp *m, const struct call *c, const struct pending *p,
                           struct err *e)
{
    fail(e, ERR_IO, "no answer: an internal error"); /* where nobody gave a reason */
    bool callers_fault = e->code == ERR_INPUT || e->code == ERR_NOT_FOUND;
    if (p->kind == JOB_CALL_TOOL)
        mcp_answer(m, c, job_tool_error(str_of(e->text)));
    else if (p->kind == JOB_READ_RESOURCE)
        answer_failed_read(m, c, p, e);
    else
        mcp_answer_error(m, c, callers_fault ? CODE_INVALID_PARAMS : CODE_INTERNAL, NULL,
                         str_of(e->text));
}

void mcp_done(struct mcp *m, struct job *job)
{
    struct pending *p = find_pending(m, job->number);
    if (p) {
        struct call c = {.id = p->id, .version = p->version, .batch = p->batch};
        if (!job->result)
            answer_failure(m, &c, p, &job->failure);
        else if (p->kind == JOB_READ_RESOURCE)
            mcp_answer_cacheable(m, &c, json_incref(job->result), 0, CACHE_PRIVATE);
        else
            mcp_answer(m, &c, json_incref(job->result));
        mcp_drop_pending(m, p);
    }
    job_free(job);
}

void mcp_progress(struct mcp *m, uint64_t number, int64_t seconds, str what)
{
    struct pending *p = find_pending(m, number);
    if (!p || !p->token)
        return;
    json_t *params =
        json_pack("{s:O, s:I}", "progressToken", p->token, "progress", (json_int_t)seconds);
    if (p->version >= V_2025_03_26) {
        str shown = mcp_quoted(m, what);
        str text =
            arena_printf(&m->scratch, "reading %.*s, %lld s", FMT(shown), (long long)seconds);
        json_object_set_new(params, "message", json_stringn(text.at, text.len));
    }
    struct buf out = {0};
    jsonrpc_notification(&out, "notifications/progress", params);
    json_decref(params);
    mcp_send(m, &out);
    arena_free(&m->scratch);
}
