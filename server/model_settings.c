#include "server/model_settings.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"
#include "memory/provider/http.h"
#include "server/http_wire.h"

const struct model_names model_names[PROVIDER_PURPOSES] = {
    [PROVIDER_EMBED] = {"embed", "ENGRAM_EMBED_PROVIDER", "ENGRAM_EMBED_URL", "ENGRAM_EMBED_MODEL",
                        "ENGRAM_EMBED_KEY"},
    [PROVIDER_RERANK] = {"rerank", "ENGRAM_RERANK_PROVIDER", "ENGRAM_RERANK_URL",
                         "ENGRAM_RERANK_MODEL", "ENGRAM_RERANK_KEY"},
    [PROVIDER_LLM] = {"llm", "ENGRAM_LLM_PROVIDER", "ENGRAM_LLM_URL", "ENGRAM_LLM_MODEL",
                      "ENGRAM_LLM_KEY"},
};

/* ---- URLs ---- */

static bool begins_nocase(str s, str prefix)
{
    return s.len > prefix.len && str_eq_nocase(str_cut(s, 0, prefix.len), prefix);
}

static bool is_base_url(str url)
{
    bool ok = url.len <= MAX_HTTP_URL_BYTES &&
              (begins_nocase(url, S("http://")) || begins_nocase(url, S("https://"))) &&
              !str_ends(provider_host(url), S("/"));
    for (size_t i = 0; i < url.len; i++)
        ok = ok && url.at[i] > ' ' && url.at[i] <= '~' && !strchr("?#@\\", url.at[i]);
    return ok;
}

/* ---- one purpose ---- */

static str list_of_providers(struct arena *a, enum provider_purpose purpose)
{
    struct buf names = {0};
    for (size_t i = 0; i < provider_row_count; i++)
        if (provider_serves(provider_rows[i], purpose))
            buf_printf(&names, "%s%s", names.len ? ", " : "", provider_rows[i]->name);
    str out = arena_str(a, buf_str(&names));
    buf_free(&names);
    return out;
}

static str shown(str value)
{
    enum { MAX_VALUE_SHOWN = 100 };
    return utf8_prefix(value, MAX_VALUE_SHOWN);
}

/* What is said without saying by whom. */
static bool check_unused(const struct model_names *n, const struct provider_settings *s,
                         struct err *e)
{
    const struct {
        const char *name;
        str value;
    } others[] = {{n->url, s->url}, {n->model, s->model}, {n->key, s->key}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].value.len)
            return fail(e, ERR_INPUT, "%s is set, %s isn't; wanted: both, or neither",
                        others[i].name, n->provider);
    return true;
}

static bool check_url(const struct model_names *n, const struct provider_settings *s, struct err *e)
{
    str url = provider_url(s);
    if (s->url.len && !is_base_url(s->url))
        return fail(e, ERR_INPUT,
                    "%s isn't the address of a server; wanted: such as https://host:8080, without "
                    "a password, ? and #",
                    n->url);
    if (s->key.len && !provider_may_hold_key(url))
        return fail(e, ERR_INPUT,
                    "%s is \"%.*s\" and %s is set; wanted: https://, or a server on this machine, "
                    "so that the key isn't sent in clear",
                    n->url, FMT(shown(url)), n->key);
    return true;
}

/* Who answers is the client: there is nothing to reach and nobody to show a key to. */
static bool check_client(const struct model_names *n, const struct provider_settings *s,
                         struct err *e)
{
    if (s->url.len || s->key.len)
        return fail(e, ERR_INPUT, "%s is set; %s asks the client itself, wanted: neither %s nor %s",
                    s->url.len ? n->url : n->key, s->row->name, n->url, n->key);
    return true;
}

static bool check_rest(const struct model_names *n, enum provider_purpose purpose,
                       const struct provider_settings *s, struct err *e)
{
    const char *variable = s->row->key_variable;
    bool is_vendors = !s->url.len && variable && begins_nocase(str_of(s->row->url), S("https://"));
    if (!provider_model(s, purpose).len)
        return fail(e, ERR_INPUT, "%s isn't set; wanted: the name of a model of %s", n->model,
                    s->row->name);
    if (is_vendors && !s->key.len)
        return fail(e, ERR_INPUT,
                    "%s isn't set; wanted: a key of %s, or %s with ENGRAM_VENDOR_KEYS=on", n->key,
                    s->row->name, variable);
    return true;
}

