/* What a language model reads out of a recall's query, beside what the rules read: names, what kind
 * of answer is wanted, and a time. Where the user wants that; the same query isn't asked about
 * twice by one process. */
#ifndef ENGRAM_MODEL_READ_H
#define ENGRAM_MODEL_READ_H

#include "memory/code_question.h"
#include "memory/models.h"
#include "memory/query_time.h"

struct query_reading {
    bool is_there;
    str *names; /* each stands in the query */
    size_t name_count;
    unsigned asked;              /* cues.h: what it asks for */
    enum code_relation relation; /* of sources */
    struct query_time time;      /* TIME_NONE: none */
    size_t dropped;              /* of what was said: the query doesn't bear it out */
};

/* NULL: none is to be asked. One that is the client's never is: somebody waits. */
const struct provider_settings *model_read_settings(const struct models *models);

/* The answer to what llm_query_ask asked of `query`. ERR_INPUT: it hasn't the shape asked for. */
bool model_read_take(struct arena *a, str query, str json, struct query_reading *out,
                     struct err *e);

/* A word on it for who wants to know how an answer came about. */
str model_read_told(struct arena *a, const struct query_reading *r);

/* ---- answers that are kept, by a hash of what was asked ---- */

enum { MAX_KEPT_READINGS = 64 };

struct reading_cache {
    struct kept_reading {
        char hash[33];
        char *json; /* heap */
        uint64_t used;
    } at[MAX_KEPT_READINGS];
    uint64_t uses;
};

str reading_find(struct reading_cache *c, str hash); /* empty: none */
void reading_keep(struct reading_cache *c, str hash, str json);
void reading_cache_free(struct reading_cache *c);

#endif
