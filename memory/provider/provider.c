#include "memory/provider/provider.h"

#include "memory/base/unicode.h"
#include "memory/provider/answer.h"
#include "memory/provider/rows.h"

/* ---- the table ---- */

/* The order of the documentation: vendors, then what runs at the user's. */
const struct provider_row *const provider_rows[] = {
    &provider_openai,    &provider_openai_responses,
    &provider_anthropic, &provider_voyage,
    &provider_cohere,    &provider_jina,
    &provider_mistral,   &provider_together,
    &provider_ollama,    &provider_llamacpp,
    &provider_vllm,      &provider_lmstudio,
    &provider_tei,       &provider_sampling,
};
const size_t provider_row_count = sizeof provider_rows / sizeof *provider_rows;

const struct provider_row *provider_find(str name)
{
    for (size_t i = 0; i < provider_row_count; i++)
        if (str_eq(name, str_of(provider_rows[i]->name)))
            return provider_rows[i];
    return NULL;
}

static const struct {
    const char *name;
    size_t max_texts;
} purposes[PROVIDER_PURPOSES] = {
    [PROVIDER_EMBED] = {"embeddings", MAX_EMBED_REQUEST_TEXTS},
    [PROVIDER_RERANK] = {"reranking", MAX_RERANK_TEXTS},
    [PROVIDER_LLM] = {"a language model", 1},
};

bool provider_serves(const struct provider_row *row, enum provider_purpose purpose)
{
    bool serves[PROVIDER_PURPOSES] = {row->embed != NULL, row->rerank != NULL, row->llm != NULL};
    return serves[purpose];
}

str provider_model(const struct provider_settings *s, enum provider_purpose purpose)
{
    return s->model.len ? s->model : str_of(s->row->models[purpose]);
}

size_t provider_max_texts(const struct provider_row *row, enum provider_purpose purpose)
{
    size_t most = purposes[purpose].max_texts, its = row->max_texts[purpose];
    return its && its < most ? its : most;
}

/* ---- addresses ---- */

bool provider_is_client(const struct provider_row *row)
{
    return !row->url;
}

str provider_url(const struct provider_settings *s)
{
    return s->url.len ? s->url : str_of(s->row->url);
}

str provider_host(str url)
{
    size_t from = str_find(url, S("://"), 0);
    from = from < url.len ? from + 3 : 0;
    size_t end = from;
    while (end < url.len && !strchr("/?#\\", url.at[end]))
        end++;
    return str_cut(url, 0, end);
}

str provider_place(const struct provider_settings *s)
{
    return provider_is_client(s->row) ? S("client") : provider_host(provider_url(s));
}

bool provider_is_loopback(str host)
{
    str name = str_cut(host, strlen("http://"), host.len);
    if (str_starts(name, S("[::1]")))
        return true;
    name = str_cut(name, 0, str_find_char(name, ':', 0));
    size_t digits = 0;
    while (digits < name.len && strchr("0123456789.", name.at[digits]))
        digits++;
    return str_eq_nocase(name, S("localhost")) ||
           (str_starts(name, S("127.")) && digits == name.len);
}

bool provider_may_hold_key(str url)
{
    str https = S("https://");
    return str_eq_nocase(str_cut(url, 0, https.len), https) ||
           provider_is_loopback(provider_host(url));
}

/* ---- what an endpoint says of a failure ---- */

/* Does the text hold eight bytes in a row of the key? Some endpoints repeat what they refuse. */
static bool holds_key(str text, str key)
{
    enum { TELLING_BYTES = 8 };
    for (size_t i = 0; i + TELLING_BYTES <= key.len; i++)
        if (str_find(text, str_cut(key, i, i + TELLING_BYTES), 0) < text.len)
            return true;
    return key.len > 0 && key.len < TELLING_BYTES && str_find(text, key, 0) < text.len;
}

/* The text of an error by the places where vendors put it. */
static str error_text(const json_t *root)
{
    const json_t *error = json_object_get(root, "error");
    str places[] = {answer_string(error, "message"), answer_string(root, "error"),
                    answer_string(root, "message"), answer_string(root, "detail")};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].len)
            return places[i];
    return S("");
}

/* ": what it said", short and harmless, or empty. */
static str told(struct arena *a, const struct provider_settings *s, str body)
{
    struct err ignored = {0};
    json_t *root;
    str text = answer_parse(body, &root, &ignored) ? error_text(root) : S("");
    text = unicode_squeeze(a, unicode_visible(a, utf8_prefix(text, MAX_TOLD_BYTES)));
    text = holds_key(text, s->key) ? S("") : utf8_prefix(text, MAX_TOLD_BYTES);
    text = text.len ? arena_printf(a, ": %.*s", FMT(text)) : text;
    json_decref(root);
    return text;
}

struct meaning {
    long from, to; /* statuses */
    enum err_code code;
    const char *text;
    bool keeps_silent; /* what the endpoint says of a key isn't repeated */
};

