/* review_entities: a person's say on the ontology. Every decision is a row of the journal with what
 * takes it back. */
#include "memory/memory_review.h"
#include "memory/memory_state.h"
#include "memory/near_names.h"
#include "memory/review_card.h"
#include "memory/review_edits.h"
#include "memory/review_find.h"
#include "memory/review_questions.h"
#include "memory/store_review_find.h"

/* ---- questions ---- */

struct near {
    int64_t entity;
    str normal;
    int64_t found[2]; /* questions about further ones would be too many */
    size_t count;
};

static bool note_near(void *ctx, str normal, int64_t entity)
{
    struct near *near = ctx;
    if (entity != near->entity && near_names_are_near(near->normal, normal))
        near->found[near->count++] = entity;
    return near->count < sizeof near->found / sizeof *near->found;
}

bool review_near_names(struct memory *m, int64_t entity, str normal, int64_t now_ms, struct err *e)
{
    enum { MAX_NEAR = 100 };
    struct near near = {.entity = entity, .normal = normal};
    if (normal.len < MIN_NEAR_BYTES ||
        !store_each_near_name(m->store, normal, MAX_NEAR, note_near, &near, e))
        return e->code == ERR_NONE;
    for (size_t i = 0; i < near.count; i++) {
        struct question_row question = {
            .kind = S("merge"), .a = near.found[i], .b = entity, .weight = 1};
        if (!store_put_question(m->store, &question, now_ms, e))
            return false;
    }
    return true;
}

/* The ones that would change most, first; what isn't so any more is passed over. */
static bool list_questions(struct memory *m, struct arena *a, size_t limit,
                           struct review_result *out, struct err *e)
{
    enum { MAX_MOOT = 50 };
    struct question_row *rows;
    size_t count, open, moot_count = 0;
    if (!store_questions(m->store, a, false, limit + MAX_MOOT, &rows, &count, &open, e))
        return false;
    out->questions = ARENA_ARRAY(a, struct question, limit + 1);
    for (size_t i = 0; i < count && out->question_count < limit; i++) {
        bool moot;
        if (!question_describe(m, a, &rows[i], &out->questions[out->question_count], &moot, e))
            return false;
        out->question_count += !moot;
        moot_count += moot;
    }
    out->pending = open - out->question_count - moot_count;
    return true;
}

/* ---- answers ---- */

static bool answer(struct entry *j, const struct answer_input *in, str *action, struct err *e)
{
    static const int states[] = {QUESTION_YES, QUESTION_NO, QUESTION_LATER};
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
    if (in->verdict == VERDICT_LATER)
        buf_printf(&j->text, "q%lld put off", (long long)id);
    else if (!question_carry_out(j, &q, in->verdict == VERDICT_YES, e))
        return false;
    step_back(j, "question", "%lld\t%d", (long long)id, q.state);
    *action = S("answer");
    return store_answer_question(j->m->store, id, states[in->verdict], j->now_ms, e);
}

/* ---- the call ---- */

static bool note(struct entry *j, str action, struct review_result *out, struct err *e)
{
    struct applied *applied = &out->applied[out->applied_count++];
    applied->action = action;
    applied->text = arena_str(j->a, buf_str(&j->text));
    return entry_put(j, action, &applied->journal, e);
}

static bool apply(struct entry *j, const struct review_input *in, struct review_result *out,
                  struct err *e)
{
    out->applied = ARENA_ARRAY(j->a, struct applied, in->answer_count + in->edit_count + 1);
    for (size_t i = 0; i < in->answer_count; i++) {
        str action;
        if (!answer(j, &in->answers[i], &action, e) || !note(j, action, out, e))
            return false;
    }
    for (size_t i = 0; i < in->edit_count; i++)
        if (!review_edit(j, &in->edits[i], e) ||
            !note(j, str_of(edit_action_name[in->edits[i].action]), out, e))
            return false;
    return !in->undo.len || review_undo(j, in->undo, &out->applied[out->applied_count++], e);
}

typedef bool put_row(struct store *s, const struct question_row *row, int64_t now_ms,
                     struct err *e);

/* Where nobody else writes: who only looks waits for no lock, and takes none for nothing. */
static void put_if_free(struct entry *j, put_row *put, const struct question_row *rows,
                        size_t count)
{
    enum { WAIT_MS = 20 };
    struct err ignored = {0};
    if (!count || store_read_only_reason(j->m->store).len ||
        !store_begin_within(j->m->store, WAIT_MS, &ignored))
        return;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = put(j->m->store, &rows[i], j->now_ms, &ignored);
    store_end(j->m->store, ok, &ignored);
}

static bool put_weight(struct store *s, const struct question_row *row, int64_t now_ms,
                       struct err *e)
{
    (void)now_ms;
    return store_set_question_weight(s, row->id, row->weight, e);
}

static bool file_hubs(struct entry *j, struct err *e)
{
    struct question_row *rows;
    size_t count;
    if (!memory_read(j->m, e)) /* the snapshot tells which entities are hubs */
        return false;
    bool ok = review_find_hubs(j->m, j->a, &rows, &count, e);
    store_read_end(j->m->store);
    if (ok)
        put_if_free(j, store_put_question, rows, count);
    return ok;
}

/* What the answers would change. */
static bool weigh_questions(struct entry *j, struct err *e)
{
    enum { MAX_MEASURED = 12 };
    struct question_row *rows;
    size_t count;
    if (!memory_read(j->m, e))
        return false;
    bool ok = questions_measure(j->m, j->a, MAX_MEASURED, &rows, &count, e);
    store_read_end(j->m->store);
    if (ok)
        put_if_free(j, put_weight, rows, count);
    return ok;
}

bool memory_review(struct memory *m, struct arena *a, const struct review_input *in,
                   struct review_result *out, struct err *e)
{
    struct entry j = {.m = m, .a = a, .now_ms = in->from.now_ms};
    *out = (struct review_result){0};
    if (in->answer_count || in->edit_count || in->undo.len) {
        if (!memory_write(m, e))
            return false;
        bool ok = store_end(m->store, apply(&j, in, out, e), e);
        entry_free(&j);
        if (!ok)
            return false;
    }
    if (!file_hubs(&j, e) || !weigh_questions(&j, e) || !memory_read(m, e))
        return false;
    out->has_card = in->entity.len > 0;
    bool ok = (!in->entity.len || review_card(&j, in->entity, &out->card, e)) &&
              list_questions(m, a, in->limit, out, e);
    store_read_end(m->store);
    return ok;
}
