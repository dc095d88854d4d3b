/* Claude Code's transcripts: ~/.claude/projects/FOLDER/SESSION.jsonl, an entry a line with "type",
 * "uuid", "sessionId", "cwd", "timestamp" and, of user and assistant, "message": {"content": a text
 * or a list of blocks}. */
#include "parsers/import_talk.h"

static bool knows(str name, str head, str tables)
{
    static const char *const marks[] = {"\"sessionId\"", "\"leafUuid\"", "\"parentUuid\""};
    (void)tables;
    if (!str_ends(name, S(".jsonl")))
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (str_find(head, str_of(marks[i]), 0) < head.len)
            return true;
    return false;
}

/* What a person or a model wrote: no tool's input or output, no thinking. */
static str prose_of(struct import_reader *r, const json_t *content)
{
    json_t *texts = json_array(), *block;
    size_t i;
    if (json_is_string(content)) {
        json_decref(texts);
        return import_joined(r->item, content);
    }
    json_array_foreach((json_t *)content, i, block)
    {
        if (str_eq(import_text(block, "type"), S("text")))
            json_array_append(texts, block);
    }
    str joined = import_joined(r->item, texts);
    json_decref(texts);
    return joined;
}

static void note_edits(struct talk *t, const json_t *content)
{
    static const char *const editors[] = {"Edit", "Write", "MultiEdit", "NotebookEdit"};
    json_t *block;
    size_t i;
    json_array_foreach((json_t *)content, i, block)
    {
        const json_t *input = json_object_get(block, "input");
        str path = import_text(input, "file_path").len ? import_text(input, "file_path")
                                                       : import_text(input, "notebook_path");
        for (size_t k = 0; k < sizeof editors / sizeof *editors; k++)
            if (path.len && str_eq(import_text(block, "name"), str_of(editors[k])))
                talk_edited(t, path);
    }
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)section;
    struct talk *t = r->state;
    if (!t)
        talk_begin(t = r->state = ARENA_NEW(r->arena, struct talk), r, S(""), S(""));
    str type = import_text(value, "type"), session = import_text(value, "sessionId");
    bool by_user = str_eq(type, S("user"));
    if (str_eq(type, S("summary")))
        talk_entitle(t, import_text(value, "summary"));
    if (!by_user && !str_eq(type, S("assistant")))
        return true;
    if (json_is_true(json_object_get(value, "isSidechain"))) {
        import_skip(r, "said to or by a subagent", where);
        return true;
    }
    if (json_is_true(json_object_get(value, "isMeta")) ||
        json_is_true(json_object_get(value, "isCompactSummary")) ||
        json_is_true(json_object_get(value, "isApiErrorMessage")))
        return true;
    if (!t->session.len && session.len) {
        str title = t->title;
        talk_begin(t, r, session, import_text(value, "cwd"));
        t->title = title;
    }
    int64_t at_ms = 0;
    import_time(json_object_get(value, "timestamp"), &at_ms);
    const json_t *content = json_object_get(json_object_get(value, "message"), "content");
    if (!by_user)
        note_edits(t, content);
    str id = import_text(value, "uuid"), text = prose_of(r, content);
    str key = id.len ? id : arena_printf(r->item, "%.*s %.*s", FMT(t->session), FMT(where));
    return talk_turn(t, key, by_user, at_ms, text);
}

static bool end(struct import_reader *r)
{
    return !r->state || talk_end(r->state);
}

const struct import_format import_claude_code = {
    .name = "claude-code", .form = FORM_LINES, .knows = knows, .value = take_value, .end = end};
