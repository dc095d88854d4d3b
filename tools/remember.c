#include "tools/args.h"
#include "tools/render.h"
#include "tools/rows.h"

#include "memory/base/hash.h"
#include "memory/base/unicode.h"

#include <stdio.h>
#include <unistd.h>

enum { MAX_ANCHOR_FILE_BYTES = 8 << 20 };

/* ---- arguments ---- */

static bool read_props(struct request *r, const json_t *props, size_t index,
                       struct entity_input *out, struct err *e)
{
    const char *key;
    json_t *value;
    if (json_object_size(props) > MAX_PROPS)
        return fail(e, ERR_INPUT, "entities[%zu].props: %zu properties; wanted: at most %d", index,
                    json_object_size(props), MAX_PROPS);
    out->props = ARENA_ARRAY(r->arena, struct prop, json_object_size(props));
    json_object_foreach((json_t *)props, key, value)
    {
        if (!json_is_string(value))
            return fail(e, ERR_INPUT,
                        "entities[%zu].props.%.40s: not a string; wanted: flat strings", index,
                        key);
        if (strlen(key) > MAX_TYPE_BYTES || json_string_length(value) > MAX_PROP_BYTES)
            return fail(e, ERR_INPUT,
                        "entities[%zu].props.%.40s: too long; wanted: a name of at most %d and a "
                        "value of at most %d bytes",
                        index, key, MAX_TYPE_BYTES, MAX_PROP_BYTES);
        out->props[out->prop_count++] =
            (struct prop){unicode_squeeze(r->arena, str_of(key)),
                          str_from(json_string_value(value), json_string_length(value))};
    }
    return true;
}

static bool read_entities(struct request *r, const json_t *args, struct remember_input *in,
                          struct err *e)
{
    const json_t *list = arg_array(args, "entities", &in->entity_count);
    in->entities = ARENA_ARRAY(r->arena, struct entity_input, in->entity_count);
    for (size_t i = 0; i < in->entity_count; i++) {
        const json_t *row = json_array_get(list, i);
        struct entity_input *to = &in->entities[i];
        to->name = unicode_squeeze(r->arena, arg_str(row, "name"));
        to->type =
            unicode_squeeze(r->arena, arg_str(row, "type")); /* folded behind the redaction */
        if (to->type.len > MAX_TYPE_BYTES)
            return fail(e, ERR_INPUT, "entities[%zu].type: %zu bytes; wanted: at most %d", i,
                        to->type.len, MAX_TYPE_BYTES);
        if (!read_props(r, json_object_get(row, "props"), i, to, e))
            return false;
    }
    return true;
}

static bool read_relations(struct request *r, const json_t *args, struct remember_input *in,
                           struct err *e)
{
    const json_t *list = arg_array(args, "relations", &in->relation_count);
    in->relations = ARENA_ARRAY(r->arena, struct relation_input, in->relation_count);
    for (size_t i = 0; i < in->relation_count; i++) {
        const json_t *row = json_array_get(list, i);
        in->relations[i] =
            (struct relation_input){unicode_squeeze(r->arena, arg_str(row, "from")),
                                    unicode_squeeze(r->arena, arg_str(row, "relation")),
                                    unicode_squeeze(r->arena, arg_str(row, "to"))};
        if (!in->relations[i].relation.len)
            return fail(e, ERR_INPUT,
                        "relations[%zu].relation: blank; wanted: a label such as owned_by", i);
    }
    return true;
}

/* "src/a.c:120" or "src/a.c#Cart.add" or "src/a.c" */
static void split_anchor(str text, struct anchor_input *out)
{
    size_t hash = str_find_char(text, '#', 0), colon = text.len;
    int64_t line = 0;
    while (colon > 0 && text.at[colon - 1] != ':')
        colon--;
    *out = (struct anchor_input){.path = text};
    if (hash < text.len) {
        out->path = str_cut(text, 0, hash);
        out->symbol = str_cut(text, hash + 1, text.len);
    } else if (colon > 0 && str_to_int(str_cut(text, colon, text.len), &line) && line > 0 &&
               line <= UINT32_MAX) {
        out->path = str_cut(text, 0, colon - 1);
        out->line = (uint32_t)line;
    }
}

/* The hash of a file beneath the root tells later whether it changed; a missing file is accepted
 * and has none. */
static bool hash_file(struct request *r, const char *field, struct anchor_input *anchor,
                      struct err *e)
{
    int fd = -1;
    str relative;
    struct err trouble = {0};
    if (!r->services->open_file(r->services->ctx, r->arena, anchor->path, &fd, &relative,
                                &trouble)) {
        if (trouble.code == ERR_NOT_FOUND)
            return true;
        *e = trouble;
        return fail_context(e, "%s", field);
    }
    struct buf bytes = {.max_bytes = MAX_ANCHOR_FILE_BYTES};
    ssize_t n = 1;
    while (n > 0 && buf_reserve(&bytes, 65536) && (n = read(fd, bytes.at + bytes.len, 65536)) > 0)
        bytes.len += (size_t)n;
    close(fd);
    anchor->path = relative;
    anchor->file_hash = hash128_hex(r->arena, buf_str(&bytes));
    buf_free(&bytes);
    return true;
}

