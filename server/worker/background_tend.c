#include "server/worker/background_tend.h"

bool background_tend_some(const struct config *config, struct memory *m)
{
    struct err ignored = {0}; /* what can't be done now is left for the next look */
    if (!config->consolidate || !memory_tend_is_due(m, &ignored))
        return false;
    struct arena a = {0};
    struct tend_report *reports;
    size_t count;
    struct tend_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = config_now_ms(config)}};
    bool ok = memory_tend(m, &a, &in, &reports, &count, &ignored);
    arena_free(&a);
    return ok;
}