static bool take(struct arena *a, enum provider_purpose purpose, str provider,
                 struct provider_settings *s, struct err *e)
{
    const struct model_names *n = &model_names[purpose];
    if (!provider.len)
        return check_unused(n, s, e);
    s->row = provider_find(provider);
    if (!s->row || !provider_serves(s->row, purpose))
        return fail(e, ERR_INPUT, "%s is \"%.*s\", wanted: one of %.*s", n->provider,
                    FMT(shown(provider)), FMT(list_of_providers(a, purpose)));
    if (provider_is_client(s->row))
        return check_client(n, s, e);
    return check_url(n, s, e) && check_rest(n, purpose, s, e);
}

static bool check_numbers(const struct config *c, struct err *e)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } numbers[] = {
        {"ENGRAM_EMBED_MS", c->embed_ms, 1, MAX_HTTP_TOTAL_MS},
        {"ENGRAM_RERANK_MS", c->rerank_ms, 1, MAX_HTTP_TOTAL_MS},
        {"ENGRAM_RERANK_TEXTS", c->rerank_texts, MIN_RERANK_TEXTS, MAX_RERANK_TEXTS},
        {"ENGRAM_SAMPLING_MS", c->sampling_ms, 1, MAX_CLIENT_MS},
        {"ENGRAM_MODEL_MS", c->model_ms, 1, MAX_HTTP_TOTAL_MS},
        {"ENGRAM_MODEL_RETRY_MS", c->model_retry_ms, 1, MAX_MODEL_RETRY_MS},
        {"ENGRAM_MODEL_JOBS", c->model_jobs, 1, MAX_MODEL_JOBS},
        {"ENGRAM_LLM_QUERY_MS", c->llm_query_ms, 1, MAX_HTTP_TOTAL_MS},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < numbers[i].least || numbers[i].value > numbers[i].most)
            return fail(e, ERR_INPUT, "%s is %lld, wanted: %lld to %lld", numbers[i].name,
                        (long long)numbers[i].value, (long long)numbers[i].least,
                        (long long)numbers[i].most);
    return true;
}

bool model_settings(struct arena *scratch, const struct config *c, struct models *out,
                    struct err *e)
{
    *out = (struct models){
        .of = {[PROVIDER_EMBED] = {NULL, c->embed_url, c->embed_model, c->embed_key},
               [PROVIDER_RERANK] = {NULL, c->rerank_url, c->rerank_model, c->rerank_key},
               [PROVIDER_LLM] = {NULL, c->llm_url, c->llm_model, c->llm_key}},
        .query_ms = c->embed_ms,
        .rerank_ms = c->rerank_ms,
        .rerank_texts = (size_t)c->rerank_texts,
        .extracts = c->llm_extract,
        .summarises = c->llm_summarise,
        .contradicts = c->llm_contradict,
        .daily_tokens = c->model_daily_tokens,
        .client_daily = c->sampling_daily,
        .batch_ms = c->model_ms,
        .retry_ms = c->model_retry_ms,
        .reads_queries = c->llm_query,
        .read_ms = c->llm_query_ms,
    };
    return check_numbers(c, e) &&
           take(scratch, PROVIDER_EMBED, c->embed_provider, &out->of[PROVIDER_EMBED], e) &&
           take(scratch, PROVIDER_RERANK, c->rerank_provider, &out->of[PROVIDER_RERANK], e) &&
           take(scratch, PROVIDER_LLM, c->llm_provider, &out->of[PROVIDER_LLM], e);
}

bool model_settings_any(const struct models *m)
{
    for (int purpose = 0; purpose < PROVIDER_PURPOSES; purpose++)
        if (m->of[purpose].row)
            return true;
    return false;
}

void model_settings_clear(struct config *c)
{
    str *all[] = {&c->embed_provider,  &c->embed_url,  &c->embed_model,  &c->embed_key,
                  &c->rerank_provider, &c->rerank_url, &c->rerank_model, &c->rerank_key,
                  &c->llm_provider,    &c->llm_url,    &c->llm_model,    &c->llm_key};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = S("");
}
