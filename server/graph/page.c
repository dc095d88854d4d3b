#include "server/graph/page.h"

#include "embed_page.h"
#include "embed_page_layout.h"
#include "embed_page_libraries.h"
#include "embed_page_licences.h"
#include "memory/base/unicode.h"

#include <string.h>

static json_t *text(struct arena *a, str s)
{
    str shown = unicode_visible(a, s);
    return json_stringn(shown.at, shown.len);
}

static const char *state_of(const struct picture_node *n)
{
    return n->is_current ? "current" : n->is_archived ? "archived" : "superseded";
}

static json_t *node_json(struct arena *a, const struct picture_node *n)
{
    json_t *json =
        json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:f, s:s, s:s}", "id",
                  text(a, node_id_format(a, n->kind, n->id)), "kind", node_name[n->kind], "type",
                  text(a, n->type), "label", text(a, n->label), "at", (json_int_t)n->at_ms,
                  "community", (json_int_t)n->community, "centrality", n->centrality, "state",
                  state_of(n), "origin", origin_name[n->origin]);
    if (n->text.len)
        json_object_set_new(json, "text", text(a, n->text));
    if (n->source.len)
        json_object_set_new(json, "source", text(a, n->source));
    if (n->is_pinned)
        json_object_set_new(json, "pinned", json_true());
    return json;
}

/* Ids of the wire, by place in the picture. */
static str id_of(struct arena *a, const struct picture *p, int64_t id)
{
    size_t low = 0, high = p->node_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->nodes[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->node_count && p->nodes[low].id == id ? node_id_format(a, p->nodes[low].kind, id)
                                                         : S("");
}

static json_t *edge_json(struct arena *a, const struct picture *p, const struct picture_edge *e)
{
    json_t *json = json_pack("{s:o, s:o, s:s}", "from", text(a, id_of(a, p, e->from)), "to",
                             text(a, id_of(a, p, e->to)), "kind", edge_name[e->kind]);
    if (e->label.len)
        json_object_set_new(json, "label", text(a, e->label));
    return json;
}

/* What the page needs of the tool's answer: the entities that were named, and the items with the
 * reasons. */
static json_t *recall_json(struct arena *a, const struct graph_page *page)
{
    json_t *entities = json_array(), *items = json_array(), *one;
    size_t i;
    json_array_foreach(json_object_get(page->recall, "entities"), i, one)
        json_array_append(entities, json_object_get(one, "id"));
    json_array_foreach(json_object_get(page->recall, "items"), i, one)
    {
        json_t *why = json_object_get(one, "why");
        json_array_append_new(items,
                              json_pack("{s:O, s:O, s:o}", "id", json_object_get(one, "id"),
                                        "score", json_object_get(one, "score"), "why",
                                        json_is_array(why) ? json_incref(why) : json_array()));
    }
    return json_pack("{s:o, s:o, s:o}", "query", text(a, page->query), "entities", entities,
                     "items", items);
}

static json_t *page_json(struct arena *a, const struct graph_page *page)
{
    const struct picture *p = page->picture;
    json_t *nodes = json_array(), *edges = json_array(), *communities = json_array();
    for (size_t i = 0; i < p->node_count; i++)
        json_array_append_new(nodes, node_json(a, &p->nodes[i]));
    for (size_t i = 0; i < p->edge_count; i++)
        json_array_append_new(edges, edge_json(a, p, &p->edges[i]));
    for (size_t i = 0; i < p->community_count; i++)
        json_array_append_new(communities,
                              json_pack("{s:I, s:o, s:I}", "id", (json_int_t)p->communities[i].id,
                                        "label", text(a, p->communities[i].label), "members",
                                        (json_int_t)p->communities[i].members));
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:I, s:I}", "project", text(a, page->project), "nodes",
                  nodes, "edges", edges, "communities", communities, "nodes_left_out",
                  (json_int_t)p->nodes_left_out, "edges_left_out", (json_int_t)p->edges_left_out);
    if (p->focus)
        json_object_set_new(json, "focus", text(a, id_of(a, p, p->focus)));
    if (page->recall)
        json_object_set_new(json, "recall", recall_json(a, page));
    return json;
}

/* "<" could end the element that holds it. */
static void add_data(struct arena *a, const struct graph_page *page, struct buf *out)
{
    json_t *json = page_json(a, page);
    char *bytes = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(6));
    for (const char *at = bytes; at && *at; at++)
        if (*at == '<')
            buf_add(out, S("\\u003c"));
        else
            buf_add_char(out, *at);
    heap_free(bytes);
    json_decref(json);
}

/* One of our own files. */
static str own_file(const char *name)
{
    for (const struct embed_file *f = embed_page_files; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return (str){f->text, f->size};
    return S("");
}

static void add_text(struct buf *out, const char *before, const struct embed_file *file,
                     const char *after)
{
    buf_add(out, str_of(before));
    buf_add(out, (str){file->text, file->size});
    buf_add(out, str_of(after));
}

/* The drawing libraries are files for the global scope; the layout has CommonJS modules, each of
 * which becomes a function that `libraries` runs when it is first asked for. */
static void add_libraries(struct buf *out)
{
    for (const struct embed_file *f = embed_page_licences_files; f->name; f++)
        add_text(out, "<script type=\"text/plain\">\n", f, "</script>\n");
    for (const struct embed_file *f = embed_page_libraries_files; f->name; f++)
        add_text(out, "<script>\n", f, "\n</script>\n");
    buf_add(out, S("<script>\nconst libraries = (() => {\nconst made = {}, files = {\n"));
    for (const struct embed_file *f = embed_page_layout_files; f->name; f++) {
        buf_printf(out, "\"./%s\": (module, exports, require) => {\n", f->name);
        add_text(out, "", f, "\n},\n");
    }
    buf_add(out, S("};\nreturn function require(name) {\n"
                   "if (!made[name]) {\nmade[name] = { exports: {} };\n"
                   "files[name](made[name], made[name].exports, require);\n}\n"
                   "return made[name].exports;\n};\n})();\n</script>\n"));
}

/* What stands between two signs of percent in page.html is replaced by this. */
static void add_part(struct arena *a, const struct graph_page *page, str part, struct buf *out)
{
    if (str_eq(part, S("DATA")))
        add_data(a, page, out);
    else if (str_eq(part, S("LIBRARIES")))
        add_libraries(out);
    else
        buf_add(out, own_file(arena_cstr(a, part)));
}

void graph_page_write(struct arena *a, const struct graph_page *page, struct buf *out)
{
    str rest = own_file("page.html");
    for (size_t from; (from = str_find_char(rest, '%', 0)) < rest.len;) {
        size_t to = str_find_char(rest, '%', from + 1);
        buf_add(out, str_cut(rest, 0, from));
        add_part(a, page, str_cut(rest, from + 1, to), out);
        rest = str_cut(rest, to + 1, rest.len);
    }
    buf_add(out, rest);
}
