#include "memory/recall_time.h"

#include "memory/base/iso8601.h"
#include "memory/query_tag.h"
#include "memory/store_history.h"

enum { MAX_EVENT_HITS = 200 }; /* a word on more texts names no single event */

static bool is_of_event(const struct term *t, str query, const struct query_time *time)
{
    size_t at = (size_t)(t->written.at - query.at);
    return !t->part && at >= time->event_from && at < time->event_to;
}

static bool holds_all(const struct lexical *l, str query, const struct query_time *time, node n)
{
    for (size_t i = 0; i < l->term_count; i++)
        if (is_of_event(&l->terms[i], query, time)) {
            const struct term_hit *hit = term_find(&l->terms[i], n);
            if (!hit || !hit->in_text)
                return false;
        }
    return true;
}

static bool is_later(const struct node_meta *a, const struct node_meta *b)
{
    bool a_happened = a->memory_kind == KIND_EPISODE, b_happened = b->memory_kind == KIND_EPISODE;
    return a_happened != b_happened ? a_happened : a->at_ms > b->at_ms;
}

void recall_time_of_event(const struct snapshot *snap, const struct lexical *l, str query,
                          int64_t now_ms, struct query_time *time)
{
    const struct term *rarest = NULL;
    const struct node_meta *event = NULL;
    if (time->kind != TIME_BEFORE_EVENT && time->kind != TIME_AFTER_EVENT)
        return;
    for (size_t i = 0; i < l->term_count; i++)
        if (is_of_event(&l->terms[i], query, time) &&
            (!rarest || l->terms[i].hit_count < rarest->hit_count))
            rarest = &l->terms[i];
    if (!rarest || rarest->hit_count > MAX_EVENT_HITS)
        return;
    for (size_t i = 0; i < rarest->hit_count; i++) {
        const struct node_meta *m = &snap->meta[rarest->hits[i].at];
        if (m->kind == NODE_MEMORY && m->state == STATE_CURRENT && m->at_ms <= now_ms &&
            holds_all(l, query, time, rarest->hits[i].at) && (!event || is_later(m, event)))
            event = m;
    }
    if (!event)
        return;
    bool before = time->kind == TIME_BEFORE_EVENT;
    *time = (struct query_time){.kind = TIME_RANGE,
                                .from_ms = before ? INT64_MIN : event->at_ms,
                                .until_ms = before ? event->at_ms : INT64_MAX};
}

bool recall_time_of_tag(struct store *s, struct arena *a, str query, struct query_time *time,
                        struct err *e)
{
    struct query_tag q;
    struct commit_tag *tags;
    size_t count;
    if (time->kind == TIME_RANGE || !query_tag_parse(query, &q))
        return true;
    if (!store_get_tags(s, a, &tags, &count, e))
        return false;
    const struct commit_tag *tag = query_tag_find(&q, tags, count);
    if (tag)
        *time = (struct query_time){.kind = TIME_RANGE,
                                    .from_ms = q.before ? INT64_MIN : tag->commit_s * 1000,
                                    .until_ms = q.before ? tag->commit_s * 1000 : INT64_MAX,
                                    .from = q.from,
                                    .to = q.to};
    return true;
}

size_t recall_time_list(struct arena *a, const struct snapshot *snap, const struct query_time *time,
                        int64_t now_ms, size_t most, struct scored **out)
{
    size_t count = 0, capacity = 0;
    *out = NULL;
    for (node n = 0; n < snap->graph.count; n++) {
        const struct node_meta *m = &snap->meta[n];
        if (m->kind != NODE_MEMORY || m->state != STATE_CURRENT ||
            query_time_fit(time, m->at_ms) < 1)
            continue;
        double weeks = (double)(now_ms - m->at_ms) / (7.0 * DAY_MS);
        ARENA_GROW(a, *out, count, capacity);
        (*out)[count++] = (struct scored){n, (float)(1 / (1 + (weeks > 0 ? weeks : 0)))};
    }
    return best_first(*out, count, most);
}
