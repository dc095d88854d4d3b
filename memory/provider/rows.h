/* The rows of provider_rows, each in the file of its name, and the shapes that several share. */
#ifndef ENGRAM_PROVIDER_ROWS_H
#define ENGRAM_PROVIDER_ROWS_H

#include "memory/provider/provider.h"

extern const struct provider_row provider_openai, provider_openai_responses, provider_anthropic,
    provider_ollama, provider_voyage, provider_cohere, provider_jina, provider_mistral,
    provider_together, provider_llamacpp, provider_vllm, provider_lmstudio, provider_tei,
    provider_sampling;

/* ---- OpenAI's /v1/embeddings and /v1/chat/completions, and whoever speaks them ---- */

bool openai_embed(struct arena *a, const struct provider_settings *s, const struct embed_ask *ask,
                  struct provider_request *out, struct err *e);
bool openai_read_embeddings(struct arena *a, const struct embed_ask *ask, str body,
                            struct embeddings *out, struct err *e);
bool openai_llm(struct arena *a, const struct provider_settings *s, const struct llm_ask *ask,
                struct provider_request *out, struct err *e);
bool openai_read_llm(struct arena *a, const struct llm_ask *ask, str body, struct llm_answer *out,
                     struct err *e);

/* ---- {model, query, documents, top_n} -> {results: [{index, relevance_score}]} ---- */

bool results_rerank(struct arena *a, const struct provider_settings *s,
                    const struct rerank_ask *ask, struct provider_request *out, struct err *e);
bool results_read(struct arena *a, const struct rerank_ask *ask, str body, struct reranked *out,
                  struct err *e);

#endif
