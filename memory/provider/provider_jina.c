/* Jina: OpenAI's embeddings with a task, and reranking. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

static bool ask_embed(struct arena *a, const struct provider_settings *s,
                      const struct embed_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_EMBED, out, e) &&
           request_body(
               a,
               json_pack(
                   "{s:o, s:o, s:s, s:b}", "model", request_model(a, s, PROVIDER_EMBED), "input",
                   request_texts(a, S(""), ask->texts, ask->count, MAX_EMBED_TEXT_BYTES), "task",
                   ask->is_query ? "retrieval.query" : "retrieval.passage", "truncate", 1),
               out, e);
}

static bool ask_rerank(struct arena *a, const struct provider_settings *s,
                       const struct rerank_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_RERANK, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:o, s:I, s:b}", "model", request_model(a, s, PROVIDER_RERANK),
                         "query", request_text(a, S(""), ask->query, MAX_RERANK_TEXT_BYTES),
                         "documents",
                         request_texts(a, S(""), ask->texts, ask->count, MAX_RERANK_TEXT_BYTES),
                         "top_n", (json_int_t)ask->count, "return_documents", 0),
               out, e);
}

const struct provider_row provider_jina = {
    .name = "jina",
    .url = "https://api.jina.ai",
    .key_variable = "JINA_API_KEY",
    .models = {[PROVIDER_EMBED] = "jina-embeddings-v5-text-small",
               [PROVIDER_RERANK] = "jina-reranker-v3"},
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings", [PROVIDER_RERANK] = "/v1/rerank"},
    .max_texts = {[PROVIDER_RERANK] = 64}, /* of one window of the model */
    .embed = ask_embed,
    .read_embeddings = openai_read_embeddings,
    .rerank = ask_rerank,
    .read_reranked = results_read,
};
