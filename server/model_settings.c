#include "server/model_settings.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"
#include "memory/provider/http.h"
#include "server/http_wire.h"

#include <unistd.h>

/* ---- URLs ---- */

static bool begins_nocase(str s, str prefix)
{
    return s.len > prefix.len && str_eq_nocase(str_cut(s, 0, prefix.len), prefix);
}

static bool is_base_url(str url)
{
    bool ok = (begins_nocase(url, S("http://")) || begins_nocase(url, S("https://"))) &&
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

static const char *name_of(enum provider_purpose purpose, enum model_part part)
{
    return config_models[purpose].parts[part].name;
}

/* What is said without saying by whom. */
static bool check_unused(const struct config *c, enum provider_purpose purpose, struct err *e)
{
    for (int part = PART_PROVIDER + 1; part < MODEL_PARTS; part++)
        if (config_model_part(c, purpose, (enum model_part)part).len)
            return fail(e, ERR_INPUT, "%s is set, %s isn't; wanted: both, or neither",
                        name_of(purpose, (enum model_part)part), name_of(purpose, PART_PROVIDER));
    return true;
}

static bool check_url(enum provider_purpose purpose, const struct provider_settings *s,
                      struct err *e)
{
    str url = provider_url(s);
    if (s->url.len > MAX_HTTP_URL_BYTES)
        return fail(e, ERR_INPUT, "%s has %zu bytes, at most %d", name_of(purpose, PART_URL),
                    s->url.len, MAX_HTTP_URL_BYTES);
    if (s->url.len && !is_base_url(s->url))
        return fail(e, ERR_INPUT,
                    "%s isn't the address of a server; wanted: such as https://host:8080, without "
                    "a password, ? and #",
                    name_of(purpose, PART_URL));
    if (s->key.len && !provider_may_hold_key(url))
        return fail(e, ERR_INPUT,
                    "%s is \"%.*s\" and %s is set; wanted: https://, or a server on this machine, "
                    "so that the key isn't sent in clear",
                    name_of(purpose, PART_URL), FMT(shown(url)), name_of(purpose, PART_KEY));
    return true;
}

/* Who answers is the client: there is nothing to reach and nobody to show a key to. */
static bool check_client(enum provider_purpose purpose, const struct provider_settings *s,
                         struct err *e)
{
    if (s->url.len || s->key.len)
        return fail(e, ERR_INPUT, "%s is set; %s asks the client itself, wanted: neither %s nor %s",
                    s->url.len ? name_of(purpose, PART_URL) : name_of(purpose, PART_KEY),
                    s->row->name, name_of(purpose, PART_URL), name_of(purpose, PART_KEY));
    return true;
}

static bool check_rest(enum provider_purpose purpose, const struct provider_settings *s,
                       struct err *e)
{
    const char *variable = s->row->key_variable;
    bool is_vendors = !s->url.len && variable && begins_nocase(str_of(s->row->url), S("https://"));
    if (!provider_model(s, purpose).len)
        return fail(e, ERR_INPUT, "%s isn't set; wanted: the name of a model of %s",
                    name_of(purpose, PART_MODEL), s->row->name);
    if (is_vendors && !s->key.len)
        return fail(e, ERR_INPUT,
                    "%s isn't set; wanted: a key of %s, or %s with ENGRAM_VENDOR_KEYS=on",
                    name_of(purpose, PART_KEY), s->row->name, variable);
    return true;
}

static bool take(struct arena *a, const struct config *c, enum provider_purpose purpose,
                 struct provider_settings *s, struct err *e)
{
    str provider = config_model_part(c, purpose, PART_PROVIDER);
    if (!provider.len)
        return check_unused(c, purpose, e);
    *s = (struct provider_settings){.row = provider_find(provider),
                                    .url = config_model_part(c, purpose, PART_URL),
                                    .model = config_model_part(c, purpose, PART_MODEL),
                                    .key = config_model_part(c, purpose, PART_KEY)};
    if (!s->row || !provider_serves(s->row, purpose))
        return fail(e, ERR_INPUT, "%s is \"%.*s\", wanted: one of %.*s",
                    name_of(purpose, PART_PROVIDER), FMT(shown(provider)),
                    FMT(list_of_providers(a, purpose)));
    if (provider_is_client(s->row))
        return check_client(purpose, s, e);
    return check_url(purpose, s, e) && check_rest(purpose, s, e);
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
    bool ok = check_numbers(c, e);
    for (int p = 0; ok && p < PROVIDER_PURPOSES; p++)
        ok = take(scratch, c, (enum provider_purpose)p, &out->of[p], e);
    return ok;
}

int64_t model_lease_owner(void)
{
    return ((int64_t)getpid() << 32 ^ monotonic_ms()) | 1;
}

bool model_settings_any(const struct models *m)
{
    for (int purpose = 0; purpose < PROVIDER_PURPOSES; purpose++)
        if (m->of[purpose].row)
            return true;
    return false;
}
