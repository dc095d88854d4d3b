#include "server/mcp.h"

#include "memory/base/unicode.h"
#include "server/place.h"
#include "tools/resources.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_SERVER "io.modelcontextprotocol/serverInfo"
#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

enum {
    CODE_BAD_VERSION = -32022,        /* 2026-07-28 */
    CODE_RESOURCE_NOT_FOUND = -32002, /* before it; since then CODE_INVALID_PARAMS */
    LISTS_TTL_MS = 60 * 60 * 1000,    /* our lists change with the program only */
    QUOTED_BYTES = 80,                /* of the client's own text in an error */
};

/* The order is that of time. */
enum version { NOT_YET, V_2024_11_05, V_2025_03_26, V_2025_06_18, V_2025_11_25, V_2026_07_28 };

static const char *const version_names[] = {"",           "2024-11-05", "2025-03-26",
                                            "2025-06-18", "2025-11-25", "2026-07-28"};
static const enum version newest_legacy = V_2025_11_25, modern = V_2026_07_28;

/* Answers to one array of messages, sent together as an array. */
struct batch {
    struct buf out;
    size_t waiting; /* jobs whose answer belongs in it */
};

/* A request in our hands: where its answer goes and in which form. */
struct call {
    str id; /* as JSON text */
    enum version version;
    struct batch *batch; /* NULL: alone */
    json_t *params;      /* NULL where there are none */
    size_t bytes;        /* of its line */
};

/* A request that became a job. */
struct pending {
    uint64_t number;
    enum job_kind kind;
    str id; /* heap */
    enum version version;
    struct batch *batch;
    json_t *token; /* for progress; NULL: none wanted */
    size_t bytes;
    char *uri; /* of a resource; NULL for other kinds */
};

struct mcp {
    const struct config *config;
    struct mcp_port port;
    struct arena scratch; /* of one line */

    enum version version; /* that initialize agreed on */
    bool has_roots;       /* declared by the client */
    bool roots_asked;
    uint64_t roots_number; /* of the last roots/list; only its answer counts */
    bool roots_open;       /* it was not answered yet */

    struct pending *pending;
    size_t pending_count, pending_capacity, pending_bytes;
    uint64_t last_number;

    str subscriptions[MAX_SUBSCRIPTIONS]; /* ids as JSON text; heap */
    size_t subscription_count;

    json_t *tools, *resources, *templates, *prompts; /* the lists, made when first asked for */
};

/* ---- sending ---- */

static void send_buf(struct mcp *m, struct buf *out)
{
    m->port.send(m->port.ctx, buf_str(out));
    buf_free(out);
}

static void send_batch_when_complete(struct mcp *m, struct batch *b)
{
    if (b->waiting)
        return;
    if (b->out.len) {
        buf_add_char(&b->out, ']');
        m->port.send(m->port.ctx, buf_str(&b->out));
    }
    buf_free(&b->out);
    heap_free(b);
}

/* Frees `message`. */
static void deliver(struct mcp *m, struct batch *b, struct buf *message)
{
    if (!b) {
        send_buf(m, message);
        return;
    }
    buf_add_char(&b->out, b->out.len ? ',' : '[');
    buf_add(&b->out, buf_str(message));
    buf_free(message);
}

static void answer_error(struct mcp *m, const struct call *c, int code, json_t *data, str text)
{
    struct buf out = {0};
    jsonrpc_error(&out, c->id, code, text, data);
    json_decref(data);
    deliver(m, c->batch, &out);
}

/* data may be NULL and is taken. */
static void refuse(struct mcp *m, const struct call *c, int code, json_t *data, const char *format,
                   ...) __attribute__((format(printf, 5, 6)));

static void refuse(struct mcp *m, const struct call *c, int code, json_t *data, const char *format,
                   ...)
{
    va_list args;
    va_start(args, format);
    str text = arena_vprintf(&m->scratch, format, args);
    va_end(args);
    answer_error(m, c, code, data, text);
}

/* What the client sent, as it may stand in an error that a model reads. */
static str quoted(struct mcp *m, str text)
{
    return unicode_visible(&m->scratch, utf8_prefix(text, QUOTED_BYTES));
}

static json_t *server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "engram", "title", "engram: project memory",
                     "version", ENGRAM_VERSION);
}

