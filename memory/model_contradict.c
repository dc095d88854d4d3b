/* Whether two memories that speak of the same thing can both be true, asked of a language model
 * where the rules see nothing. A yes becomes a question of review and nothing else. */
#include "memory/contradictions.h"
#include "memory/model_queue.h"
#include "memory/provider/llm_contradict.h"

enum {
    MAX_LOOKED_AT = 64, /* memories whose like are searched in one go */
    MAX_PAIRS = 2,      /* of one memory */
};

static const float ENOUGH = 0.25f; /* of what a text scores against itself */
static const float WEIGHT = 6;     /* of the question: below what the rules are sure of */

struct sides {
    struct dispute of;
    int64_t ids[2];
    str older, newer;
};

static bool is_on(const struct models *models)
{
    return models->contradicts;
}

/* ---- gathering ---- */

/* Other memories with its words, but for those about which a question is open. */
static bool find_pairs(struct memory *m, struct arena *a, int64_t id, int64_t **out, size_t *count,
                       struct err *e)
{
    enum { MAX_ASKED = 16 };
    int64_t *asked;
    size_t asked_count, kept = 0;
    if (!memory_like(m, a, id, ENOUGH, MAX_PAIRS, out, count, e) ||
        !store_contradicting(m->store, a, id, MAX_ASKED, &asked, &asked_count, e))
        return false;
    for (size_t i = 0; i < *count; i++) {
        bool is_asked = false;
        for (size_t k = 0; k < asked_count; k++)
            is_asked |= asked[k] == (*out)[i];
        if (!is_asked)
            (*out)[kept++] = (*out)[i];
    }
    *count = kept;
    return true;
}

static bool put_pairs(struct memory *m, int64_t id, const int64_t *others, size_t count,
                      struct err *e)
{
    for (size_t i = 0; i < count; i++)
        if (!store_queue_put(m->store, MODEL_CONTRADICT, id, others[i], e))
            return false;
    return true;
}

static bool gather(struct memory *m, struct arena *a, bool *more, struct err *e)
{
    int64_t mark, *ids, *others[MAX_LOOKED_AT];
    size_t count = 0, pairs[MAX_LOOKED_AT];
    *more = false;
    if (!memory_read(m, e))
        return false;
    bool ok = store_queue_mark(m->store, MODEL_CONTRADICT, &mark, e) &&
              store_memories_behind(m->store, a, mark, MAX_LOOKED_AT, &ids, &count, e);
    for (size_t i = 0; ok && i < count; i++)
        ok = find_pairs(m, a, ids[i], &others[i], &pairs[i], e);
    store_read_end(m->store);
    if (!ok || !count)
        return ok;
    if (!store_begin(m->store, e))
        return false;
    for (size_t i = 0; ok && i < count; i++)
        ok = put_pairs(m, ids[i], others[i], pairs[i], e);
    *more = count == MAX_LOOKED_AT;
    return store_end(m->store,
                     ok && store_queue_set_mark(m->store, MODEL_CONTRADICT, ids[count - 1], e), e);
}

/* ---- asking ---- */

static bool read_side(struct memory *m, struct arena *a, int64_t id, struct node_row *row,
                      str *text, bool *found, struct err *e)
{
    str name;
    if (!store_get_node(m->store, a, id, row, found, e) || !*found ||
        !store_get_body(m->store, a, id, &name, text, e))
        return e->code == ERR_NONE;
    *found = row->state == STATE_CURRENT && text->len;
    return memory_redact(m, a, *text, text, NULL, NULL, e);
}

static bool is_older(const struct node_row *x, const struct node_row *y)
{
    return x->at_ms < y->at_ms || (x->at_ms == y->at_ms && x->id < y->id);
}

static bool prepare(struct memory *m, struct arena *a, struct model_question *q, bool *wanted,
                    struct err *e)
{
    struct node_row one, other;
    struct sides *s = ARENA_NEW(a, struct sides);
    str text, other_text;
    bool found = false;
    *wanted = false;
    q->state = s;
    if (!read_side(m, a, q->item.node, &one, &text, &found, e) || !found ||
        !read_side(m, a, q->item.other, &other, &other_text, &found, e) || !found)
        return e->code == ERR_NONE;
    bool first = is_older(&one, &other);
    *s = (struct sides){
        .of = {.older = first ? one.id : other.id, .newer = first ? other.id : one.id},
        .ids = {one.id, other.id},
        .older = first ? text : other_text,
        .newer = first ? other_text : text};
    q->ask = llm_contradict_ask(a, s->older, s->newer);
    q->sources = s->ids;
    q->source_count = 2;
    *wanted = true;
    return true;
}

/* ---- storing ---- */

static bool read_answer(struct arena *a, struct model_question *q, struct err *e)
{
    const struct sides *s = q->state;
    q->said = ARENA_NEW(a, struct llm_contradiction);
    return llm_contradict_read(a, s->older, s->newer, q->answer, q->said, e);
}

static bool apply(struct model_work *w, const struct model_question *q, struct err *e)
{
    const struct sides *s = q->state;
    const struct llm_contradiction *said = q->said;
    w->kept += said->contradicts;
    w->dropped += said->dropped;
    if (!said->contradicts)
        return true;
    struct question_row question = {.kind = S(CONTRADICTION),
                                    .a = s->of.older < s->of.newer ? s->of.older : s->of.newer,
                                    .b = s->of.older < s->of.newer ? s->of.newer : s->of.older,
                                    .weight = WEIGHT};
    return store_put_question(w->m->store, &question, w->from.now_ms, e);
}

const struct model_task model_contradict = {.prompt = llm_contradict_prompt,
                                            .is_on = is_on,
                                            .gather = gather,
                                            .prepare = prepare,
                                            .read = read_answer,
                                            .apply = apply};
