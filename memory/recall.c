/* recall: query -> legs -> candidates -> rank -> superseded out -> floor -> limit -> budget -> why
 * and facts. */
#include "memory/anchors.h"
#include "memory/base/unicode.h"
#include "memory/code_recall.h"
#include "memory/contradictions.h"
#include "memory/cues.h"
#include "memory/diversity.h"
#include "memory/memory_state.h"
#include "memory/model_query.h"
#include "memory/negation.h"
#include "memory/place_recall.h"
#include "memory/provider/encoder.h"
#include "memory/query_time.h"
#include "memory/rank.h"
#include "memory/recall_chain.h"
#include "memory/recall_item.h"
#include "memory/recall_lineage.h"
#include "memory/recall_members.h"
#include "memory/recall_time.h"
#include "memory/resolve.h"
#include "memory/sleep.h"
#include "memory/text.h"

#include <math.h>

enum {
    MAX_SEED_BODIES = 40, /* best lexical hits that seed the walk */
    FACT_TOKENS = 8,      /* of a fact beside its own words: id, keys, punctuation */
    MAX_FACTS_SHARE = 3,  /* facts get at most a third of the budget */
};

/* Personalization vector: .7 query and .3 memory (seed 000; memory/usage_part.h). */
static const float MEMORY_SHARE = 0.3f;
/* The walk goes on with .7: a prototype found more turns of conversations with it than with .5. */
static const float DAMPING = 0.7f;

/* ---- the personalization vector ---- */

struct seeds {
    struct seed *at;
    size_t count, capacity;
};

static void add_seed(struct arena *a, struct seeds *s, node n, float mass)
{
    if (!(mass > 0))
        return;
    ARENA_GROW(a, s->at, s->count, s->capacity);
    s->at[s->count++] = (struct seed){n, mass};
}

static void normalise(struct seeds *s, size_t from, float to)
{
    double sum = 0;
    for (size_t i = from; i < s->count; i++)
        sum += s->at[i].mass;
    for (size_t i = from; i < s->count && sum > 0; i++)
        s->at[i].mass = (float)(s->at[i].mass / sum * to);
}

/* The best lexical hits, by BM25 cubed: the walk starts where the words point hardest. */
static void seed_bodies(struct arena *a, const struct lexical *l, float share, struct seeds *s)
{
    size_t from = s->count, most;
    const struct scored *best = lexical_best(l, MAX_SEED_BODIES, &most);
    for (size_t i = 0; i < most; i++)
        add_seed(a, s, best[i].at, best[i].score * best[i].score * best[i].score);
    normalise(s, from, share);
}

/* How far the words reach: the best share of the query's idf that one place covers. */
static float best_coverage(const struct lexical *l)
{
    float best = 0;
    for (size_t i = 0; i < l->touched_count; i++)
        best = fmaxf(best, l->covered[l->touched[i]]);
    return l->idf_sum > 0 ? fminf(best / l->idf_sum, 1) : 0;
}

/* Entities that the query names, weighted by specificity (HippoRAG's node specificity, here the
 * pull of the snapshot). Their share of the walk is theirs against the words': a specific name
 * counts for much where the words are hardly known, a name that is on half of the memories for
 * little. */
static float seed_entities(struct arena *a, const struct snapshot *snap, const struct lexical *l,
                           const struct resolved *r, size_t count, struct seeds *s)
{
    const float most_share = 0.8f; /* the words are always heard */
    float most = 0;
    for (size_t i = 0; i < count; i++) {
        float mass = r[i].confidence * snap->graph.pull[r[i].at];
        most = fmaxf(most, mass);
        add_seed(a, s, r[i].at, mass * mass);
    }
    float share = most > 0 ? fminf(most * most / (most * most + best_coverage(l)), most_share) : 0;
    normalise(s, 0, share);
    return share;
}

static void walk(struct memory *m, struct arena *a, const struct lexical *l,
                 const struct resolved *r, size_t resolved_count)
{
    struct seeds s = {0};
    float entity_share = seed_entities(a, &m->snap, l, r, resolved_count, &s);
    seed_bodies(a, l, 1 - entity_share, &s);
    struct ppr_params params = ppr_defaults;
    params.damping = DAMPING;
    const struct ppr_part *used =
        m->options.usage ? usage_part(&m->usage, &m->snap, &params, m->ppr) : NULL;
    ppr_solve(&m->snap.graph, s.at, s.count, &params, m->ppr);
    if (used)
        ppr_blend(m->ppr, used, MEMORY_SHARE);
}

