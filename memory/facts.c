#include "memory/facts.h"

#include "memory/base/pack.h"

const char node_letter[NODE_KIND_COUNT] = {
#define X(name, letter, text) [NODE_##name] = letter,
    NODE_KINDS(X)
#undef X
};
const char *const node_name[NODE_KIND_COUNT] = {
#define X(name, letter, text) [NODE_##name] = text,
    NODE_KINDS(X)
#undef X
};
const char *const edge_name[EDGE_KIND_COUNT] = {
#define X(name, text, forward, backward) [EDGE_##name] = text,
    EDGE_KINDS(X)
#undef X
};
const float edge_forward[EDGE_KIND_COUNT] = {
#define X(name, text, forward, backward) [EDGE_##name] = forward,
    EDGE_KINDS(X)
#undef X
};
const float edge_backward[EDGE_KIND_COUNT] = {
#define X(name, text, forward, backward) [EDGE_##name] = backward,
    EDGE_KINDS(X)
#undef X
};
const char *const memory_kind_name[MEMORY_KIND_COUNT] = {
#define X(name, text) [KIND_##name] = text,
    MEMORY_KINDS(X)
#undef X
};
const char *const origin_name[ORIGIN_COUNT] = {"user", "agent", "document", "commit", "model"};
const float origin_trust[ORIGIN_COUNT] = {1.0f, 0.8f, 0.6f, 0.6f, 0.4f};

bool memory_kind_parse(str s, enum memory_kind *out)
{
    for (int i = 0; i < MEMORY_KIND_COUNT; i++)
        if (str_eq(s, str_of(memory_kind_name[i]))) {
            *out = (enum memory_kind)i;
            return true;
        }
    return false;
}

bool node_id_parse(str s, enum node_kind *kind, int64_t *id)
{
    if (s.len < 2 || s.at[1] == '0' || !str_to_int(str_cut(s, 1, s.len), id))
        return false;
    for (int i = 0; i < NODE_KIND_COUNT; i++)
        if (node_letter[i] == s.at[0]) {
            *kind = (enum node_kind)i;
            return true;
        }
    return false;
}

str node_id_format(struct arena *a, enum node_kind kind, int64_t id)
{
    char text[24], *at = text + sizeof text;
    uint64_t n = (uint64_t)id;
    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    *--at = node_letter[kind];
    return arena_str(a, str_from(at, (size_t)(text + sizeof text - at)));
}

uint32_t facts_add_node(struct arena *a, struct facts *f, struct fact_node node)
{
    ARENA_GROW(a, f->nodes, f->node_count, f->node_capacity);
    f->nodes[f->node_count] = node;
    return (uint32_t)f->node_count++;
}

void facts_add_edge(struct arena *a, struct facts *f, struct fact_edge edge)
{
    ARENA_GROW(a, f->edges, f->edge_count, f->edge_capacity);
    f->edges[f->edge_count++] = edge;
}

void facts_add_warning(struct arena *a, struct facts *f, str text)
{
    if (f->warning_count == MAX_FACT_WARNINGS)
        return;
    ARENA_GROW(a, f->warnings, f->warning_count, f->warning_capacity);
    f->warnings[f->warning_count++] = arena_str(a, text);
}

/* Layout: "EGF1" | title | media_type | n nodes: kind u32, key, name, body, heading, line_start
 * u32, line_end u32, page u32 | n edges: from u32, to u32, kind u32, weight f32 | n warnings: text.
 * A text is u32 length and its bytes. */
static const str MAGIC = {"EGF1", 4};

