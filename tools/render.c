#include "tools/render.h"

#include "memory/base/buf.h"
#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"

#include <math.h>
#include <stdio.h>

void set_new(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value); /* our own keys */
}

json_t *json_str(struct arena *a, str s)
{
    str visible = unicode_visible(a, s);
    return json_stringn_nocheck(visible.at ? visible.at : "", visible.len);
}

void set_str(struct arena *a, json_t *object, const char *key, str s)
{
    if (s.len)
        set_new(object, key, json_str(a, s));
}

json_t *json_id(struct arena *a, enum node_kind kind, int64_t id)
{
    return json_str(a, node_id_format(a, kind, id));
}

json_t *json_time(struct arena *a, int64_t ms)
{
    return json_str(a, iso_format(a, ms));
}

json_t *json_project(struct arena *a, const struct project_ref *ref)
{
    json_t *out = json_object();
    set_new(out, "id", json_str(a, ref->id));
    set_new(out, "name", json_str(a, ref->name));
    set_new(out, "root", json_str(a, ref->root));
    return out;
}

/* Three decimals: enough to compare, short to read. */
static json_t *json_score(float score)
{
    return json_real(round((double)score * 1000) / 1000);
}

json_t *render_entity(struct arena *a, const struct entity_ref *ref, bool with_status)
{
    json_t *out = json_object();
    set_new(out, "id", json_id(a, NODE_ENTITY, ref->id));
    set_new(out, "name", json_str(a, ref->name));
    if (with_status) {
        set_str(a, out, "type", ref->type);
        set_new(out, "status", json_string(ref->is_new ? "new" : "known"));
    } else {
        set_new(out, "confidence", json_score(ref->confidence));
    }
    return out;
}

json_t *render_fact(struct arena *a, const struct fact_ref *f)
{
    json_t *out = json_object();
    set_new(out, "from", json_str(a, f->from));
    set_new(out, "relation", json_str(a, f->relation));
    set_new(out, "to", json_str(a, f->to));
    if (f->said_by)
        set_new(out, "id", json_id(a, f->said_kind, f->said_by));
    if (f->until_ms)
        set_new(out, "until", json_time(a, f->until_ms));
    if (f->by_model)
        set_new(out, "origin", json_string(origin_name[ORIGIN_MODEL]));
    return out;
}

static json_t *render_source(struct arena *a, const struct item *item)
{
    json_t *out = json_object();
    set_str(a, out, "path", item->path);
    if (item->line_start) {
        set_new(out, "line_start", json_integer(item->line_start));
        set_new(out, "line_end", json_integer(item->line_end));
    }
    set_str(a, out, "commit", item->commit);
    if (item->document)
        set_new(out, "document", json_id(a, NODE_DOCUMENT, item->document));
    set_str(a, out, "heading", item->heading);
    if (item->page)
        set_new(out, "page", json_integer(item->page));
    set_str(a, out, "session", item->session);
    set_str(a, out, "speaker", item->speaker);
    return out;
}

static json_t *render_strs(struct arena *a, const str *list, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_str(a, list[i]));
    return out;
}

static json_t *render_context(struct arena *a, const struct item *item)
{
    json_t *out = json_object();
    set_str(a, out, "before", item->before);
    set_str(a, out, "after", item->after);
    return out;
}

