/* Sleep: what memory/sleep_plan.h plans is written in short transactions, each step with its entry
 * in the journal. */
#include "memory/sleep.h"

#include "memory/memory_sleep.h"
#include "memory/sleep_plan.h"
#include "memory/store_consolidate.h"

enum {
    MAX_LOCK_MS = 40,            /* of a transaction, before its commit */
    MAX_DRAFTS = 16,             /* made before a transaction */
    MAX_PROMOTED_TOGETHER = 200, /* in one entry of the journal */
};

const char *const sleep_action_name[SLEEP_ACTION_COUNT] = {
    "consolidated", "updated", "rewritten", "promoted", "archived",
};

struct night {
    struct memory *m;
    struct arena *a; /* the caller's, for what is told */
    const struct sleep_input *in;
    struct sleep_result *out;
    size_t step_capacity;
    struct sleep_plan plan;
};

static bool is_stopped(struct night *n)
{
    bool stopped = n->in->stopped && n->in->stopped(n->in->ctx);
    n->out->is_cut |= stopped;
    return stopped;
}

static bool end_write(struct night *n, bool ok, int64_t began_ms, struct err *e)
{
    int64_t held_ms;
    ok = memory_end_resting(n->m, ok, began_ms, &held_ms, e);
    if (held_ms > n->out->longest_lock_ms)
        n->out->longest_lock_ms = held_ms;
    return ok;
}

static struct sleep_step *add_step(struct night *n, struct sleep_step step)
{
    ARENA_GROW(n->a, n->out->steps, n->out->step_count, n->step_capacity);
    n->out->steps[n->out->step_count++] = step;
    return &n->out->steps[n->out->step_count - 1];
}

/* "m3, m5 and 7 more" */
static void name_members(struct buf *b, const int64_t *ids, size_t count)
{
    enum { MAX_NAMED = 16 };
    for (size_t i = 0; i < count && i < MAX_NAMED; i++)
        buf_printf(b, "%sm%lld", i ? ", " : "", (long long)ids[i]);
    if (count > MAX_NAMED)
        buf_printf(b, " and %zu more", count - MAX_NAMED);
}

static bool put_entry(struct entry *j, struct sleep_step *step, struct err *e)
{
    static const char *const words[] = {[SLEEP_CONSOLIDATED] = "consolidated",
                                        [SLEEP_UPDATED] = "joined to what is known",
                                        [SLEEP_REWRITTEN] = "rewritten",
                                        [SLEEP_PROMOTED] = "kept for long as they are",
                                        [SLEEP_ARCHIVED] = "archived"};
    buf_clear(&j->text);
    name_members(&j->text, step->members, step->member_count);
    buf_printf(&j->text, " %s", words[step->action]);
    if (step->id)
        buf_printf(&j->text, " in m%lld", (long long)step->id);
    buf_printf(&j->text, ": %.*s", FMT(step->why));
    return entry_put(j, S(CONSOLIDATE), &step->journal, e);
}

/* ---- clusters ---- */

static str why_together(struct night *n, const struct cluster *c, const struct sleep_draft *d)
{
    enum sleep_reason first = NO_REASON;
    for (size_t i = 0; i < c->added_count && !first; i++)
        first = n->plan.awake[c->added[i]].reason;
    return arena_printf(n->a, "%zu memor%s%s%.*s; %s", d->member_count,
                        d->member_count == 1 ? "y" : "ies",
                        d->name.len ? " that share " : " that say alike things", FMT(d->name),
                        sleep_reason_words[first]);
}

static bool draft_cluster(struct night *n, const struct cluster *c, struct arena *a,
                          struct sleep_draft *out, struct err *e)
{
    struct joining *joining = ARENA_ARRAY(a, struct joining, c->added_count + 1);
    for (size_t i = 0; i < c->added_count; i++)
        joining[i] =
            (struct joining){n->plan.awake[c->added[i]].id, n->plan.awake[c->added[i]].importance};
    return sleep_draft(n->m, a, c->into, joining, c->added_count, out, e);
}

static struct sleep_step *tell_cluster(struct night *n, const struct cluster *c,
                                       const struct sleep_draft *d)
{
    struct sleep_step step = {.action = c->into ? SLEEP_UPDATED : SLEEP_CONSOLIDATED,
                              .id = d->into,
                              .members = ARENA_ARRAY(n->a, int64_t, c->added_count),
                              .member_count = c->added_count,
                              .why = why_together(n, c, d),
                              .text = arena_str(n->a, d->text)};
    for (size_t i = 0; i < c->added_count; i++)
        step.members[i] = n->plan.awake[c->added[i]].id;
    return add_step(n, step);
}

