/* A language model says whether two memories can both be true. Pure. Its yes counts only with the
 * two values, each standing in its text; the two are for a person to decide on. */
#ifndef ENGRAM_LLM_CONTRADICT_H
#define ENGRAM_LLM_CONTRADICT_H

#include "memory/provider/provider.h"

enum { MAX_CONTRADICT_VALUE_BYTES = 200 };

struct llm_contradiction {
    bool contradicts;
    str older, newer; /* the two values; empty where it doesn't */
    size_t dropped;   /* 1: a yes whose values are made up, malformed or the same */
};

extern const char llm_contradict_prompt[];
struct llm_ask llm_contradict_ask(struct arena *a, str older, str newer);

bool llm_contradict_read(struct arena *a, str older, str newer, str json,
                         struct llm_contradiction *out, struct err *e);

#endif
