/* Cohere's second interface: /v2/embed and /v2/rerank. */
#include "memory/provider/answer.h"
#include "memory/provider/request.h"
#include "memory/provider/rows.h"

static bool ask_embed(struct arena *a, const struct provider_settings *s,
                      const struct embed_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_EMBED, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:s, s:[s], s:s}", "model",
                         request_model(a, s, PROVIDER_EMBED), "texts",
                         request_texts(a, S(""), ask->texts, ask->count, MAX_EMBED_TEXT_BYTES),
                         "input_type", ask->is_query ? "search_query" : "search_document",
                         "embedding_types", "float", "truncate", "END"),
               out, e);
}

static bool read_embeddings(struct arena *a, const struct embed_ask *ask, str body,
                            struct embeddings *out, struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e);
    const json_t *rows = json_object_get(json_object_get(root, "embeddings"), "float");
    const json_t *billed = json_object_get(json_object_get(root, "meta"), "billed_units");
    ok = ok && answer_vectors(a, rows, NULL, ask->count, out, e);
    out->tokens = answer_tokens(billed, "input_tokens");
    json_decref(root);
    return ok;
}

const struct provider_row provider_cohere = {
    .name = "cohere",
    .url = "https://api.cohere.com",
    .key_variable = "CO_API_KEY",
    .models = {[PROVIDER_EMBED] = "embed-v4.0", [PROVIDER_RERANK] = "rerank-v4.0-fast"},
    .paths = {[PROVIDER_EMBED] = "/v2/embed", [PROVIDER_RERANK] = "/v2/rerank"},
    .embed = ask_embed,
    .read_embeddings = read_embeddings,
    .rerank = results_rerank,
    .read_reranked = results_read,
};