static bool put_cluster(struct night *n, struct arena *a, const struct cluster *c,
                        struct sleep_draft *d, struct err *e)
{
    struct entry j = {.m = n->m, .a = a, .now_ms = n->in->from.now_ms};
    bool put;
    bool ok = sleep_put(&j, d, &put, e) && (!put || put_entry(&j, tell_cluster(n, c, d), e));
    entry_free(&j);
    return ok;
}

/* Texts are built before the lock is taken; what the time of one transaction doesn't reach is built
 * again for the next. */
static bool write_some(struct night *n, size_t *at, struct err *e)
{
    struct arena a = {0};
    struct sleep_draft drafts[MAX_DRAFTS];
    size_t count = 0, put = 0, told = n->out->step_count;
    if (!store_read_begin(n->m->store, e))
        return false;
    bool ok = true;
    while (ok && count < MAX_DRAFTS && *at + count < n->plan.cluster_count) {
        ok = draft_cluster(n, &n->plan.clusters[*at + count], &a, &drafts[count], e);
        count += ok;
    }
    store_read_end(n->m->store);
    if (ok && n->in->dry_run) {
        for (; put < count; put++)
            tell_cluster(n, &n->plan.clusters[*at + put], &drafts[put]);
    } else if (ok && (ok = memory_write(n->m, e))) {
        int64_t began_ms = memory_clock_ms(n->m);
        while (ok && put < count && (!put || memory_clock_ms(n->m) - began_ms < MAX_LOCK_MS)) {
            ok = put_cluster(n, &a, &n->plan.clusters[*at + put], &drafts[put], e);
            put++;
        }
        ok = end_write(n, ok, began_ms, e);
        if (!ok)
            n->out->step_count = told; /* rolled back */
    }
    arena_free(&a);
    *at += put;
    return ok;
}

static bool write_clusters(struct night *n, struct err *e)
{
    size_t at = 0;
    while (at < n->plan.cluster_count && !is_stopped(n))
        if (!write_some(n, &at, e))
            return false;
    return true;
}

/* ---- what is promoted or archived alone, and what is out of date ---- */

static bool change_one(struct entry *j, enum sleep_action action, int64_t id, bool *changed,
                       struct err *e)
{
    struct node_row row;
    struct memory_row memory;
    bool found;
    *changed = false;
    if (!store_get_node(j->m->store, j->a, id, &row, &found, e) || !found ||
        !store_get_memory(j->m->store, j->a, id, &memory, &found, e) || !found)
        return e->code == ERR_NONE;
    if (row.state != STATE_CURRENT || memory.tier != TIER_WORKING)
        return true;
    *changed = true;
    if (action == SLEEP_ARCHIVED)
        return note_state(j, id, e) && store_set_state(j->m->store, id, STATE_ARCHIVED, S(""), e);
    step_back(j, "promoted", "%lld", (long long)id);
    return store_set_tier(j->m->store, id, TIER_LONG_TERM, e);
}

static bool write_alone(struct night *n, enum sleep_action action, const struct awake *list,
                        size_t count, str why, struct err *e)
{
    struct arena a = {0};
    struct entry j = {.m = n->m, .a = &a, .now_ms = n->in->from.now_ms};
    struct sleep_step step = {
        .action = action, .members = ARENA_ARRAY(n->a, int64_t, count), .why = why};
    if (n->in->dry_run) {
        for (; step.member_count < count; step.member_count++)
            step.members[step.member_count] = list[step.member_count].id;
        add_step(n, step);
        return true;
    }
    if (!memory_write(n->m, e))
        return false;
    int64_t began_ms = memory_clock_ms(n->m);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        bool changed;
        ok = change_one(&j, action, list[i].id, &changed, e);
        if (ok && changed)
            step.members[step.member_count++] = list[i].id;
    }
    ok = ok && (!step.member_count || put_entry(&j, &step, e));
    ok = end_write(n, ok, began_ms, e);
    if (ok && step.member_count)
        add_step(n, step);
    entry_free(&j);
    arena_free(&a);
    return ok;
}