/* ---- what may come out ---- */

static bool is_wanted(const struct snapshot *snap, const struct recall_input *in, node n)
{
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

/* ---- the answer ---- */

struct answer {
    struct memory *m;
    struct arena *a;
    const struct recall_input *in;
    struct recall_result *out;
    render_size *size;
    void *size_ctx;
    const struct lexical *lexical;
    const struct resolved *resolved;
    size_t resolved_count;
    const float *named;
    const struct rank_weights *weights;
    struct query_time time;
    bool vectors_answered;
    struct diversity said; /* by the items so far */
    size_t item_capacity;
    int64_t worktree; /* the caller's; 0: not indexed */
    struct model_query models;
    size_t rerank_most; /* not 0: only the texts for a reranker are wanted */
    struct reranking *reranking;
    size_t reranking_count;
};

static float floor_of(const struct recall_input *in)
{
    return in->min_score < 0 ? rank_default_floor : in->min_score;
}

static size_t fact_tokens(const struct fact_ref *f)
{
    return FACT_TOKENS + text_estimate_tokens(f->from) + text_estimate_tokens(f->relation) +
           text_estimate_tokens(f->to);
}

/* As many facts as a third of the budget holds, in their order. */
static void budget_facts(struct answer *w)
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

static bool find_worktree(struct answer *w, struct err *e)
{
    struct worktree_row row;
    bool found = false;
    if (w->in->root.len && !store_find_worktree(w->m->store, w->a, w->in->root, &row, &found, e))
        return false;
    w->worktree = found ? row.id : 0;
    return true;
}

static bool set_lineage(struct answer *w, struct item *item, struct err *e)
{
    str made = S("");
    if (item->kind == NODE_MEMORY && !lineage_words(w->m, w->a, w->in->root, item->id, &made, e))
        return false;
    item_add_why(w->a, item, made);
    return true;
}

/* *repeats: an item before says as much. A chain of replaced memories is shown whole. */
static bool add_item(struct answer *w, const struct candidate *c, bool *added, bool *repeats,
                     struct err *e)
{
    struct item item;
    if (!item_load(w->m, w->a, c->at, &item, e))
        return false;
    str text = item.text;
    *repeats =
        !item.superseded && (diversity_repeats(&w->said, (int)item.kind, item.speaker, item.text) ||
                             members_told(w->out, &item));
    if (*repeats)
        return true;
    item.score = c->score;
    if (!item_why(w->m, w->a, c->at, w->lexical, w->resolved, w->resolved_count, w->named, &item,
                  e) ||
        !item_context(w->m, w->a, c->at, &item, e) || !set_stale(w, &item, e) ||
        !set_lineage(w, &item, e))
        return false;
    if (w->in->explain)
        item_explain(w->a, c, w->weights, &item);
    if (w->in->explain && !sleep_explain(w->m, w->a, c->at, w->in->now_ms, &item, e))
        return false;
    *added = fits(w, &item, MAX_ITEM_TOKENS);
    if (*added) {
        ARENA_GROW(w->a, w->out->items, w->out->item_count, w->item_capacity);
        w->out->items[w->out->item_count++] = item;
        diversity_choose(&w->said, (int)item.kind, item.speaker, text);
    }
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
                          const struct code_item *c, bool *added, bool *repeats, struct err *e)
{
    struct item item;
    bool found;
    if (!code_item_load(w->m, w->a, code, c, &item, &found, e))
        return false;
    *repeats = found && is_repeat(w->out, &item);
    if (*repeats)
        return true;
    *added = found && fits(w, &item, MAX_ITEM_TOKENS);
    if (*added) {
        ARENA_GROW(w->a, w->out->items, w->out->item_count, w->item_capacity);
        w->out->items[w->out->item_count++] = item;
    }
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

/* Adds what is above the floor in order of score: two lists, each best first, become one. */
static bool choose_items(struct answer *w, struct candidate *c, size_t count,
                         const struct code_answer *code, struct err *e)
{
    float floor = floor_of(w->in);
    size_t i = 0, k = 0;
    if (w->in->include_superseded && !recall_with_chains(w->m, w->a, floor, &c, &count, e))
        return false;
    for (;;) {
        while (i < count && !is_wanted(&w->m->snap, w->in, c[i].at))
            i++;
        bool is_code = k < code->count && (i == count || code->items[k].score > c[i].score);
        if (!is_code && i == count)
            return true;
        if ((is_code ? code->items[k].score : c[i].score) < floor)
            return i || k || is_code || set_nearest(w, &c[i], e);
        bool added = false, repeats = false, room = w->out->item_count < w->in->limit;
        if (room && !(is_code ? add_code_item(w, code, &code->items[k], &added, &repeats, e)
                              : add_item(w, &c[i], &added, &repeats, e)))
            return false;
        i += !is_code;
        k += is_code;
        w->out->withheld += !added && !repeats;
    }
}

static void list_entities(struct answer *w)
{
    w->out->entities = ARENA_ARRAY(w->a, struct entity_ref, w->resolved_count);
    for (size_t i = 0; i < w->resolved_count; i++)
        w->out->entities[i] = (struct entity_ref){.id = w->resolved[i].id,
                                                  .name = w->resolved[i].name,
                                                  .type = w->resolved[i].type,
                                                  .confidence = w->resolved[i].confidence};
    w->out->entity_count = w->resolved_count;
}

static void list_legs(struct answer *w)
{
    const struct memory_options *o = &w->m->options;
    const char *names[] = {"lexical",
                           o->ppr ? "ppr" : NULL,
                           o->neighbours ? "neighbours" : NULL,
                           o->usage ? "usage" : NULL,
                           !w->vectors_answered ? NULL
                           : w->models.vector   ? "embeddings"
                                                : "encoder",
                           w->models.order_count ? "rerank" : NULL};
    w->out->legs = ARENA_ARRAY(w->a, str, sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            w->out->legs[w->out->leg_count++] = str_of(names[i]);
    w->out->has_range = w->time.kind == TIME_RANGE;
    w->out->range_from_ms = w->time.from_ms;
    w->out->range_until_ms = w->time.until_ms;
}

/* ---- recall of a file ---- */

/* What lies in the range leads where nothing but a time was asked for. */
static void find_of_time(struct answer *w, str query, struct anchored *out, size_t *count)
{
    struct scored *newest;
    if (w->in->file.len || !query_time_is_all(&w->time, query))
        return;
    size_t found =
        recall_time_list(w->a, &w->m->snap, &w->time, w->in->now_ms, MAX_ANCHORED, &newest);
    for (size_t i = 0; i < found; i++)
        out[(*count)++] = (struct anchored){newest[i].at, newest[i].score};
}

/* What is anchored to the file comes first, whatever its words: the place was asked for. NULL with
 * *e where it fails. */
static struct candidate *lead_with_anchored(struct answer *w, const struct anchored *anchored,
                                            size_t anchored_count, struct candidate *candidates,
                                            size_t *count, struct err *e)
{
    struct candidate *out = ARENA_ARRAY(w->a, struct candidate, anchored_count + *count + 1);
    uint8_t *seen = ARENA_ARRAY(w->a, uint8_t, w->m->snap.graph.count + 1);
    struct scored *order = ARENA_ARRAY(w->a, struct scored, anchored_count + 1);
    size_t filled = 0;
    for (size_t i = 0; i < anchored_count; i++)
        order[i] = (struct scored){anchored[i].at, anchored[i].closeness};
    size_t ordered = best_first(order, anchored_count, anchored_count);
    for (size_t i = 0; i < ordered; i++)
        if (!seen[order[i].at]++)
            out[filled++] =
                (struct candidate){.at = order[i].at, .score = 0.5f + 0.48f * order[i].score};
    if (!lineage_rank(w->m, w->a, w->in->root, floor_of(w->in), out, filled, e))
        return NULL;
    for (size_t i = 0; i < *count; i++)
        if (!seen[candidates[i].at]++)
            out[filled++] = candidates[i];
    *count = filled;
    return out;
}

/* A file's path is an entity like any other name. */
static bool name_file(struct answer *w, struct resolved *r, size_t *count, struct err *e)
{
    int64_t id;
    if (!w->in->file.len)
        return true;
    if (!entity_find(w->m, w->a, w->in->file, &id, e))
        return false;
    node at = id ? snapshot_find(&w->m->snap, id) : NO_NODE;
    if (at == NO_NODE || *count == MAX_RESOLVED)
        return true;
    for (size_t i = 0; i < *count; i++)
        if (r[i].id == id)
            return true;
    r[(*count)++] = (struct resolved){
        .at = at, .id = id, .name = w->in->file, .type = S("path"), .confidence = 1};
    return true;
}

/* The vector leg for a query; false where it is switched off, not installed, or has nothing to say.
 */
static bool vectors_of(struct answer *w, str query, struct vector_scores *out)
{
    struct memory *m = w->m;
    struct err ignored = {0}; /* recall goes on without the leg */
    struct arena scratch = {0};
    struct leg_model leg = {.name = w->models.model};
    const float *vector = w->models.vector;
    size_t dimensions = w->models.dimensions;
    if (!vector && leg_model_choose(m, &scratch, &leg, &ignored) && leg.is_local) {
        vector = query_vector_local(m, &scratch, query, w->resolved, w->resolved_count);
        dimensions = ENCODER_DIMENSIONS;
    }
    bool ok = vector && vector_leg_sync(m->vectors, m->store, &m->snap, leg.name, &ignored) &&
              vector_leg_dimensions(m->vectors) == dimensions &&
              vector_leg_score(m->vectors, w->a, &m->snap, vector, out);
    arena_free(&scratch);
    return ok;
}

static void list_features(struct answer *w, const struct candidate *c, size_t count)
{
    w->out->features = ARENA_ARRAY(w->a, struct feature_row, count);
    for (size_t i = 0; i < count; i++) {
        const struct node_meta *m = &w->m->snap.meta[c[i].at];
        if (!is_wanted(&w->m->snap, w->in, c[i].at))
            continue;
        struct feature_row *row = &w->out->features[w->out->feature_count++];
        *row = (struct feature_row){(enum node_kind)m->kind, w->m->snap.ids[c[i].at], c[i].sum,
                                    ARENA_ARRAY(w->a, float, FEATURE_COUNT)};
        memcpy(row->values, c[i].feature, sizeof c[i].feature);
    }
}

static void list_code_features(struct answer *w, const struct code_answer *code)
{
    size_t files;
    const struct code_file *file = w->m->code ? code_leg_files(w->m->code, &files) : NULL;
    w->out->code_features = ARENA_ARRAY(w->a, struct code_row, code->candidate_count);
    for (size_t i = 0; i < code->candidate_count; i++) {
        const struct code_candidate *c = &code->candidates[i];
        w->out->code_features[w->out->code_feature_count++] =
            (struct code_row){file[c->file].id, file[c->file].path, c->sum, c->feature};
    }
}

/* Which candidates deny something, where the query does. */
static bool find_denials(struct answer *w, str query, const struct candidate *c, size_t count,
                         struct rank_input *rank, struct err *e)
{
    if (!text_negates(query))
        return true;
    uint8_t *negates = ARENA_ARRAY(w->a, uint8_t, w->m->snap.graph.count + 1);
    for (size_t i = 0; i < count; i++) {
        struct arena scratch = {0};
        str name, text;
        bool ok = store_get_body(w->m->store, &scratch, w->m->snap.ids[c[i].at], &name, &text, e);
        negates[c[i].at] = ok && text_negates(text);
        arena_free(&scratch);
        if (!ok)
            return false;
    }
    rank->negates = negates;
    return true;
}

static bool may_come_out(void *ctx, node at)
{
    const struct answer *w = ctx;
    return is_wanted(&w->m->snap, w->in, at);
}

static bool by_query(struct answer *w, struct err *e)
{
    struct memory *m = w->m;
    struct code_answer code;
    if (!code_recall(m, w->a, w->in, &code, e) || !place_items(m, w->a, w->in, &code, e))
        return false;
    struct lexical lexical;
    struct resolved resolved[MAX_RESOLVED];
    str query = w->in->query.len ? w->in->query : w->in->file;
    w->time = query_time_parse(w->in->query, w->in->now_ms);
    if (!recall_time_of_tag(m->store, w->a, w->in->query, &w->time, e))
        return false;
    struct lexical_query words = {
        .text = query, .aside_from = w->time.from, .aside_to = w->time.to};
    struct lexical_name names[MAX_RESOLVED];
    words.names = names;
    if (!resolve_names(m, w->a, query, resolved, &w->resolved_count, e) ||
        !resolve_mentions(m, w->a, resolved, w->resolved_count, names, &words.name_count, e) ||
        !lexical_search(m->store, m->postings, w->a, &m->snap, &words, &lexical, e) ||
        !resolve_more(m, w->a, &lexical, resolved, &w->resolved_count, e) ||
        !name_file(w, resolved, &w->resolved_count, e))
        return false;
    struct vector_scores vectors;
    float *named = ARENA_ARRAY(w->a, float, m->snap.graph.count + 1);
    for (size_t i = 0; i < w->resolved_count; i++)
        named[resolved[i].at] = resolved[i].confidence;
    recall_time_of_event(&m->snap, &lexical, query, w->in->now_ms, &w->time);
    w->lexical = &lexical;
    w->resolved = resolved;
    w->named = named;
    float *on_path = ARENA_ARRAY(w->a, float, m->snap.graph.count + 1);
    if (!recall_facts(m, w->a, resolved, w->resolved_count, w->in, &lexical, on_path, w->out, e))
        return false;
    if (m->options.ppr)
        walk(m, w->a, &lexical, resolved, w->resolved_count);
    struct rank_input rank = {&m->snap,
                              &lexical,
                              m->options.ppr ? m->ppr : NULL,
                              m->options.neighbours,
                              cues_asked(query),
                              named,
                              NULL,
                              vectors_of(w, query, &vectors) ? &vectors : NULL,
                              w->time.kind == TIME_RANGE ? &w->time : NULL,
                              on_path,
                              NULL};
    rank.weights = m->has_weights       ? &m->weights
                   : !m->options.ranker ? &rank_evidence
                                        : rank_weights_for(m->options.ppr, m->options.neighbours,
                                                           rank.vectors != NULL);
    w->vectors_answered = rank.vectors != NULL;
    w->weights = rank.weights;
    size_t count;
    struct candidate *candidates = rank_candidates(w->a, &rank, &count);
    if (!find_denials(w, query, candidates, count, &rank, e))
        return false;
    w->out->evidence = ARENA_ARRAY(w->a, float, EVIDENCE_COUNT);
    rank_score(w->a, &rank, candidates, count, w->out->evidence);
    if (!lineage_rank(m, w->a, w->in->root, floor_of(w->in), candidates, count, e))
        return false;
    if (w->rerank_most)
        return model_query_gather(m, w->a, candidates, count, may_come_out, w, w->rerank_most,
                                  &w->reranking, &w->reranking_count, e);
    model_query_reorder(m, w->a, &w->models, candidates, count);
    if (w->in->features) {
        list_features(w, candidates, count);
        list_code_features(w, &code);
    }
    struct anchored *anchored = ARENA_ARRAY(w->a, struct anchored, MAX_ANCHORED);
    size_t anchored_count;
    if (!place_memories(m, w->a, w->in, anchored, &anchored_count, e))
        return false;
    find_of_time(w, query, anchored, &anchored_count);
    if (anchored_count)
        candidates = lead_with_anchored(w, anchored, anchored_count, candidates, &count, e);
    if (candidates && !members_settle(m, &lexical, candidates, count, e))
        return false;
    if (!candidates || !contradictions_gather(m, w->a, &candidates, &count, w->in->limit, e))
        return false;
    list_entities(w);
    budget_facts(w);
    if (!choose_items(w, candidates, count, &code, e))
        return false;
    w->out->abstained = w->out->item_count == 0 && w->out->fact_count == 0;
    if (w->in->explain)
        list_legs(w);
    return true;
}

static bool by_ids(struct answer *w, struct err *e)
{
    const uint32_t any = (1u << NODE_KIND_COUNT) - 1;
    for (size_t i = 0; i < w->in->id_count; i++) {
        struct node_row row;
        struct item item;
        if (!memory_id(w->m, w->a, "ids", w->in->ids[i], any, &row, e))
            return false;
        node at = snapshot_find(&w->m->snap, row.id);
        if (at == NO_NODE)
            return fail(e, ERR_NOT_FOUND, "ids: there is no %.*s here", FMT(w->in->ids[i]));
        bool is_code = row.kind == NODE_SYMBOL || row.kind == NODE_FILE || row.kind == NODE_COMMIT;
        if (!(is_code ? code_item_by_id(w->m, w->a, w->in->root, at, &item, e)
                      : item_load(w->m, w->a, at, &item, e)) ||
            !item_disputes(w->m, w->a, &item, e) || !item_context(w->m, w->a, at, &item, e) ||
            !set_stale(w, &item, e) || !set_lineage(w, &item, e))
            return false;
        item.score = 1;
        bool last_one =
            w->in->id_count == 1; /* asked for alone, it is given whole whatever the budget */
        size_t tokens = w->size(w->size_ctx, &item);
        if (!last_one && w->out->tokens + tokens > w->in->budget_tokens) {
            w->out->withheld++;
            continue;
        }
        w->out->tokens += tokens;
        ARENA_GROW(w->a, w->out->items, w->out->item_count, w->item_capacity);
        w->out->items[w->out->item_count++] = item;
    }
    return true;
}

/* What is shown is kept in mind until something is written. */
static void count_uses(struct memory *m, struct arena *a, const struct recall_input *in,
                       const struct recall_result *out)
{
    if (!m->options.usage || store_read_only_reason(m->store).len)
        return;
    usage_log_activity(&m->log, in->now_ms);
    if (!in->id_count) {
        str question =
            in->file.len ? arena_printf(a, "%.*s %.*s", FMT(in->query), FMT(in->file)) : in->query;
        usage_log_answer(&m->log, question, out->items, out->item_count, in->now_ms);
        return;
    }
    int64_t *ids = ARENA_ARRAY(a, int64_t, out->item_count + 1);
    for (size_t i = 0; i < out->item_count; i++)
        ids[i] = out->items[i].id;
    usage_log_taken_up(&m->log, ids, out->item_count, in->now_ms);
}

static bool read_answer(struct answer *w, struct err *e)
{
    if (!memory_read(w->m, e))
        return false;
    bool ok = find_worktree(w, e) && (w->in->id_count ? by_ids(w, e) : by_query(w, e));
    store_read_end(w->m->store);
    return ok;
}

/* Between two reads: the candidates are found, then found again, since nothing is held while a
 * model is waited for. */
static bool ask_models(const struct answer *w, struct model_query *out, struct err *e)
{
    struct recall_result ignored = {0};
    struct answer first = *w;
    first.out = &ignored;
    if (!model_query_vector(w->m, w->a, w->in->query, out, e))
        return false;
    first.models = *out;
    first.rerank_most = model_query_wants(w->m, w->a, out);
    return !first.rerank_most ||
           (read_answer(&first, e) && model_query_rerank(w->m, w->a, w->in->query, first.reranking,
                                                         first.reranking_count, out, e));
}

bool memory_recall(struct memory *m, struct arena *a, const struct recall_input *in,
                   render_size *size, void *size_ctx, struct recall_result *out, struct err *e)
{
    *out = (struct recall_result){0};
    struct answer w = {
        .m = m, .a = a, .in = in, .out = out, .size = size, .size_ctx = size_ctx, .said = {.a = a}};
    m->recalled_ms = in->now_ms;
    bool asks = m->options.models && in->query.len && !in->id_count;
    if ((asks && !ask_models(&w, &w.models, e)) || !read_answer(&w, e))
        return false;
    out->legs_off = ARENA_ARRAY(a, str, MAX_LEGS_OFF);
    for (size_t i = 0; i < w.models.off_count; i++)
        out->legs_off[out->leg_off_count++] = w.models.off[i];
    count_uses(m, a, in, out);
    return true;
}
