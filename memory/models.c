#include "memory/models.h"

const struct provider_settings *models_settings(const struct models *m,
                                                enum provider_purpose purpose)
{
    if (!m || !m->transport || !m->of[purpose].row || !models_host(&m->of[purpose]).len)
        return NULL;
    return &m->of[purpose];
}

str models_name(struct arena *a, const struct provider_settings *s, enum provider_purpose purpose)
{
    return arena_printf(a, "%s/%.*s", s->row->name, FMT(provider_model(s, purpose)));
}

str models_host(const struct provider_settings *s)
{
    return provider_host(s->url.len ? s->url : str_of(s->row->url));
}

str models_endpoint(struct arena *a, const struct provider_settings *s,
                    enum provider_purpose purpose)
{
    return arena_printf(a, "%.*s %.*s", FMT(models_host(s)), FMT(provider_model(s, purpose)));
}
