/* claude-mem: its database (~/.claude-mem/claude-mem.db) or the export of its script. An
 * observation has a title, a narrative and facts; a summary tells of a session. */
#include "parsers/import.h"

#include "memory/base/hash.h"

static bool knows(str name, str head, str tables)
{
    (void)name;
    if (tables.len)
        return str_find(tables, S(" sdk_sessions "), 0) < tables.len;
    return str_starts(str_trim(head), S("{")) &&
           str_find(head, S("\"memory_session_id\""), 0) < head.len;
}

/* A list of texts, or the JSON of one. */
static str list_of(struct import_reader *r, const json_t *row, const char *member)
{
    const json_t *value = json_object_get(row, member);
    json_error_t ignored;
    if (!json_is_string(value))
        return import_joined(r->item, value);
    json_t *parsed =
        json_loadb(json_string_value(value), json_string_length(value), JSON_ALLOW_NUL, &ignored);
    str joined = json_is_array(parsed) ? import_joined(r->item, parsed) : import_text(row, member);
    json_decref(parsed);
    return joined;
}

static void add_part(struct buf *out, const char *label, str text)
{
    text = str_trim(text);
    if (text.len)
        buf_printf(out, "%s%s%.*s", out->len ? "\n" : "", label, FMT(text));
}

static bool give(struct import_reader *r, const json_t *row, const char *table, struct buf *text,
                 enum memory_kind kind)
{
    struct import_item item = {.what = IMPORT_MEMORY,
                               .has_kind = true,
                               .kind = kind,
                               .text = buf_str(text),
                               .session = import_text(row, "memory_session_id"),
                               .project = import_text(row, "project")};
    item.has_at = import_time(json_object_get(row, "created_at_epoch"), &item.at_ms) ||
                  import_time(json_object_get(row, "created_at"), &item.at_ms);
    item.key = arena_printf(r->item, "%s %.*s %lld %lld", table, FMT(item.session),
                            (long long)json_integer_value(json_object_get(row, "id")),
                            (long long)item.at_ms);
    bool ok = !text->len || import_give(r, &item);
    buf_free(text);
    return ok;
}

static bool give_observation(struct import_reader *r, const json_t *row)
{
    struct buf text = {.max_bytes = MAX_IMPORT_TEXT_BYTES};
    bool is_decision = str_eq(import_text(row, "type"), S("decision"));
    add_part(&text, "", import_text(row, "title"));
    add_part(&text, "", import_text(row, "subtitle"));
    add_part(&text, "", import_text(row, "narrative"));
    add_part(&text, "", list_of(r, row, "facts"));
    if (!text.len)
        add_part(&text, "", import_text(row, "text"));
    add_part(&text, "Files: ", list_of(r, row, "files_modified"));
    return give(r, row, "observation", &text, is_decision ? KIND_DECISION : KIND_FACT);
}

static bool give_summary(struct import_reader *r, const json_t *row)
{
    static const struct {
        const char *member, *label;
    } parts[] = {{"request", "Request: "},       {"investigated", "Investigated: "},
                 {"learned", "Learned: "},       {"completed", "Completed: "},
                 {"next_steps", "Next steps: "}, {"notes", "Notes: "}};
    struct buf text = {.max_bytes = MAX_IMPORT_TEXT_BYTES};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_part(&text, parts[i].label, import_text(row, parts[i].member));
    return give(r, row, "summary", &text, KIND_EPISODE);
}

/* Which project a prompt's session is of; prompts don't say. */
struct sessions {
    struct map projects; /* content_session_id to an index */
    str *names;
    size_t count, capacity;
};

static void note_session(struct import_reader *r, const json_t *row)
{
    enum { MAX_SESSIONS = 100000, MAX_NAME_BYTES = 4096 };
    struct sessions *s = r->state ? r->state : (r->state = ARENA_NEW(r->arena, struct sessions));
    str id = import_text(row, "content_session_id"), project = import_text(row, "project");
    if (!id.len || s->count == MAX_SESSIONS || id.len + project.len > MAX_NAME_BYTES)
        return;
    ARENA_GROW(r->arena, s->names, s->count, s->capacity);
    s->names[s->count] = arena_str(r->arena, project);
    map_put(&s->projects, arena_str(r->arena, id), (int64_t)s->count++, NULL);
}

static bool give_prompt(struct import_reader *r, const json_t *row)
{
    struct sessions *s = r->state;
    str session = import_text(row, "content_session_id"), project = import_text(row, "project");
    int64_t *index = s ? map_find(&s->projects, session) : NULL;
    struct import_item item = {.what = IMPORT_TURN,
                               .by_user = true,
                               .text = import_text(row, "prompt_text"),
                               .session = session,
                               .project = index ? s->names[*index] : project};
    item.has_at = import_time(json_object_get(row, "created_at_epoch"), &item.at_ms);
    item.key = arena_printf(r->item, "prompt %.*s %lld", FMT(session),
                            (long long)json_integer_value(json_object_get(row, "prompt_number")));
    return !item.text.len || import_give(r, &item);
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)where;
    if (str_eq(section, S("observations")))
        return give_observation(r, value);
    if (str_eq(section, S("session_summaries")) || str_eq(section, S("summaries")))
        return give_summary(r, value);
    if (str_eq(section, S("user_prompts")) || str_eq(section, S("prompts")))
        return give_prompt(r, value);
    if (str_eq(section, S("sdk_sessions")) || str_eq(section, S("sessions")))
        note_session(r, value);
    return true;
}

static bool end(struct import_reader *r)
{
    struct sessions *s = r->state;
    if (s)
        map_free(&s->projects);
    return true;
}

const struct import_format import_claude_mem = {
    .name = "claude-mem",
    .form = FORM_DATABASE,
    .tables = "sdk_sessions observations session_summaries user_prompts",
    .knows = knows,
    .value = take_value,
    .end = end};
