/* recall: query -> legs -> candidates -> rank -> superseded out -> floor -> limit -> budget -> why
 * and facts. */
#include "memory/anchors.h"
#include "memory/contradictions.h"
#include "memory/cues.h"
#include "memory/late_leg.h"
#include "memory/negation.h"
#include "memory/place_recall.h"
#include "memory/provider/encoder.h"
#include "memory/recall_answer.h"
#include "memory/recall_lineage.h"
#include "memory/recall_members.h"
#include "memory/recall_ties.h"
#include "memory/recall_time.h"
#include "memory/recall_title.h"
#include "memory/recall_walk.h"

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
    str read = w->models->reading.is_there ? model_read_told(w->a, &w->models->reading) : S("");
    const char *names[] = {"lexical",
                           o->ppr ? "ppr" : NULL,
                           o->neighbours ? "neighbours" : NULL,
                           o->usage ? "usage" : NULL,
                           !w->vectors_answered ? NULL
                           : w->models->vector  ? "embeddings"
                                                : "encoder",
                           w->models->order_count ? "rerank" : NULL};
    w->out->legs = ARENA_ARRAY(w->a, str, sizeof names / sizeof *names + 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            w->out->legs[w->out->leg_count++] = str_of(names[i]);
    if (read.len)
        w->out->legs[w->out->leg_count++] = read;
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

/* A question that is a document's title asks for the document. */
static bool find_titled(struct answer *w, struct anchored *out, size_t *count, struct err *e)
{
    if (!recall_title_find(w->m, w->in->query, &w->titled, e))
        return false;
    node at = w->titled ? snapshot_find(&w->m->snap, w->titled) : NO_NODE;
    if (at != NO_NODE && *count < MAX_ANCHORED)
        out[(*count)++] = (struct anchored){at, 1};
    return true;
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
    if (!lineage_rank(w->m, w->a, w->in->root, answer_floor(w->in), out, filled, e))
        return NULL;
    for (size_t i = 0; i < *count; i++)
        if (!seen[candidates[i].at]++)
            out[filled++] = candidates[i];
    *count = filled;
    return out;
}

/* Adds the entity of this name, where there is one and it isn't there yet. */
static bool add_named(struct answer *w, struct resolved named, struct resolved *r, size_t *count,
                      struct err *e)
{
    if (!entity_find(w->m, w->a, named.name, &named.id, e))
        return false;
    named.at = named.id ? snapshot_find(&w->m->snap, named.id) : NO_NODE;
    if (named.at == NO_NODE || *count == MAX_RESOLVED)
        return true;
    for (size_t i = 0; i < *count; i++)
        if (r[i].id == named.id)
            return true;
    r[(*count)++] = named;
    return true;
}

/* A file's path is an entity like any other name. */
static bool name_file(struct answer *w, struct resolved *r, size_t *count, struct err *e)
{
    struct resolved file = {.name = w->in->file, .type = S("path"), .confidence = 1};
    return !w->in->file.len || add_named(w, file, r, count, e);
}

/* What a language model took for names, and no rule did. */
static bool name_read(struct answer *w, struct resolved *r, size_t *count, struct err *e)
{
    static const float SURE = 0.9f; /* a name's own words have 1 */
    const struct query_reading *read = &w->models->reading;
    for (size_t i = 0; i < read->name_count; i++) {
        struct resolved name = {.name = read->names[i], .type = S(""), .confidence = SURE};
        if (!add_named(w, name, r, count, e))
            return false;
    }
    return true;
}

struct query_tokens {
    str model; /* empty: the local encoder wasn't asked */
    struct encoder_tokens tokens;
};

/* The vector leg for a query, and what late interaction compares; false where it is switched off,
 * not installed, or has nothing to say.
 */
static bool vectors_of(struct answer *w, str query, struct vector_scores *out,
                       struct query_tokens *late)
{
    struct memory *m = w->m;
    struct err ignored = {0}; /* recall goes on without the leg */
    struct arena scratch = {0};
    struct leg_model leg = {.name = w->models->model};
    *late = (struct query_tokens){.model = S("")};
    const float *vector = w->models->vector;
    size_t dimensions = w->models->dimensions;
    if (!vector && leg_model_choose(m, &scratch, &leg, &ignored) && leg.is_local) {
        vector = query_vector_local(m, w->a, query, w->resolved, w->resolved_count, &late->tokens);
        dimensions = ENCODER_DIMENSIONS;
        late->model = arena_str(w->a, leg.name);
    }
    bool ok = vector && vector_leg_sync(m->vectors, m->store, &m->snap, leg.name, &ignored);
    size_t stored = ok ? vector_leg_dimensions(m->vectors) : 0;
    if (stored && stored != dimensions && w->models->vector)
        model_query_misfits(w->models, stored);
    ok = ok && stored == dimensions && vector_leg_score(m->vectors, w->a, &m->snap, vector, out);
    arena_free(&scratch);
    return ok;
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

/* ---- the pipeline ---- */

struct asking {
    str text;
    struct code_answer code;
    struct lexical lexical;
    struct resolved resolved[MAX_RESOLVED];
    struct vector_scores vectors;
    float *named, *on_path; /* per node: how surely the query names it; see recall_facts */
    struct rank_input rank;
    struct candidate *candidates; /* best first */
    size_t count;
};

static void list_node_features(struct answer *w, const struct candidate *c, size_t count)
{
    w->out->features = ARENA_ARRAY(w->a, struct feature_row, count);
    for (size_t i = 0; i < count; i++) {
        const struct node_meta *m = &w->m->snap.meta[c[i].at];
        if (!answer_may_show(w, c[i].at))
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

static void list_features(struct answer *w, const struct asking *q)
{
    list_node_features(w, q->candidates, q->count);
    list_code_features(w, &q->code);
}

/* Words, names and times; what of them says the time of an event needs the words. */
static bool read_question(struct answer *w, struct asking *q, struct err *e)
{
    struct memory *m = w->m;
    struct lexical_name names[MAX_RESOLVED];
    q->text = w->in->query.len ? w->in->query : w->in->file;
    w->time = query_time_parse(w->in->query, w->in->now_ms);
    if (!recall_time_of_tag(m->store, w->a, w->in->query, &w->time, e))
        return false;
    if (w->time.kind == TIME_NONE)
        w->time = w->models->reading.time;
    struct lexical_query words = {
        .text = q->text, .aside_from = w->time.from, .aside_to = w->time.to, .names = names};
    if (!resolve_names(m, w->a, q->text, q->resolved, &w->resolved_count, e) ||
        !name_read(w, q->resolved, &w->resolved_count, e) ||
        !resolve_mentions(m, w->a, q->resolved, w->resolved_count, names, &words.name_count, e) ||
        !lexical_search(m->store, m->postings, w->a, &m->snap, &words, &q->lexical, e) ||
        !resolve_more(m, w->a, &q->lexical, q->resolved, &w->resolved_count, e) ||
        !name_file(w, q->resolved, &w->resolved_count, e) ||
        !recall_ties_name(m, w->a, &q->code, q->resolved, &w->resolved_count, e))
        return false;
    recall_time_of_event(&m->snap, &q->lexical, q->text, w->in->now_ms, &w->time);
    q->named = ARENA_ARRAY(w->a, float, m->snap.graph.count + 1);
    for (size_t i = 0; i < w->resolved_count; i++)
        q->named[q->resolved[i].at] = q->resolved[i].confidence;
    w->lexical = &q->lexical;
    w->resolved = q->resolved;
    w->named = q->named;
    return true;
}

/* The relations on the paths from what is named, and the walk from all that was found. */
static bool follow_graph(struct answer *w, struct asking *q, struct err *e)
{
    struct memory *m = w->m;
    q->on_path = ARENA_ARRAY(w->a, float, m->snap.graph.count + 1);
    if (!recall_facts(m, w->a, q->resolved, w->resolved_count, w->in, &q->lexical, q->on_path,
                      w->out, e))
        return false;
    if (m->options.ppr)
        recall_walk(m, w->a, &q->lexical, q->resolved, w->resolved_count);
    return true;
}

static const struct rank_weights *weights_of(const struct memory *m, bool vectors)
{
    return m->has_weights       ? &m->weights
           : !m->options.ranker ? &rank_evidence
                                : rank_weights_for(m->options.ppr, m->options.neighbours, vectors);
}

static const struct rank_weights *passage_weights_of(const struct memory *m, bool vectors,
                                                     bool late)
{
    return m->has_passage_weights ? &m->passage_weights
           : !m->options.ranker   ? &rank_evidence
                                  : rank_passage_weights_for(vectors, late);
}

static bool rank(struct answer *w, struct asking *q, struct err *e)
{
    struct memory *m = w->m;
    struct query_tokens late;
    w->vectors_answered = vectors_of(w, q->text, &q->vectors, &late);
    q->rank = (struct rank_input){.snap = &m->snap,
                                  .lexical = &q->lexical,
                                  .ppr = m->options.ppr ? m->ppr : NULL,
                                  .neighbours = m->options.neighbours,
                                  .asked = cues_asked(q->text) | w->models->reading.asked,
                                  .named = q->named,
                                  .vectors = w->vectors_answered ? &q->vectors : NULL,
                                  .time = w->time.kind == TIME_RANGE ? &w->time : NULL,
                                  .on_path = q->on_path,
                                  .weights = weights_of(m, w->vectors_answered)};
    w->rank = &q->rank;
    q->candidates = rank_candidates(w->a, &q->rank, &q->count);
    if (!find_denials(w, q->text, q->candidates, q->count, &q->rank, e) ||
        (w->vectors_answered && !late_leg_score(m->store, w->a, &m->snap, late.model, &late.tokens,
                                                q->candidates, q->count, &q->rank.late, e)))
        return false;
    /* Which ones there are only the candidates tell. */
    q->rank.passage_weights = passage_weights_of(m, w->vectors_answered, q->rank.late);
    w->out->evidence = ARENA_ARRAY(w->a, float, EVIDENCE_COUNT);
    rank_score(w->a, &q->rank, q->candidates, q->count, w->out->evidence);
    return lineage_rank(m, w->a, w->in->root, answer_floor(w->in), q->candidates, q->count, e);
}

/* Places and times lead, members step behind their summary, contradictions stand together. */
static bool settle_order(struct answer *w, struct asking *q, struct err *e)
{
    struct anchored *anchored = ARENA_ARRAY(w->a, struct anchored, MAX_ANCHORED);
    size_t count;
    if (!place_memories(w->m, w->a, w->in, anchored, &count, e))
        return false;
    find_of_time(w, q->text, anchored, &count);
    if (!find_titled(w, anchored, &count, e))
        return false;
    if (count)
        q->candidates = lead_with_anchored(w, anchored, count, q->candidates, &q->count, e);
    if (!q->candidates)
        return false;
    recall_ties_lift(w, &q->code, q->candidates, q->count);
    return members_settle(w->m, &q->lexical, q->candidates, q->count, e) &&
           contradictions_gather(w->m, w->a, &q->candidates, &q->count, w->in->limit, e) &&
           recall_ties_follow(w, q->candidates, q->count, &q->code, e);
}

static bool tell(struct answer *w, struct asking *q, struct err *e)
{
    list_entities(w);
    answer_budget_facts(w);
    if (!answer_choose(w, q->candidates, q->count, &q->code, e))
        return false;
    w->out->abstained = w->out->item_count == 0 && w->out->fact_count == 0;
    if (w->in->explain)
        list_legs(w);
    return true;
}

static bool may_come_out(void *ctx, node at)
{
    return answer_may_show(ctx, at);
}

static bool by_query(struct answer *w, struct err *e)
{
    struct asking *q = ARENA_NEW(w->a, struct asking);
    if (!code_recall(w->m, w->a, w->in, &q->code, e) ||
        !place_items(w->m, w->a, w->in, &q->code, e) || !read_question(w, q, e) ||
        !follow_graph(w, q, e) || !rank(w, q, e))
        return false;
    if (w->rerank_most)
        return model_query_gather(w->m, w->a, q->candidates, q->count, may_come_out, w,
                                  w->rerank_most, &w->reranking, &w->reranking_count, e);
    model_query_reorder(w->m, w->a, w->models, q->candidates, q->count);
    if (w->in->features)
        list_features(w, q);
    return settle_order(w, q, e) && tell(w, q, e);
}

static bool add_by_id(struct answer *w, str id, struct item *item, struct err *e)
{
    const uint32_t any = (1u << NODE_KIND_COUNT) - 1;
    struct node_row row;
    if (!memory_id(w->m, w->a, "ids", id, any, &row, e))
        return false;
    node at = snapshot_find(&w->m->snap, row.id);
    if (at == NO_NODE)
        return fail(e, ERR_NOT_FOUND, "ids: there is no %.*s here", FMT(id));
    bool is_code = row.kind == NODE_SYMBOL || row.kind == NODE_FILE || row.kind == NODE_COMMIT;
    return (is_code ? code_item_by_id(w->m, w->a, w->in->root, at, item, e)
                    : item_load(w->m, w->a, at, item, e)) &&
           answer_add_asked(w, item, e);
}

static bool add_members(struct answer *w, const struct item *of, struct err *e)
{
    enum node_kind kind = of->kind == NODE_DOCUMENT ? NODE_PASSAGE : of->kind;
    for (size_t i = 0; i < of->member_count; i++) {
        struct item member;
        if (!add_by_id(w, node_id_format(w->a, kind, of->members[i]), &member, e))
            return false;
    }
    return true;
}

static bool by_ids(struct answer *w, struct err *e)
{
    for (size_t i = 0; i < w->in->id_count; i++) {
        struct item item;
        if (!add_by_id(w, w->in->ids[i], &item, e) ||
            (w->in->with_members && !add_members(w, &item, e)))
            return false;
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

static bool find_worktree(struct answer *w, struct err *e)
{
    struct worktree_row row;
    bool found = false;
    if (w->in->root.len && !store_find_worktree(w->m->store, w->a, w->in->root, &row, &found, e))
        return false;
    w->worktree = found ? row.id : 0;
    return true;
}

static bool read_answer(struct answer *w, struct err *e)
{
    if (!memory_read(w->m, e))
        return false;
    bool ok = find_worktree(w, e) && (w->in->id_count ? by_ids(w, e) : by_query(w, e));
    store_read_end(w->m->store);
    return ok;
}

/* What is to be asked next waits in w->models. Between two reads: the candidates are found, then
 * found again, since nothing is held while a model is waited for. */
static bool ask_models(const struct answer *w, struct err *e)
{
    struct recall_result ignored = {0};
    struct answer first = *w;
    model_query_take(w->m, w->models);
    if (!model_query_read(w->m, w->models, w->in->query, w->in->now_ms, e))
        return false;
    if (model_query_waits(w->models))
        return true;
    if (!model_query_vector(w->m, w->models, w->in->query, e))
        return false;
    if (model_query_waits(w->models))
        return true;
    first.out = &ignored;
    first.rerank_most = model_query_wants(w->m, w->models);
    return !first.rerank_most || (read_answer(&first, e) &&
                                  model_query_rerank(w->m, w->models, w->in->query, first.reranking,
                                                     first.reranking_count, e));
}

bool memory_recall(struct memory *m, struct arena *a, const struct recall_input *in,
                   render_size *size, void *size_ctx, struct recall_result *out, struct err *e)
{
    *out = (struct recall_result){0};
    struct answer w = {.m = m,
                       .a = a,
                       .in = in,
                       .out = out,
                       .size = size,
                       .size_ctx = size_ctx,
                       .said = {.a = a},
                       .models = in->models ? in->models : model_query_new(a)};
    m->recalled_ms = in->now_ms;
    bool asks = in->models && m->options.models && in->query.len && !in->id_count;
    if (asks && !ask_models(&w, e))
        return false;
    out->waits = model_query_waits(w.models);
    if (out->waits)
        return true;
    if (!read_answer(&w, e))
        return false;
    out->legs_off = w.models->off;
    out->leg_off_count = w.models->off_count;
    count_uses(m, a, in, out);
    return true;
}
