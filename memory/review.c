/* review_entities: a person's say on the ontology. Every decision is a row of the journal with what
 * takes it back. */
#include "memory/base/iso8601.h"
#include "memory/contradictions.h"
#include "memory/memory_state.h"
#include "memory/near_names.h"
#include "memory/review_edits.h"
#include "memory/text.h"

/* ---- questions ---- */

bool review_near_names(struct memory *m, struct arena *a, int64_t entity, str name, int64_t now_ms,
                       struct err *e)
{
    enum { MAX_NEAR = 100, MAX_FILED = 2 };
    struct alias_row *rows;
    size_t count, filed = 0;
    str normal = text_normal_name(a, name);
    if (normal.len < 5 || !store_near_names(m->store, a, normal, MAX_NEAR, &rows, &count, e))
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count && filed < MAX_FILED; i++) {
        if (rows[i].entity == entity || !near_names_are_near(normal, rows[i].normal))
            continue;
        struct question_row question = {
            .kind = S("merge"), .a = rows[i].entity, .b = entity, .weight = 1};
        if (!store_put_question(m->store, &question, now_ms, e))
            return false;
        filed++;
    }
    return true;
}

/* Entities on a large part of the memories: they draw walkers without telling anything apart. */
static bool file_hubs(struct entry *j, struct err *e)
{
    enum { MIN_DEGREE = 20 };
    static const double PART = 0.4;
    const struct snapshot *snap = &j->m->snap;
    for (node n = 0; n < snap->graph.count; n++) {
        const struct node_meta *m = &snap->meta[n];
        if (m->kind != NODE_ENTITY || m->state != STATE_CURRENT || m->degree < MIN_DEGREE ||
            m->degree < PART * snap->bodies)
            continue;
        struct question_row question = {
            .kind = S("dismiss"), .a = snap->ids[n], .weight = m->degree};
        if (!store_put_question(j->m->store, &question, j->now_ms, e))
            return false;
    }
    return true;
}

static bool entity_words(struct memory *m, struct arena *a, int64_t id, str *out, size_t *mentions,
                         struct err *e)
{
    struct node_row row;
    struct edge_full *edges;
    bool found;
    *out = S("(gone)");
    *mentions = 0;
    if (!store_get_node(m->store, a, id, &row, &found, e) || !found)
        return e->code == ERR_NONE;
    *out = arena_printf(a, "%.*s (e%lld)", FMT(row.name), (long long)id);
    return store_edges(m->store, a, id, EDGE_MENTIONS, 1000, &edges, mentions, e);
}

/* m12 (2026-03-01: "staging runs Postgres 14") */
static bool memory_words(struct memory *m, struct arena *a, int64_t id, int64_t at_ms, str *out,
                         struct err *e)
{
    enum { DATE_BYTES = 10, QUOTED_BYTES = 160 };
    str name, text, date = str_cut(iso_format(a, at_ms), 0, DATE_BYTES);
    if (!store_get_body(m->store, a, id, &name, &text, e))
        return false;
    str quoted = utf8_prefix(unicode_squeeze(a, text), QUOTED_BYTES);
    *out = arena_printf(a, "m%lld (%.*s: \"%.*s\")", (long long)id, FMT(date), FMT(quoted));
    return true;
}

static bool describe_contradiction(struct memory *m, struct arena *a,
                                   const struct question_row *row, struct question *out,
                                   struct err *e)
{
    struct dispute d;
    str older, newer;
    bool found;
    if (!contradiction_between(m, a, row->a, row->b, &d, &found, e))
        return false;
    if (!found)
        return fail(e, ERR_DB, "question q%lld is about a memory that is gone", (long long)row->id);
    if (!memory_words(m, a, d.older, d.older_at_ms, &older, e) ||
        !memory_words(m, a, d.newer, d.newer_at_ms, &newer, e))
        return false;
    out->text = arena_printf(a, "Is %.*s out of date since %.*s?", FMT(older), FMT(newer));
    if (d.older_value.len)
        out->text = arena_printf(a, "%.*s They say %.*s, then %.*s.", FMT(out->text),
                                 FMT(d.older_value), FMT(d.newer_value));
    out->effect = arena_printf(a,
                               "yes: m%lld supersedes m%lld, which no longer comes as current; "
                               "no: both are true, never asked again",
                               (long long)d.newer, (long long)d.older);
    return true;
}

