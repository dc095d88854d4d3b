#include "memory/review_questions.h"

#include "memory/anchors.h"
#include "memory/base/iso8601.h"
#include "memory/contradictions.h"
#include "memory/review_edits.h"
#include "memory/review_effect.h"
#include "memory/review_find.h"
#include "memory/review_meanings.h"
#include "memory/store_growth.h"
#include "memory/store_review_find.h"

/* ---- words ---- */

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

static bool told_memory(struct memory *m, struct arena *a, int64_t id, str *out, struct err *e)
{
    struct node_row row;
    bool found;
    return store_get_node(m->store, a, id, &row, &found, e) &&
           memory_words(m, a, id, found ? row.at_ms : 0, out, e);
}

/* ---- changes of the graph ---- */

static node *node_of(struct memory *m, struct arena *a, int64_t id)
{
    node *out = ARENA_ARRAY(a, node, 1);
    *out = snapshot_find(&m->snap, id);
    return out;
}

/* The node leads nowhere any more. */
static bool a_is_gone(struct memory *m, struct arena *a, const struct question_row *row,
                      struct what_if *out, struct err *e)
{
    (void)e;
    out->gone = node_of(m, a, row->a);
    out->gone_count = *out->gone != NO_NODE;
    return true;
}

/* ---- a generic hub ---- */

static bool describe_hub(struct memory *m, struct arena *a, const struct question_row *row,
                         struct question *out, bool *moot, struct err *e)
{
    str x;
    size_t mentions;
    (void)moot;
    if (!entity_words(m, a, row->a, &x, &mentions, e))
        return false;
    out->text = arena_printf(a, "%.*s is on %zu memories. Is it too general to find anything by?",
                             FMT(x), mentions);
    out->effect =
        S("yes: it no longer leads from memory to memory; no: it stays, never asked again");
    return true;
}

static bool dismiss_hub(struct entry *j, const struct question_row *q, struct err *e)
{
    struct edit_input in = {.action = EDIT_DISMISS,
                            .entity = node_id_format(j->a, NODE_ENTITY, q->a)};
    return review_edit(j, &in, e);
}

/* ---- two names of one thing ---- */

static bool describe_merge(struct memory *m, struct arena *a, const struct question_row *row,
                           struct question *out, bool *moot, struct err *e)
{
    str x, y;
    size_t x_mentions, y_mentions;
    (void)moot;
    if (!entity_words(m, a, row->a, &x, &x_mentions, e) ||
        !entity_words(m, a, row->b, &y, &y_mentions, e))
        return false;
    out->text = arena_printf(a, "Are %.*s and %.*s the same?", FMT(x), FMT(y));
    out->effect = arena_printf(a,
                               "yes: the %zu mentions of %.*s move to %.*s, its name stays an "
                               "alias; no: never asked again",
                               y_mentions, FMT(y), FMT(x));
    return true;
}

static bool merge_names(struct entry *j, const struct question_row *q, struct err *e)
{
    struct edit_input in = {.action = EDIT_MERGE,
                            .entity = node_id_format(j->a, NODE_ENTITY, q->b),
                            .into = node_id_format(j->a, NODE_ENTITY, q->a)};
    return review_edit(j, &in, e);
}

static bool b_joins_a(struct memory *m, struct arena *a, const struct question_row *row,
                      struct what_if *out, struct err *e)
{
    (void)a;
    (void)e;
    out->from = snapshot_find(&m->snap, row->b);
    out->into = snapshot_find(&m->snap, row->a);
    return true;
}

/* ---- two meanings of one name ---- */

static bool describe_split(struct memory *m, struct arena *a, const struct question_row *row,
                           struct question *out, bool *moot, struct err *e)
{
    struct two_meanings t;
    bool found;
    str x;
    size_t mentions;
    if (!entity_words(m, a, row->a, &x, &mentions, e) ||
        !review_meanings(m, a, row->a, &t, &found, e))
        return false;
    *moot = !found;
    if (!found)
        return true;
    out->text =
        arena_printf(a,
                     "Is %.*s two things? %zu texts speak of it with %.*s, %zu with %.*s, "
                     "and they share nothing else.",
                     FMT(x), t.stay_count, FMT(t.stay_names), t.move_count, FMT(t.move_names));
    out->effect = arena_printf(a,
                               "yes: what goes with %.*s gets an entity of its own; no: it is one, "
                               "never asked again",
                               FMT(t.move_names));
    return true;
}

static bool split_meanings(struct entry *j, const struct question_row *q, struct err *e)
{
    return review_split_meaning(j, q->a, e);
}

