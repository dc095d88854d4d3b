#include "memory/usage_log.h"

#include "memory/base/hash.h"
#include "memory/store_growth.h"
#include "memory/text.h"

static const double RETURNED = 0.5, TAKEN_UP = 1.0; /* of a pair, the product of both */

bool usage_log_is_empty(const struct usage_log *log)
{
    return !log->use_count && !log->answer_count && !log->cycle_count;
}

void usage_log_activity(struct usage_log *log, int64_t now_ms)
{
    if (log->noted == decay_cycle(now_ms))
        return;
    for (size_t i = 0; i < log->cycle_count; i++)
        if (decay_cycle(log->cycles[i]) == decay_cycle(now_ms))
            return;
    if (log->cycle_count < MAX_LOGGED_CYCLES)
        log->cycles[log->cycle_count++] = now_ms;
}

/* ---- answers ---- */

static bool add_token(void *ctx, const struct token *t)
{
    if (!t->stop && !t->colocated)
        *(uint64_t *)ctx += hash64(str_from(t->text, t->len));
    return true;
}

/* The same words ask the same, in whatever order. */
static uint64_t question_hash(str question)
{
    uint64_t sum = 0;
    text_tokens(question, add_token, &sum);
    return sum;
}

static bool may_be_tied(const struct item *item)
{
    return item->kind == NODE_MEMORY || item->kind == NODE_PASSAGE;
}

void usage_log_answer(struct usage_log *log, str question, const struct item *items, size_t count,
                      int64_t now_ms)
{
    struct logged_answer answer = {.hash = question_hash(question), .at_ms = now_ms};
    for (size_t i = 0; i < count && answer.count < MAX_ANSWER_ITEMS; i++)
        if (may_be_tied(&items[i]))
            answer.items[answer.count++].id = items[i].id;
    size_t at = 0;
    while (at < log->answer_count && log->answers[at].hash != answer.hash)
        at++;
    if (!answer.count || at == MAX_LOGGED_ANSWERS)
        return;
    if (at < log->answer_count) {
        log->answers[at].at_ms = now_ms;
        return;
    }
    log->answers[log->answer_count++] = answer;
}

/* ---- what was taken up ---- */

static void count_use(struct usage_log *log, int64_t id, int64_t now_ms)
{
    size_t at = 0;
    while (at < log->use_count && log->uses[at].id != id)
        at++;
    if (at == MAX_LOGGED_USES)
        return;
    if (at == log->use_count)
        log->uses[log->use_count++] = (struct logged_use){.id = id};
    log->uses[at].uses++;
    log->uses[at].used_ms = now_ms;
}

static bool mark(struct logged_answer *answer, int64_t id)
{
    for (size_t i = 0; i < answer->count; i++)
        if (answer->items[i].id == id)
            return answer->items[i].taken_up = true;
    return false;
}

void usage_log_taken_up(struct usage_log *log, const int64_t *ids, size_t count, int64_t now_ms)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = log->answer_count;
        count_use(log, ids[i], now_ms);
        while (at > 0 && !mark(&log->answers[at - 1], ids[i])) /* the newest that gave it */
            at--;
    }
}

/* ---- storing ---- */

static double share_of(const struct logged_answer *answer, size_t i)
{
    return answer->items[i].taken_up ? TAKEN_UP : RETURNED;
}

/* Pairs of the first items, and of those that were taken up. */
static bool tie(struct store *s, const struct logged_answer *answer, struct err *e)
{
    int64_t cycle = decay_cycle(answer->at_ms);
    for (size_t i = 0; i < answer->count; i++)
        for (size_t k = i + 1; k < answer->count; k++) {
            bool counts = (i < MAX_TIED_ITEMS || answer->items[i].taken_up) &&
                          (k < MAX_TIED_ITEMS || answer->items[k].taken_up);
            if (counts && !growth_add_co_use(s, answer->items[i].id, answer->items[k].id,
                                             share_of(answer, i) * share_of(answer, k), cycle, e))
                return false;
        }
    return true;
}

static bool flush_answer(struct store *s, const struct logged_answer *answer, struct err *e)
{
    bool is_new;
    for (size_t i = 0; i < answer->count && i < MAX_FRESH_ITEMS; i++)
        if (!growth_put_returned(s, answer->items[i].id, answer->at_ms, e))
            return false;
    return growth_put_asked(s, answer->hash, answer->at_ms, &is_new, e) &&
           (!is_new || tie(s, answer, e));
}

bool usage_log_flush(struct usage_log *log, struct store *s, struct err *e)
{
    bool ok = true;
    for (size_t i = 0; ok && i < log->cycle_count; i++)
        ok = growth_put_activity(s, log->cycles[i], e);
    for (size_t i = 0; ok && i < log->use_count; i++)
        ok = store_add_uses(s, log->uses[i].id, log->uses[i].uses, log->uses[i].used_ms, e) &&
             growth_revive(s, log->uses[i].id, e);
    for (size_t i = 0; ok && i < log->answer_count; i++)
        ok = flush_answer(s, &log->answers[i], e);
    if (ok && log->cycle_count)
        log->noted = decay_cycle(log->cycles[log->cycle_count - 1]);
    if (ok)
        log->use_count = log->answer_count = log->cycle_count = 0;
    return ok;
}
