/* OpenAI's Embeddings and Chat Completions. The shape that most others speak too. */
#include "memory/provider/answer.h"
#include "memory/provider/prefix.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

bool openai_embed(struct arena *a, const struct provider_settings *s, const struct embed_ask *ask,
                  struct provider_request *out, struct err *e)
{
    str prefix = embed_prefix(provider_model(s, PROVIDER_EMBED), ask->is_query);
    return request_start(a, s, PROVIDER_EMBED, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:s}", "model", request_model(a, s, PROVIDER_EMBED), "input",
                         request_texts(a, prefix, ask->texts, ask->count, MAX_EMBED_TEXT_BYTES),
                         "encoding_format", "float"),
               out, e);
}

bool openai_read_embeddings(struct arena *a, const struct embed_ask *ask, str body,
                            struct embeddings *out, struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e) &&
              answer_vectors(a, json_object_get(root, "data"), "embedding", ask->count, out, e);
    out->tokens = answer_tokens(json_object_get(root, "usage"), "total_tokens");
    json_decref(root);
    return ok;
}

bool openai_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                struct provider_request *out, struct err *e)
{
    if (!request_start(a, s, PROVIDER_LLM, out, e))
        return false;
    json_t *body =
        json_pack("{s:o, s:[{s:s, s:o}, {s:s, s:o}], s:{s:s, s:{s:s%, s:b, s:o}}}", "model",
                  request_model(a, s, PROVIDER_LLM), "messages", "role", "system", "content",
                  request_text(a, S(""), ask->system, ask->system.len), "role", "user", "content",
                  request_text(a, S(""), ask->user, ask->user.len), "response_format", "type",
                  "json_schema", "json_schema", "name", ask->schema_name.at, ask->schema_name.len,
                  "strict", 1, "schema", request_schema(ask));
    json_object_set_new(
        body, s->row->output_limit,
        json_integer((json_int_t)(ask->max_output_tokens + s->row->thinking_tokens)));
    if (s->row->takes_temperature)
        json_object_set_new(body, "temperature", json_integer(0));
    return request_body(a, body, out, e);
}

bool openai_read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    const json_t *choice = json_array_get(json_object_get(root, "choices"), 0);
    const json_t *message = json_object_get(choice, "message");
    const json_t *usage = json_object_get(root, "usage");
    str ended = answer_string(choice, "finish_reason");
    out->tokens_in = answer_tokens(usage, "prompt_tokens");
    out->tokens_out = answer_tokens(usage, "completion_tokens");
    out->is_refused = answer_string(message, "refusal").len || str_eq(ended, S("content_filter"));
    if (ok && !out->is_refused)
        ok = str_eq(ended, S("length"))
                 ? answer_cut(ask, e)
                 : answer_object(a, answer_string(message, "content"), out, e);
    json_decref(root);
    return ok;
}

const struct provider_row provider_openai = {
    .name = "openai",
    .url = "https://api.openai.com",
    .key_variable = "OPENAI_API_KEY",
    .models = {[PROVIDER_EMBED] = "text-embedding-3-small", [PROVIDER_LLM] = "gpt-6-luna"},
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings", [PROVIDER_LLM] = "/v1/chat/completions"},
    .output_limit = "max_completion_tokens",
    .thinking_tokens = 4096,
    .embed = openai_embed,
    .read_embeddings = openai_read_embeddings,
    .llm = openai_llm,
    .read_llm = openai_read_llm,
};
