#include "memory/provider/llm_query.h"

#include "memory/base/unicode.h"
#include "memory/provider/answer.h"
#include "memory/provider/llm_task.h"
#include "memory/text.h"

const char llm_query_prompt[] = "query-1";

const char *const llm_intent_name[LLM_INTENTS] = {"factual", "temporal", "relational", "code"};

enum { MAX_QUERY_OUTPUT_TOKENS = 300 };

struct llm_ask llm_query_ask(struct arena *a, str query)
{
    struct llm_ask ask = llm_task_ask(llm_query_prompt, S("query"), MAX_QUERY_OUTPUT_TOKENS);
    ask.user = llm_fence(a, S("question"), utf8_prefix(query, MAX_LLM_SOURCE_BYTES));
    return ask;
}

static bool read_intent(const json_t *root, enum llm_intent *out, struct err *e)
{
    for (int i = 0; i < LLM_INTENTS; i++)
        if (str_eq(answer_string(root, "intent"), str_of(llm_intent_name[i]))) {
            *out = (enum llm_intent)i;
            return true;
        }
    return fail(e, ERR_INPUT, "the model's answer has no \"intent\" of those asked for");
}

static bool is_known(const struct llm_query *q, struct arena *a, str normal)
{
    for (size_t i = 0; i < q->name_count; i++)
        if (str_eq(text_normal_name(a, q->names[i]), normal))
            return true;
    return false;
}

static void take_name(struct arena *a, const struct llm_source *source, const json_t *item,
                      struct llm_query *out)
{
    str name = llm_line(a, item, MAX_LLM_NAME_BYTES), normal = text_normal_name(a, name);
    if (normal.len == 0 || text_is_generic(normal) || !llm_source_has(a, source, name) ||
        out->name_count == MAX_LLM_QUERY_NAMES)
        out->dropped++;
    else if (!is_known(out, a, normal))
        out->names[out->name_count++] = name;
}

bool llm_query_read(struct arena *a, str query, str json, struct llm_query *out, struct err *e)
{
    *out = (struct llm_query){.names = ARENA_ARRAY(a, str, MAX_LLM_QUERY_NAMES)};
    struct llm_source source = llm_source_of(a, utf8_prefix(query, MAX_LLM_SOURCE_BYTES));
    json_t *root, *item;
    const json_t *names;
    size_t i;
    bool ok =
        llm_answer_list(json, "entities", &root, &names, e) && read_intent(root, &out->intent, e);
    if (ok) {
        json_array_foreach(names, i, item)
        {
            take_name(a, &source, item, out);
        }
    }
    json_decref(root);
    return ok;
}
