#include "server/mcp_session.h"

#include "server/place.h"
#include "tools/resources.h"

/* ---- the opening, both ways ---- */

static json_t *capabilities(void)
{
    return json_pack("{s:{}, s:{}, s:{}, s:{}}", "tools", "resources", "prompts", "completions");
}

static enum version agreed_version(str wanted)
{
    for (enum version v = V_2024_11_05; v <= newest_legacy; v++)
        if (str_eq(wanted, str_of(mcp_version_names[v])))
            return v;
    return newest_legacy;
}

static void on_initialize(struct mcp *m, const struct call *c)
{
    json_t *wanted = mcp_param(c, "protocolVersion");
    if (c->batch) {
        mcp_refuse(m, c, CODE_INVALID_REQUEST, NULL, "initialize must not be part of a batch");
        return;
    }
    if (!json_is_string(wanted)) {
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL,
                   "initialize needs params.protocolVersion, such as \"%s\"",
                   mcp_version_names[newest_legacy]);
        return;
    }
    m->version = agreed_version(mcp_text_of(wanted));
    m->has_roots = json_is_object(json_object_get(mcp_param(c, "capabilities"), "roots"));
    m->roots_asked = false;
    m->has_sampling = json_is_object(json_object_get(mcp_param(c, "capabilities"), "sampling"));
    mcp_offer_sampling(m, false);
    mcp_answer(m, c,
               json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", mcp_version_names[m->version],
                         "capabilities", capabilities(), "serverInfo", mcp_server_info(),
                         "instructions", mcp_instructions));
}

static void on_discover(struct mcp *m, const struct call *c)
{
    json_t *result = json_pack("{s:[s], s:o, s:s}", "supportedVersions", mcp_version_names[modern],
                               "capabilities", capabilities(), "instructions", mcp_instructions);
    mcp_answer_cacheable(m, c, result, LISTS_TTL_MS, CACHE_PUBLIC);
}

static void on_ping(struct mcp *m, const struct call *c)
{
    mcp_answer(m, c, json_object());
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
    json_t *cursor = mcp_param(c, "cursor");
    if (cursor && !json_is_null(cursor)) {
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL,
                   "unknown cursor: the list has one page, leave cursor out");
        return;
    }
    if (!*list)
        *list = make();
    mcp_answer_cacheable(m, c, json_pack("{s:O}", key, *list), LISTS_TTL_MS, CACHE_PUBLIC);
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
    json_t *wanted = mcp_param(c, "notifications");
    if (!json_is_object(wanted)) {
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL,
                   "subscriptions/listen needs params.notifications, an object");
        return;
    }
    bool known = find_subscription(m, c->id) < m->subscription_count;
    if (!known && m->subscription_count == MAX_SUBSCRIPTIONS) {
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "at most %d subscriptions at once",
                   MAX_SUBSCRIPTIONS);
        return;
    }
    if (!known)
        m->subscriptions[m->subscription_count++] = mcp_heap_str(c->id);
    json_t *params = json_pack("{s:o, s:o}", "_meta", subscription_meta(c->id), "notifications",
                               honoured(wanted));
    struct buf out = {0};
    jsonrpc_notification(&out, "notifications/subscriptions/acknowledged", params);
    json_decref(params);
    mcp_send(m, &out);
}

static void end_subscriptions(struct mcp *m)
{
    while (m->subscription_count) {
        struct call c = {.id = m->subscriptions[0], .version = modern};
        mcp_answer(m, &c, json_pack("{s:o}", "_meta", subscription_meta(c.id)));
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
    jsonrpc_request(&out, roots_id(m), "roots/list", NULL);
    mcp_send(m, &out);
    m->port.hold(m->port.ctx);
}

static str first_file_root(struct mcp *m, const json_t *roots)
{
    size_t i;
    json_t *root;
    str path;
    json_array_foreach(roots, i,
                       root) if (place_from_file_uri(&m->scratch,
                                                     mcp_text_of(json_object_get(root, "uri")),
                                                     &path)) return path;
    return S("");
}

static void on_response(struct mcp *m, const struct message *message)
{
    if (mcp_sampled(m, message) || !m->roots_open || !str_eq(message->id, roots_id(m)))
        return;
    m->roots_open = false;
    json_t *roots = json_object_get(message->result, "roots");
    str root = json_is_array(roots) ? first_file_root(m, roots) : S("");
    m->port.release(m->port.ctx, json_is_array(roots) ? &root : NULL);
}

void mcp_end(struct mcp *m)
{
    end_subscriptions(m);
    mcp_offer_sampling(m, false);
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
    mcp_offer_sampling(m, m->version != NOT_YET && m->has_sampling);
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
            mcp_drop_pending(m, &m->pending[i]);
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
    str shown = mcp_quoted(m, name);
    mcp_refuse(m, c, CODE_NO_METHOD, NULL, "unknown method \"%.*s\"%s", FMT(shown),
               era == MODERN ? " in 2026-07-28" : "");
}

/* false when the claim is not one that can be served; then it is answered. */
static bool accept_claim(struct mcp *m, const struct call *c, const json_t *claim)
{
    str version = mcp_text_of(claim), shown = mcp_quoted(m, version);
    if (!json_is_string(claim))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL, "_meta[\"" META_VERSION "\"] must be a string");
    else if (!str_eq(version, str_of(mcp_version_names[modern])))
        mcp_refuse(
            m, c, CODE_BAD_VERSION,
            json_pack("{s:[s], s:O}", "supported", mcp_version_names[modern], "requested", claim),
            "unsupported protocol version \"%.*s\"", FMT(shown));
    else if (!json_is_object(mcp_meta_of(c->params, META_CAPABILITIES)))
        mcp_refuse(m, c, CODE_INVALID_PARAMS, NULL,
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
    json_t *claim = mcp_meta_of(c->params, META_VERSION);
    c->version = claim ? modern : m->version;
    if (claim && !accept_claim(m, c, claim))
        return;
    if (claim) { /* since 2026-07-28 a server sends no requests */
        m->has_sampling = false;
        mcp_offer_sampling(m, false);
    }
    if (!claim && m->version == NOT_YET && !is_open_to_all(method))
        mcp_refuse(
            m, c, CODE_INVALID_PARAMS, NULL,
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
        mcp_answer_error(m, &c, message->code, NULL, str_of(message->text));
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
        mcp_answer_error(m, &(struct call){0}, CODE_INVALID_REQUEST, NULL, str_of(fault));
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
    mcp_send_batch_when_complete(m, batch);
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
        mcp_drop_pending(m, &m->pending[m->pending_count - 1]);
    heap_free(m->pending);
    json_decref(m->tools);
    json_decref(m->resources);
    json_decref(m->templates);
    json_decref(m->prompts);
    heap_free(m);
}
