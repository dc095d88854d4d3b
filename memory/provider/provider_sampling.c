/* The model of the client that engram serves, by MCP's sampling/createMessage. Not over HTTP: the
 * body is the request's params, the answer its result, and who sends is the server, where the
 * client takes such requests (2024-11-05 to 2025-11-25). The client shows it to the user and picks
 * the model. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

/* What the client may go by: the work is simple, and a model that the user names is a hint. */
static json_t *preferences(struct arena *a, const struct provider_settings *s)
{
    json_t *out = json_pack("{s:f, s:f}", "costPriority", 0.75, "speedPriority", 0.5);
    if (s->model.len)
        json_object_set_new(out, "hints",
                            json_pack("[{s:o}]", "name", request_model(a, s, PROVIDER_LLM)));
    return out;
}

/* There is no field for a schema, so that it stands in the system prompt. */
static bool ask_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                    struct provider_request *out, struct err *e)
{
    *out = (struct provider_request){.url = S("")};
    str system =
        arena_printf(a, "%.*s\n\nAnswer with one JSON object alone, by this JSON Schema:\n%.*s",
                     FMT(ask->system), FMT(ask->schema));
    return request_body(a,
                        json_pack("{s:[{s:s, s:{s:s, s:o}}], s:o, s:s, s:I, s:o}", "messages",
                                  "role", "user", "content", "type", "text", "text",
                                  request_text(a, S(""), ask->user, ask->user.len), "systemPrompt",
                                  request_text(a, S(""), system, system.len), "includeContext",
                                  "none", "maxTokens", (json_int_t)ask->max_output_tokens,
                                  "modelPreferences", preferences(a, s)),
                        out, e);
}

/* Of one block, or of a list of them (since 2025-11-25) the first that is a text. */
static str text_of(const json_t *content)
{
    if (!json_is_array(content))
        return answer_string(content, "text");
    for (size_t i = 0; i < json_array_size(content); i++)
        if (str_eq(answer_string(json_array_get(content, i), "type"), S("text")))
            return answer_string(json_array_get(content, i), "text");
    return S("");
}

static bool read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    str stop = answer_string(root, "stopReason");
    out->is_refused = str_eq(stop, S("refusal")); /* a vendor's own word, passed on */
    if (ok && !out->is_refused)
        ok = str_eq(stop, S("maxTokens"))
                 ? answer_cut(ask, e)
                 : answer_object(a, text_of(json_object_get(root, "content")), out, e);
    json_decref(root);
    return ok;
}

const struct provider_row provider_sampling = {
    .name = "sampling",
    .models = {[PROVIDER_LLM] = "client"},
    .llm = ask_llm,
    .read_llm = read_llm,
};