/* What 2026-07-28 wants in every result. */
static void make_modern(json_t *result)
{
    json_object_set_new(result, "resultType", json_string("complete"));
    json_t *meta = json_object_get(result, "_meta");
    if (!meta) {
        meta = json_object();
        json_object_set_new(result, "_meta", meta);
    }
    json_object_set_new(meta, META_SERVER, server_info());
}

/* Takes result. */
static void answer(struct mcp *m, const struct call *c, json_t *result)
{
    if (c->version == modern)
        make_modern(result);
    struct buf out = {0};
    jsonrpc_result(&out, c->id, result);
    json_decref(result);
    deliver(m, c->batch, &out);
}

enum cache { CACHE_PUBLIC, CACHE_PRIVATE };

/* Takes result. */
static void answer_cacheable(struct mcp *m, const struct call *c, json_t *result, int ttl_ms,
                             enum cache scope)
{
    if (c->version == modern) {
        json_object_set_new(result, "ttlMs", json_integer(ttl_ms));
        json_object_set_new(result, "cacheScope",
                            json_string(scope == CACHE_PUBLIC ? "public" : "private"));
    }
    answer(m, c, result);
}

/* ---- looking into params ---- */

static json_t *param(const struct call *c, const char *key)
{
    return json_object_get(c->params, key);
}

static json_t *meta_of(const json_t *params, const char *key)
{
    return json_object_get(json_object_get(params, "_meta"), key);
}

static str text_of(const json_t *value)
{
    return json_is_string(value) ? (str){json_string_value(value), json_string_length(value)}
                                 : S("");
}

/* Who is talking, for memories of one conversation: the client's thread or session, else its
 * environment's. */
static str session_hint(const struct mcp *m, const json_t *params)
{
    static const char *const keys[] = {"threadId", "sessionId", "session_id", "conversationId"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        str hint = text_of(meta_of(params, keys[i]));
        if (hint.len)
            return utf8_prefix(hint, MAX_SESSION_BYTES);
    }
    str hint =
        m->config->claude_session.len ? m->config->claude_session : m->config->copilot_session;
    return utf8_prefix(hint, MAX_SESSION_BYTES);
}

/* ---- the opening, both ways ---- */

static json_t *capabilities(void)
{
    return json_pack("{s:{}, s:{}, s:{}, s:{}}", "tools", "resources", "prompts", "completions");
}

static enum version agreed_version(str wanted)
{
    for (enum version v = V_2024_11_05; v <= newest_legacy; v++)
        if (str_eq(wanted, str_of(version_names[v])))
            return v;
    return newest_legacy;
}

static void on_initialize(struct mcp *m, const struct call *c)
{
    json_t *wanted = param(c, "protocolVersion");
    if (c->batch) {
        refuse(m, c, CODE_INVALID_REQUEST, NULL, "initialize must not be part of a batch");
        return;
    }
    if (!json_is_string(wanted)) {
        refuse(m, c, CODE_INVALID_PARAMS, NULL,
               "initialize needs params.protocolVersion, such as \"%s\"",
               version_names[newest_legacy]);
        return;
    }
    m->version = agreed_version(text_of(wanted));
    m->has_roots = json_is_object(json_object_get(param(c, "capabilities"), "roots"));
    m->roots_asked = false;
    answer(m, c,
           json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", version_names[m->version],
                     "capabilities", capabilities(), "serverInfo", server_info(), "instructions",
                     mcp_instructions));
}

static void on_discover(struct mcp *m, const struct call *c)
{
    json_t *result = json_pack("{s:[s], s:o, s:s}", "supportedVersions", version_names[modern],
                               "capabilities", capabilities(), "instructions", mcp_instructions);
    answer_cacheable(m, c, result, LISTS_TTL_MS, CACHE_PUBLIC);
}

static void on_ping(struct mcp *m, const struct call *c)
{
    answer(m, c, json_object());
}

/* ---- lists ---- */

static json_t *tool_definitions(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tool_count; i++)
        json_array_append_new(list, json_loads(tools[i].json, 0, NULL));
    return list;
}

/* All of it fits one page, so every cursor is unknown. */
static void answer_list(struct mcp *m, const struct call *c, const char *key, json_t **list,
                        json_t *(*make)(void))
{
    json_t *cursor = param(c, "cursor");
    if (cursor && !json_is_null(cursor)) {
        refuse(m, c, CODE_INVALID_PARAMS, NULL,
               "unknown cursor: the list has one page, leave cursor out");
        return;
    }
    if (!*list)
        *list = make();
    answer_cacheable(m, c, json_pack("{s:O}", key, *list), LISTS_TTL_MS, CACHE_PUBLIC);
}

