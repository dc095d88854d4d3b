#include "memory/provider/llm_contradict.h"

#include "memory/base/unicode.h"
#include "memory/provider/answer.h"
#include "memory/provider/llm_task.h"

const char llm_contradict_prompt[] = "contradict-1";

enum { MAX_CONTRADICT_OUTPUT_TOKENS = 400, MAX_SIDE_BYTES = MAX_LLM_SOURCE_BYTES / 2 };

struct llm_ask llm_contradict_ask(struct arena *a, str older, str newer)
{
    struct llm_ask ask =
        llm_task_ask(llm_contradict_prompt, S("contradiction"), MAX_CONTRADICT_OUTPUT_TOKENS);
    str first = llm_fence(a, S("older"), utf8_prefix(older, MAX_SIDE_BYTES));
    str second = llm_fence(a, S("newer"), utf8_prefix(newer, MAX_SIDE_BYTES));
    ask.user = arena_printf(a, "%.*s\n%.*s", FMT(first), FMT(second));
    return ask;
}

static str value_of(struct arena *a, str text, const json_t *root, const char *name)
{
    struct llm_source source = llm_source_of(a, utf8_prefix(text, MAX_SIDE_BYTES));
    str value = llm_field(a, root, name, MAX_CONTRADICT_VALUE_BYTES);
    return llm_source_has(a, &source, value) ? value : S("");
}

bool llm_contradict_read(struct arena *a, str older, str newer, str json,
                         struct llm_contradiction *out, struct err *e)
{
    *out = (struct llm_contradiction){0};
    json_t *root;
    bool ok = answer_parse(json, &root, e);
    const json_t *verdict = json_object_get(root, "contradicts");
    if (ok && !json_is_boolean(verdict))
        ok = fail(e, ERR_INPUT, "the model's answer has no \"contradicts\" that is true or false");
    if (ok && json_is_true(verdict)) {
        str from = value_of(a, older, root, "older_value");
        str to = value_of(a, newer, root, "newer_value");
        out->contradicts =
            from.len && to.len && !str_eq(unicode_fold(a, from), unicode_fold(a, to));
        out->dropped = !out->contradicts;
        out->older = out->contradicts ? from : S("");
        out->newer = out->contradicts ? to : S("");
    }
    json_decref(root);
    return ok;
}
