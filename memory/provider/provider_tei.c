/* Hugging Face's Text Embeddings Inference: one model a server, answers without an object around.
 */
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
               json_pack("{s:o, s:b}", "inputs",
                         request_texts(a, prefix, ask->texts, ask->count, MAX_EMBED_TEXT_BYTES),
                         "truncate", 1),
               out, e);
}

static bool read_embeddings(struct arena *a, const struct embed_ask *ask, str body,
                            struct embeddings *out, struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e) && answer_vectors(a, root, NULL, ask->count, out, e);
    json_decref(root);
    return ok;
}

static bool ask_rerank(struct arena *a, const struct provider_settings *s,
                       const struct rerank_ask *ask, struct provider_request *out, struct err *e)
{
    return request_start(a, s, PROVIDER_RERANK, out, e) &&
           request_body(
               a,
               json_pack("{s:o, s:o, s:b}", "query",
                         request_text(a, S(""), ask->query, MAX_RERANK_TEXT_BYTES), "texts",
                         request_texts(a, S(""), ask->texts, ask->count, MAX_RERANK_TEXT_BYTES),
                         "truncate", 1),
               out, e);
}

static bool read_reranked(struct arena *a, const struct rerank_ask *ask, str body,
                          struct reranked *out, struct err *e)
{
    json_t *root;
    bool ok = answer_parse(body, &root, e) && answer_scores(a, root, "score", ask->count, out, e);
    json_decref(root);
    return ok;
}

/* The name of its model isn't asked for, but vectors are kept by it: the user has to tell it. */
const struct provider_row provider_tei = {
    .name = "tei",
    .url = "http://127.0.0.1:8080",
    .key_variable = "TEI_API_KEY",
    .models = {[PROVIDER_RERANK] = "default"},
    .paths = {[PROVIDER_EMBED] = "/embed", [PROVIDER_RERANK] = "/rerank"},
    .max_texts = {[PROVIDER_EMBED] = 32, [PROVIDER_RERANK] = 32}, /* --max-client-batch-size */
    .embed = ask_embed,
    .read_embeddings = read_embeddings,
    .rerank = ask_rerank,
    .read_reranked = read_reranked,
};
