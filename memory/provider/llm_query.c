#include "memory/provider/llm_query.h"

#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "memory/provider/answer.h"
#include "memory/provider/llm_task.h"
#include "memory/text.h"

const char llm_query_prompt[] = "query-1";

const char *const llm_intent_name[LLM_INTENTS] = {
    "factual", "temporal", "number", "definition", "callers", "callees", "dependents", "subtypes",
};

enum { MAX_QUERY_OUTPUT_TOKENS = 300 };

struct llm_ask llm_query_ask(struct arena *a, str query, int64_t now_ms)
{
    enum { DATE_BYTES = 10 };
    struct llm_ask ask = llm_task_ask(llm_query_prompt, S("query"), MAX_QUERY_OUTPUT_TOKENS);
    str fenced = llm_fence(a, S("question"), utf8_prefix(query, MAX_LLM_SOURCE_BYTES));
    str today = utf8_prefix(iso_format(a, now_ms), DATE_BYTES);
    ask.user = arena_printf(a, "Today is %.*s.\n%.*s", FMT(today), FMT(fenced));
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

/* ---- names ---- */

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

/* ---- the time ---- */

/* Empty: open. */
static bool read_date(str text, int64_t *ms)
{
    return !text.len || iso_parse(text, ms, NULL);
}

/* One whose words don't stand in the query, or which is none, is dropped. */
static void take_time(struct arena *a, const struct llm_source *source, const json_t *root,
                      struct llm_query *out)
{
    enum { MAX_DATE_BYTES = 32 };
    str words = llm_field(a, root, "time_words", MAX_LLM_QUOTE_BYTES);
    str from = llm_field(a, root, "time_from", MAX_DATE_BYTES);
    str until = llm_field(a, root, "time_until", MAX_DATE_BYTES);
    out->from_ms = INT64_MIN;
    out->until_ms = INT64_MAX;
    if (!words.len && !from.len && !until.len)
        return;
    if ((from.len || until.len) && llm_source_has(a, source, words) &&
        read_date(from, &out->from_ms) && read_date(until, &out->until_ms) &&
        out->from_ms < out->until_ms)
        out->time_words = words;
    else
        out->dropped++;
}

bool llm_query_read(struct arena *a, str query, str json, struct llm_query *out, struct err *e)
{
    *out =
        (struct llm_query){.names = ARENA_ARRAY(a, str, MAX_LLM_QUERY_NAMES), .time_words = S("")};
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
        take_time(a, &source, root, out);
    }
    json_decref(root);
    return ok;
}
