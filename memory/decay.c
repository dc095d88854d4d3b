#include "memory/decay.h"

#include <math.h>

const struct decay_params decay_defaults = {
    .of =
        {
#define X(name, prior, rate, most, spared) [DECAY_##name] = {prior, rate, most, spared},
            DECAY_CLASSES(X)
#undef X
        },
    .threshold = 0.10,
    .max_dormant = 4,
    .grace = 4,
};

enum decay_class decay_class_of(enum memory_kind kind, bool pinned, bool chatter)
{
    static const enum decay_class of[MEMORY_KIND_COUNT] = {
        [KIND_DECISION] = DECAY_LASTING,      [KIND_FACT] = DECAY_LASTING,
        [KIND_PREFERENCE] = DECAY_PREFERENCE, [KIND_IDENTITY] = DECAY_IDENTITY,
        [KIND_QUESTION] = DECAY_PASSING,      [KIND_CONTEXT] = DECAY_PASSING,
        [KIND_EPISODE] = DECAY_EPISODE,
    };
    return pinned ? DECAY_IDENTITY : chatter ? DECAY_CHATTER : of[kind];
}

struct decay_result decay_of(const struct decay_params *params, const struct decay_input *in)
{
    static const double LEAST = 0.05; /* confidence is never told as none */
    const struct decay_rate *r = &params->of[in->of];
    struct decay_result out;
    out.score = 0.4 * fmin(3, in->centrality) + 0.3 * fmin(2, in->degree / 3.0) + 0.3 * r->prior;
    out.rate = r->rate * exp(-2 * out.score);
    out.confidence = fmax(LEAST, exp(-out.rate * in->dormant));
    out.falls = out.confidence <= params->threshold && in->dormant > params->max_dormant &&
                in->degree <= r->max_degree && !r->spared && in->age > params->grace && !in->hub;
    return out;
}

int64_t decay_cycle(int64_t ms)
{
    return ms / CYCLE_MS - (ms % CYCLE_MS < 0);
}

uint32_t decay_cycles_since(const int64_t *cycles, size_t count, int64_t ms)
{
    int64_t cycle = decay_cycle(ms);
    size_t low = 0, high = count;
    while (low < high) { /* the first one behind */
        size_t mid = low + (high - low) / 2;
        if (cycles[mid] <= cycle)
            low = mid + 1;
        else
            high = mid;
    }
    return (uint32_t)(count - low);
}

/* ---- what is used together ---- */

const double MAX_STRENGTH = 4;

double strength_at(const struct strength *s, int64_t cycle)
{
    static const double RATE = 0.05; /* a cycle: half is gone after 14 */
    return cycle > s->cycle ? s->sum * exp(-RATE * (double)(cycle - s->cycle)) : s->sum;
}

struct strength strength_add(const struct strength *s, int64_t cycle, double weight)
{
    int64_t at = cycle > s->cycle ? cycle : s->cycle;
    return (struct strength){fmin(MAX_STRENGTH, strength_at(s, at) + weight), at};
}

double strength_weight(double cosine, double strength)
{
    static const double ALPHA = 0.4, BETA = 0.4, GAMMA = 0.2, ASSOCIATED = 1.0; /* R_type */
    return ALPHA * fmax(0, cosine) + BETA * fmin(MAX_STRENGTH, strength) + GAMMA * ASSOCIATED;
}