static bool some_leave_a(struct memory *m, struct arena *a, const struct question_row *row,
                         struct what_if *out, struct err *e)
{
    struct two_meanings t;
    bool found;
    if (!review_meanings(m, a, row->a, &t, &found, e) || !found)
        return e->code == ERR_NONE;
    node *movers = ARENA_ARRAY(a, node, t.move_count);
    for (size_t i = 0; i < t.move_count; i++)
        movers[i] = snapshot_find(&m->snap, t.moving[i]);
    out->from = snapshot_find(&m->snap, row->a);
    out->movers = movers;
    out->mover_count = t.move_count;
    return true;
}

/* ---- two memories that contradict ---- */

static bool describe_contradiction(struct memory *m, struct arena *a,
                                   const struct question_row *row, struct question *out, bool *moot,
                                   struct err *e)
{
    struct dispute d;
    str older, newer;
    bool found;
    (void)moot;
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

static bool older_is_gone(struct memory *m, struct arena *a, const struct question_row *row,
                          struct what_if *out, struct err *e)
{
    struct dispute d;
    bool found;
    if (!contradiction_between(m, a, row->a, row->b, &d, &found, e) || !found)
        return e->code == ERR_NONE;
    out->gone = node_of(m, a, d.older);
    out->gone_count = *out->gone != NO_NODE;
    return true;
}

/* ---- memories that may have had their time ---- */

/* The memory that a question is about. */
static bool current_memory(struct entry *j, const struct question_row *q, struct node_row *row,
                           struct err *e)
{
    bool found;
    if (!store_get_node(j->m->store, j->a, q->a, row, &found, e))
        return false;
    return (found && row->state == STATE_CURRENT) ||
           fail(e, ERR_CONFLICT,
                "answers.question: q%lld is about m%lld, which isn't current any more",
                (long long)q->id, (long long)q->a);
}

static bool archive(struct entry *j, const struct question_row *q, struct err *e)
{
    struct node_row row;
    if (!current_memory(j, q, &row, e))
        return false;
    buf_printf(&j->text, "archived m%lld", (long long)q->a);
    step_back(j, "archived", "%lld", (long long)q->a);
    return growth_archive(j->m->store, q->a, e);
}

static bool describe_retired(struct memory *m, struct arena *a, const struct question_row *row,
                             struct question *out, bool *moot, struct err *e)
{
    str x, note;
    bool gone;
    if (!told_memory(m, a, row->a, &x, e) || !review_code_is_gone(m, a, row->a, &gone, &note, e))
        return false;
    *moot = !gone;
    out->text = arena_printf(a, "The code that %.*s speaks of is gone: %.*s. Is it out of date?",
                             FMT(x), FMT(note));
    out->effect = S("yes: it is archived, no longer recalled unless asked for; no: it stays, never "
                    "asked again");
    return true;
}

static bool describe_decision(struct memory *m, struct arena *a, const struct question_row *row,
                              struct question *out, bool *moot, struct err *e)
{
    str x;
    (void)moot;
    if (!told_memory(m, a, row->a, &x, e))
        return false;
    out->text = arena_printf(
        a, "%.*s was read out of a commit's message. Is it a decision that holds?", FMT(x));
    out->effect = S("yes: it is trusted as if you had said it; no: it is archived, no longer "
                    "recalled unless asked for");
    return true;
}

static bool confirm(struct entry *j, const struct question_row *q, struct err *e)
{
    struct node_row row;
    if (!current_memory(j, q, &row, e))
        return false;
    buf_printf(&j->text, "m%lld is confirmed", (long long)q->a);
    step_back(j, "trust", "%lld\t%lld", (long long)q->a, (long long)(row.trust * 1000 + 0.5f));
    return store_set_trust(j->m->store, q->a, origin_trust[ORIGIN_USER], e);
}

/* ---- names that were said once ---- */

static bool describe_once(struct memory *m, struct arena *a, const struct question_row *row,
                          struct question *out, bool *moot, struct err *e)
{
    enum { MAX_SHOWN = 12 };
    int64_t *ids;
    size_t count;
    struct buf list = {0};
    bool ok = review_named_once(m, a, row->stored_ms, &ids, &count, e);
    *moot = ok && count < MIN_ONCE;
    for (size_t i = 0; ok && i < count && i < MAX_SHOWN; i++) {
        struct node_row entity;
        bool found;
        ok = store_get_node(m->store, a, ids[i], &entity, &found, e);
        if (ok && found)
            buf_printf(&list, "%s%.*s", list.len ? ", " : "", FMT(entity.name));
    }
    out->text = arena_printf(a,
                             "%zu names stand in one memory each, and nothing else says anything "
                             "of them: %.*s%s. Dismiss them all?",
                             count, FMT(buf_str(&list)), count > MAX_SHOWN ? ", ..." : "");
    out->effect = S("yes: none of them leads anywhere any more, their memories stay; no: these "
                    "names stay, never asked again");
    buf_free(&list);
    return ok;
}

static bool dismiss_once(struct entry *j, const struct question_row *q, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!review_named_once(j->m, j->a, q->stored_ms, &ids, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct node_row row;
        bool found;
        if (!store_get_node(j->m->store, j->a, ids[i], &row, &found, e) ||
            (found && (!note_state(j, row.id, e) ||
                       !store_set_state(j->m->store, row.id, STATE_DISMISSED, row.key, e))))
            return false;
    }
    buf_printf(&j->text, "dismissed %zu names that were said once", count);
    return true;
}

static bool all_are_gone(struct memory *m, struct arena *a, const struct question_row *row,
                         struct what_if *out, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!review_named_once(m, a, row->stored_ms, &ids, &count, e))
        return false;
    node *gone = ARENA_ARRAY(a, node, count + 1);
    for (size_t i = 0; i < count && out->gone_count < MAX_LOCAL / 4; i++) {
        gone[out->gone_count] = snapshot_find(&m->snap, ids[i]);
        out->gone_count += gone[out->gone_count] != NO_NODE;
    }
    out->gone = gone;
    return true;
}