void facts_write(struct buf *out, const struct facts *f)
{
    buf_add(out, MAGIC);
    pack_text(out, f->title);
    pack_text(out, f->media_type);
    pack_u32(out, (uint32_t)f->node_count);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct fact_node *n = &f->nodes[i];
        pack_u32(out, n->kind);
        pack_text(out, n->key);
        pack_text(out, n->name);
        pack_text(out, n->body);
        pack_text(out, n->heading);
        pack_u32(out, n->line_start);
        pack_u32(out, n->line_end);
        pack_u32(out, n->page);
    }
    pack_u32(out, (uint32_t)f->edge_count);
    for (size_t i = 0; i < f->edge_count; i++) {
        uint32_t weight_bits;
        memcpy(&weight_bits, &f->edges[i].weight, sizeof weight_bits);
        pack_u32(out, f->edges[i].from);
        pack_u32(out, f->edges[i].to);
        pack_u32(out, f->edges[i].kind);
        pack_u32(out, weight_bits);
    }
    pack_u32(out, (uint32_t)f->warning_count);
    for (size_t i = 0; i < f->warning_count; i++)
        pack_text(out, f->warnings[i]);
}

static void read_nodes(struct arena *a, struct unpack *r, struct facts *out)
{
    out->node_count = out->node_capacity = unpack_count(r, MAX_FACT_NODES, 32);
    out->nodes = ARENA_ARRAY(a, struct fact_node, out->node_count);
    for (size_t i = 0; i < out->node_count && !r->bad; i++) {
        struct fact_node *n = &out->nodes[i];
        uint32_t kind = unpack_u32(r);
        r->bad |= kind >= NODE_KIND_COUNT;
        n->kind = r->bad ? NODE_PASSAGE : (enum node_kind)kind;
        n->key = unpack_text(r);
        n->name = unpack_text(r);
        n->body = unpack_text(r);
        n->heading = unpack_text(r);
        n->line_start = unpack_u32(r);
        n->line_end = unpack_u32(r);
        n->page = unpack_u32(r);
    }
}

static void read_edges(struct arena *a, struct unpack *r, struct facts *out)
{
    out->edge_count = out->edge_capacity = unpack_count(r, MAX_FACT_EDGES, 16);
    out->edges = ARENA_ARRAY(a, struct fact_edge, out->edge_count);
    for (size_t i = 0; i < out->edge_count && !r->bad; i++) {
        struct fact_edge *edge = &out->edges[i];
        edge->from = unpack_u32(r);
        edge->to = unpack_u32(r);
        uint32_t kind = unpack_u32(r), weight_bits = unpack_u32(r);
        memcpy(&edge->weight, &weight_bits, sizeof edge->weight);
        bool sound = edge->weight >= 0.0f && edge->weight <= 1e6f; /* false for NaN */
        r->bad |= edge->from >= out->node_count || edge->to >= out->node_count ||
                  kind >= EDGE_KIND_COUNT || !sound;
        edge->kind = r->bad ? EDGE_MENTIONS : (enum edge_kind)kind;
    }
}

bool facts_read(struct arena *a, str bytes, struct facts *out, struct err *e)
{
    *out = (struct facts){0};
    if (bytes.len > MAX_FACTS_BYTES)
        return fail(e, ERR_LIMIT, "a parser's facts have %zu bytes, at most %d", bytes.len,
                    MAX_FACTS_BYTES);
    struct unpack r = {bytes, !str_starts(bytes, MAGIC)};
    r.rest = str_cut(r.rest, MAGIC.len, r.rest.len);
    out->title = unpack_text(&r);
    out->media_type = unpack_text(&r);
    if (!r.bad)
        read_nodes(a, &r, out);
    if (!r.bad)
        read_edges(a, &r, out);
    if (!r.bad) {
        out->warning_count = out->warning_capacity = unpack_count(&r, MAX_FACT_WARNINGS, 4);
        out->warnings = ARENA_ARRAY(a, str, out->warning_count);
        for (size_t i = 0; i < out->warning_count; i++)
            out->warnings[i] = unpack_text(&r);
    }
    if (!unpack_done(&r))
        return fail(e, ERR_INPUT, "a parser's facts are damaged");
    return true;
}
