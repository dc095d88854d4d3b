/* A memory whose language model reads texts out of the queue, for a test: a clock of the wall that
 * the test moves, and the steps of a job. Included by one unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_QUEUE_WORLD_H
#define ENGRAM_TESTS_QUEUE_WORLD_H

#include "memory/model_job.h"
#include "tests/support/models_world.h"

static int64_t now_ms;

static int set_up(void **state)
{
    (void)state;
    struct models some = fake_models(false, false, true);
    some.extracts = true;
    now_ms = NOW_MS;
    return set_up_with(some);
}

/* ---- running it ---- */

static inline struct model_clock now(void)
{
    return (struct model_clock){now_ms, 7, false};
}

static inline struct model_job *next_job(void)
{
    struct err e = {0};
    struct model_job *j;
    struct model_clock c = now();
    bool more;
    if (!model_queue_next(m, &c, &j, &more, &e))
        fail_msg("%s", e.text);
    return j;
}

static inline size_t finish_job(struct model_job *j)
{
    struct err e = {0};
    struct model_clock c = now();
    size_t done;
    if (!model_queue_finish(m, &c, j, &done, &e))
        fail_msg("%s", e.text);
    model_job_free(j);
    return done;
}

/* Until nothing is due; how many items were done. */
static inline size_t run_queue(void)
{
    size_t done = 0;
    struct model_job *j;
    while ((j = next_job())) {
        model_job_ask(j, &fake_transport);
        done += finish_job(j);
    }
    return done;
}

static inline struct queue_line line_of(enum model_purpose purpose)
{
    struct err e = {0};
    struct queue_line *lines;
    size_t count;
    if (!model_queue_lines(m, &arena, now_ms, &lines, &count, &e))
        fail_msg("%s", e.text);
    return lines[purpose];
}

static inline void says(const char *answer)
{
    fake.answers[0] = answer;
    fake.answer_count = 1;
}

#define NOTHING "{\"entities\":[],\"relations\":[]}"
#define ANN_OWNS_CHECKOUT                                                                          \
    "{\"entities\":[{\"name\":\"Ann Lee\",\"type\":\"person\"},{\"name\":\"checkout\",\"type\":"   \
    "\"service\"}],\"relations\":[{\"from\":\"Ann Lee\",\"relation\":\"looks "                     \
    "after\",\"to\":\"checkout\","                                                                 \
    "\"quote\":\"looks after checkout\"}]}"
#define ANN "These days Ann Lee looks after checkout with some help."

static inline struct recall_result recall_of(const char *query)
{
    struct recall_input in = {.now_ms = NOW_MS,
                              .query = str_of(query),
                              .filter = {1u << NODE_MEMORY, UINT32_MAX},
                              .limit = 10,
                              .budget_tokens = 2000,
                              .min_score = 0};
    return recall_asking(in);
}

#endif
