/* Whoever speaks OpenAI's shape with another address and other defaults, and the rerank request
 * that Cohere began with and the servers at home took over. Data; a vendor with fields of his own
 * has a file. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

bool results_rerank(struct arena *a, const struct provider_settings *s,
                    const struct rerank_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_RERANK, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:o, s:I}", "model", request_model(a, s, PROVIDER_RERANK),
                         "query", request_text(a, S(""), ask->query, MAX_RERANK_TEXT_BYTES),
                         "documents",
                         request_texts(a, S(""), ask->texts, ask->count, MAX_RERANK_TEXT_BYTES),
                         "top_n", (json_int_t)ask->count),
               out, e);
}

bool results_read(struct arena *a, const struct rerank_ask *ask, str body, struct reranked *out,
                  struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e) && answer_scores(a, json_object_get(root, "results"),
                                                            "relevance_score", ask->count, out, e);
    out->tokens = answer_tokens(json_object_get(root, "usage"), "total_tokens");
    json_decref(root);
    return ok;
}

const struct provider_row provider_mistral = {
    .name = "mistral",
    .url = "https://api.mistral.ai",
    .key_variable = "MISTRAL_API_KEY",
    .models = {[PROVIDER_EMBED] = "mistral-embed", [PROVIDER_LLM] = "mistral-small-latest"},
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings", [PROVIDER_LLM] = "/v1/chat/completions"},
    .output_limit = "max_tokens",
    .takes_temperature = true,
    .embed = openai_embed,
    .read_embeddings = openai_read_embeddings,
    .llm = openai_llm,
    .read_llm = openai_read_llm,
};

const struct provider_row provider_together = {
    .name = "together",
    .url = "https://api.together.xyz",
    .key_variable = "TOGETHER_API_KEY",
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings",
              [PROVIDER_RERANK] = "/v1/rerank",
              [PROVIDER_LLM] = "/v1/chat/completions"},
    .output_limit = "max_tokens",
    .takes_temperature = true,
    .embed = openai_embed,
    .read_embeddings = openai_read_embeddings,
    .rerank = results_rerank,
    .read_reranked = results_read,
    .llm = openai_llm,
    .read_llm = openai_read_llm,
};

/* It serves the one model it was started with and looks at no name; but vectors are kept by the
 * name of their model, so that one has to be told. */
const struct provider_row provider_llamacpp = {
    .name = "llamacpp",
    .url = "http://127.0.0.1:8080",
    .models = {[PROVIDER_RERANK] = "default", [PROVIDER_LLM] = "default"},
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings",
              [PROVIDER_RERANK] = "/v1/rerank",
              [PROVIDER_LLM] = "/v1/chat/completions"},
    .output_limit = "max_tokens",
    .takes_temperature = true,
    .embed = openai_embed,
    .read_embeddings = openai_read_embeddings,
    .rerank = results_rerank,
    .read_reranked = results_read,
    .llm = openai_llm,
    .read_llm = openai_read_llm,
};

const struct provider_row provider_vllm = {
    .name = "vllm",
    .url = "http://127.0.0.1:8000",
    .key_variable = "VLLM_API_KEY",
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings",
              [PROVIDER_RERANK] = "/v1/rerank",
              [PROVIDER_LLM] = "/v1/chat/completions"},
    .output_limit = "max_tokens",
    .takes_temperature = true,
    .embed = openai_embed,
    .read_embeddings = openai_read_embeddings,
    .rerank = results_rerank,
    .read_reranked = results_read,
    .llm = openai_llm,
    .read_llm = openai_read_llm,
};

const struct provider_row provider_lmstudio = {
    .name = "lmstudio",
    .url = "http://127.0.0.1:1234",
    .models = {[PROVIDER_EMBED] = "text-embedding-nomic-embed-text-v1.5"},
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings", [PROVIDER_LLM] = "/v1/chat/completions"},
    .output_limit = "max_tokens",
    .takes_temperature = true,
    .embed = openai_embed,
    .read_embeddings = openai_read_embeddings,
    .llm = openai_llm,
    .read_llm = openai_read_llm,
};
