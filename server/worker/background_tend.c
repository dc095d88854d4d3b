#include "server/worker/background_tend.h"

#include "memory/memory_sleep.h"
#include "server/log.h"

bool background_tend_some(struct background_tend *t, struct memory *m)
{
    struct err e = {0};
    if (!t->config->consolidate || monotonic_ms() < t->not_before_ms || !memory_tend_is_due(m, &e))
        return false;
    struct arena a = {0};
    struct tend_report *reports;
    size_t count;
    struct tend_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = config_now_ms(t->config)},
                            .stopped = t->stopped};
    bool ok = memory_tend(m, &a, &in, &reports, &count, &e);
    if (!ok) { /* every pass would run again at the next look */
        t->not_before_ms = monotonic_ms() + TEND_AGAIN_MS;
        log_line(LOG_DEBUG, "tend: %s", e.text);
    }
    arena_free(&a);
    return ok;
}
