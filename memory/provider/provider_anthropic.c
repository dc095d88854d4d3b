/* Anthropic's Messages, with an output format. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

static bool ask_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                    struct provider_request *out, struct err *e)
{
    if (!request_start_keyed(a, s, PROVIDER_LLM, "x-api-key: ", out, e))
        return false;
    request_header(out, S("anthropic-version: 2023-06-01"));
    return request_body(a,
                        json_pack("{s:o, s:I, s:o, s:[{s:s, s:o}], s:{s:{s:s, s:o}}}", "model",
                                  request_model(a, s, PROVIDER_LLM), "max_tokens",
                                  (json_int_t)ask->max_output_tokens, "system",
                                  request_text(a, S(""), ask->system, ask->system.len), "messages",
                                  "role", "user", "content",
                                  request_text(a, S(""), ask->user, ask->user.len), "output_config",
                                  "format", "type", "json_schema", "schema", request_schema(ask)),
                        out, e);
}

/* The text among the blocks; thoughts stand beside it. */
static str text_block(const json_t *root)
{
    size_t i;
    json_t *block;
    json_array_foreach(json_object_get(root, "content"), i, block)
    {
        if (str_eq(answer_string(block, "type"), S("text")))
            return answer_string(block, "text");
    }
    return S("");
}

static bool read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    const json_t *usage = json_object_get(root, "usage");
    str ended = answer_string(root, "stop_reason");
    out->tokens_in = answer_tokens(usage, "input_tokens");
    out->tokens_out = answer_tokens(usage, "output_tokens");
    out->is_refused = str_eq(ended, S("refusal"));
    if (ok && !out->is_refused)
        ok = str_eq(ended, S("max_tokens")) ? answer_cut(ask, e)
                                            : answer_object(a, text_block(root), out, e);
    json_decref(root);
    return ok;
}

const struct provider_row provider_anthropic = {
    .name = "anthropic",
    .url = "https://api.anthropic.com",
    .key_variable = "ANTHROPIC_API_KEY",
    .models = {[PROVIDER_LLM] = "claude-haiku-4-5"},
    .paths = {[PROVIDER_LLM] = "/v1/messages"},
    .llm = ask_llm,
    .read_llm = read_llm,
};
