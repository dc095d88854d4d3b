#include "tools/resources.h"

#include "memory/memory_review.h"
#include "tools/render.h"

#include "memory/base/unicode.h"

static const char RESOURCES[] =
    "[{\"uri\":\"engram://status\",\"name\":\"status\",\"title\":\"Memory status\","
    "\"description\":\"Counts, sizes and state of this project's "
    "memory\",\"mimeType\":\"application/json\"}]";

static const char TEMPLATES[] =
    "[{\"uriTemplate\":\"engram://memory/{id}\",\"name\":\"memory\",\"title\":\"A memory\","
    "\"description\":\"One memory in full, by id such as m12\",\"mimeType\":\"text/plain\"},"
    "{\"uriTemplate\":\"engram://document/{id}\",\"name\":\"document\",\"title\":\"A document\","
    "\"description\":\"The passages of an attached document, by id such as "
    "d3\",\"mimeType\":\"text/plain\"}]";

static const char PROMPTS[] =
    "[{\"name\":\"recall\",\"title\":\"Recall\",\"description\":\"Answer a question from this "
    "project's memory\","
    "\"arguments\":[{\"name\":\"query\",\"description\":\"What to look for\",\"required\":true}]},"
    "{\"name\":\"review\",\"title\":\"Review\",\"description\":\"Go through the open questions "
    "about names with the user\"},"
    "{\"name\":\"summarise_session\",\"title\":\"Summarise the session\","
    "\"description\":\"Remember what this session decided, found out and left open\"}]";

static const char REVIEW_TEXT[] = "Call review_entities without arguments. Put its questions to "
                                  "the user one at a time, in plain words, with what a yes and a "
                                  "no would do. Then call review_entities with the answers, and "
                                  "tell what was applied and how it can be undone.";

static const char SUMMARISE_TEXT[] =
    "Go through this session and call remember once for each thing worth keeping: decisions with "
    "their reasons (kind decision, "
    "with a topic), facts that were found out, preferences the user stated, questions left open "
    "(kind question). One "
    "self-contained statement a call, in full sentences, with the files it is about. Leave out "
    "what the code itself says, small "
    "talk and secrets. Last, call remember once with kind episode: what the session was about and "
    "how "
    "it ended, in two or three sentences; that tells that the session is over. Give `session` in "
    "all of "
    "these as in your calls before, or leave it out as there. Then list what was remembered.";

json_t *resources_list(void)
{
    return json_loads(RESOURCES, 0, NULL);
}

json_t *resource_templates_list(void)
{
    return json_loads(TEMPLATES, 0, NULL);
}

json_t *prompts_list(void)
{
    return json_loads(PROMPTS, 0, NULL);
}

/* ---- status ---- */

bool status_json(struct request *r, json_t **result, struct err *e)
{
    struct memory *memory;
    struct project_ref project;
    struct status_line *lines;
    size_t count;
    if (!r->services->project(r->services->ctx, S(""), &memory, &project, e) ||
        !memory_status(memory, r->arena, r->now_ms, &lines, &count, e))
        return false;
    *result = json_object();
    set_new(*result, "project", json_project(r->arena, &project));
    for (size_t i = 0; i < count; i++)
        set_new(*result, arena_cstr(r->arena, lines[i].name),
                lines[i].text.len ? json_str(r->arena, lines[i].text)
                                  : json_integer(lines[i].number));
    return true;
}

/* ---- reading ---- */

static json_t *contents(struct arena *a, str uri, const char *type, str text)
{
    json_t *content = json_object(), *list = json_array(), *out = json_object();
    set_new(content, "uri", json_str(a, uri));
    set_new(content, "mimeType", json_string(type));
    set_new(content, "text", json_stringn(text.at, text.len));
    json_array_append_new(list, content);
    set_new(out, "contents", list);
    return out;
}

static size_t no_size(void *ctx, const struct item *item)
{
    (void)ctx;
    (void)item;
    return 0;
}

/* The item, and what it is made of: the passages of a document, the members of a consolidated
 * memory; all in full, as one read sees them. */
static bool read_item(struct request *r, str uri, str id, enum node_kind kind, json_t **result,
                      struct err *e)
{
    struct memory *memory;
    struct project_ref project;
    struct recall_result out;
    struct recall_input in = {.now_ms = r->now_ms,
                              .ids = &id,
                              .id_count = 1,
                              .with_members = true,
                              .budget_tokens = MAX_BUDGET_TOKENS};
    enum node_kind named;
    int64_t number;
    struct buf text = {0};
    if (!node_id_parse(id, &named, &number) || named != kind)
        return fail(e, ERR_NOT_FOUND, "there is no resource %.*s",
                    FMT(unicode_visible(r->arena, utf8_prefix(uri, 80))));
    if (!r->services->project(r->services->ctx, S(""), &memory, &project, e) ||
        !memory_recall(memory, r->arena, &in, no_size, NULL, &out, e)) {
        if (e->code == ERR_INPUT)
            e->code = ERR_NOT_FOUND;
        return false;
    }
    for (size_t i = 0; i < out.item_count; i++)
        buf_printf(&text, "%s%.*s\n", i ? "\n" : "",
                   FMT(render_item_text(r->arena, &out.items[i], S("data"))));
    *result = contents(r->arena, uri, "text/plain", buf_str(&text));
    buf_free(&text);
    return true;
}

