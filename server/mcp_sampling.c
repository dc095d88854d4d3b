/* sampling/createMessage, which the client answers: in the revisions in which a server may ask
 * (2024-11-05 to 2025-11-25), where the client declares it, and as long as it speaks no newer
 * one. */
#include "server/mcp_session.h"

#include "memory/base/unicode.h"
#include "memory/provider/provider.h"
#include "tools/json_write.h"

#define SAMPLING_ID "engram-sampling-%llu"

static str sampling_id(struct mcp *m)
{
    return arena_printf(&m->scratch, "\"" SAMPLING_ID "\"", (unsigned long long)m->sampling_number);
}

/* Nobody will answer: who asked needn't wait. */
static void drop_question(struct mcp *m, uint64_t number)
{
    struct sampling_answer answer = {.number = number};
    fail(&answer.why, ERR_CANCELLED, "the question was taken back");
    m->port.sampled(m->port.ctx, &answer);
}

void mcp_offer_sampling(struct mcp *m, bool offers)
{
    uint64_t open = m->sampling_number;
    if (offers == m->offers_sampling)
        return;
    m->offers_sampling = offers;
    if (!offers && open) {
        mcp_unsample(m, open, S("the server asks no more"));
        drop_question(m, open);
    }
    m->port.offer_sampling(m->port.ctx, offers);
}

void mcp_sample(struct mcp *m, uint64_t number, str params)
{
    if (!m->offers_sampling) {
        drop_question(m, number);
        return;
    }
    struct buf out = {0};
    json_t *json = json_loadb(params.at, params.len, JSON_ALLOW_NUL, NULL);
    m->sampling_number = number;
    jsonrpc_request(&out, sampling_id(m), "sampling/createMessage", json);
    json_decref(json);
    mcp_send(m, &out);
    arena_free(&m->scratch);
}

void mcp_unsample(struct mcp *m, uint64_t number, str reason)
{
    if (!number || number != m->sampling_number)
        return;
    struct buf out = {0};
    json_t *params =
        json_pack("{s:o, s:s%}", "requestId", json_sprintf(SAMPLING_ID, (unsigned long long)number),
                  "reason", reason.at, reason.len);
    m->sampling_number = 0;
    jsonrpc_notification(&out, "notifications/cancelled", params);
    json_decref(params);
    mcp_send(m, &out);
}

/* ---- the answer ---- */

/* A client that won't is left in peace; whatever else it says may pass. */
static void read_error(struct arena *a, const json_t *error, struct err *why)
{
    static const struct {
        json_int_t code;
        const char *text;
    } finals[] = {
        {-1, "the user refused the question"},
        {CODE_NO_METHOD, "it takes no such questions after all"},
    };
    json_int_t code = json_integer_value(json_object_get(error, "code"));
    for (size_t i = 0; i < sizeof finals / sizeof *finals; i++)
        if (code == finals[i].code)
            fail(why, ERR_CONFLICT, "%s", finals[i].text);
    str said = mcp_text_of(json_object_get(error, "message"));
    said = unicode_squeeze(a, unicode_visible(a, utf8_prefix(said, MAX_TOLD_BYTES)));
    fail(why, ERR_NET, "error %lld: %.*s", (long long)code, FMT(said));
}

static char *text_of(const json_t *value)
{
    struct buf out = {0};
    json_write(&out, value);
    char *text = heap_text(buf_str(&out));
    buf_free(&out);
    return text;
}

bool mcp_sampled(struct mcp *m, const struct message *message)
{
    struct sampling_answer answer = {.number = m->sampling_number};
    if (!m->sampling_number || !str_eq(message->id, sampling_id(m)))
        return false;
    m->sampling_number = 0;
    if (json_is_object(message->error))
        read_error(&m->scratch, message->error, &answer.why);
    else if (message->result)
        answer.result = text_of(message->result);
    m->port.sampled(m->port.ctx, &answer);
    return true;
}
