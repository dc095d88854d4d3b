/* The engine: all that a project remembers in an order in which people read (memory/outline.c),
 * and its graph as a picture (memory/picture.c). */
#ifndef ENGRAM_MEMORY_VIEWS_H
#define ENGRAM_MEMORY_VIEWS_H

#include "memory/memory.h"

/* ---- everything in an order in which people read (memory/outline.c) ---- */

struct outline_memory {
    int64_t id, superseded_by; /* superseded_by 0: nobody that is still there */
    enum memory_kind kind;
    enum origin origin;
    bool is_current, is_pinned;
    int64_t at_ms;
    str topic, session, speaker, text;
    str format; /* of the tool that it was imported from; empty: it was said here */
};
struct outline_document {
    int64_t id, at_ms;
    str title, path;
    size_t passages;
};
struct outline_entity {
    int64_t id;
    str name, type, aliases; /* aliases: ", " between two */
    str relations;           /* "label name", a line's end between two */
};
typedef bool outline_memory(void *ctx, const struct outline_memory *row, struct err *e);
typedef bool outline_document(void *ctx, const struct outline_document *row, struct err *e);
typedef bool outline_entity(void *ctx, const struct outline_entity *row, struct err *e);

struct outline_visitor {
    void *ctx;
    outline_memory *memory; /* with a topic first, by topic; then by session; each by at, then id */
    outline_document *document;
    outline_entity *entity; /* those that are active, by name */
};

/* One consistent state, a row at a time: memory is bounded by the longest row. */
bool memory_outline(struct memory *m, const struct outline_visitor *v, struct err *e);

/* ---- the graph as a picture (memory/picture.c) ---- */

enum {
    MAX_PICTURE_NODES = 5000,
    MAX_PICTURE_EDGES = 20000,
    MAX_PICTURE_WANTED = 64,
    MAX_PICTURE_LABEL_BYTES = 100,
    MAX_PICTURE_TEXT_BYTES = 700,
    PICTURE_FOCUS_STEPS = 3, /* how far from a focus its picture goes */
};

struct picture_node {
    int64_t id;
    enum node_kind kind;
    str type;                 /* a memory's kind, an entity's type, a symbol's kind; else empty */
    str label, text, source;  /* each may be empty; source is a path, a line behind a colon */
    int64_t at_ms, community; /* 0: none */
    double centrality;        /* 1 is the average; 0: not known */
    bool is_current, is_pinned, is_archived;
    enum origin origin;
};
struct picture_edge {
    int64_t from, to, said_by; /* 0: nobody */
    enum edge_kind kind;
    str label; /* of a relation */
    double weight;
};
struct picture_community {
    int64_t id;
    str label;
    size_t members;
};
struct picture_input {
    str focus;             /* an id or a name; empty: the whole graph */
    const int64_t *wanted; /* shown whatever else is; at most MAX_PICTURE_WANTED */
    size_t wanted_count;
    size_t most; /* nodes; 1 to MAX_PICTURE_NODES */
};
struct picture {
    struct picture_node *nodes;            /* by id */
    struct picture_edge *edges;            /* both ends are among the nodes */
    struct picture_community *communities; /* the largest first */
    size_t node_count, edge_count, community_count;
    size_t nodes_left_out, edges_left_out;
    int64_t focus; /* 0: none */
};

/* What a person would look at first, or what is around the focus. Reads only. ERR_NOT_FOUND for a
 * focus that names nothing. */
bool memory_picture(struct memory *m, struct arena *a, const struct picture_input *in,
                    struct picture *out, struct err *e);

#endif
