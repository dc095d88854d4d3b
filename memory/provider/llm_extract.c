#include "memory/provider/llm_extract.h"

#include "memory/base/unicode.h"
#include "memory/provider/llm_task.h"
#include "memory/text.h"

const char llm_extract_prompt[] = "extract-1";

enum { MAX_EXTRACT_OUTPUT_TOKENS = 2000 };

struct llm_ask llm_extract_ask(struct arena *a, str text)
{
    struct llm_ask ask =
        llm_task_ask(llm_extract_prompt, S("extraction"), MAX_EXTRACT_OUTPUT_TOKENS);
    ask.user = llm_fence(a, S("note"), utf8_prefix(text, MAX_LLM_SOURCE_BYTES));
    return ask;
}

struct reading {
    struct arena *a;
    struct llm_source source;
    struct llm_extraction *out;
};

/* Letters and digits in lower case, what stands between them as one underscore; empty where it
 * isn't a word or two. */
static str snake_case(struct arena *a, str text)
{
    str folded = unicode_fold(a, text);
    char *out = arena_bytes(a, folded.len);
    size_t len = 0;
    for (size_t at = 0, bytes; at < folded.len; at += bytes) {
        enum char_class class = unicode_class(utf8_decode(folded, at, &bytes));
        if (class != CHAR_OTHER && class != CHAR_SPACE) {
            memcpy(out + len, folded.at + at, bytes);
            len += bytes;
        } else if (len && out[len - 1] != '_') {
            out[len++] = '_';
        }
    }
    len -= len && out[len - 1] == '_';
    return len <= MAX_LLM_LABEL_BYTES ? str_from(out, len) : S("");
}

/* The entity of a name, however it is written; NULL: it isn't among them. */
static const struct llm_entity *entity_of(const struct reading *r, str name)
{
    str normal = text_normal_name(r->a, name);
    for (size_t i = 0; normal.len && i < r->out->entity_count; i++)
        if (str_eq(text_normal_name(r->a, r->out->entities[i].name), normal))
            return &r->out->entities[i];
    return NULL;
}

static void take_entity(struct reading *r, const json_t *item)
{
    struct llm_extraction *out = r->out;
    struct llm_entity entity = {.name = llm_field(r->a, item, "name", MAX_LLM_NAME_BYTES),
                                .type = llm_field(r->a, item, "type", MAX_LLM_TYPE_BYTES)};
    str normal = text_normal_name(r->a, entity.name);
    if (normal.len == 0 || text_is_generic(normal) || out->entity_count == MAX_LLM_ENTITIES ||
        !llm_source_has(r->a, &r->source, entity.name)) {
        out->dropped++;
        return;
    }
    if (entity_of(r, entity.name))
        return; /* the same thing, named twice */
    entity.type = utf8_prefix(unicode_fold(r->a, entity.type), MAX_LLM_TYPE_BYTES);
    out->entities[out->entity_count++] = entity;
}

static void take_relation(struct reading *r, const json_t *item)
{
    struct llm_extraction *out = r->out;
    const struct llm_entity *from = entity_of(r, llm_field(r->a, item, "from", MAX_LLM_NAME_BYTES));
    const struct llm_entity *to = entity_of(r, llm_field(r->a, item, "to", MAX_LLM_NAME_BYTES));
    str label = snake_case(r->a, llm_field(r->a, item, "relation", MAX_LLM_LABEL_BYTES));
    str quote = llm_field(r->a, item, "quote", MAX_LLM_QUOTE_BYTES);
    if (!from || !to || from == to || label.len == 0 || out->relation_count == MAX_LLM_RELATIONS ||
        !llm_source_has(r->a, &r->source, quote)) {
        out->dropped++;
        return;
    }
    out->relations[out->relation_count++] =
        (struct llm_relation){.from = from->name, .to = to->name, .label = label, .quote = quote};
}

bool llm_extract_read(struct arena *a, str text, str json, struct llm_extraction *out,
                      struct err *e)
{
    *out = (struct llm_extraction){.entities = ARENA_ARRAY(a, struct llm_entity, MAX_LLM_ENTITIES),
                                   .relations =
                                       ARENA_ARRAY(a, struct llm_relation, MAX_LLM_RELATIONS)};
    struct reading r = {a, llm_source_of(a, utf8_prefix(text, MAX_LLM_SOURCE_BYTES)), out};
    json_t *root, *item;
    const json_t *entities;
    size_t i;
    bool ok = llm_answer_list(json, "entities", &root, &entities, e);
    if (ok) {
        json_array_foreach(entities, i, item)
        {
            take_entity(&r, item);
        }
        json_array_foreach(json_object_get(root, "relations"), i, item)
        {
            take_relation(&r, item);
        }
    }
    json_decref(root);
    return ok;
}