static void on_tools_list(struct mcp *m, const struct call *c)
{
    answer_list(m, c, "tools", &m->tools, tool_definitions);
}

static void on_resources_list(struct mcp *m, const struct call *c)
{
    answer_list(m, c, "resources", &m->resources, resources_list);
}

static void on_templates_list(struct mcp *m, const struct call *c)
{
    answer_list(m, c, "resourceTemplates", &m->templates, resource_templates_list);
}

static void on_prompts_list(struct mcp *m, const struct call *c)
{
    answer_list(m, c, "prompts", &m->prompts, prompts_list);
}

/* ---- jobs ---- */

static str heap_str(str s)
{
    char *copy = heap_alloc(s.len + 1, 1);
    memcpy(copy, s.at, s.len);
    return (str){copy, s.len};
}

static json_t *progress_token(const json_t *params)
{
    json_t *token = meta_of(params, "progressToken");
    return json_is_string(token) || json_is_integer(token) ? json_incref(token) : NULL;
}

static struct pending *add_pending(struct mcp *m, const struct call *c, enum job_kind kind)
{
    HEAP_GROW(m->pending, m->pending_count, m->pending_capacity);
    struct pending *p = &m->pending[m->pending_count++];
    *p = (struct pending){.number = ++m->last_number,
                          .kind = kind,
                          .id = heap_str(c->id),
                          .version = c->version,
                          .batch = c->batch,
                          .token = progress_token(c->params),
                          .bytes = c->bytes};
    m->pending_bytes += c->bytes;
    if (c->batch)
        c->batch->waiting++;
    return p;
}

/* Forgets the request, after its answer or instead of one. */
static void drop_pending(struct mcp *m, struct pending *p)
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
        send_batch_when_complete(m, batch);
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
        answer(m, c, job_tool_error(str_of(busy)));
        return;
    }
    if (!has_room(m, c)) {
        refuse(m, c, CODE_INTERNAL, NULL, "%s", busy);
        return;
    }
    struct pending *p = add_pending(m, c, kind);
    if (kind == JOB_READ_RESOURCE)
        p->uri = (char *)heap_str(text_of(param(c, "uri"))).at;
    struct job *job = job_new(kind, p->number, c->params, session_hint(m, c->params));
    job->tool = tool;
    job->wants_progress = p->token != NULL;
    job->bytes = c->bytes;
    m->port.submit(m->port.ctx, job);
}

/* Some clients send an object as its JSON text. */
static void unwrap_arguments(json_t *params)
{
    str text = text_of(json_object_get(params, "arguments"));
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
    json_t *value = param(c, key);
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
    bool ok = tool_check_arguments(tool, param(c, "arguments"), &checked, &e);
    if (ok)
        json_object_set_new(c->params, "arguments", checked);
    else
        answer(m, c, job_tool_error(str_of(e.text)));
    return ok;
}

static void on_tools_call(struct mcp *m, const struct call *c)
{
    str name = text_of(param(c, "name"));
    const struct tool *tool = tool_find(name);
    if (!tool) {
        str shown = quoted(m, name), names = tool_names(m);
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "unknown tool \"%.*s\"; there are: %.*s",
               FMT(shown), FMT(names));
        return;
    }
    unwrap_arguments(c->params);
    if (!has_object_or_nothing(c, "arguments"))
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "arguments must be an object");
    else if (put_arguments_right(m, c, tool))
        submit(m, c, JOB_CALL_TOOL, tool);
}

static void on_resources_read(struct mcp *m, const struct call *c)
{
    if (!json_is_string(param(c, "uri")))
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "resources/read needs params.uri, a string");
    else
        submit(m, c, JOB_READ_RESOURCE, NULL);
}

static void on_prompts_get(struct mcp *m, const struct call *c)
{
    if (!json_is_string(param(c, "name")))
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "prompts/get needs params.name, a string");
    else if (!has_object_or_nothing(c, "arguments"))
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "arguments must be an object");
    else
        submit(m, c, JOB_GET_PROMPT, NULL);
}

