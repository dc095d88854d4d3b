/* Engram (Go): its database (~/.engram/engram.db) or `engram export`. An observation has a title, a
 * content, a type and maybe a topic_key, by which a later one replaced it in place. */
#include "parsers/import.h"

static bool knows(str name, str head, str tables)
{
    (void)name;
    if (tables.len)
        return str_find(tables, S(" observations "), 0) < tables.len &&
               str_find(tables, S(" user_prompts "), 0) < tables.len;
    return str_starts(str_trim(head), S("{")) &&
           str_find(head, S("\"exported_at\""), 0) < head.len &&
           str_find(head, S("\"observations\""), 0) < head.len;
}

static enum memory_kind kind_of(str type)
{
    static const struct {
        const char *type;
        enum memory_kind kind;
    } kinds[] = {{"decision", KIND_DECISION},
                 {"architecture", KIND_DECISION},
                 {"preference", KIND_PREFERENCE},
                 {"session_summary", KIND_EPISODE},
                 {"question", KIND_QUESTION}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(type, str_of(kinds[i].type)))
            return kinds[i].kind;
    return KIND_FACT;
}

static bool give_observation(struct import_reader *r, const json_t *row, str where)
{
    str title = str_trim(import_text(row, "title")),
        content = str_trim(import_text(row, "content"));
    if (json_is_string(json_object_get(row, "deleted_at"))) {
        import_skip(r, "deleted there", where);
        return true;
    }
    bool apart = title.len && str_find(content, title, 0) == content.len;
    struct import_item item = {
        .what = IMPORT_MEMORY,
        .has_kind = true,
        .kind = kind_of(import_text(row, "type")),
        .text = apart ? arena_printf(r->item, "%.*s\n%.*s", FMT(title), FMT(content)) : content,
        .topic = import_text(row, "topic_key"),
        .session = import_text(row, "session_id"),
        .project = import_text(row, "project")};
    item.has_at = import_time(json_object_get(row, "updated_at"), &item.at_ms) ||
                  import_time(json_object_get(row, "created_at"), &item.at_ms);
    item.key = arena_printf(r->item, "observation %lld %.*s",
                            (long long)json_integer_value(json_object_get(row, "id")),
                            FMT(import_text(row, "created_at")));
    return import_give(r, &item);
}

static bool give_session(struct import_reader *r, const json_t *row)
{
    str id = import_text(row, "id");
    struct import_item item = {.what = IMPORT_MEMORY,
                               .has_kind = true,
                               .kind = KIND_EPISODE,
                               .key = arena_printf(r->item, "session %.*s", FMT(id)),
                               .text = import_text(row, "summary"),
                               .session = id,
                               .project = import_text(row, "project")};
    item.has_at = import_time(json_object_get(row, "started_at"), &item.at_ms);
    return !item.text.len || import_give(r, &item);
}

static bool give_prompt(struct import_reader *r, const json_t *row)
{
    struct import_item item = {.what = IMPORT_TURN,
                               .by_user = true,
                               .text = import_text(row, "content"),
                               .session = import_text(row, "session_id"),
                               .project = import_text(row, "project")};
    item.has_at = import_time(json_object_get(row, "created_at"), &item.at_ms);
    item.key = arena_printf(r->item, "prompt %lld %.*s",
                            (long long)json_integer_value(json_object_get(row, "id")),
                            FMT(import_text(row, "created_at")));
    return import_give(r, &item);
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    if (str_eq(section, S("observations")))
        return give_observation(r, value, where);
    if (str_eq(section, S("sessions")))
        return give_session(r, value);
    return str_eq(section, S("user_prompts")) || str_eq(section, S("prompts"))
               ? give_prompt(r, value)
               : true;
}

const struct import_format import_engram_go = {.name = "engram-go",
                                               .form = FORM_DATABASE,
                                               .tables = "sessions observations user_prompts",
                                               .knows = knows,
                                               .value = take_value};