json_t *render_item(struct arena *a, const struct item *item)
{
    json_t *out = json_object();
    set_new(out, "id", json_id(a, item->kind, item->id));
    set_new(out, "kind", json_string(node_name[item->kind]));
    if (item->kind == NODE_MEMORY)
        set_new(out, "memory_kind", json_string(memory_kind_name[item->memory_kind]));
    set_new(out, "text", json_str(a, item->text));
    set_new(out, "score", json_score(item->score));
    set_new(out, "at", json_time(a, item->at_ms));
    set_new(out, "source", render_source(a, item));
    if (item->before.len || item->after.len)
        set_new(out, "context", render_context(a, item));
    set_new(out, "why", render_strs(a, item->why, item->why_count));
    if (item->member_count) {
        json_t *members = json_array();
        enum node_kind kind = item->kind == NODE_DOCUMENT ? NODE_PASSAGE : NODE_MEMORY;
        for (size_t i = 0; i < item->member_count; i++)
            json_array_append_new(members, json_id(a, kind, item->members[i]));
        set_new(out, "members", members);
    }
    if (item->more_count) {
        json_t *more = json_array();
        for (size_t i = 0; i < item->more_count; i++)
            json_array_append_new(more, json_id(a, NODE_SYMBOL, item->more[i]));
        set_new(out, "more", more);
    }
    set_str(a, out, "stale", item->stale);
    set_str(a, out, "stale_note", item->stale_note);
    if (item->superseded)
        set_new(out, "superseded", json_true());
    if (item->superseded_by)
        set_new(out, "superseded_by", json_id(a, NODE_MEMORY, item->superseded_by));
    if (item->supersedes_count) {
        json_t *supersedes = json_array();
        for (size_t i = 0; i < item->supersedes_count; i++)
            json_array_append_new(supersedes, json_id(a, NODE_MEMORY, item->supersedes[i]));
        set_new(out, "supersedes", supersedes);
    }
    if (item->archived)
        set_new(out, "archived", json_true());
    set_new(out, "origin", json_string(origin_name[item->origin]));
    set_new(out, "trust", json_score(item->trust));
    if (item->explain_count)
        set_new(out, "explain", render_strs(a, item->explain, item->explain_count));
    return out;
}

/* ---- text ---- */

/* Visible, and with its line breaks as \n: outside of the fence no stored text can begin a line of
 * its own. */
