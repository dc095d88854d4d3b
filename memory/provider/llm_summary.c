#include "memory/provider/llm_summary.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"
#include "memory/facts.h"
#include "memory/provider/answer.h"
#include "memory/provider/llm_task.h"

const char llm_summary_prompt[] = "summary-1";

enum { MAX_SUMMARY_OUTPUT_TOKENS = 3000 };

static const struct {
    const char *name, *heading;
} sections[LLM_SECTIONS] = {
    [LLM_DECISION] = {"decision", "**Decisions**"},
    [LLM_FACT] = {"fact", "**Facts**"},
    [LLM_QUESTION] = {"question", "**Open questions**"},
    [LLM_CONTEXT] = {"context", "**Context**"},
};

static str sent(const struct llm_member *member)
{
    return utf8_prefix(member->text, MAX_SUMMARY_MEMBER_BYTES);
}

struct llm_ask llm_summary_ask(struct arena *a, const struct llm_member *members, size_t count)
{
    struct llm_ask ask = llm_task_ask(llm_summary_prompt, S("summary"), MAX_SUMMARY_OUTPUT_TOKENS);
    struct buf user = {0};
    for (size_t i = 0; i < count && i < MAX_SUMMARY_MEMBERS; i++)
        buf_add(&user,
                llm_fence(a, node_id_format(a, NODE_MEMORY, members[i].id), sent(&members[i])));
    ask.user = arena_str(a, buf_str(&user));
    buf_free(&user);
    return ask;
}

static bool read_section(const json_t *item, enum llm_section *out)
{
    for (int i = 0; i < LLM_SECTIONS; i++)
        if (str_eq(answer_string(item, "section"), str_of(sections[i].name))) {
            *out = (enum llm_section)i;
            return true;
        }
    return false;
}

static const struct llm_member *find_member(const struct llm_member *members, size_t count,
                                            str name)
{
    enum node_kind kind;
    int64_t id;
    if (!node_id_parse(name, &kind, &id) || kind != NODE_MEMORY)
        return NULL;
    for (size_t i = 0; i < count && i < MAX_SUMMARY_MEMBERS; i++)
        if (members[i].id == id)
            return &members[i];
    return NULL;
}

static bool read_line(struct arena *a, const struct llm_member *members, size_t count,
                      const json_t *item, struct llm_summary_line *out)
{
    const struct llm_member *member = find_member(members, count, answer_string(item, "member"));
    *out = (struct llm_summary_line){.text = llm_field(a, item, "text", MAX_SUMMARY_LINE_BYTES),
                                     .quote = llm_field(a, item, "quote", MAX_LLM_QUOTE_BYTES)};
    if (!member || out->text.len == 0 || !read_section(item, &out->section))
        return false;
    out->member = member->id;
    struct llm_source source = llm_source_of(a, sent(member));
    return llm_source_has(a, &source, out->quote) && llm_source_has_numbers(a, &source, out->text);
}

bool llm_summary_read(struct arena *a, const struct llm_member *members, size_t count, str json,
                      struct llm_summary *out, struct err *e)
{
    *out =
        (struct llm_summary){.lines = ARENA_ARRAY(a, struct llm_summary_line, MAX_SUMMARY_LINES)};
    json_t *root, *item;
    const json_t *lines;
    size_t i;
    bool ok = llm_answer_list(json, "lines", &root, &lines, e);
    if (ok) {
        json_array_foreach(lines, i, item)
        {
            bool is_kept = out->count < MAX_SUMMARY_LINES &&
                           read_line(a, members, count, item, &out->lines[out->count]);
            out->count += is_kept;
            out->dropped += !is_kept;
        }
    }
    json_decref(root);
    return ok;
}

str llm_summary_text(struct arena *a, const struct llm_summary *summary)
{
    struct buf text = {0};
    for (int section = 0; section < LLM_SECTIONS; section++) {
        bool has_heading = false;
        for (size_t i = 0; i < summary->count; i++) {
            const struct llm_summary_line *line = &summary->lines[i];
            if ((int)line->section != section)
                continue;
            if (!has_heading)
                buf_printf(&text, "%s%s\n", text.len ? "\n" : "", sections[section].heading);
            has_heading = true;
            str id = node_id_format(a, NODE_MEMORY, line->member);
            buf_printf(&text, "- [%.*s] %.*s\n", FMT(id), FMT(line->text));
        }
    }
    str out = arena_str(a, str_trim(buf_str(&text)));
    buf_free(&text);
    return out;
}
