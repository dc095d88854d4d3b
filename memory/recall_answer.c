#include "memory/recall_answer.h"

#include "memory/anchors.h"
#include "memory/recall_chain.h"
#include "memory/recall_lineage.h"
#include "memory/recall_members.h"
#include "memory/recall_title.h"
#include "memory/sleep.h"
#include "memory/text.h"

enum {
    FACT_TOKENS = 8,     /* of a fact beside its own words: id, keys, punctuation */
    MAX_FACTS_SHARE = 3, /* facts get at most a third of the budget */
};

float answer_floor(const struct recall_input *in)
{
    return in->min_score < 0 ? rank_default_floor : in->min_score;
}

bool answer_may_show(const struct answer *w, node n)
{
    const struct recall_input *in = w->in;
    const struct snapshot *snap = &w->m->snap;
    const struct node_meta *m = &snap->meta[n];
    if (!(in->filter.node_kinds & 1u << m->kind))
        return false;
    if (m->kind == NODE_MEMORY && !(in->filter.memory_kinds & 1u << m->memory_kind))
        return false;
    if (m->state == STATE_MERGED || m->state == STATE_DISMISSED || m->state == STATE_PENDING)
        return false;
    if (m->state != STATE_CURRENT && !in->include_superseded)
        return false;
    if (m->kind == NODE_PASSAGE && m->group != NO_NODE &&
        snap->meta[m->group].state == STATE_PENDING) /* its document isn't whole yet */
        return false;
    return !(in->has_since && m->at_ms < in->since_ms) &&
           !(in->has_until && m->at_ms >= in->until_ms);
}

static size_t fact_tokens(const struct fact_ref *f)
{
    return FACT_TOKENS + text_estimate_tokens(f->from) + text_estimate_tokens(f->relation) +
           text_estimate_tokens(f->to);
}

void answer_budget_facts(struct answer *w)
{
    size_t most = w->in->budget_tokens / MAX_FACTS_SHARE, kept = 0;
    for (; kept < w->out->fact_count; kept++) {
        size_t tokens = fact_tokens(&w->out->facts[kept]);
        if (w->out->tokens + tokens > most)
            break;
        w->out->tokens += tokens;
    }
    w->out->fact_count = kept;
}

static void cut_to_window(struct answer *w, struct item *item, size_t most_tokens)
{
    item->text = item_window(w->a, item->text, w->lexical, most_tokens);
    item->truncated = true;
}

/* Puts the item into the budget: whole, else cut to its best window, else not at all. */
static bool fits(struct answer *w, struct item *item, size_t max_item_tokens)
{
    enum { MIN_WINDOW_TOKENS = 40 };
    if (text_estimate_tokens(item->text) > max_item_tokens)
        cut_to_window(w, item, max_item_tokens);
    size_t tokens = w->size(w->size_ctx, item), left = w->in->budget_tokens - w->out->tokens;
    if (tokens > left) {
        size_t text = text_estimate_tokens(item->text), around = tokens > text ? tokens - text : 0;
        if (left < around + MIN_WINDOW_TOKENS)
            return false;
        cut_to_window(w, item, (left - around) * 9 / 10);
        tokens = w->size(w->size_ctx, item);
        if (tokens > left)
            return false;
    }
    w->out->tokens += tokens;
    return true;
}

/* What became of the places in the caller's worktree that a memory speaks of. */
static bool set_stale(struct answer *w, struct item *item, struct err *e)
{
    return item->kind != NODE_MEMORY || !item->path.len || !w->worktree ||
           anchors_state(w->m->store, w->a, w->worktree, item->id, &item->stale, &item->stale_note,
                         e);
}

static bool set_lineage(struct answer *w, struct item *item, struct err *e)
{
    str made = S("");
    if (item->kind == NODE_MEMORY && !lineage_words(w->m, w->a, w->in->root, item->id, &made, e))
        return false;
    item_add_why(w->a, item, made);
    return true;
}

/* REPEATED: an item before says as much; GONE: it isn't there any more; MISFIT: for the budget. */
enum outcome { ADDED, REPEATED, GONE, MISFIT };

static enum outcome put_in(struct answer *w, struct item *item)
{
    if (!fits(w, item, MAX_ITEM_TOKENS))
        return MISFIT;
    ARENA_GROW(w->a, w->out->items, w->out->item_count, w->item_capacity);
    w->out->items[w->out->item_count++] = *item;
    return ADDED;
}