/* One entry for those of one reason. */
static bool write_promoted(struct night *n, struct err *e)
{
    struct awake batch[MAX_PROMOTED_TOGETHER];
    for (enum sleep_reason reason = IMPORTANT; reason <= SESSION_OVER; reason++) {
        size_t count = 0;
        for (size_t i = 0; i <= n->plan.promoted_count; i++) {
            bool is_end = i == n->plan.promoted_count;
            if (!is_end && n->plan.promoted[i].reason == reason)
                batch[count++] = n->plan.promoted[i];
            if (!count || (!is_end && count < MAX_PROMOTED_TOGETHER))
                continue;
            if (is_stopped(n))
                return true;
            if (!write_alone(n, SLEEP_PROMOTED, batch, count, str_of(sleep_reason_words[reason]),
                             e))
                return false;
            count = 0;
        }
    }
    return true;
}

static bool write_archived(struct night *n, struct err *e)
{
    for (size_t i = 0; i < n->plan.archived_count && !is_stopped(n); i += MAX_PROMOTED_TOGETHER) {
        size_t left = n->plan.archived_count - i;
        if (!write_alone(n, SLEEP_ARCHIVED, n->plan.archived + i,
                         left < MAX_PROMOTED_TOGETHER ? left : MAX_PROMOTED_TOGETHER,
                         S("chatter that a hook took down and nobody used in its 24 hours"), e))
            return false;
    }
    return true;
}

/* Nothing is taken back of it: the text is what its members say, built under the lock, since it is
 * to be what they are when it is written. */
static bool write_outdated(struct night *n, struct err *e)
{
    for (size_t i = 0; i < n->plan.outdated_count && !is_stopped(n); i++) {
        struct arena a = {0};
        bool ok = n->in->dry_run || memory_write(n->m, e);
        if (ok && !n->in->dry_run) {
            int64_t began_ms = memory_clock_ms(n->m);
            ok = end_write(n, sleep_rewrite(n->m, &a, n->plan.outdated[i], e), began_ms, e);
        }
        arena_free(&a);
        if (!ok)
            return false;
        add_step(n, (struct sleep_step){.action = SLEEP_REWRITTEN,
                                        .id = n->plan.outdated[i],
                                        .why = S("a member stepped back, or came back")});
    }
    return true;
}

bool memory_consolidate(struct memory *m, struct arena *a, const struct sleep_input *in,
                        struct sleep_result *out, struct err *e)
{
    struct night n = {.m = m, .a = a, .in = in, .out = out};
    struct arena planning = {0};
    *out = (struct sleep_result){0};
    bool ok = sleep_plan_make(m, &planning, in->from.now_ms, &n.plan, e);
    out->looked_at = n.plan.looked_at;
    out->is_cut = n.plan.is_cut;
    ok = ok && write_outdated(&n, e) && write_clusters(&n, e) && write_promoted(&n, e) &&
         write_archived(&n, e);
    arena_free(&planning);
    return ok;
}

/* Was it done by a run? What people decided is taken back by review. */
static bool is_own(str action)
{
    return str_eq(action, S(CONSOLIDATE)) || str_eq(action, S(DECAY)) ||
           str_eq(action, S(GENERIC_NAMES));
}

bool memory_consolidate_undo(struct memory *m, struct arena *a, const str *journal_ids,
                             size_t count, int64_t now_ms, struct applied **out, struct err *e)
{
    struct entry j = {.m = m, .a = a, .now_ms = now_ms};
    *out = ARENA_ARRAY(a, struct applied, count);
    if (!memory_write(m, e))
        return false;
    bool ok = true;
    for (size_t i = count; ok && i-- > 0;) {
        struct applied *applied = &(*out)[i];
        ok = review_undo(&j, journal_ids[i], applied, e);
        if (ok && !is_own(applied->action))
            ok = fail(e, ERR_INPUT,
                      "%.*s is no step of consolidation; wanted: `engram review "
                      "--undo %.*s`",
                      FMT(journal_ids[i]), FMT(journal_ids[i]));
    }
    return store_end(m->store, ok, e);
}

bool memory_sleep_signs(struct memory *m, int64_t since, struct sleep_signs *out, struct err *e)
{
    int64_t episode = 0;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_newest_memory(m->store, since, &out->newest, &episode, e);
    out->has_ended = episode > 0;
    store_read_end(m->store);
    return ok;
}
