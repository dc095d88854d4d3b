/* Claude.ai's data export: conversations.json, an array of conversations with "chat_messages". */
#include "parsers/import_talk.h"

static bool knows(str name, str head, str tables)
{
    (void)name, (void)tables;
    return str_starts(str_trim(head), S("[")) &&
           str_find(head, S("\"chat_messages\""), 0) < head.len;
}

/* Newer exports have blocks beside the text, which then names those that are no text. */
static str text_of(struct import_reader *r, const json_t *message)
{
    const json_t *blocks = json_object_get(message, "content");
    json_t *texts = json_array(), *block;
    size_t i;
    json_array_foreach((json_t *)blocks, i, block)
    {
        if (str_eq(import_text(block, "type"), S("text")))
            json_array_append(texts, block);
    }
    str joined =
        json_array_size(texts) ? import_joined(r->item, texts) : import_text(message, "text");
    json_decref(texts);
    return joined;
}

static bool take_message(struct import_reader *r, struct talk *t, const json_t *message)
{
    int64_t at_ms = 0;
    str sender = import_text(message, "sender");
    bool by_user = str_eq(sender, S("human"));
    if (!by_user && !str_eq(sender, S("assistant")))
        return true;
    import_time(json_object_get(message, "created_at"), &at_ms);
    return talk_turn(t, import_text(message, "uuid"), by_user, at_ms, text_of(r, message));
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)section;
    struct talk t;
    struct arena kept = {0}, *whole = r->arena;
    const json_t *messages = json_object_get(value, "chat_messages"), *message;
    str id = import_text(value, "uuid");
    size_t i;
    bool ok = true;
    if (!id.len || !json_is_array(messages)) {
        import_skip(r, "no conversation", where);
        return true;
    }
    r->arena = &kept; /* a talk lives no longer than its conversation */
    talk_begin(&t, r, id, S(""));
    talk_entitle(&t, import_text(value, "name"));
    json_array_foreach((json_t *)messages, i, message)
    {
        ok = ok && take_message(r, &t, message);
    }
    ok = ok && talk_end(&t);
    r->arena = whole;
    arena_free(&kept);
    return ok;
}

const struct import_format import_claude_ai = {
    .name = "claude-ai", .form = FORM_ELEMENTS, .knows = knows, .value = take_value};
