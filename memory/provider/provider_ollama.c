/* Ollama's own interface: its OpenAI-shaped one can't set the context. */
#include "memory/provider/answer.h"
#include "memory/provider/prefix.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

static bool ask_embed(struct arena *a, const struct provider_settings *s,
                      const struct embed_ask *ask, struct provider_request *out, struct err *e)
{
    str prefix = embed_prefix(provider_model(s, PROVIDER_EMBED), ask->is_query);
    return request_start(a, s, PROVIDER_EMBED, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:b}", "model", request_model(a, s, PROVIDER_EMBED), "input",
                         request_texts(a, prefix, ask->texts, ask->count, MAX_EMBED_TEXT_BYTES),
                         "truncate", 1),
               out, e);
}

static bool read_embeddings(struct arena *a, const struct embed_ask *ask, str body,
                            struct embeddings *out, struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e) &&
              answer_vectors(a, json_object_get(root, "embeddings"), NULL, ask->count, out, e);
    out->tokens = answer_tokens(root, "prompt_eval_count");
    json_decref(root);
    return ok;
}

/* The context, in tokens, for what is asked and answered: the default is too small for a summary,
 * and what is over it is dropped without a word. In doublings, since each new size loads the model
 * anew; three bytes a token leave some room. */
static json_int_t context_tokens(const struct llm_ask *ask)
{
    size_t wanted =
        (ask->system.len + ask->user.len + ask->schema.len) / 3 + ask->max_output_tokens;
    json_int_t tokens = 8192;
    while ((size_t)tokens < wanted && tokens < 1 << 17)
        tokens *= 2;
    return tokens;
}

static bool ask_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                    struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_LLM, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:[{s:s, s:o}, {s:s, s:o}], s:o, s:b, s:b, s:{s:i, s:I, s:I}}",
                         "model", request_model(a, s, PROVIDER_LLM), "messages", "role", "system",
                         "content", request_text(a, S(""), ask->system, ask->system.len), "role",
                         "user", "content", request_text(a, S(""), ask->user, ask->user.len),
                         "format", request_schema(ask), "stream", 0, "think", 0, "options",
                         "temperature", 0, "num_predict", (json_int_t)ask->max_output_tokens,
                         "num_ctx", context_tokens(ask)),
               out, e);
}

static bool read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    out->tokens_in = answer_tokens(root, "prompt_eval_count");
    out->tokens_out = answer_tokens(root, "eval_count");
    if (ok)
        ok = str_eq(answer_string(root, "done_reason"), S("length"))
                 ? answer_cut(ask, e)
                 : answer_object(a, answer_string(json_object_get(root, "message"), "content"), out,
                                 e);
    json_decref(root);
    return ok;
}

const struct provider_row provider_ollama = {
    .name = "ollama",
    .url = "http://127.0.0.1:11434",
    .key_variable = "OLLAMA_API_KEY",
    .models = {[PROVIDER_EMBED] = "embeddinggemma", [PROVIDER_LLM] = "qwen3:4b"},
    .paths = {[PROVIDER_EMBED] = "/api/embed", [PROVIDER_LLM] = "/api/chat"},
    .embed = ask_embed,
    .read_embeddings = read_embeddings,
    .llm = ask_llm,
    .read_llm = read_llm,
};
