#include "memory/model_read.h"

#include "memory/cues.h"
#include "memory/provider/llm_query.h"

#include <stdio.h>

/* ---- what an intent means to the rules ---- */

static const struct {
    unsigned asked;
    enum code_relation relation;
} meanings[LLM_INTENTS] = {
    [LLM_TEMPORAL] = {.asked = CUE_TIME},
    [LLM_NUMBER] = {.asked = CUE_NUMBER},
    [LLM_DEFINITION] = {.relation = ASKS_DEFINITION},
    [LLM_CALLERS] = {.relation = ASKS_CALLERS},
    [LLM_CALLEES] = {.relation = ASKS_CALLEES},
    [LLM_DEPENDENTS] = {.relation = ASKS_DEPENDENTS},
    [LLM_SUBTYPES] = {.relation = ASKS_SUBTYPES},
};

const struct provider_settings *model_read_settings(const struct models *models)
{
    const struct provider_settings *s = models_settings(models, PROVIDER_LLM);
    return s && models->reads_queries && !provider_is_client(s->row) ? s : NULL;
}

static struct query_time time_of(const struct llm_query *said, str query)
{
    size_t from = str_find(query, said->time_words, 0);
    if (!said->time_words.len)
        return (struct query_time){.kind = TIME_NONE};
    struct query_time time = {
        .kind = TIME_RANGE, .from_ms = said->from_ms, .until_ms = said->until_ms};
    if (from < query.len) { /* else they stand there in another form */
        time.from = from;
        time.to = from + said->time_words.len;
    }
    return time;
}

bool model_read_take(struct arena *a, str query, str json, struct query_reading *out, struct err *e)
{
    struct llm_query said;
    if (!llm_query_read(a, query, json, &said, e))
        return false;
    *out = (struct query_reading){.is_there = true,
                                  .names = said.names,
                                  .name_count = said.name_count,
                                  .asked = meanings[said.intent].asked,
                                  .relation = meanings[said.intent].relation,
                                  .time = time_of(&said, query),
                                  .dropped = said.dropped};
    return true;
}

str model_read_told(struct arena *a, const struct query_reading *r)
{
    return arena_printf(a, "question: %zu names, %zu dropped%s%s%s", r->name_count, r->dropped,
                        r->time.kind == TIME_RANGE ? ", a time" : "",
                        r->asked & CUE_TIME     ? ", asks when"
                        : r->asked & CUE_NUMBER ? ", asks how many"
                                                : "",
                        r->relation != ASKS_NOTHING ? ", asks of the source" : "");
}

/* ---- kept answers ---- */

str reading_find(struct reading_cache *c, str hash)
{
    for (size_t i = 0; i < MAX_KEPT_READINGS; i++)
        if (c->at[i].json && str_eq(str_of(c->at[i].hash), hash)) {
            c->at[i].used = ++c->uses;
            return str_of(c->at[i].json);
        }
    return S("");
}

void reading_keep(struct reading_cache *c, str hash, str json)
{
    struct kept_reading *oldest = &c->at[0];
    for (size_t i = 1; i < MAX_KEPT_READINGS; i++)
        if (c->at[i].used < oldest->used)
            oldest = &c->at[i];
    heap_free(oldest->json);
    oldest->json = heap_text(json);
    oldest->used = ++c->uses;
    snprintf(oldest->hash, sizeof oldest->hash, "%.*s", FMT(hash));
}

void reading_cache_free(struct reading_cache *c)
{
    for (size_t i = 0; i < MAX_KEPT_READINGS; i++)
        heap_free(c->at[i].json);
}
