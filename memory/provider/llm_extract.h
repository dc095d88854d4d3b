/* A language model names the entities and relations of a text. Pure: what to ask, and of the answer
 * what the text bears out. */
#ifndef ENGRAM_LLM_EXTRACT_H
#define ENGRAM_LLM_EXTRACT_H

#include "memory/provider/provider.h"

enum { MAX_LLM_ENTITIES = 32, MAX_LLM_RELATIONS = 32 }; /* of one text */

struct llm_entity {
    str name; /* stands in the text, not a generic word */
    str type; /* lower-case, may be empty */
};
struct llm_relation {
    str from, to; /* names of entities of the same extraction, two different ones */
    str label;    /* snake_case */
    str quote;    /* stands in the text */
};
struct llm_extraction {
    struct llm_entity *entities;
    size_t entity_count;
    struct llm_relation *relations;
    size_t relation_count;
    size_t dropped; /* made up, malformed, or beyond the bounds */
};

extern const char llm_extract_prompt[]; /* kept with what it produced */
struct llm_ask llm_extract_ask(struct arena *a, str text);

/* `json` answers llm_extract_ask(text). ERR_INPUT: it hasn't the shape asked for. */
bool llm_extract_read(struct arena *a, str text, str json, struct llm_extraction *out,
                      struct err *e);

#endif
