/* Codex's sessions: ~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, an entry a line:
 * {"timestamp","type","payload"}; of older versions the payload alone, behind a line with the
 * session's id. */
#include "parsers/import_talk.h"

static bool knows(str name, str head, str tables)
{
    (void)tables;
    str line = str_cut(head, 0, str_find_char(head, '\n', 0));
    bool is_rollout = str_find(name, S("rollout-"), 0) < name.len && str_ends(name, S(".jsonl"));
    return str_find(line, S("\"session_meta\""), 0) < line.len ||
           (is_rollout && str_starts(line, S("{\"id\"")));
}

/* "*** Update File: src/a.c" of a patch. */
static void note_patch(struct talk *t, struct import_reader *r, str patch)
{
    static const char *const marks[] = {"*** Update File: ", "*** Add File: "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        str mark = str_of(marks[i]);
        for (size_t at = str_find(patch, mark, 0); at < patch.len;
             at = str_find(patch, mark, at + 1)) {
            str rest = str_cut(patch, at + mark.len, patch.len);
            size_t end = str_find_char(rest, '\n', 0), escaped = str_find(rest, S("\\n"), 0);
            talk_edited(
                t, arena_str(r->item, str_trim(str_cut(rest, 0, end < escaped ? end : escaped))));
        }
    }
}

static bool take_message(struct import_reader *r, struct talk *t, const json_t *payload, str stamp,
                         str where)
{
    str role = import_text(payload, "role"), id = import_text(payload, "id");
    bool by_user = str_eq(role, S("user"));
    if (!by_user && !str_eq(role, S("assistant")))
        return true; /* what the program itself tells the model */
    str text = import_joined(r->item, json_object_get(payload, "content"));
    if (str_starts(text, S("# AGENTS.md")))
        return true;
    int64_t at_ms = 0;
    json_t *time = json_stringn(stamp.at, stamp.len);
    import_time(time, &at_ms);
    json_decref(time);
    str key = arena_printf(r->item, "%.*s %.*s", FMT(t->session), FMT(id.len ? id : where));
    return talk_turn(t, key, by_user, at_ms, text);
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)section;
    struct talk *t = r->state;
    const json_t *payload = json_object_get(value, "payload");
    str type = import_text(value, "type");
    bool is_wrapped = json_is_object(payload);
    if (!t)
        talk_begin(t = r->state = ARENA_NEW(r->arena, struct talk), r, S(""), S(""));
    if (str_eq(type, S("session_meta")) || (!is_wrapped && !type.len && !t->session.len)) {
        const json_t *meta = is_wrapped ? payload : value;
        if (!t->session.len) /* a fork repeats whom it comes from */
            talk_begin(t, r, import_text(meta, "id"), import_text(meta, "cwd"));
        return true;
    }
    if (is_wrapped && !str_eq(type, S("response_item")))
        return true;
    payload = is_wrapped ? payload : value;
    if (str_eq(import_text(payload, "type"), S("message")))
        return take_message(r, t, payload, import_text(value, "timestamp"), where);
    note_patch(t, r, import_text(payload, "input"));
    note_patch(t, r, import_text(payload, "arguments"));
    return true;
}

static bool end(struct import_reader *r)
{
    return !r->state || talk_end(r->state);
}

const struct import_format import_codex = {
    .name = "codex", .form = FORM_LINES, .knows = knows, .value = take_value, .end = end};
