/* The vocabulary that parsers, tools and the engine share: kinds of nodes and edges, and what a
 * parser found (facts). Public to every layer; knows neither SQL nor JSON. */
#ifndef ENGRAM_FACTS_H
#define ENGRAM_FACTS_H

#include "memory/base/arena.h"
#include "memory/base/buf.h"
#include "memory/base/err.h"
#include "memory/base/str.h"

/* What an export of a whole memory begins with. */
#define EXPORT_MARK "{\"engram_export\""

/* One row a kind: its letter in public ids and its name on the wire. The order is what the database
 * stores: append only. */
#define NODE_KINDS(X)                                                                              \
    X(MEMORY, 'm', "memory")                                                                       \
    X(ENTITY, 'e', "entity")                                                                       \
    X(DOCUMENT, 'd', "document")                                                                   \
    X(PASSAGE, 'p', "passage")                                                                     \
    X(FILE, 'f', "file")                                                                           \
    X(SYMBOL, 's', "symbol")                                                                       \
    X(COMMIT, 'c', "commit")                                                                       \
    X(SESSION, 'n', "session")

enum node_kind {
#define X(name, letter, text) NODE_##name,
    NODE_KINDS(X)
#undef X
        NODE_KIND_COUNT
};

/* One row a kind: stored text, weight forward, weight backward (no unit, only ratios count). */
#define EDGE_KINDS(X)                                                                              \
    X(MENTIONS, "mentions", 1.0f, 1.0f)                                                            \
    X(NEXT, "next", 8.0f, 8.0f)                                                                    \
    X(PART_OF, "part_of", 1.0f, 0.2f)                                                              \
    X(DEFINES, "defines", 1.0f, 0.5f)                                                              \
    X(CALLS, "calls", 0.6f, 0.3f)                                                                  \
    X(IMPORTS, "imports", 0.4f, 0.2f)                                                              \
    X(TOUCHES, "touches", 0.5f, 0.5f)                                                              \
    X(RELATES_TO, "relates_to", 1.0f, 1.0f)                                                        \
    X(SAME_AS, "same_as", 2.0f, 2.0f)                                                              \
    X(SUPERSEDES, "supersedes", 0.0f, 0.5f)                                                        \
    X(CO_OCCURS, "co_occurs", 0.3f, 0.3f)                                                          \
    X(ASSOCIATED, "associated", 1.0f, 1.0f)                                                        \
    X(ANCHORS, "anchors", 1.0f, 1.0f)                                                              \
    X(RELATION, "relation", 2.0f, 2.0f)                                                            \
    X(INHERITS, "inherits", 0.6f, 0.3f)                                                            \
    X(USES, "uses", 0.3f, 0.15f)

enum edge_kind {
#define X(name, text, forward, backward) EDGE_##name,
    EDGE_KINDS(X)
#undef X
        EDGE_KIND_COUNT
};

extern const char node_letter[NODE_KIND_COUNT];
extern const char *const node_name[NODE_KIND_COUNT];
extern const char *const edge_name[EDGE_KIND_COUNT];
extern const float edge_forward[EDGE_KIND_COUNT], edge_backward[EDGE_KIND_COUNT];

/* What a memory is. The order is what the database stores: append only. */
#define MEMORY_KINDS(X)                                                                            \
    X(DECISION, "decision")                                                                        \
    X(FACT, "fact")                                                                                \
    X(PREFERENCE, "preference")                                                                    \
    X(IDENTITY, "identity")                                                                        \
    X(QUESTION, "question")                                                                        \
    X(CONTEXT, "context")                                                                          \
    X(EPISODE, "episode")

enum memory_kind {
#define X(name, text) KIND_##name,
    MEMORY_KINDS(X)
#undef X
        MEMORY_KIND_COUNT
};
extern const char *const memory_kind_name[MEMORY_KIND_COUNT];

/* false where the text names no kind. */
bool memory_kind_parse(str s, enum memory_kind *out);

enum origin {
    ORIGIN_USER,
    ORIGIN_AGENT,
    ORIGIN_DOCUMENT,
    ORIGIN_COMMIT,
    ORIGIN_MODEL,
    ORIGIN_COUNT
};
extern const char *const origin_name[ORIGIN_COUNT];
extern const float
    origin_trust[ORIGIN_COUNT]; /* 0..1: how much a row of this origin is believed by default */

/* "m12": the letter of the kind and the row's number. false for anything else; q and j are not
 * nodes. */
bool node_id_parse(str s, enum node_kind *kind, int64_t *id);
str node_id_format(struct arena *a, enum node_kind kind, int64_t id);

/* ---- what a parser found in one file, document or commit set ---- */

enum {
    MAX_FACT_NODES = 200000,
    MAX_FACT_EDGES = 1000000,
    MAX_FACT_WARNINGS = 20,
    MAX_FACTS_BYTES = 64 << 20,    /* one serialised struct facts */
    MAX_DOCUMENT_BYTES = 32 << 20, /* of one attached document, whoever reads it */
};

struct fact_node {
    enum node_kind kind;
    str key;                       /* unique among the nodes of its kind in these facts */
    str name;                      /* a title, a qualified name */
    str body;                      /* the text that is indexed */
    str heading;                   /* "Chapter > Section" of a passage; signature of a symbol */
    uint32_t line_start, line_end; /* 1-based, inclusive; 0 where there are none */
    uint32_t page;                 /* 1-based; 0 where there are none */
};

struct fact_edge {
    uint32_t from, to; /* indices into nodes */
    enum edge_kind kind;
    float weight;
};

struct facts {
    str title, media_type;
    struct fact_node *nodes;
    size_t node_count, node_capacity;
    struct fact_edge *edges;
    size_t edge_count, edge_capacity;
    str *warnings;
    size_t warning_count, warning_capacity;
};

/* Appends a copy whose texts stay borrowed; its index. */
uint32_t facts_add_node(struct arena *a, struct facts *f, struct fact_node node);
void facts_add_edge(struct arena *a, struct facts *f, struct fact_edge edge);
void facts_add_warning(struct arena *a, struct facts *f, str text);

/* Little-endian lengths and bytes, the form in which a parse worker hands its facts back. */
void facts_write(struct buf *out, const struct facts *f);

/* Reads what facts_write wrote, trusting nothing: false with ERR_LIMIT or ERR_INPUT for a bound or
 * an index that is off. Texts borrow from `bytes`. */
bool facts_read(struct arena *a, str bytes, struct facts *out, struct err *e);

#endif