static bool read_anchors(struct request *r, const json_t *args, struct remember_input *in,
                         struct err *e)
{
    str *list = arg_strs(r->arena, args, "files", &in->anchor_count);
    in->anchors = ARENA_ARRAY(r->arena, struct anchor_input, in->anchor_count);
    for (size_t i = 0; i < in->anchor_count; i++) {
        char field[32];
        snprintf(field, sizeof field, "files[%zu]", i);
        split_anchor(str_trim(list[i]), &in->anchors[i]);
        if (!in->anchors[i].path.len)
            return fail(e, ERR_INPUT,
                        "%s: no path; wanted: one like src/a.c:120 or src/a.c#Cart.add", field);
        if (!hash_file(r, field, &in->anchors[i], e))
            return false;
    }
    return true;
}

static bool read_input(struct request *r, const json_t *args, struct remember_input *in,
                       struct err *e)
{
    *in = (struct remember_input){
        .from = {r->origin, r->now_ms, r->branch, r->head},
        .text = arg_str(args, "text"),
        .speaker = unicode_squeeze(r->arena, arg_str(args, "speaker")),
        .topic = unicode_squeeze(r->arena, arg_str(args, "topic")),
        .session = unicode_squeeze(r->arena, arg_str(args, "session").len ? arg_str(args, "session")
                                                                          : r->session),
        .pin = arg_bool(args, "pin"),
    };
    if (!unicode_squeeze(r->arena, in->text).len)
        return fail(e, ERR_INPUT, "text: empty; wanted: what to keep, in full sentences");
    in->has_kind = memory_kind_parse(arg_str(args, "kind"), &in->kind);
    in->supersedes = arg_strs(r->arena, args, "supersedes", &in->supersedes_count);
    if (!arg_time(args, "at", false, &in->has_at, &in->at_ms, e) || !read_entities(r, args, in, e))
        return false;
    return read_relations(r, args, in, e) && read_anchors(r, args, in, e);
}

/* ---- the reply ---- */

static json_t *render_similar(struct arena *a, const struct remember_result *out)
{
    json_t *list = json_array();
    for (size_t i = 0; i < out->similar_count; i++) {
        json_t *row = json_object();
        set_new(row, "id", json_id(a, NODE_MEMORY, out->similar[i].id));
        set_new(row, "text", json_str(a, out->similar[i].text));
        set_new(row, "score", json_real((double)(int)(out->similar[i].score * 1000) / 1000));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *render(struct request *r, const struct remember_result *out,
                      const struct project_ref *project)
{
    struct arena *a = r->arena;
    json_t *reply = json_object(), *entities = json_array(), *relations = json_array(),
           *supersedes = json_array(), *redacted = json_array();
    set_new(reply, "id", json_id(a, NODE_MEMORY, out->id));
    set_new(reply, "status", json_string(out->duplicate ? "duplicate" : "stored"));
    if (out->was_forgotten)
        set_new(reply, "was_forgotten", json_true());
    set_new(reply, "kind", json_string(memory_kind_name[out->kind]));
    for (size_t i = 0; i < out->entity_count; i++)
        json_array_append_new(entities, render_entity(a, &out->entities[i], true));
    for (size_t i = 0; i < out->relation_count; i++)
        json_array_append_new(relations, render_fact(a, &out->relations[i]));
    for (size_t i = 0; i < out->superseded_count; i++)
        json_array_append_new(supersedes, json_id(a, NODE_MEMORY, out->superseded[i]));
    for (size_t i = 0; i < out->redacted_count; i++) {
        json_t *row = json_object();
        set_new(row, "rule", json_str(a, out->redacted[i].rule));
        set_new(row, "count", json_integer((json_int_t)out->redacted[i].count));
        json_array_append_new(redacted, row);
    }
    set_new(reply, "entities", entities);
    set_new(reply, "relations", relations);
    set_new(reply, "supersedes", supersedes);
    set_new(reply, "similar", render_similar(a, out));
    set_new(reply, "redacted", redacted);
    set_new(reply, "project", json_project(a, project));
    return reply;
}

bool tool_remember(struct request *r, const json_t *args, struct tool_reply *reply, struct err *e)
{
    struct remember_input in;
    struct remember_result out;
    struct memory *memory;
    struct project_ref project;
    if (!r->services->project(r->services->ctx, arg_str(args, "project"), &memory, &project, e) ||
        !read_input(r, args, &in, e) || !memory_remember(memory, r->arena, &in, &out, e))
        return false;
    reply->structured = render(r, &out, &project);
    reply->text = render_lines(r->arena, reply->structured);
    return true;
}