static bool refuse(struct arena *a, const struct provider_settings *s, str host,
                   const struct provider_response *response, struct err *e)
{
    static const struct meaning meanings[] = {
        {300, 399, ERR_CONFLICT, "sends somewhere else, which isn't followed: set its URL", true},
        {401, 401, ERR_CONFLICT, "refuses the key", true},
        {402, 402, ERR_CONFLICT, "wants to be paid", true},
        {403, 403, ERR_CONFLICT, "forbids it to this key", true},
        {404, 404, ERR_CONFLICT, "knows no such address or model", false},
        {408, 408, ERR_NET, "waited too long for the request", false},
        {413, 413, ERR_LIMIT, "finds the request too large", false},
        {425, 425, ERR_NET, "wants it later", false},
        {429, 429, ERR_NET, "is asked too often, or the account is used up", false},
        {400, 499, ERR_INPUT, "refuses the request", false},
        {500, 599, ERR_NET, "fails", false},
        {0, 999, ERR_INPUT, "answers with a status that means nothing here", true},
    };
    const struct meaning *m = meanings;
    while (response->status < m->from || response->status > m->to)
        if (++m == meanings + sizeof meanings / sizeof *meanings - 1)
            break;
    return fail(e, m->code, "%s at %.*s %s (status %ld)%.*s", s->row->name, FMT(host), m->text,
                response->status, FMT(m->keeps_silent ? S("") : told(a, s, response->body)));
}

/* ---- whole exchanges ---- */

static bool check_ask(const struct provider_settings *s, enum provider_purpose purpose,
                      size_t count, struct err *e)
{
    size_t most = provider_max_texts(s->row, purpose);
    if (!provider_serves(s->row, purpose))
        return fail(e, ERR_INPUT, "%s has no %s", s->row->name, purposes[purpose].name);
    if (count < 1 || count > most)
        return fail(e, ERR_LIMIT, "%s takes 1 to %zu texts a request, not %zu", s->row->name, most,
                    count);
    return true;
}

static bool post(struct arena *a, const struct provider_settings *s, const struct transport *t,
                 const struct provider_request *request, int64_t budget_ms, str *body,
                 int64_t *retry_after_ms, struct err *e)
{
    str host = provider_place(s);
    struct provider_response response = {0};
    if (s->key.len && !provider_may_hold_key(request->url))
        return fail(e, ERR_CONFLICT, "%s at %.*s: a key goes over https only, or to this machine",
                    s->row->name, FMT(host));
    if (!t->send(t->ctx, a, request, budget_ms, &response, e))
        return fail_context(e, "%s at %.*s", s->row->name, FMT(host));
    if (retry_after_ms)
        *retry_after_ms = response.retry_after_ms;
    *body = response.body;
    return (response.status >= 200 && response.status < 300) || refuse(a, s, host, &response, e);
}

static bool misread(const struct provider_settings *s, struct err *e)
{
    return fail_context(e, "%s at %.*s", s->row->name, FMT(provider_place(s)));
}

bool provider_embed(struct arena *a, const struct provider_settings *s, const struct transport *t,
                    const struct embed_ask *ask, int64_t budget_ms, struct embeddings *out,
                    int64_t *retry_after_ms, struct err *e)
{
    struct provider_request request;
    str body;
    *out = (struct embeddings){0};
    return check_ask(s, PROVIDER_EMBED, ask->count, e) && s->row->embed(a, s, ask, &request, e) &&
           post(a, s, t, &request, budget_ms, &body, retry_after_ms, e) &&
           (s->row->read_embeddings(a, ask, body, out, e) || misread(s, e));
}

bool provider_rerank(struct arena *a, const struct provider_settings *s, const struct transport *t,
                     const struct rerank_ask *ask, int64_t budget_ms, struct reranked *out,
                     int64_t *retry_after_ms, struct err *e)
{
    struct provider_request request;
    str body;
    *out = (struct reranked){0};
    return check_ask(s, PROVIDER_RERANK, ask->count, e) && s->row->rerank(a, s, ask, &request, e) &&
           post(a, s, t, &request, budget_ms, &body, retry_after_ms, e) &&
           (s->row->read_reranked(a, ask, body, out, e) || misread(s, e));
}

bool provider_llm(struct arena *a, const struct provider_settings *s, const struct transport *t,
                  const struct llm_ask *ask, int64_t budget_ms, struct llm_answer *out,
                  int64_t *retry_after_ms, struct err *e)
{
    struct provider_request request;
    str body;
    *out = (struct llm_answer){0};
    return check_ask(s, PROVIDER_LLM, 1, e) && s->row->llm(a, s, ask, &request, e) &&
           post(a, s, t, &request, budget_ms, &body, retry_after_ms, e) &&
           (s->row->read_llm(a, ask, body, out, e) || misread(s, e));
}
