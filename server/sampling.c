#include "server/sampling.h"

#include "memory/models.h"
#include "server/log.h"
#include "server/model_settings.h"

struct sampling {
    const struct config *config;
    enum { RESTING, ASKED, ANSWERED } state;
    struct model_job *job;             /* NULL while resting */
    char project[PLACE_ID_DIGITS + 1]; /* whose queue it is of */
    uint64_t number;                   /* of the last question */
    int64_t owner;                     /* of leases */
    int64_t asked_ms;
    int64_t next_ms; /* when something is due: a look, the end of waiting, storing */
    int failures;    /* in a row */
    bool is_over;    /* this client isn't asked any more */
};

/* ---- life ---- */

struct sampling *sampling_open(const struct config *config)
{
    const struct provider_row *row = provider_find(config->llm_provider);
    if (!row || !provider_is_client(row))
        return NULL;
    struct sampling *s = heap_alloc(1, sizeof *s);
    s->config = config;
    s->owner = -model_lease_owner();
    return s;
}

void sampling_close(struct sampling *s)
{
    if (!s)
        return;
    model_job_free(s->job);
    heap_free(s);
}

/* ---- when ---- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void sampling_called(struct sampling *s, int64_t now_ms)
{
    if (s && s->state == RESTING)
        s->next_ms =
            later(s->next_ms, now_ms + sooner(SAMPLING_QUIET_MS, s->config->sampling_gap_ms));
}

int64_t sampling_due_ms(const struct sampling *s, const struct sampling_news *news, bool idle)
{
    if (!s)
        return INT64_MAX;
    if (news->answer.number || (s->state == ASKED && !news->offered))
        return INT64_MIN;
    bool may_ask = idle && news->offered && !s->is_over;
    return s->state != RESTING || may_ask ? s->next_ms : INT64_MAX;
}

/* ---- the answer ---- */

static char *heap_words(const char *words)
{
    return heap_text(str_of(words));
}

static void note_outcome(struct sampling *s, str result, const struct err *why, int64_t now_ms)
{
    model_job_answer(s->job, result, why);
    s->failures = why->code == ERR_NONE ? 0 : s->failures + (why->code != ERR_CANCELLED);
    s->is_over |= why->code == ERR_CONFLICT || s->failures == MAX_SAMPLING_FAILURES;
    if (why->code != ERR_NONE)
        log_line(LOG_INFO, "the client's model: %s%s", why->text,
                 s->is_over ? "; it isn't asked again" : "");
    s->state = ANSWERED;
    s->next_ms = now_ms;
}

/* An answer, or the end of waiting for it. */
static struct sampling_order hear(struct sampling *s, const struct sampling_news *news,
                                  int64_t now_ms)
{
    struct sampling_order order = {.number = s->number};
    struct err why = {0};
    if (news->answer.number == s->number) {
        note_outcome(s, str_of(news->answer.result), &news->answer.why, now_ms);
    } else if (!news->offered) {
        fail(&why, ERR_CANCELLED, "the question was taken back");
        note_outcome(s, S(""), &why, now_ms);
        order.kind = ORDER_WITHDRAW;
        order.text = heap_words("the server asks no more");
    } else if (now_ms >= s->next_ms) {
        fail(&why, ERR_NET, "no answer in %lld ms", (long long)s->config->sampling_ms);
        note_outcome(s, S(""), &why, now_ms);
        order.kind = ORDER_WITHDRAW;
        order.text = heap_words("the answer took too long");
    }
    return order;
}

static struct model_clock clock_of(const struct sampling *s)
{
    return (struct model_clock){.now_ms = config_now_ms(s->config), .owner = s->owner};
}

/* A memory that was closed meanwhile is left alone: the lease ends by itself. */
static void store(struct sampling *s, struct projects *p, int64_t now_ms)
{
    struct err e = {0};
    struct model_clock now = clock_of(s);
    struct memory *m = projects_opened(p, s->project);
    size_t done;
    bool ok = !m || model_queue_finish(m, &now, s->job, &done, &e);
    if (!ok && e.code == ERR_BUSY) {
        s->next_ms = now_ms + SAMPLING_LOOK_MS;
        return;
    }
    if (!ok)
        log_line(LOG_WARN, "what the client's model said was not stored: %s", e.text);
    model_job_free(s->job);
    s->job = NULL;
    s->state = RESTING;
    s->next_ms = later(now_ms, s->asked_ms + s->config->sampling_gap_ms);
}

/* ---- the question ---- */

/* What an answer is kept for isn't asked. */
static struct sampling_order send_question(struct sampling *s, int64_t now_ms)
{
    struct err e = {0};
    str params;
    if (!model_job_params(s->job, &params, &e) || !params.len) {
        model_job_answer(s->job, S(""), &e);
        s->state = ANSWERED;
        s->next_ms = now_ms;
        return (struct sampling_order){0};
    }
    s->state = ASKED;
    s->asked_ms = now_ms;
    s->next_ms = now_ms + s->config->sampling_ms;
    return (struct sampling_order){ORDER_ASK, ++s->number, heap_text(params)};
}

static struct sampling_order look(struct sampling *s, struct projects *p, int64_t now_ms)
{
    struct err e = {0};
    struct model_clock now = clock_of(s);
    s->next_ms = now_ms + later(SAMPLING_LOOK_MS, s->config->sampling_gap_ms);
    s->project[0] = '\0';
    struct memory *m = projects_opened(p, s->project);
    if (!m)
        return (struct sampling_order){0};
    if (!model_queue_next_for_client(m, &now, &s->job, &e))
        log_line(LOG_DEBUG, "nothing to ask the client's model: %s", e.text);
    return s->job ? send_question(s, now_ms) : (struct sampling_order){0};
}

struct sampling_order sampling_turn(struct sampling *s, struct projects *p,
                                    const struct sampling_news *news, int64_t now_ms)
{
    struct sampling_order order = {0};
    if (s->state == ASKED)
        order = hear(s, news, now_ms);
    heap_free(news->answer.result);
    if (s->state == ANSWERED && now_ms >= s->next_ms)
        store(s, p, now_ms);
    else if (s->state == RESTING && news->offered && !s->is_over && now_ms >= s->next_ms)
        order = look(s, p, now_ms);
    return order;
}
