#include "memory/models.h"

const struct provider_settings *models_settings(const struct models *m,
                                                enum provider_purpose purpose)
{
    return m && m->transport && m->of[purpose].row ? &m->of[purpose] : NULL;
}

str models_name(struct arena *a, const struct provider_settings *s, enum provider_purpose purpose)
{
    str model = s->model.len ? s->model : str_of(s->row->models[purpose]);
    return arena_printf(a, "%s/%.*s", s->row->name, FMT(model));
}

str models_host(struct arena *a, const struct provider_settings *s)
{
    str url = s->url.len ? s->url : str_of(s->row->url);
    size_t from = str_find(url, S("://"), 0);
    from = from < url.len ? from + 3 : 0;
    size_t end = from;
    while (end < url.len && url.at[end] != '/' && url.at[end] != '?' && url.at[end] != '#')
        end++;
    for (size_t i = from; i < end; i++)
        if (url.at[i] == '@') /* who has a name and a password in an address */
            from = i + 1;
    return arena_str(a, str_cut(url, from, end));
}
