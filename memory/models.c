#include "memory/models.h"

const struct provider_settings *models_settings(const struct models *m,
                                                enum provider_purpose purpose)
{
    if (!m || !m->of[purpose].row || !provider_place(&m->of[purpose]).len)
        return NULL;
    return &m->of[purpose];
}

str models_name(struct arena *a, const struct provider_settings *s, enum provider_purpose purpose)
{
    return arena_printf(a, "%s/%.*s", s->row->name, FMT(provider_model(s, purpose)));
}

str models_endpoint(struct arena *a, const struct provider_settings *s,
                    enum provider_purpose purpose)
{
    return arena_printf(a, "%.*s %.*s", FMT(provider_place(s)), FMT(provider_model(s, purpose)));
}