str render_line(struct arena *a, str s)
{
    str visible = unicode_visible(a, s);
    struct buf b = {0};
    if (str_find_char(visible, '\n', 0) == visible.len)
        return visible;
    for (size_t i = 0; i < visible.len; i++) {
        if (visible.at[i] == '\n')
            buf_add(&b, S("\\n"));
        else
            buf_add_char(&b, visible.at[i]);
    }
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

void render_part(struct arena *a, struct buf *b, const char *before, str s)
{
    if (!s.len)
        return;
    buf_add(b, str_of(before));
    buf_add(b, render_line(a, s));
}

static void add_fenced(struct arena *a, struct buf *b, const char *before, str s, str fence)
{
    if (!s.len)
        return;
    buf_printf(b, "%s<%.*s>\n", before, FMT(fence));
    buf_add(b, unicode_visible(a, s));
    buf_printf(b, "\n</%.*s>", FMT(fence));
}

static void add_ids(struct arena *a, struct buf *b, const char *before, const int64_t *ids,
                    size_t count)
{
    for (size_t i = 0; i < count; i++)
        render_part(a, b, i ? ", " : before, node_id_format(a, NODE_MEMORY, ids[i]));
}

str render_item_text(struct arena *a, const struct item *item, str fence)
{
    struct buf b = {0};
    render_part(a, &b, "[", node_id_format(a, item->kind, item->id));
    buf_printf(&b, "] %s",
               item->kind == NODE_MEMORY ? memory_kind_name[item->memory_kind]
                                         : node_name[item->kind]);
    render_part(a, &b, " by ", item->speaker);
    render_part(a, &b, ", ", iso_format(a, item->at_ms));
    buf_printf(&b, ", score %.3f, origin %s, trust %.3g", (double)item->score,
               origin_name[item->origin], (double)item->trust);
    render_part(a, &b, ", session ", item->session);
    render_part(a, &b, "\nsource: ", item->path);
    if (item->path.len && item->line_start)
        buf_printf(&b, ":%u-%u", item->line_start, item->line_end);
    else if (item->line_start)
        buf_printf(&b, "\nlines %u-%u", item->line_start, item->line_end);
    if (item->document)
        buf_printf(&b, " (d%lld)", (long long)item->document);
    render_part(a, &b, "\nheading: ", item->heading);
    if (item->page)
        buf_printf(&b, ", page %u", item->page);
    render_part(a, &b, "\ncommit: ", item->commit);
    if (item->superseded)
        buf_printf(&b, "\nNOT CURRENT: superseded");
    if (item->superseded_by)
        buf_printf(&b, " by m%lld", (long long)item->superseded_by);
    add_ids(a, &b, "\nsupersedes ", item->supersedes, item->supersedes_count);
    if (item->archived)
        buf_printf(&b, "\narchived");
    render_part(a, &b, "\nstale: ", item->stale);
    render_part(a, &b, "; ", item->stale_note);
    add_fenced(a, &b, "\nbefore: ", item->before, fence);
    add_fenced(a, &b, "\n", item->text, fence);
    add_fenced(a, &b, "\nafter: ", item->after, fence);
    for (size_t i = 0; i < item->why_count; i++)
        render_part(a, &b, i ? "; " : "\nwhy: ", item->why[i]);
    for (size_t i = 0; i < item->explain_count; i++)
        render_part(a, &b, i ? "; " : "\nscored: ", item->explain[i]);
    for (size_t i = 0; i < item->member_count; i++)
        buf_printf(&b, "%s%c%lld", i ? ", " : "\nmembers: ",
                   node_letter[item->kind == NODE_DOCUMENT ? NODE_PASSAGE : NODE_MEMORY],
                   (long long)item->members[i]);
    for (size_t i = 0; i < item->more_count; i++)
        buf_printf(&b, "%s%c%lld", i ? ", " : "\nalso in this file: ", node_letter[NODE_SYMBOL],
                   (long long)item->more[i]);
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

static bool is_flat(const json_t *value)
{
    return !json_is_object(value) && !json_is_array(value);
}

static void add_scalar(struct buf *b, const json_t *value)
{
    if (json_is_string(value)) {
        struct arena scratch = {0};
        buf_add(b, render_line(&scratch,
                               str_from(json_string_value(value), json_string_length(value))));
        arena_free(&scratch);
        return;
    }
    char text[64] = "null";
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, sizeof text, "%.4g", json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
    buf_add(b, str_of(text));
}

/* An object whose members are flat, on one line: "id e7, name Redis, type technology". */
static bool add_row(struct buf *b, const json_t *value)
{
    const char *key;
    json_t *member;
    bool first = true;
    json_object_foreach((json_t *)value, key, member) if (!is_flat(member)) return false;
    json_object_foreach((json_t *)value, key, member)
    {
        buf_printf(b, "%s%s ", first ? "" : ", ", key);
        add_scalar(b, member);
        first = false;
    }
    return true;
}

static void add_lines(struct buf *b, const json_t *object, int depth);

static void add_member(struct buf *b, const char *key, const json_t *value, int depth)
{
    size_t i;
    json_t *item;
    buf_printf(b, "%*s%s:", depth * 2, "", key);
    if (is_flat(value)) {
        buf_add_char(b, ' ');
        add_scalar(b, value);
        buf_add_char(b, '\n');
        return;
    }
    if (json_is_object(value)) {
        buf_add_char(b, ' ');
        if (add_row(b, value)) {
            buf_add_char(b, '\n');
        } else {
            buf_add_char(b, '\n');
            add_lines(b, value, depth + 1);
        }
        return;
    }
    if (json_array_size(value) == 0)
        buf_add(b, S(" none"));
    buf_add_char(b, '\n');
    json_array_foreach((json_t *)value, i, item)
    {
        buf_printf(b, "%*s- ", depth * 2 + 2, "");
        if (is_flat(item))
            add_scalar(b, item);
        else if (!add_row(b, item)) {
            buf_add_char(b, '\n');
            add_lines(b, item, depth + 2);
            continue;
        }
        buf_add_char(b, '\n');
    }
}

static void add_lines(struct buf *b, const json_t *object, int depth)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)object, key, member) add_member(b, key, member, depth);
}

str render_lines(struct arena *a, const json_t *object)
{
    struct buf b = {0};
    add_lines(&b, object, 0);
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}
