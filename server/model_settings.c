#include "server/model_settings.h"

#include "memory/base/buf.h"
#include "memory/base/unicode.h"
#include "memory/provider/http.h"

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
    str url = s->url.len ? s->url : str_of(s->row->url);
    if (s->url.len && !is_base_url(s->url))
        return fail(e, ERR_INPUT,
                    "%s isn't the address of a server; wanted: such as https://host:8080, without "
                    "a password, ? and #",
                    n->url);
    if (s->key.len && begins_nocase(url, S("http://")) && !provider_is_loopback(provider_host(url)))
        return fail(e, ERR_INPUT,
                    "%s is \"%.*s\" and %s is set; wanted: https://, or a server on this machine, "
                    "so that the key isn't sent in clear",
                    n->url, FMT(shown(url)), n->key);
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
    return check_url(n, s, e) && check_rest(n, purpose, s, e);
}

bool model_settings(struct arena *a, const struct config *c,
                    struct provider_settings of[PROVIDER_PURPOSES], struct err *e)
{
    of[PROVIDER_EMBED] = (struct provider_settings){
        .url = c->embed_url, .model = c->embed_model, .key = c->embed_key};
    of[PROVIDER_RERANK] = (struct provider_settings){
        .url = c->rerank_url, .model = c->rerank_model, .key = c->rerank_key};
    of[PROVIDER_LLM] =
        (struct provider_settings){.url = c->llm_url, .model = c->llm_model, .key = c->llm_key};
    return take(a, PROVIDER_EMBED, c->embed_provider, &of[PROVIDER_EMBED], e) &&
           take(a, PROVIDER_RERANK, c->rerank_provider, &of[PROVIDER_RERANK], e) &&
           take(a, PROVIDER_LLM, c->llm_provider, &of[PROVIDER_LLM], e);
}
