/* The model of the client that engram serves, by MCP's sampling/createMessage (the revisions that
 * have it). Not over HTTP: the body is the request's params, the answer its result, and who sends
 * is the server. The client shows it to the user and picks the model. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

/* There is no field for a schema, so that it stands in the system prompt. */
static bool ask_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                    struct provider_request *out, struct err *e)
{
    (void)s;
    *out = (struct provider_request){.url = S("")};
    str system =
        arena_printf(a, "%.*s\n\nAnswer with one JSON object alone, by this JSON Schema:\n%.*s",
                     FMT(ask->system), FMT(ask->schema));
    return request_body(a,
                        json_pack("{s:[{s:s, s:{s:s, s:o}}], s:o, s:s, s:I, s:{s:f, s:f}}",
                                  "messages", "role", "user", "content", "type", "text", "text",
                                  request_text(a, S(""), ask->user, ask->user.len), "systemPrompt",
                                  request_text(a, S(""), system, system.len), "includeContext",
                                  "none", "maxTokens", (json_int_t)ask->max_output_tokens,
                                  "modelPreferences", "costPriority", 0.8, "speedPriority", 0.6),
                        out, e);
}

/* One block, or a list of them (since 2025-11-25). */
static str first_text(const json_t *content)
{
    return answer_string(json_is_array(content) ? json_array_get(content, 0) : content, "text");
}

static bool read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    if (ok)
        ok = str_eq(answer_string(root, "stopReason"), S("maxTokens"))
                 ? answer_cut(ask, e)
                 : answer_object(a, first_text(json_object_get(root, "content")), out, e);
    json_decref(root);
    return ok;
}

const struct provider_row provider_sampling = {
    .name = "sampling",
    .models = {[PROVIDER_LLM] = "client"},
    .llm = ask_llm,
    .read_llm = read_llm,
};