static void on_complete(struct mcp *m, const struct call *c)
{
    json_t *argument = param(c, "argument");
    if (!json_is_object(param(c, "ref")) || !json_is_string(json_object_get(argument, "name")) ||
        !json_is_string(json_object_get(argument, "value")))
        refuse(m, c, CODE_INVALID_PARAMS, NULL,
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
    answer_error(m, c, code, json_pack("{s:s}", "uri", p->uri), str_of(e->text));
}

static void answer_failure(struct mcp *m, const struct call *c, const struct pending *p,
                           struct err *e)
{
    fail(e, ERR_IO, "no answer: an internal error"); /* where nobody gave a reason */
    bool callers_fault = e->code == ERR_INPUT || e->code == ERR_NOT_FOUND;
    if (p->kind == JOB_CALL_TOOL)
        answer(m, c, job_tool_error(str_of(e->text)));
    else if (p->kind == JOB_READ_RESOURCE)
        answer_failed_read(m, c, p, e);
    else
        answer_error(m, c, callers_fault ? CODE_INVALID_PARAMS : CODE_INTERNAL, NULL,
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
            answer_cacheable(m, &c, json_incref(job->result), 0, CACHE_PRIVATE);
        else
            answer(m, &c, json_incref(job->result));
        drop_pending(m, p);
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
        str shown = quoted(m, what);
        str text =
            arena_printf(&m->scratch, "reading %.*s, %lld s", FMT(shown), (long long)seconds);
        json_object_set_new(params, "message", json_stringn(text.at, text.len));
    }
    struct buf out = {0};
    jsonrpc_notification(&out, "notifications/progress", params);
    json_decref(params);
    send_buf(m, &out);
    arena_free(&m->scratch);
}

/* ---- subscriptions: our lists never change while we run, so that acknowledging is all there is to
 * do ---- */

static size_t find_subscription(const struct mcp *m, str id)
{
    size_t i = 0;
    while (i < m->subscription_count && !str_eq(m->subscriptions[i], id))
        i++;
    return i;
}

static void drop_subscription(struct mcp *m, size_t i)
{
    heap_free((char *)m->subscriptions[i].at);
    m->subscriptions[i] = m->subscriptions[--m->subscription_count];
}

/* {META_SUBSCRIPTION: id} */
static json_t *subscription_meta(str id)
{
    return json_pack("{s:o}", META_SUBSCRIPTION,
                     json_loadb(id.at, id.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL));
}

/* Of what was asked for, what we honour. */
static json_t *honoured(const json_t *wanted)
{
    static const char *const kinds[] = {"toolsListChanged", "promptsListChanged",
                                        "resourcesListChanged"};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (json_is_true(json_object_get(wanted, kinds[i])))
            json_object_set_new(out, kinds[i], json_true());
    return out;
}

static void on_listen(struct mcp *m, const struct call *c)
{
    json_t *wanted = param(c, "notifications");
    if (!json_is_object(wanted)) {
        refuse(m, c, CODE_INVALID_PARAMS, NULL,
               "subscriptions/listen needs params.notifications, an object");
        return;
    }
    bool known = find_subscription(m, c->id) < m->subscription_count;
    if (!known && m->subscription_count == MAX_SUBSCRIPTIONS) {
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "at most %d subscriptions at once",
               MAX_SUBSCRIPTIONS);
        return;
    }
    if (!known)
        m->subscriptions[m->subscription_count++] = heap_str(c->id);
    json_t *params = json_pack("{s:o, s:o}", "_meta", subscription_meta(c->id), "notifications",
                               honoured(wanted));
    struct buf out = {0};
    jsonrpc_notification(&out, "notifications/subscriptions/acknowledged", params);
    json_decref(params);
    send_buf(m, &out);
}

static void end_subscriptions(struct mcp *m)
{
    while (m->subscription_count) {
        struct call c = {.id = m->subscriptions[0], .version = modern};
        answer(m, &c, json_pack("{s:o}", "_meta", subscription_meta(c.id)));
        drop_subscription(m, 0);
    }
}

/* ---- roots: where the client works ---- */

static str roots_id(struct mcp *m)
{
    return arena_printf(&m->scratch, "\"engram-roots-%llu\"", (unsigned long long)m->roots_number);
}

/* An explicit project outranks roots, so that nobody has to wait for them. */
static void ask_roots(struct mcp *m)
{
    if (!m->has_roots || m->config->project.len)
        return;
    m->roots_asked = m->roots_open = true;
    m->roots_number++;
    struct buf out = {0};
    jsonrpc_request(&out, roots_id(m), "roots/list");
    send_buf(m, &out);
    m->port.hold(m->port.ctx);
}