/* A chain of replaced memories is shown whole. */
static bool add_item(struct answer *w, const struct candidate *c, enum outcome *is, struct err *e)
{
    struct item item;
    if (!item_load(w->m, w->a, c->at, &item, e))
        return false;
    str text = item.text;
    *is = REPEATED;
    if (!item.superseded && (diversity_repeats(&w->said, (int)item.kind, item.speaker, item.text) ||
                             members_told(w->out, &item)))
        return true;
    item.score = c->score;
    if (item.id == w->titled)
        item_add_why(w->a, &item, S("called so"));
    if (!item_why(w->m, w->a, c->at, w->lexical, w->resolved, w->resolved_count, w->named, &item,
                  e) ||
        !item_context(w->m, w->a, c->at, &item, e) || !set_stale(w, &item, e) ||
        !set_lineage(w, &item, e))
        return false;
    if (w->in->explain)
        item_explain(w->a, c, w->rank, &item);
    if (w->in->explain && !sleep_explain(w->m, w->a, c->at, w->in->now_ms, &item, e))
        return false;
    *is = put_in(w, &item);
    if (*is == ADDED)
        diversity_choose(&w->said, (int)item.kind, item.speaker, text);
    return true;
}

static bool is_repeat(const struct recall_result *out, const struct item *item)
{
    for (size_t i = 0; i < out->item_count; i++)
        if (str_eq(out->items[i].text, item->text) && out->items[i].kind == item->kind)
            return true;
    return false;
}

static bool add_code_item(struct answer *w, const struct code_answer *code,
                          const struct code_item *c, enum outcome *is, struct err *e)
{
    struct item item;
    bool found;
    if (!code_item_load(w->m, w->a, code, c, &item, &found, e))
        return false;
    *is = !found ? GONE : is_repeat(w->out, &item) ? REPEATED : put_in(w, &item);
    return true;
}

static bool set_nearest(struct answer *w, const struct candidate *c, struct err *e)
{
    struct item item;
    if (!item_load(w->m, w->a, c->at, &item, e))
        return false;
    w->out->has_nearest = true;
    w->out->nearest_kind = item.kind;
    w->out->nearest_id = item.id;
    w->out->nearest_text = item_window(w->a, item.text, w->lexical, 60);
    w->out->nearest_score = c->score;
    return true;
}

bool answer_choose(struct answer *w, struct candidate *c, size_t count,
                   const struct code_answer *code, struct err *e)
{
    enum { MAX_MISFITS = 6 }; /* one behind the other: the budget is used up, but for a rest */
    float floor = answer_floor(w->in);
    size_t i = 0, k = 0, misfits = 0;
    bool met = false; /* something above the floor */
    if (w->in->include_superseded && !recall_with_chains(w->m, w->a, floor, &c, &count, e))
        return false;
    for (;;) {
        while (i < count &&
               (!answer_may_show(w, c[i].at) || recall_title_is_told(w, c, count, c[i].at)))
            i++;
        bool is_code = k < code->count && (i == count || code->items[k].score > c[i].score);
        if (!is_code && i == count)
            return true;
        if ((is_code ? code->items[k].score : c[i].score) < floor)
            return met || is_code || set_nearest(w, &c[i], e);
        enum outcome is = MISFIT;
        bool room = w->out->item_count < w->in->limit && misfits < MAX_MISFITS;
        if (room && !(is_code ? add_code_item(w, code, &code->items[k], &is, e)
                              : add_item(w, &c[i], &is, e)))
            return false;
        met = true;
        misfits = is == ADDED ? 0 : misfits + (is == MISFIT);
        i += !is_code;
        k += is_code;
        w->out->withheld += is == GONE || is == MISFIT;
    }
}

bool answer_add_asked(struct answer *w, struct item *item, struct err *e)
{
    if (!item_disputes(w->m, w->a, item, e) ||
        !item_context(w->m, w->a, snapshot_find(&w->m->snap, item->id), item, e) ||
        !set_stale(w, item, e) || !set_lineage(w, item, e))
        return false;
    item->score = 1;
    size_t tokens = w->size(w->size_ctx, item);
    if (w->in->id_count > 1 && w->out->tokens + tokens > w->in->budget_tokens) {
        w->out->withheld++;
        return true;
    }
    w->out->tokens += tokens;
    ARENA_GROW(w->a, w->out->items, w->out->item_count, w->item_capacity);
    w->out->items[w->out->item_count++] = *item;
    return true;
}
