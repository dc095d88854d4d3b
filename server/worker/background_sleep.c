#include "server/worker/background_sleep.h"

#include "memory/memory_sleep.h"

/* Two looks must find the same: whoever is still talking isn't interrupted. A background that
 * begins doesn't know what the last one did, so its first run comes early. */
static bool is_time(struct background_sleep *s, const struct sleep_signs *now, int64_t now_ms)
{
    bool is_still = s->has_looked && now->newest == s->seen;
    if (!is_still)
        s->seen_ms = now_ms;
    bool is_idle = now_ms - s->seen_ms >= QUIET_MS;
    bool has_waited = !s->has_slept || now_ms - s->slept_ms >= SLEEP_EVERY_MS;
    return is_still && (now->has_ended || (is_idle && (has_waited || now->newest > s->slept)));
}

static void sleep_once(struct background_sleep *s, struct memory *m)
{
    struct arena a = {0};
    struct sleep_result out;
    struct err ignored = {0}; /* what can't be done now is left for the next run */
    struct sleep_input in = {.from = {.origin = ORIGIN_AGENT, .now_ms = config_now_ms(s->config)},
                             .stopped = s->stopped};
    memory_consolidate(m, &a, &in, &out, &ignored);
    arena_free(&a);
}

bool background_sleep_some(struct background_sleep *s, struct memory *m)
{
    struct sleep_signs now;
    struct err ignored = {0};
    if (!s->config->consolidate || !memory_sleep_signs(m, s->slept, &now, &ignored))
        return false;
    bool sleeps = is_time(s, &now, monotonic_ms());
    s->seen = now.newest;
    s->has_looked = true;
    if (!sleeps)
        return false;
    sleep_once(s, m);
    s->slept = now.newest;
    s->slept_ms = monotonic_ms();
    s->has_slept = true;
    return true;
}
