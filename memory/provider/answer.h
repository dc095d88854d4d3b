/* Reading what an endpoint answered, trusting nothing: bounds before anything is built of it, then
 * vectors, scores and a language model's object with every count and number checked. */
#ifndef ENGRAM_ANSWER_H
#define ENGRAM_ANSWER_H

#include "memory/provider/provider.h"

#include <jansson.h>

enum {
    /* Of one answer: what the largest honest one holds (a value a number), with some around it. */
    MAX_ANSWER_CONTAINERS = 20000,
    MAX_ANSWER_VALUES = MAX_EMBED_REQUEST_TEXTS * MAX_MODEL_DIMENSIONS + MAX_ANSWER_CONTAINERS,
};

/* A new reference; ERR_INPUT: no JSON, ERR_LIMIT: a bound above or of provider.h. */
bool answer_parse(str body, json_t **out, struct err *e);

/* One vector of each text, scaled to unit length, from an array of `count` arrays of numbers, or
 * of objects that hold such an array under `member` and, where they tell it, their place under
 * "index". member NULL: arrays. */
bool answer_vectors(struct arena *a, const json_t *rows, const char *member, size_t count,
                    struct embeddings *out, struct err *e);

/* One score of each text, from an array of `count` objects with "index" and `member`. */
bool answer_scores(struct arena *a, const json_t *rows, const char *member, size_t count,
                   struct reranked *out, struct err *e);

/* The object that a model's text holds, whatever stands around it (a fence, thoughts, courtesy). */
bool answer_object(struct arena *a, str text, struct llm_answer *out, struct err *e);

/* What stands under a name, or empty. The str lives as long as the JSON. */
str answer_string(const json_t *object, const char *name);

/* A count of tokens; 0 where it isn't one. */
int64_t answer_tokens(const json_t *object, const char *name);

/* A language model's text was cut at the bound of ask: ERR_LIMIT. */
bool answer_cut(const struct llm_ask *ask, struct err *e);

#endif
