/* A language model says what a query names and what kind of answer it wants. Pure. */
#ifndef ENGRAM_LLM_QUERY_H
#define ENGRAM_LLM_QUERY_H

#include "memory/provider/provider.h"

enum { MAX_LLM_QUERY_NAMES = 12 };

enum llm_intent { LLM_FACTUAL, LLM_TEMPORAL, LLM_RELATIONAL, LLM_CODE, LLM_INTENTS };
extern const char *const llm_intent_name[LLM_INTENTS];

struct llm_query {
    enum llm_intent intent;
    str *names; /* each stands in the query */
    size_t name_count;
    size_t dropped; /* made up, malformed, or beyond the bound */
};

extern const char llm_query_prompt[];
struct llm_ask llm_query_ask(struct arena *a, str query);

/* ERR_INPUT: it hasn't the shape asked for, an intent that is none included. */
bool llm_query_read(struct arena *a, str query, str json, struct llm_query *out, struct err *e);

#endif
