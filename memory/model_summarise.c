/* The text of a consolidated memory by a language model, in the place of the one that is built by
 * rule: each line quotes the member that says it, or is left out. Where a member changes or goes,
 * the text is built by rule again at once, and the model is asked anew. */
#include "memory/consolidate_text.h"
#include "memory/cues.h"
#include "memory/model_queue.h"
#include "memory/provider/llm_summary.h"
#include "memory/store_consolidate.h"

#include <stdlib.h>

struct summary_state {
    struct llm_member *members;
    size_t count;
};

static bool is_on(const struct models *models)
{
    return models->summarises;
}

static bool gather(struct memory *m, struct arena *a, bool *more, struct err *e)
{
    (void)a;
    return model_gather_behind(m, MODEL_SUMMARISE, store_consolidated_behind,
                               store_queue_gather_consolidated, more, e);
}

bool model_summary_due(struct memory *m, int64_t consolidated, struct err *e)
{
    const struct models *models = m->options.models;
    return !models_settings(models, PROVIDER_LLM) || !is_on(models) ||
           store_queue_put(m->store, MODEL_SUMMARISE, consolidated, consolidated, e);
}

/* ---- asking ---- */

struct dated {
    struct llm_member member;
    int64_t at_ms;
};

static int by_time(const void *x, const void *y)
{
    const struct dated *a = x, *b = y;
    if (a->at_ms != b->at_ms)
        return a->at_ms < b->at_ms ? -1 : 1;
    return (a->member.id > b->member.id) - (a->member.id < b->member.id);
}

/* Members that hold, in order of time; those that stepped back stay under Superseded. */
static bool read_members(struct memory *m, struct arena *a, int64_t id, struct dated **out,
                         size_t *count, struct err *e)
{
    struct member_row *rows;
    size_t row_count;
    *count = 0;
    if (!store_members(m->store, a, id, &rows, &row_count, e))
        return false;
    *out = ARENA_ARRAY(a, struct dated, row_count + 1);
    for (size_t i = 0; i < row_count; i++) {
        struct node_row row;
        str name, text;
        bool found;
        if (!store_get_node(m->store, a, rows[i].memory, &row, &found, e))
            return false;
        if (!found || row.state == STATE_SUPERSEDED)
            continue;
        if (!store_get_body(m->store, a, row.id, &name, &text, e) ||
            !memory_redact(m, a, text, &text, NULL, NULL, e))
            return false;
        (*out)[(*count)++] = (struct dated){{row.id, text}, row.at_ms};
    }
    if (*count)
        qsort(*out, *count, sizeof **out, by_time);
    return true;
}

static bool prepare(struct memory *m, struct arena *a, struct model_question *q, bool *wanted,
                    struct err *e)
{
    struct summary_state *s = ARENA_NEW(a, struct summary_state);
    struct dated *dated;
    size_t count;
    if (!read_members(m, a, q->item.node, &dated, &count, e))
        return false;
    size_t from = count > MAX_SUMMARY_MEMBERS ? count - MAX_SUMMARY_MEMBERS : 0; /* the newest */
    s->members = ARENA_ARRAY(a, struct llm_member, count + 1);
    int64_t *sources = ARENA_ARRAY(a, int64_t, count + 1);
    for (size_t i = from; i < count; i++) {
        sources[s->count] = dated[i].member.id;
        s->members[s->count++] = dated[i].member;
    }
    q->sources = sources;
    q->source_count = s->count;
    *wanted = s->count >= 2;
    if (*wanted)
        q->ask = llm_summary_ask(a, s->members, s->count);
    q->state = s;
    return true;
}

/* ---- storing ---- */

/* What the text by rule says under Superseded. */
static str superseded_part(str text)
{
    return str_cut(text, str_find(text, S("**Superseded**"), 0), text.len);
}

static bool put_text(struct memory *m, struct arena *a, int64_t id, str written, struct err *e)
{
    struct node_row row;
    str name, stands;
    bool found;
    if (!store_get_node(m->store, a, id, &row, &found, e) || !found ||
        !store_get_body(m->store, a, id, &name, &stands, e))
        return e->code == ERR_NONE;
    str rest = superseded_part(stands);
    str text = rest.len ? arena_printf(a, "%.*s\n\n%.*s", FMT(written), FMT(rest)) : written;
    if (text.len > MAX_CONSOLIDATED_BYTES)
        return true;
    int flags = row.flags & ((1 << FLAG_CUES_SHIFT) - 1);
    return store_put_body(m->store, id, name, text, e) &&
           store_set_flags(m->store, id, flags | (int)(cues_told(text) << FLAG_CUES_SHIFT), e);
}

static bool read_answer(struct arena *a, struct model_question *q, struct err *e)
{
    const struct summary_state *s = q->state;
    q->said = ARENA_NEW(a, struct llm_summary);
    return llm_summary_read(a, s->members, s->count, q->answer, q->said, e);
}

static bool apply(struct model_work *w, const struct model_question *q, struct err *e)
{
    const struct llm_summary *summary = q->said;
    w->kept += summary->count;
    w->dropped += summary->dropped;
    return !summary->count ||
           put_text(w->m, w->a, q->item.node, llm_summary_text(w->a, summary), e);
}

const struct model_task model_summarise = {.prompt = llm_summary_prompt,
                                           .is_on = is_on,
                                           .gather = gather,
                                           .prepare = prepare,
                                           .read = read_answer,
                                           .apply = apply};