static bool describe_question(struct memory *m, struct arena *a, const struct question_row *row,
                              struct question *out, struct err *e)
{
    str x, y = S("");
    size_t x_mentions, y_mentions = 0;
    *out = (struct question){.id = row->id, .kind = row->kind};
    if (str_eq(row->kind, S(CONTRADICTION)))
        return describe_contradiction(m, a, row, out, e);
    if (!entity_words(m, a, row->a, &x, &x_mentions, e) ||
        (row->b && !entity_words(m, a, row->b, &y, &y_mentions, e)))
        return false;
    if (str_eq(row->kind, S("merge"))) {
        out->text = arena_printf(a, "Are %.*s and %.*s the same?", FMT(x), FMT(y));
        out->effect = arena_printf(a,
                                   "yes: the %zu mentions of %.*s move to %.*s, its name stays an "
                                   "alias; no: never asked again",
                                   y_mentions, FMT(y), FMT(x));
    } else {
        out->text =
            arena_printf(a, "%.*s is on %zu memories. Is it too general to find anything by?",
                         FMT(x), x_mentions);
        out->effect =
            S("yes: it no longer leads from memory to memory; no: it stays, never asked again");
    }
    return true;
}

static bool list_questions(struct memory *m, struct arena *a, size_t limit,
                           struct review_result *out, struct err *e)
{
    struct question_row *rows;
    size_t count, open;
    if (!store_questions(m->store, a, limit, &rows, &count, &open, e))
        return false;
    out->questions = ARENA_ARRAY(a, struct question, count);
    for (size_t i = 0; i < count; i++)
        if (!describe_question(m, a, &rows[i], &out->questions[out->question_count++], e))
            return false;
    out->pending = open - count;
    return true;
}

/* ---- answers ---- */

/* The newer supersedes the older. */
static bool settle(struct entry *j, const struct question_row *q, struct err *e)
{
    static const char *const wanted = "answers.question: q%lld is about m%lld, which isn't current "
                                      "any more";
    struct dispute d;
    struct node_row older, newer;
    bool found;
    if (!contradiction_between(j->m, j->a, q->a, q->b, &d, &found, e) || !found ||
        !store_get_node(j->m->store, j->a, d.older, &older, &found, e) || !found ||
        !store_get_node(j->m->store, j->a, d.newer, &newer, &found, e) || !found)
        return e->code == ERR_NONE;
    if (older.state != STATE_CURRENT || newer.state != STATE_CURRENT)
        return fail(e, ERR_CONFLICT, wanted, (long long)q->id,
                    (long long)(older.state != STATE_CURRENT ? older.id : newer.id));
    buf_printf(&j->text, "m%lld supersedes m%lld", (long long)d.newer, (long long)d.older);
    step_back(j, "superseded", "%lld\t%lld", (long long)d.older, (long long)d.newer);
    return memory_supersede(j->m, d.older, d.newer, newer.at_ms, e);
}

static bool carry_out(struct entry *j, const struct question_row *q, struct err *e)
{
    if (str_eq(q->kind, S(CONTRADICTION)))
        return settle(j, q, e);
    struct edit_input in = {.action = EDIT_DISMISS,
                            .entity = node_id_format(j->a, NODE_ENTITY, q->a)};
    if (str_eq(q->kind, S("merge"))) {
        in.action = EDIT_MERGE;
        in.into = in.entity;
        in.entity = node_id_format(j->a, NODE_ENTITY, q->b);
    }
    return review_edit(j, &in, e);
}