bool resource_read(struct request *r, str uri, json_t **result, struct err *e)
{
    static const str memory_prefix = {"engram://memory/", 16},
                     document_prefix = {"engram://document/", 18};
    if (str_eq(uri, S("engram://status"))) {
        json_t *status;
        if (!status_json(r, &status, e))
            return false;
        char *dumped = json_dumps(status, JSON_INDENT(1));
        *result = contents(r->arena, uri, "application/json", str_of(dumped));
        heap_free(dumped);
        json_decref(status);
        return true;
    }
    if (str_starts(uri, memory_prefix))
        return read_item(r, uri, str_cut(uri, memory_prefix.len, uri.len), NODE_MEMORY, result, e);
    if (str_starts(uri, document_prefix))
        return read_item(r, uri, str_cut(uri, document_prefix.len, uri.len), NODE_DOCUMENT, result,
                         e);
    return fail(e, ERR_NOT_FOUND,
                "there is no resource %.*s; wanted: engram://status, engram://memory/{id} or "
                "engram://document/{id}",
                FMT(unicode_visible(r->arena, utf8_prefix(uri, 80))));
}

/* ---- prompts ---- */

static json_t *prompt(const char *description, str text)
{
    json_t *content = json_object(), *message = json_object(), *messages = json_array(),
           *out = json_object();
    set_new(content, "type", json_string("text"));
    set_new(content, "text", json_stringn(text.at, text.len));
    set_new(message, "role", json_string("user"));
    set_new(message, "content", content);
    json_array_append_new(messages, message);
    set_new(out, "description", json_string(description));
    set_new(out, "messages", messages);
    return out;
}

static bool recall_prompt(struct request *r, const json_t *arguments, json_t **result,
                          struct err *e)
{
    const json_t *query = json_object_get(arguments, "query");
    json_t *checked = NULL, *call = json_object();
    struct tool_reply reply = {0};
    bool ok =
        json_is_string(query) || fail(e, ERR_INPUT, "query: missing; wanted: what to look for");
    if (ok) {
        const struct tool *recall = tool_find(S("recall"));
        json_object_set(call, "query", (json_t *)query);
        ok = tool_check_arguments(recall, call, &checked, e) && recall->call(r, checked, &reply, e);
    }
    if (ok && !reply.waits)
        *result =
            prompt("What this project's memory holds on a question",
                   arena_printf(r->arena,
                                "Answer this from what was recalled, and name the ids that you "
                                "rely on:\n%.*s\n\n%.*s",
                                FMT(unicode_visible(r->arena, str_of(json_string_value(query)))),
                                FMT(reply.text)));
    json_decref(call);
    json_decref(checked);
    json_decref(reply.structured);
    return ok;
}

bool prompt_get(struct request *r, str name, const json_t *arguments, json_t **result,
                struct err *e)
{
    if (str_eq(name, S("recall")))
        return recall_prompt(r, arguments, result, e);
    if (str_eq(name, S("review")))
        *result = prompt("Go through the open questions about names", str_of(REVIEW_TEXT));
    else if (str_eq(name, S("summarise_session")))
        *result = prompt("Remember what this session brought", str_of(SUMMARISE_TEXT));
    else
        return fail(e, ERR_INPUT,
                    "name: '%.*s' is no prompt; wanted: recall, review or summarise_session",
                    FMT(unicode_visible(r->arena, utf8_prefix(name, 80))));
    return true;
}

/* ---- completion ---- */

static bool complete_values(struct request *r, const json_t *ref, str argument, str value,
                            str **out, size_t *count, struct err *e)
{
    enum { MAX_VALUES = 100 };
    struct memory *memory;
    struct project_ref project;
    const char *type = json_string_value(json_object_get(ref, "type"));
    str uri = str_of(json_string_value(json_object_get(ref, "uri")));
    str name = str_of(json_string_value(json_object_get(ref, "name")));
    *out = NULL;
    *count = 0;
    bool prompt_ref = type && strcmp(type, "ref/prompt") == 0,
         resource_ref = type && strcmp(type, "ref/resource") == 0;
    enum node_kind kind = str_starts(uri, S("engram://document/")) ? NODE_DOCUMENT : NODE_MEMORY;
    if (prompt_ref && !str_eq(name, S("recall")) && !str_eq(name, S("review")) &&
        !str_eq(name, S("summarise_session")))
        return fail(e, ERR_INPUT, "ref.name: '%.*s' is no prompt",
                    FMT(unicode_visible(r->arena, utf8_prefix(name, 80))));
    if (resource_ref && !str_starts(uri, S("engram://")))
        return fail(e, ERR_INPUT, "ref.uri: '%.*s' is no resource",
                    FMT(unicode_visible(r->arena, utf8_prefix(uri, 80))));
    if (!prompt_ref && !resource_ref)
        return fail(e, ERR_INPUT, "ref.type: unknown; wanted: ref/prompt or ref/resource");
    if (!r->services->project(r->services->ctx, S(""), &memory, &project, e))
        return false;
    if (resource_ref && str_eq(argument, S("id"))) {
        bool has_letter = value.len && (value.at[0] == 'm' || value.at[0] == 'd');
        return memory_complete_ids(memory, r->arena, kind,
                                   has_letter ? str_cut(value, 1, value.len) : value, MAX_VALUES,
                                   out, count, e);
    }
    return !prompt_ref || !str_eq(argument, S("query")) ||
           memory_complete_names(memory, r->arena, unicode_fold(r->arena, value), MAX_VALUES, out,
                                 count, e);
}

bool complete(struct request *r, const json_t *ref, str argument, str value, json_t **result,
              struct err *e)
{
    str *values;
    size_t count;
    if (!complete_values(r, ref, argument, value, &values, &count, e))
        return false;
    json_t *list = json_array(), *completion = json_object();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_str(r->arena, values[i]));
    set_new(completion, "values", list);
    set_new(completion, "total", json_integer((json_int_t)count));
    set_new(completion, "hasMore", json_false());
    *result = json_object();
    set_new(*result, "completion", completion);
    return true;
}
