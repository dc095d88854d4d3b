#include "memory/provider/request.h"

#include "memory/base/unicode.h"

#include <assert.h>

/* ---- where it goes ---- */

/* How much of `path` the URL already ends with, at a slash: people paste ".../v1" as often as the
 * host alone, and now and then the whole address. */
static size_t shared_bytes(str url, str path)
{
    for (size_t n = path.len; n > 0; n--)
        if ((n == path.len || path.at[n] == '/') && str_ends(url, str_cut(path, 0, n)))
            return n;
    return 0;
}

static str join_url(struct arena *a, str url, str path)
{
    while (str_ends(url, S("/")))
        url.len--;
    path = str_cut(path, shared_bytes(url, path), path.len);
    return arena_printf(a, "%.*s%.*s", FMT(url), FMT(path));
}

/* Visible ASCII alone: a line break would begin a header of its own. */
static bool fits_header(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.at[i] <= ' ' || s.at[i] > '~')
            return false;
    return true;
}

void request_header(struct provider_request *out, str line)
{
    assert(out->header_count < MAX_PROVIDER_HEADERS);
    out->headers[out->header_count++] = line;
}

bool request_start_keyed(struct arena *a, const struct provider_settings *s,
                         enum provider_purpose purpose, const char *key_header,
                         struct provider_request *out, struct err *e)
{
    if (provider_model(s, purpose).len == 0)
        return fail(e, ERR_INPUT, "no model is set, and %s has none by default", s->row->name);
    if (!fits_header(s->key))
        return fail(e, ERR_INPUT,
                    "the key of %s holds a space, a line break or something beyond "
                    "ASCII: set it again",
                    s->row->name);
    str url = provider_url(s), host = provider_host(url);
    if (str_find_char(host, '@', 0) < host.len)
        return fail(e, ERR_INPUT,
                    "the URL of %s holds a name or a password: a key is set by itself",
                    s->row->name);
    *out = (struct provider_request){.url = join_url(a, url, str_of(s->row->paths[purpose]))};
    request_header(out, S("Content-Type: application/json"));
    if (s->key.len)
        request_header(out, arena_printf(a, "%s%.*s", key_header, FMT(s->key)));
    return true;
}

bool request_start(struct arena *a, const struct provider_settings *s,
                   enum provider_purpose purpose, struct provider_request *out, struct err *e)
{
    return request_start_keyed(a, s, purpose, "Authorization: Bearer ", out, e);
}

/* ---- what it says ---- */

bool request_body(struct arena *a, json_t *body, struct provider_request *out, struct err *e)
{
    if (!body)
        return fail(e, ERR_INPUT, "what was asked can't be written as JSON");
    size_t len = json_dumpb(body, NULL, 0, JSON_COMPACT);
    char *at = arena_bytes(a, len + 1);
    json_dumpb(body, at, len, JSON_COMPACT);
    json_decref(body);
    out->body = str_from(at, len);
    return len > 0 || fail(e, ERR_INPUT, "what was asked can't be written as JSON");
}

json_t *request_text(struct arena *a, str prefix, str text, size_t max_bytes)
{
    str cut = utf8_prefix(text, max_bytes);
    str whole = utf8_repair(a, arena_printf(a, "%.*s%.*s", FMT(prefix), FMT(cut)));
    return json_stringn(whole.at, whole.len);
}

json_t *request_texts(struct arena *a, str prefix, const str *texts, size_t count, size_t max_bytes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, request_text(a, prefix, texts[i], max_bytes));
    return array;
}

json_t *request_model(struct arena *a, const struct provider_settings *s,
                      enum provider_purpose purpose)
{
    str model = utf8_repair(a, provider_model(s, purpose));
    return json_stringn(model.at, model.len);
}

json_t *request_schema(const struct llm_ask *ask)
{
    json_t *schema = json_loadb(ask->schema.at, ask->schema.len, 0, NULL);
    if (json_is_object(schema))
        return schema;
    json_decref(schema);
    return NULL;
}