static bool answer(struct entry *j, const struct answer_input *in, str *action, struct err *e)
{
    static const int states[] = {QUESTION_YES, QUESTION_NO, QUESTION_LATER};
    static const char *const words[] = {"yes", "no", "later"};
    struct question_row q;
    int64_t id;
    bool found;
    if (in->question.len < 2 || in->question.at[0] != 'q' ||
        !str_to_int(str_cut(in->question, 1, in->question.len), &id))
        return fail(e, ERR_INPUT, "answers.question: '%.*s' is no question id; wanted: one like q3",
                    FMT(str_cut(in->question, 0, 80)));
    if (!store_get_question(j->m->store, j->a, id, &q, &found, e))
        return false;
    if (!found)
        return fail(e, ERR_NOT_FOUND, "answers.question: there is no %.*s here", FMT(in->question));
    if (q.state == QUESTION_YES || q.state == QUESTION_NO)
        return fail(e, ERR_CONFLICT, "answers.question: %.*s was answered already",
                    FMT(in->question));
    if (in->verdict == VERDICT_YES && !carry_out(j, &q, e))
        return false;
    if (in->verdict != VERDICT_YES)
        buf_printf(&j->text, "q%lld answered with %s", (long long)id, words[in->verdict]);
    step_back(j, "question", "%lld\t%d", (long long)id, q.state);
    *action = S("answer");
    return store_answer_question(j->m->store, id, states[in->verdict], j->now_ms, e);
}

/* ---- the card ---- */

static bool card_relations(struct memory *m, struct arena *a, int64_t id, struct entity_card *card,
                           struct err *e)
{
    enum { MAX_RELATIONS_SHOWN = 20 };
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, id, EDGE_RELATION, MAX_RELATIONS_SHOWN, &edges, &count, e))
        return false;
    card->relations = ARENA_ARRAY(a, struct fact_ref, count);
    for (size_t i = 0; i < count; i++) {
        struct node_row from, to, by;
        bool found;
        if (!store_get_node(m->store, a, edges[i].src, &from, &found, e) || !found ||
            !store_get_node(m->store, a, edges[i].dst, &to, &found, e) || !found)
            continue;
        if (!store_get_node(m->store, a, edges[i].said_by, &by, &found, e))
            return false;
        if (found && by.state != STATE_CURRENT)
            continue;
        card->relations[card->relation_count++] =
            (struct fact_ref){.from = from.name,
                              .relation = edges[i].label,
                              .to = to.name,
                              .said_kind = found ? by.kind : NODE_ENTITY,
                              .said_by = edges[i].said_by};
    }
    return e->code == ERR_NONE;
}

static bool card_mentions(struct memory *m, struct arena *a, int64_t id, struct entity_card *card,
                          struct err *e)
{
    enum { MAX_SHOWN = 5, SHOWN_BYTES = 200, MAX_COUNTED = 100000 };
    struct edge_full *edges;
    size_t count;
    if (!store_edges(m->store, a, id, EDGE_MENTIONS, MAX_COUNTED, &edges, &count, e))
        return false;
    card->mentions = count;
    card->latest = ARENA_ARRAY(a, struct card_mention, MAX_SHOWN);
    for (size_t i = 0; i < count && card->latest_count < MAX_SHOWN; i++) {
        struct node_row row;
        bool found;
        str name, text;
        if (!store_get_node(m->store, a, edges[i].src, &row, &found, e) ||
            !store_get_body(m->store, a, edges[i].src, &name, &text, e))
            return false;
        if (found)
            card->latest[card->latest_count++] =
                (struct card_mention){row.kind, row.id, utf8_prefix(text, SHOWN_BYTES)};
    }
    return true;
}