static str first_file_root(struct mcp *m, const json_t *roots)
{
    size_t i;
    json_t *root;
    str path;
    json_array_foreach(
        roots, i, root) if (place_from_file_uri(&m->scratch, text_of(json_object_get(root, "uri")),
                                                &path)) return path;
    return S("");
}

static void on_response(struct mcp *m, const struct message *message)
{
    if (!m->roots_open || !str_eq(message->id, roots_id(m)))
        return;
    m->roots_open = false;
    json_t *roots = json_object_get(message->result, "roots");
    str root = json_is_array(roots) ? first_file_root(m, roots) : S("");
    m->port.release(m->port.ctx, json_is_array(roots) ? &root : NULL);
}

void mcp_end(struct mcp *m)
{
    end_subscriptions(m);
    if (m->roots_open)
        m->port.release(m->port.ctx, NULL);
    m->roots_open = false;
}

/* ---- notifications ---- */

static void on_initialized(struct mcp *m, json_t *params)
{
    (void)params;
    if (m->version != NOT_YET && !m->roots_asked)
        ask_roots(m);
}

static void on_roots_changed(struct mcp *m, json_t *params)
{
    (void)params;
    if (m->version != NOT_YET)
        ask_roots(m);
}

/* Unknown, late and malformed ones are ignored. */
static void on_cancelled(struct mcp *m, json_t *params)
{
    str id = jsonrpc_id(&m->scratch, json_object_get(params, "requestId"));
    for (size_t i = m->pending_count; id.len && i-- > 0;)
        if (str_eq(m->pending[i].id, id)) {
            m->port.cancel(m->port.ctx, m->pending[i].number);
            drop_pending(m, &m->pending[i]);
        }
    size_t subscription = find_subscription(m, id);
    if (subscription < m->subscription_count)
        drop_subscription(m, subscription);
}

static const struct notice {
    const char *method;
    void (*handle)(struct mcp *m, json_t *params);
} notices[] = {
    {"notifications/initialized", on_initialized},
    {"notifications/cancelled", on_cancelled},
    {"notifications/roots/list_changed", on_roots_changed},
};

static void handle_notification(struct mcp *m, const struct message *message)
{
    for (size_t i = 0; i < sizeof(notices) / sizeof(notices[0]); i++)
        if (str_eq(message->method, str_of(notices[i].method)))
            notices[i].handle(m, message->params);
}

/* ---- requests ---- */

enum era { LEGACY = 1, MODERN = 2, BOTH = LEGACY | MODERN };

static const struct method {
    const char *name;
    enum era eras;
    void (*handle)(struct mcp *m, const struct call *c);
} methods[] = {
    {"initialize", LEGACY, on_initialize},
    {"ping", LEGACY, on_ping},
    {"server/discover", MODERN, on_discover},
    {"tools/list", BOTH, on_tools_list},
    {"tools/call", BOTH, on_tools_call},
    {"resources/list", BOTH, on_resources_list},
    {"resources/templates/list", BOTH, on_templates_list},
    {"resources/read", BOTH, on_resources_read},
    {"prompts/list", BOTH, on_prompts_list},
    {"prompts/get", BOTH, on_prompts_get},
    {"completion/complete", BOTH, on_complete},
    {"subscriptions/listen", MODERN, on_listen},
};

static void dispatch(struct mcp *m, const struct call *c, str name)
{
    enum era era = c->version == modern ? MODERN : LEGACY;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if ((methods[i].eras & era) && str_eq(name, str_of(methods[i].name))) {
            methods[i].handle(m, c);
            return;
        }
    str shown = quoted(m, name);
    refuse(m, c, CODE_NO_METHOD, NULL, "unknown method \"%.*s\"%s", FMT(shown),
           era == MODERN ? " in 2026-07-28" : "");
}

/* false when the claim is not one that can be served; then it is answered. */
static bool accept_claim(struct mcp *m, const struct call *c, const json_t *claim)
{
    str version = text_of(claim), shown = quoted(m, version);
    if (!json_is_string(claim))
        refuse(m, c, CODE_INVALID_PARAMS, NULL, "_meta[\"" META_VERSION "\"] must be a string");
    else if (!str_eq(version, str_of(version_names[modern])))
        refuse(m, c, CODE_BAD_VERSION,
               json_pack("{s:[s], s:O}", "supported", version_names[modern], "requested", claim),
               "unsupported protocol version \"%.*s\"", FMT(shown));
    else if (!json_is_object(meta_of(c->params, META_CAPABILITIES)))
        refuse(m, c, CODE_INVALID_PARAMS, NULL,
               "_meta[\"" META_CAPABILITIES "\"] is missing: an object is due");
    else
        return true;
    return false;
}

