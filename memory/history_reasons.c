#include "memory/history_reasons.h"

#include "memory/memory_state.h"
#include "memory/store_history.h"

static bool tie(struct memory *m, int64_t memory, int64_t commit, int64_t at_ms, struct err *e)
{
    int64_t ignored;
    return store_put_edge(m->store,
                          &(struct edge_full){.src = memory,
                                              .dst = commit,
                                              .kind = EDGE_ANCHORS,
                                              .said_by = memory,
                                              .weight = 1,
                                              .at_ms = at_ms},
                          &ignored, e);
}

/* The sentence alone would not say what it speaks of: the subject goes before it. */
static bool prepare(struct memory *m, struct arena *a, const struct commit_record *c,
                    const struct commit_reason *reason, int64_t now_ms, struct told_reason *out,
                    struct err *e)
{
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
    out->text = text;
    out->at_ms = in.at_ms;
    return remember_prepare(m, a, &in, &out->stored, &out->prepared, e);
}

bool history_reasons_prepare(struct memory *m, struct arena *a, const struct commit_record *c,
                             int64_t now_ms, struct commit_told *out, struct err *e)
{
    *out = (struct commit_told){0};
    for (size_t i = 0; i < c->reason_count && out->count < MAX_REASONS; i++) {
        if (c->reasons[i].text.len < MIN_REASON_BYTES)
            continue;
        if (!prepare(m, a, c, &c->reasons[i], now_ms, &out->reasons[out->count], e))
            return false;
        out->count++;
    }
    return true;
}

bool history_reasons_put(struct memory *m, struct commit_told *told, int64_t commit, struct err *e)
{
    for (size_t i = 0; i < told->count; i++) {
        struct told_reason *r = &told->reasons[i];
        struct err why = {0};
        r->is_stored = remember_put(r->prepared, &why);
        if (!r->is_stored && why.code == ERR_CONFLICT) /* a person forgot it */
            continue;
        if (!r->is_stored) {
            *e = why;
            return false;
        }
        if (!tie(m, r->stored.id, commit, r->at_ms, e))
            return false;
    }
    return true;
}

void history_reasons_compare(struct memory *m, struct arena *a, struct commit_told *told,
                             int64_t now_ms)
{
    for (size_t i = 0; i < told->count; i++)
        if (told->reasons[i].is_stored && !told->reasons[i].stored.duplicate)
            memory_compare(m, a, told->reasons[i].text, now_ms, &told->reasons[i].stored,
                           &(struct err){0});
}
