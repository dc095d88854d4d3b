/* Transports for tests: one that answers from memory and keeps what it was asked, one that nobody
 * may use. Included by one unit test each, behind cmocka.h. */
#ifndef ENGRAM_TESTS_TRANSPORTS_H
#define ENGRAM_TESTS_TRANSPORTS_H

#include "memory/provider/provider.h"

/* Answers are given in order, the last one for ever; what was asked last is kept. */
struct replay {
    const struct provider_response *responses;
    size_t count, sent;
    enum err_code failure;         /* instead of a response, while set */
    struct provider_request asked; /* in the arena of the call */
};

static inline bool replay_send(void *ctx, struct arena *a, const struct provider_request *request,
                               int64_t budget_ms, struct provider_response *out, struct err *e)
{
    struct replay *r = ctx;
    (void)a, (void)budget_ms;
    r->asked = *request;
    size_t at = r->sent++;
    if (r->failure)
        return (fail)(e, r->failure, "the replay fails");
    assert_true(r->count > 0);
    *out = r->responses[at < r->count ? at : r->count - 1];
    return true;
}

static inline struct transport replay_transport(struct replay *r)
{
    return (struct transport){.send = replay_send, .ctx = r};
}

/* Sending is a failure of the test. */
static inline bool refuse_send(void *ctx, struct arena *a, const struct provider_request *request,
                               int64_t budget_ms, struct provider_response *out, struct err *e)
{
    (void)ctx, (void)a, (void)budget_ms, (void)out;
    fail_msg("something was sent to %.*s", FMT(request->url));
    return (fail)(e, ERR_NET, "nothing is sent here");
}

static inline struct transport refusing_transport(void)
{
    return (struct transport){.send = refuse_send};
}

#endif
