/* ChatGPT's data export: conversations.json, an array of conversations whose messages are a tree
 * ("mapping"); read is the branch that ends in "current_node". */
#include "parsers/import_talk.h"

enum { MAX_TURNS = 20000 }; /* of one conversation */

static bool knows(str name, str head, str tables)
{
    (void)name, (void)tables;
    return str_starts(str_trim(head), S("[")) && str_find(head, S("\"mapping\""), 0) < head.len;
}

static const json_t *node_of(const json_t *mapping, str id)
{
    return json_object_getn(mapping, id.at, id.len);
}

/* The nodes from the last message to the root; their number. A circle ends at MAX_TURNS. */
static size_t branch(struct import_reader *r, const json_t *value, const json_t ***out)
{
    const json_t *mapping = json_object_get(value, "mapping");
    const json_t *node = node_of(mapping, import_text(value, "current_node"));
    size_t count = 0, capacity = 0;
    *out = NULL;
    while (node && count < MAX_TURNS && count <= json_object_size(mapping)) {
        ARENA_GROW(r->item, *out, count, capacity);
        (*out)[count++] = node;
        node = node_of(mapping, import_text(node, "parent"));
    }
    return count;
}

static bool take_message(struct import_reader *r, struct talk *t, const json_t *message)
{
    str role = import_text(json_object_get(message, "author"), "role");
    const json_t *content = json_object_get(message, "content");
    const json_t *meta = json_object_get(message, "metadata");
    str type = import_text(content, "content_type");
    bool by_user = str_eq(role, S("user"));
    if ((!by_user && !str_eq(role, S("assistant"))) ||
        (!str_eq(type, S("text")) && !str_eq(type, S("multimodal_text"))) ||
        json_is_true(json_object_get(meta, "is_visually_hidden_from_conversation")))
        return true;
    int64_t at_ms = 0;
    import_time(json_object_get(message, "create_time"), &at_ms);
    return talk_turn(t, import_text(message, "id"), by_user, at_ms,
                     import_joined(r->item, json_object_get(content, "parts")));
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)section;
    struct talk t;
    const json_t **nodes;
    struct arena kept = {0}, *whole = r->arena;
    str id = import_text(value, "conversation_id").len ? import_text(value, "conversation_id")
                                                       : import_text(value, "id");
    if (!id.len || !json_is_object(json_object_get(value, "mapping"))) {
        import_skip(r, "no conversation", where);
        return true;
    }
    r->arena = &kept; /* a talk lives no longer than its conversation */
    talk_begin(&t, r, id, S(""));
    talk_entitle(&t, import_text(value, "title"));
    size_t count = branch(r, value, &nodes);
    bool ok = true;
    while (ok && count--)
        ok = take_message(r, &t, json_object_get(nodes[count], "message"));
    ok = ok && talk_end(&t);
    r->arena = whole;
    arena_free(&kept);
    return ok;
}

const struct import_format import_chatgpt = {
    .name = "chatgpt", .form = FORM_ELEMENTS, .knows = knows, .value = take_value};
