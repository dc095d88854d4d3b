/* What our plugin for OpenCode keeps of a session: a line {"opencode_session": {"id", "directory",
 * "title"}}, then a message a line as OpenCode has them: {"info": {"id", "role", "time":
 * {"created"}}, "parts": [{"type", "text", "synthetic"} or {"type": "tool", "tool", "state":
 * {"input"}}]}. */
#include "parsers/import_talk.h"

static bool knows(str name, str head, str tables)
{
    (void)tables;
    return str_ends(name, S(".jsonl")) && str_starts(head, S("{\"opencode_session\""));
}

/* What was written: nothing that a plugin put behind it. `opencode run` puts what stands on its
 * command line into quotes. */
static str prose_of(struct import_reader *r, const json_t *parts)
{
    json_t *texts = json_array(), *part;
    size_t i;
    json_array_foreach((json_t *)parts, i, part)
    {
        if (str_eq(import_text(part, "type"), S("text")) &&
            !json_is_true(json_object_get(part, "synthetic")))
            json_array_append(texts, part);
    }
    str joined = str_trim(import_joined(r->item, texts));
    json_decref(texts);
    bool is_quoted = joined.len > 1 && str_starts(joined, S("\"")) && str_ends(joined, S("\""));
    return is_quoted ? str_cut(joined, 1, joined.len - 1) : joined;
}

static void note_edits(struct talk *t, const json_t *parts)
{
    static const char *const editors[] = {"edit", "write", "multiedit"};
    const json_t *part;
    size_t i;
    json_array_foreach((json_t *)parts, i, part)
    {
        const json_t *input = json_object_get(json_object_get(part, "state"), "input");
        for (size_t k = 0; k < sizeof editors / sizeof *editors; k++)
            if (str_eq(import_text(part, "tool"), str_of(editors[k])))
                talk_edited(t, import_text(input, "filePath"));
    }
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)section;
    struct talk *t = r->state;
    const json_t *session = json_object_get(value, "opencode_session");
    const json_t *info = json_object_get(value, "info"), *parts = json_object_get(value, "parts");
    if (!t)
        talk_begin(t = r->state = ARENA_NEW(r->arena, struct talk), r, import_text(session, "id"),
                   import_text(session, "directory"));
    if (session) {
        talk_entitle(t, import_text(session, "title"));
        return true;
    }
    bool by_user = str_eq(import_text(info, "role"), S("user"));
    if (!by_user && !str_eq(import_text(info, "role"), S("assistant"))) {
        import_skip(r, "no message", where);
        return true;
    }
    int64_t at_ms = 0;
    import_time(json_object_get(json_object_get(info, "time"), "created"), &at_ms);
    if (!by_user)
        note_edits(t, parts);
    str id = import_text(info, "id");
    str key = arena_printf(r->item, "%.*s %.*s", FMT(t->session), FMT(id.len ? id : where));
    return talk_turn(t, key, by_user, at_ms, prose_of(r, parts));
}

/* OpenCode finds a title for each session, so a title alone makes none worth telling. */
static bool end(struct import_reader *r)
{
    struct talk *t = r->state;
    if (t && t->prompts < 2)
        talk_entitle(t, S(""));
    return !t || talk_end(t);
}

const struct import_format import_opencode = {
    .name = "opencode", .form = FORM_LINES, .knows = knows, .value = take_value, .end = end};
