/* Rows of growth and decay: cycles, what is used together, the shape of the graph, what is
 * archived. Private to memory/, as memory/store.h. */
#ifndef ENGRAM_STORE_GROWTH_H
#define ENGRAM_STORE_GROWTH_H

#include "memory/decay.h"
#include "memory/store.h"

/* ---- cycles ---- */

/* Something happened at a time. */
bool growth_put_activity(struct store *s, int64_t at_ms, struct err *e);

/* All cycles in which something happened, ascending. */
bool growth_activity(struct store *s, struct arena *a, int64_t **out, size_t *count, struct err *e);

/* Was something stored or recalled since the last growth_put_tended, by cycles? */
bool growth_is_due(struct store *s, bool *due, struct err *e);
bool growth_put_tended(struct store *s, struct err *e);

/* ---- uses ---- */

enum {
    MAX_ASKED = 4096,   /* questions that are remembered */
    MAX_CO_USES = 50000 /* pairs */
};

bool growth_put_asked(struct store *s, uint64_t hash, int64_t at_ms, bool *is_new, struct err *e);
bool growth_put_returned(struct store *s, int64_t id, int64_t at_ms, struct err *e);

/* One more common use of two nodes, in whatever order; nodes that are gone count for nothing. */
bool growth_add_co_use(struct store *s, int64_t a, int64_t b, double weight, int64_t cycle,
                       struct err *e);

struct co_use {
    int64_t a, b;
    struct strength strength;
};
/* All pairs, by a, then b. */
bool growth_co_uses(struct store *s, struct arena *a, struct co_use **out, size_t *count,
                    struct err *e);
bool growth_drop_co_use(struct store *s, int64_t a, int64_t b, struct err *e);

/* The questions and pairs beyond the bounds go, the oldest and the weakest first. */
bool growth_prune(struct store *s, struct err *e);

/* The edges that common use made. */
struct association {
    int64_t id, a, b; /* id 0: to be made */
    double weight;
    struct strength strength;
};
bool growth_associations(struct store *s, struct arena *a, struct association **out, size_t *count,
                         struct err *e);
bool growth_put_association(struct store *s, const struct association *edge, int64_t at_ms,
                            struct err *e);

/* ---- the shape ---- */

struct growth_node {
    int64_t id;
    enum node_kind kind;
    enum memory_kind memory_kind;
    int flags;
    int64_t stored_ms;
    int64_t used_ms;   /* the last time that it was stored, used, or among the first of an answer */
    int64_t community; /* of the last pass; 0: none */
    double centrality;
    uint32_t degree;
    bool is_hub;
    bool has_shape; /* a row of the last pass */
};
/* Current memories, entities and passages, by id. */
bool growth_nodes(struct store *s, struct arena *a, struct growth_node **out, size_t *count,
                  struct err *e);

struct growth_edge {
    int64_t src, dst, said_by;
    enum edge_kind kind;
    double weight;
};
/* Every edge that says how things hang together: MENTIONS, RELATES_TO, SAME_AS, ASSOCIATED,
 * ANCHORS, RELATION. */
typedef void growth_edge_visit(void *ctx, const struct growth_edge *edge);
bool growth_edges(struct store *s, growth_edge_visit *visit, void *ctx, struct err *e);

/* The node's row anew. */
bool growth_put_shape(struct store *s, const struct growth_node *node, struct err *e);

/* Rows of nodes that take no part any more, and communities without members, go. */
bool growth_prune_shapes(struct store *s, struct err *e);

/* *id 0: a new one. */
bool growth_put_community(struct store *s, int64_t *id, str label, size_t members, struct err *e);

/* A name of an entity that is forgotten stands in no label any more. */
enum { MAX_LABEL_NAME = 40 }; /* bytes of it in a label */
bool growth_unlabel(struct store *s, str name, struct err *e);

struct growth_name {
    int64_t entity;
    str normal, name, type;
    bool typed;
};
/* Every name of every active entity, by entity, then name. */
bool growth_names(struct store *s, struct arena *a, struct growth_name **out, size_t *count,
                  struct err *e);

/* ---- questions ---- */

/* Once, in whatever order the two were asked about before. *id 0: it stood already. */
bool growth_put_question(struct store *s, const struct question_row *row, int64_t now_ms,
                         int64_t *id, struct err *e);

/* ---- archive ---- */

/* Out of the default ranking; the same text may be remembered anew. */
bool growth_archive(struct store *s, int64_t id, struct err *e);

/* Current again where it was archived, unless its text or topic has a current memory by now. */
bool growth_revive(struct store *s, int64_t id, struct err *e);

#endif
