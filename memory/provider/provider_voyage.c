/* VoyageAI: embeddings that tell questions from documents, and reranking. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

static bool ask_embed(struct arena *a, const struct provider_settings *s,
                      const struct embed_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_EMBED, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:s, s:b}", "model", request_model(a, s, PROVIDER_EMBED),
                         "input",
                         request_texts(a, S(""), ask->texts, ask->count, MAX_EMBED_TEXT_BYTES),
                         "input_type", ask->is_query ? "query" : "document", "truncation", 1),
               out, e);
}

static bool ask_rerank(struct arena *a, const struct provider_settings *s,
                       const struct rerank_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_RERANK, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:o, s:b}", "model", request_model(a, s, PROVIDER_RERANK),
                         "query", request_text(a, S(""), ask->query, MAX_RERANK_TEXT_BYTES),
                         "documents",
                         request_texts(a, S(""), ask->texts, ask->count, MAX_RERANK_TEXT_BYTES),
                         "truncation", 1),
               out, e);
}

static bool read_reranked(struct arena *a, const struct rerank_ask *ask, str body,
                          struct reranked *out, struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e) && answer_scores(a, json_object_get(root, "data"),
                                                            "relevance_score", ask->count, out, e);
    out->tokens = answer_tokens(json_object_get(root, "usage"), "total_tokens");
    json_decref(root);
    return ok;
}

const struct provider_row provider_voyage = {
    .name = "voyage",
    .url = "https://api.voyageai.com",
    .key_variable = "VOYAGE_API_KEY",
    .models = {[PROVIDER_EMBED] = "voyage-4-lite", [PROVIDER_RERANK] = "rerank-2.5-lite"},
    .paths = {[PROVIDER_EMBED] = "/v1/embeddings", [PROVIDER_RERANK] = "/v1/rerank"},
    .embed = ask_embed,
    .read_embeddings = openai_read_embeddings,
    .rerank = ask_rerank,
    .read_reranked = read_reranked,
};
