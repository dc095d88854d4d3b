/* A language model says what a query names, what kind of answer it wants and of which time. Pure.
 */
#ifndef ENGRAM_LLM_QUERY_H
#define ENGRAM_LLM_QUERY_H

#include "memory/provider/provider.h"

enum { MAX_LLM_QUERY_NAMES = 12 };

enum llm_intent {
    LLM_FACTUAL,
    LLM_TEMPORAL,
    LLM_NUMBER,
    LLM_DEFINITION,
    LLM_CALLERS,
    LLM_CALLEES,
    LLM_DEPENDENTS,
    LLM_SUBTYPES,
    LLM_INTENTS
};
extern const char *const llm_intent_name[LLM_INTENTS];

struct llm_query {
    enum llm_intent intent;
    str *names; /* each stands in the query */
    size_t name_count;
    str time_words;            /* so do these; empty: no time is named */
    int64_t from_ms, until_ms; /* [from, until) of it; INT64_MIN and INT64_MAX: open */
    size_t dropped;            /* made up, malformed, or beyond the bound */
};

extern const char llm_query_prompt[];

/* now_ms: so that "last week" is a time. */
struct llm_ask llm_query_ask(struct arena *a, str query, int64_t now_ms);

/* ERR_INPUT: it hasn't the shape asked for, an intent that is none included. */
bool llm_query_read(struct arena *a, str query, str json, struct llm_query *out, struct err *e);

#endif