static bool show_card(struct entry *j, str entity, struct entity_card *card, struct err *e)
{
    static const char *const words[] = {"active",    "superseded", "archived",
                                        "dismissed", "merged",     "pending"};
    struct node_row row;
    struct entity_row type;
    struct alias_row *aliases;
    size_t count;
    bool found;
    if (!review_find_entity(j, "entity", entity, &row, e) ||
        !store_get_entity(j->m->store, j->a, row.id, &type, &found, e) ||
        !store_aliases(j->m->store, j->a, row.id, &aliases, &count, e) ||
        !store_properties(j->m->store, j->a, row.id, &card->props, &card->prop_count, e))
        return false;
    card->id = row.id;
    card->name = row.name;
    card->type = found ? type.type : S("");
    card->status =
        str_of((unsigned)row.state < sizeof words / sizeof *words ? words[row.state] : "active");
    card->aliases = ARENA_ARRAY(j->a, str, count);
    for (size_t i = 0; i < count; i++)
        if (!str_eq(aliases[i].name, row.name))
            card->aliases[card->alias_count++] = aliases[i].name;
    node at = snapshot_find(&j->m->snap, row.id);
    card->degree = at == NO_NODE ? 0 : j->m->snap.meta[at].degree;
    return card_relations(j->m, j->a, row.id, card, e) &&
           card_mentions(j->m, j->a, row.id, card, e);
}

/* ---- the call ---- */

static bool journal(struct entry *j, str action, struct review_result *out, struct err *e)
{
    struct journal_row row = {.stored_ms = j->now_ms,
                              .action = action,
                              .text = buf_str(&j->text),
                              .undo = buf_str(&j->undo)};
    struct applied *applied = &out->applied[out->applied_count++];
    applied->action = action;
    applied->text = arena_str(j->a, row.text);
    bool ok = store_put_journal(j->m->store, &row, &applied->journal, e);
    buf_clear(&j->text);
    buf_clear(&j->undo);
    return ok;
}

static bool apply(struct entry *j, const struct review_input *in, struct review_result *out,
                  struct err *e)
{
    out->applied = ARENA_ARRAY(j->a, struct applied, in->answer_count + in->edit_count + 1);
    for (size_t i = 0; i < in->answer_count; i++) {
        str action;
        if (!answer(j, &in->answers[i], &action, e) || !journal(j, action, out, e))
            return false;
    }
    for (size_t i = 0; i < in->edit_count; i++)
        if (!review_edit(j, &in->edits[i], e) ||
            !journal(j, str_of(edit_action_name[in->edits[i].action]), out, e))
            return false;
    return !in->undo.len || review_undo(j, in->undo, &out->applied[out->applied_count++], e);
}

/* Who only looks waits for no lock: the hubs are filed another time. */
static void file_hubs_if_free(struct entry *j)
{
    enum { WAIT_MS = 20 };
    struct err ignored = {0};
    if (!store_read_only_reason(j->m->store).len &&
        store_begin_within(j->m->store, WAIT_MS, &ignored))
        store_end(j->m->store, file_hubs(j, &ignored), &ignored);
}

bool memory_review(struct memory *m, struct arena *a, const struct review_input *in,
                   struct review_result *out, struct err *e)
{
    struct entry j = {.m = m, .a = a, .now_ms = in->from.now_ms};
    *out = (struct review_result){0};
    if (!memory_read(m, e)) /* the snapshot tells which entities are hubs */
        return false;
    store_read_end(m->store);
    if (in->answer_count || in->edit_count || in->undo.len) {
        if (!memory_write(m, e))
            return false;
        bool ok = store_end(m->store, apply(&j, in, out, e), e);
        buf_free(&j.text);
        buf_free(&j.undo);
        if (!ok)
            return false;
    }
    file_hubs_if_free(&j);
    if (!memory_read(m, e))
        return false;
    out->has_card = in->entity.len > 0;
    bool ok = (!in->entity.len || show_card(&j, in->entity, &out->card, e)) &&
              list_questions(m, a, in->limit, out, e);
    store_read_end(m->store);
    return ok;
}
