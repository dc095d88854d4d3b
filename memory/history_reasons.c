#include "memory/history_reasons.h"

#include "memory/memory_state.h"
#include "memory/store_code.h"
#include "memory/store_history.h"

static bool tie(struct memory *m, int64_t memory, int64_t commit, int64_t at_ms, struct err *e)
{
    int64_t ignored;
    bool ok = store_begin_derived(m->store, e);
    return ok && store_end(m->store,
                           store_put_edge(m->store,
                                          &(struct edge_full){.src = memory,
                                                              .dst = commit,
                                                              .kind = EDGE_ANCHORS,
                                                              .said_by = memory,
                                                              .weight = 1,
                                                              .at_ms = at_ms},
                                          &ignored, e),
                           e);
}

/* The sentence alone would not say what it speaks of: the subject goes before it. */
static bool put_reason(struct memory *m, struct arena *a, const struct commit_record *c,
                       const struct commit_reason *reason, int64_t commit, int64_t now_ms,
                       struct err *e)
{
    struct remember_result stored;
    str text = str_find(reason->text, c->subject, 0) < reason->text.len
                   ? reason->text
                   : arena_printf(a, "%.*s: %.*s", FMT(c->subject), FMT(reason->text));
    struct remember_input in = {.from = {.origin = ORIGIN_COMMIT, .now_ms = now_ms, .head = c->id},
                                .text = text,
                                .has_kind = true,
                                .kind = reason->is_decision ? KIND_DECISION : KIND_FACT,
                                .has_at = true,
                                .at_ms = c->commit_s * 1000,
                                .automatic = true};
    if (!memory_remember(m, a, &in, &stored, e)) {
        if (e->code != ERR_CONFLICT) /* a person forgot it */
            return false;
        *e = (struct err){0};
        return true;
    }
    return tie(m, stored.id, commit, in.at_ms, e);
}

bool history_put_reasons(struct memory *m, struct arena *a, const struct commit_record *c,
                         int64_t now_ms, struct err *e)
{
    int64_t commit;
    size_t put = 0;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_find_key(m->store, NODE_COMMIT, c->id, &commit, e);
    store_read_end(m->store);
    for (size_t i = 0; ok && commit && i < c->reason_count && put < MAX_REASONS; i++) {
        if (c->reasons[i].text.len < MIN_REASON_BYTES)
            continue;
        ok = put_reason(m, a, c, &c->reasons[i], commit, now_ms, e);
        put++;
    }
    return ok;
}
