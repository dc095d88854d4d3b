#include "memory/model_calls.h"

#include "memory/store_models.h"

#include <stdio.h>

const char *const model_purpose_name[MODEL_PURPOSES] = {
    "embed", "extract", "summarise", "contradict", "query", "rerank", "question",
};

const enum provider_purpose model_served_by[MODEL_PURPOSES] = {
    PROVIDER_EMBED, PROVIDER_LLM,    PROVIDER_LLM, PROVIDER_LLM,
    PROVIDER_EMBED, PROVIDER_RERANK, PROVIDER_LLM,
};

/* ---- a transport that counts ---- */

static bool count_and_send(void *ctx, struct arena *a, const struct provider_request *request,
                           int64_t budget_ms, struct provider_response *out, struct err *e)
{
    struct counting *c = ctx;
    *out = (struct provider_response){0};
    c->status = 0;
    c->use.calls++;
    bool ok = c->by->send(c->by->ctx, a, request, budget_ms, out, e);
    c->use.bytes_out += out->bytes_sent ? out->bytes_sent : ok ? (int64_t)request->body.len : 0;
    c->status = ok ? out->status : 0;
    return ok;
}

void counting_begin(struct counting *c, const struct transport *by)
{
    *c = (struct counting){.by = by, .transport = {count_and_send, c}};
}

int64_t counting_tokens(const struct counting *c, int64_t told)
{
    enum { BYTES_OF_A_TOKEN = 4 };
    return told > 0 ? told : c->use.bytes_out / BYTES_OF_A_TOKEN;
}

/* ---- gates ---- */

bool model_gate_is_open(const struct model_calls *c, enum provider_purpose purpose, int64_t now_ms)
{
    return now_ms >= c->gates[purpose].closed_until_ms;
}

void model_gate_close(struct model_calls *c, enum provider_purpose purpose, int64_t until_ms,
                      const struct err *why)
{
    struct model_gate *g = &c->gates[purpose];
    g->closed_until_ms = until_ms;
    snprintf(g->why, sizeof g->why, "%s", why->text);
}

/* ---- counts ---- */

void model_calls_count(struct model_calls *c, enum model_purpose purpose,
                       const struct model_use *use)
{
    struct model_use *to = &c->uses[purpose];
    to->calls += use->calls;
    to->tokens_in += use->tokens_in;
    to->tokens_out += use->tokens_out;
    to->bytes_out += use->bytes_out;
}

bool model_calls_any(const struct model_calls *c)
{
    for (int p = 0; p < MODEL_PURPOSES; p++)
        if (c->uses[p].calls)
            return true;
    return false;
}

bool model_calls_flush(struct model_calls *c, const struct models *models, struct store *s,
                       int64_t now_ms, struct err *e)
{
    bool ok = true;
    for (int p = 0; ok && p < MODEL_PURPOSES; p++) {
        const struct provider_settings *settings = models_settings(models, model_served_by[p]);
        if (!c->uses[p].calls || !settings)
            continue;
        ok = store_add_model_use(s, now_ms, p, provider_place(settings), &c->uses[p], e);
        if (ok)
            c->uses[p] = (struct model_use){0};
    }
    return ok;
}
