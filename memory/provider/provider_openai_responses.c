/* OpenAI's Responses. Nothing is kept there: store is off. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

static bool ask_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                    struct provider_request *out, struct err *e)
{
    if (!request_start(a, s, PROVIDER_LLM, out, e))
        return false;
    json_int_t limit = (json_int_t)(ask->max_output_tokens + s->row->thinking_tokens);
    return request_body(a,
                        json_pack("{s:o, s:o, s:o, s:{s:{s:s, s:s%, s:b, s:o}}, s:I, s:b}", "model",
                                  request_model(a, s, PROVIDER_LLM), "instructions",
                                  request_text(a, S(""), ask->system, ask->system.len), "input",
                                  request_text(a, S(""), ask->user, ask->user.len), "text",
                                  "format", "type", "json_schema", "name", ask->schema_name.at,
                                  ask->schema_name.len, "strict", 1, "schema", request_schema(ask),
                                  s->row->output_limit, limit, "store", 0),
                        out, e);
}

/* The first part of a kind in the message among the outputs (thoughts and calls stand beside it).
 */
static str part(const json_t *root, const char *kind, const char *member)
{
    size_t i, j;
    json_t *output, *content;
    json_array_foreach(json_object_get(root, "output"), i, output)
    {
        json_array_foreach(json_object_get(output, "content"), j, content)
        {
            if (str_eq(answer_string(content, "type"), str_of(kind)))
                return answer_string(content, member);
        }
    }
    return S("");
}

static bool read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    const json_t *usage = json_object_get(root, "usage");
    str why = answer_string(json_object_get(root, "incomplete_details"), "reason");
    out->tokens_in = answer_tokens(usage, "input_tokens");
    out->tokens_out = answer_tokens(usage, "output_tokens");
    out->is_refused = part(root, "refusal", "refusal").len || str_eq(why, S("content_filter"));
    if (ok && !out->is_refused)
        ok = str_eq(why, S("max_output_tokens"))
                 ? answer_cut(ask, e)
                 : answer_object(a, part(root, "output_text", "text"), out, e);
    json_decref(root);
    return ok;
}

const struct provider_row provider_openai_responses = {
    .name = "openai-responses",
    .url = "https://api.openai.com",
    .key_variable = "OPENAI_API_KEY",
    .models = {[PROVIDER_LLM] = "gpt-6-luna"},
    .paths = {[PROVIDER_LLM] = "/v1/responses"},
    .output_limit = "max_output_tokens",
    .thinking_tokens = 4096,
    .llm = ask_llm,
    .read_llm = read_llm,
};