static bool is_open_to_all(str method)
{
    return str_eq(method, S("ping")) || str_eq(method, S("initialize"));
}

static void handle_request(struct mcp *m, struct call *c, str method)
{
    json_t *claim = meta_of(c->params, META_VERSION);
    c->version = claim ? modern : m->version;
    if (claim && !accept_claim(m, c, claim))
        return;
    if (!claim && m->version == NOT_YET && !is_open_to_all(method))
        refuse(m, c, CODE_INVALID_PARAMS, NULL,
               "there are two ways in: send initialize first (2024-11-05 to 2025-11-25), or give "
               "every request "
               "params._meta[\"" META_VERSION
               "\"] = \"2026-07-28\" and params._meta[\"" META_CAPABILITIES "\"]");
    else
        dispatch(m, c, method);
}

/* ---- messages ---- */

static void handle_message(struct mcp *m, struct message *message, struct batch *batch,
                           size_t bytes)
{
    struct call c = {.id = message->id, .batch = batch, .params = message->params, .bytes = bytes};
    switch (message->kind) {
    case MESSAGE_REQUEST:
        handle_request(m, &c, message->method);
        break;
    case MESSAGE_NOTIFICATION:
        handle_notification(m, message);
        break;
    case MESSAGE_RESPONSE:
        on_response(m, message);
        break;
    case MESSAGE_BATCH:
    case MESSAGE_BAD:
        answer_error(m, &c, message->code, NULL, str_of(message->text));
        break;
    case MESSAGE_NONE:
        break;
    }
}

/* NULL where the array may be handled as one. */
static const char *batch_fault(const struct mcp *m, const json_t *array)
{
    if (m->version != V_2025_03_26)
        return "batches exist in 2025-03-26 only: send one message a line";
    if (json_array_size(array) == 0)
        return "an empty batch asks for nothing";
    if (json_array_size(array) > MAX_BATCH)
        return "at most 1000 messages in one batch";
    return NULL;
}

static void handle_batch(struct mcp *m, json_t *array, size_t bytes)
{
    const char *fault = batch_fault(m, array);
    if (fault) {
        answer_error(m, &(struct call){0}, CODE_INVALID_REQUEST, NULL, str_of(fault));
        return;
    }
    struct batch *batch = heap_alloc(1, sizeof *batch);
    batch->waiting = 1; /* the array itself, until it is read to its end */
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        struct message message;
        message_read(&m->scratch, value, &message);
        handle_message(m, &message, batch, bytes / json_array_size(array));
    }
    batch->waiting--;
    send_batch_when_complete(m, batch);
}

void mcp_line(struct mcp *m, str line)
{
    line = str_trim(line);
    if (!line.len)
        return;
    struct message message;
    message_parse(&m->scratch, line, &message);
    if (message.kind == MESSAGE_BATCH)
        handle_batch(m, message.root, line.len);
    else
        handle_message(m, &message, NULL, line.len);
    json_decref(message.root);
    arena_free(&m->scratch);
}

void mcp_overlong(struct mcp *m, const struct envelope *v)
{
    struct message message;
    message_overlong(&m->scratch, v, &message);
    handle_message(m, &message, NULL, 0);
    arena_free(&m->scratch);
}

/* ---- life ---- */

struct mcp *mcp_open(const struct config *config, const struct mcp_port *port)
{
    struct mcp *m = heap_alloc(1, sizeof *m);
    m->config = config;
    m->port = *port;
    return m;
}

static void send_nowhere(void *ctx, str message)
{
    (void)ctx;
    (void)message;
}

void mcp_close(struct mcp *m)
{
    m->port.send = send_nowhere;
    while (m->subscription_count)
        drop_subscription(m, 0);
    while (m->pending_count)
        drop_pending(m, &m->pending[m->pending_count - 1]);
    heap_free(m->pending);
    json_decref(m->tools);
    json_decref(m->resources);
    json_decref(m->templates);
    json_decref(m->prompts);
    heap_free(m);
}
