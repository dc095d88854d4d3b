/* The reference memory server's graph: memory.jsonl, a line {"type":"entity","name","entityType",
 * "observations":[]} or {"type":"relation","from","to","relationType"} each. */
#include "parsers/import.h"

static bool knows(str name, str head, str tables)
{
    (void)name, (void)tables;
    str line = str_cut(head, 0, str_find_char(head, '\n', 0));
    bool is_entity = str_find(line, S("\"entityType\""), 0) < line.len;
    bool is_relation = str_find(line, S("\"relationType\""), 0) < line.len;
    return str_starts(str_trim(line), S("{")) && (is_entity || is_relation);
}

static bool give_one(struct import_reader *r, str key, str text, struct import_entity *entity)
{
    return import_give(r, &(struct import_item){.what = IMPORT_MEMORY,
                                                .key = key,
                                                .text = text,
                                                .entities = entity,
                                                .entity_count = 1});
}

/* An observation rarely names what it is about: the entity's name goes before it. */
static bool give_entity(struct import_reader *r, const json_t *value)
{
    str name = import_text(value, "name"), type = import_text(value, "entityType");
    const json_t *list = json_object_get(value, "observations"), *text;
    struct import_entity entity = {name, type};
    size_t i, given = 0;
    json_array_foreach((json_t *)list, i, text)
    {
        str said = str_trim(import_joined(r->item, text));
        if (!said.len)
            continue;
        given++;
        str whole = str_find(said, name, 0) < said.len
                        ? said
                        : arena_printf(r->item, "%.*s: %.*s", FMT(name), FMT(said));
        str key = arena_printf(r->item, "entity\x1f%.*s\x1f%.*s", FMT(name), FMT(said));
        if (!give_one(r, key, whole, &entity))
            return false;
    }
    if (given)
        return true;
    str whole = type.len ? arena_printf(r->item, "%.*s is of type %.*s.", FMT(name), FMT(type))
                         : arena_printf(r->item, "There is %.*s.", FMT(name));
    return give_one(r, arena_printf(r->item, "entity\x1f%.*s", FMT(name)), whole, &entity);
}

static bool give_relation(struct import_reader *r, const json_t *value)
{
    struct import_relation relation = {
        import_text(value, "from"), import_text(value, "relationType"), import_text(value, "to")};
    str key = arena_printf(r->item, "relation\x1f%.*s\x1f%.*s\x1f%.*s", FMT(relation.from),
                           FMT(relation.label), FMT(relation.to));
    char *label = arena_cstr(r->item, relation.label);
    for (char *c = label; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    str text = arena_printf(r->item, "%.*s %s %.*s.", FMT(relation.from), label, FMT(relation.to));
    return import_give(r, &(struct import_item){.what = IMPORT_MEMORY,
                                                .key = key,
                                                .text = text,
                                                .relations = &relation,
                                                .relation_count = 1});
}

static bool take_value(struct import_reader *r, str section, const json_t *value, str where)
{
    (void)section;
    str type = import_text(value, "type");
    if (str_eq(type, S("entity")) && import_text(value, "name").len)
        return give_entity(r, value);
    if (str_eq(type, S("relation")) && import_text(value, "from").len &&
        import_text(value, "to").len && import_text(value, "relationType").len)
        return give_relation(r, value);
    import_skip(r, "neither entity nor relation", where);
    return true;
}

const struct import_format import_server_memory = {
    .name = "server-memory", .form = FORM_LINES, .knows = knows, .value = take_value};