/* ---- the table ---- */

static const struct question_kind {
    const char *name;
    bool (*describe)(struct memory *m, struct arena *a, const struct question_row *row,
                     struct question *out, bool *moot, struct err *e);
    bool (*yes)(struct entry *j, const struct question_row *q, struct err *e);
    bool (*no)(struct entry *j, const struct question_row *q, struct err *e); /* NULL: nothing */
    bool (*change)(struct memory *m, struct arena *a, const struct question_row *row,
                   struct what_if *out, struct err *e);
    bool by_no; /* the answer that changes the ranking is "no" */
} kinds[] = {
    {DISMISS_HUB, describe_hub, dismiss_hub, NULL, a_is_gone, false},
    {MERGE_NAMES, describe_merge, merge_names, NULL, b_joins_a, false},
    {SPLIT_MEANINGS, describe_split, split_meanings, NULL, some_leave_a, false},
    {CONTRADICTION, describe_contradiction, settle, NULL, older_is_gone, false},
    {RETIRE_MEMORY, describe_retired, archive, NULL, a_is_gone, false},
    {CONFIRM_DECISION, describe_decision, confirm, archive, a_is_gone, true},
    {DISMISS_ONCE, describe_once, dismiss_once, NULL, all_are_gone, false},
};

static const struct question_kind *kind_of(const struct question_row *row)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(row->kind, str_of(kinds[i].name)))
            return &kinds[i];
    return NULL;
}

bool question_describe(struct memory *m, struct arena *a, const struct question_row *row,
                       struct question *out, bool *moot, struct err *e)
{
    const struct question_kind *kind = kind_of(row);
    *out = (struct question){.id = row->id, .kind = row->kind};
    *moot = !kind;
    if (!kind || !kind->describe(m, a, row, out, moot, e))
        return e->code == ERR_NONE;
    if (row->weight < MIN_GUESS && out->effect.len)
        out->effect = arena_printf(a, "%.*s (expected to move %.2g %% of what is found)",
                                   FMT(out->effect), 100 * (double)row->weight);
    return true;
}

bool question_carry_out(struct entry *j, const struct question_row *row, bool yes, struct err *e)
{
    static const char *const words[] = {"no", "yes"};
    const struct question_kind *kind = kind_of(row);
    if (kind && (yes ? kind->yes : kind->no))
        return (yes ? kind->yes : kind->no)(j, row, e);
    buf_printf(&j->text, "q%lld answered with %s", (long long)row->id, words[yes]);
    return true;
}

/* ---- measuring ---- */

/* How often people gave the answer that changes something, one yes and one no counted in advance.
 */
static bool likelihood(struct memory *m, const struct question_kind *kind, double *out,
                       struct err *e)
{
    int64_t yes, no;
    if (!store_verdicts(m->store, str_of(kind->name), &yes, &no, e))
        return false;
    *out = (double)((kind->by_no ? no : yes) + 1) / (double)(yes + no + 2);
    return true;
}

bool questions_measure(struct memory *m, struct arena *a, size_t most, struct question_row **out,
                       size_t *count, struct err *e)
{
    static const float MOST = 0.999f; /* below any guess */
    size_t open;
    double all = review_all_weight(&m->snap);
    if (!store_questions(m->store, a, true, most, out, count, &open, e))
        return false;
    for (size_t i = 0; i < *count; i++) {
        struct question_row *row = &(*out)[i];
        const struct question_kind *kind = kind_of(row);
        struct what_if change = {.from = NO_NODE, .into = NO_NODE};
        double likely;
        if (!kind)
            continue;
        if (!kind->change(m, a, row, &change, e) || !likelihood(m, kind, &likely, e))
            return false;
        double weight = likely * review_effect(&m->snap, &change, all);
        row->weight = weight < (double)MOST ? (float)weight : MOST;
    }
    return true;
}
