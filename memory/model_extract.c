/* What a language model finds in a memory or passage: entities and relations that its text bears
 * out. They go the way of those that rules find, count less, and change nothing that stands. */
#include "memory/model_queue.h"
#include "memory/provider/llm_extract.h"

enum { MIN_EXTRACT_BYTES = 24 /* a shorter text has nothing that the rules don't see */ };

static const float MODEL_WEIGHT = 0.5f; /* of an edge; one that rules find has 1 */

static bool is_on(const struct models *models)
{
    return models->extracts;
}

static bool gather(struct memory *m, struct arena *a, bool *more, struct err *e)
{
    (void)a;
    return model_gather_behind(m, MODEL_EXTRACT, store_queue_has_new, store_queue_gather, more, e);
}

static bool prepare(struct memory *m, struct arena *a, struct model_question *q, bool *wanted,
                    struct err *e)
{
    struct node_row row;
    str name, text;
    bool found;
    *wanted = false;
    if (!store_get_node(m->store, a, q->item.node, &row, &found, e) || !found ||
        (row.state != STATE_CURRENT && row.state != STATE_SUPERSEDED))
        return e->code == ERR_NONE;
    if (!store_get_body(m->store, a, row.id, &name, &text, e) ||
        !memory_redact(m, a, str_trim(text), &text, NULL, NULL, e))
        return false;
    *wanted = text.len >= MIN_EXTRACT_BYTES;
    if (*wanted)
        q->ask = llm_extract_ask(a, text);
    int64_t *source = ARENA_NEW(a, int64_t);
    *source = row.id;
    q->sources = source;
    q->source_count = 1;
    q->state = ARENA_NEW(a, str);
    *(str *)q->state = text;
    return true;
}

/* ---- storing ---- */

struct extracting {
    struct model_work *w;
    int64_t node, at_ms;
    struct edge_full *said; /* relations of the text that stand already */
    size_t said_count;
};

static bool put_edge(struct extracting *x, struct edge_full edge, struct err *e)
{
    int64_t id;
    edge.weight = MODEL_WEIGHT;
    edge.at_ms = x->at_ms;
    return store_put_edge(x->w->m->store, &edge, &id, e) &&
           (!id || store_put_model_edge(x->w->m->store, id, x->w->id, e));
}

static bool put_entity(struct extracting *x, str name, str type, struct entity_ref *out,
                       struct err *e)
{
    return entity_put(x->w->m, x->w->a, &x->w->from, name, type, false, x->at_ms, out, e) &&
           (!out->id ||
            put_edge(x,
                     (struct edge_full){
                         .src = x->node, .dst = out->id, .kind = EDGE_MENTIONS, .label = S("")},
                     e));
}

/* The text's own relation of the same thing by the same label, told by somebody else, stands. */
static bool is_told(const struct extracting *x, int64_t from, str label)
{
    for (size_t i = 0; i < x->said_count; i++)
        if (x->said[i].kind == EDGE_RELATION && x->said[i].src == from &&
            str_eq(x->said[i].label, label))
            return true;
    return false;
}

static bool put_relation(struct extracting *x, const struct llm_relation *r, struct err *e)
{
    struct entity_ref from, to;
    if (!put_entity(x, r->from, S(""), &from, e) || !put_entity(x, r->to, S(""), &to, e))
        return false;
    if (!from.id || !to.id || from.id == to.id || is_told(x, from.id, r->label)) {
        x->w->dropped++;
        return true;
    }
    x->w->kept++;
    return put_edge(x,
                    (struct edge_full){.src = from.id,
                                       .dst = to.id,
                                       .kind = EDGE_RELATION,
                                       .label = r->label,
                                       .said_by = x->node},
                    e);
}

static bool read_answer(struct arena *a, struct model_question *q, struct err *e)
{
    q->said = ARENA_NEW(a, struct llm_extraction);
    return llm_extract_read(a, *(const str *)q->state, q->answer, q->said, e);
}

static bool apply(struct model_work *w, const struct model_question *q, struct err *e)
{
    const struct llm_extraction *found = q->said;
    struct node_row row;
    struct extracting x = {.w = w, .node = q->item.node};
    bool is_there;
    if (!store_get_node(w->m->store, w->a, x.node, &row, &is_there, e) ||
        !store_edges_said_by(w->m->store, w->a, x.node, &x.said, &x.said_count, e))
        return false;
    x.at_ms = row.at_ms;
    w->dropped += found->dropped;
    for (size_t i = 0; i < found->entity_count; i++) {
        struct entity_ref ref;
        if (!put_entity(&x, found->entities[i].name, found->entities[i].type, &ref, e))
            return false;
        w->kept += ref.id != 0;
    }
    for (size_t i = 0; i < found->relation_count; i++)
        if (!put_relation(&x, &found->relations[i], e))
            return false;
    return true;
}

const struct model_task model_extract = {.prompt = llm_extract_prompt,
                                         .is_on = is_on,
                                         .gather = gather,
                                         .prepare = prepare,
                                         .read = read_answer,
                                         .apply = apply};
