#include "memory/importance.h"

#include <math.h>

const float importance_promotes = 0.50f;

static const float USES = 0.30f, RECENCY = 0.25f, CONNECTIONS = 0.25f, BASE = 0.20f;
static const double HALF_LIFE_MS = 24.0 * 3600 * 1000;
static const double USES_FOR_ALL = 10;

static const float base_of_kind[MEMORY_KIND_COUNT] = {
    [KIND_DECISION] = 0.9f, [KIND_FACT] = 0.7f,    [KIND_PREFERENCE] = 0.9f, [KIND_IDENTITY] = 0.9f,
    [KIND_QUESTION] = 0.5f, [KIND_CONTEXT] = 0.5f, [KIND_EPISODE] = 0.3f,
};

static float base(const struct importance_input *in)
{
    return in->is_pinned ? 1 : in->is_chatter ? 0 : base_of_kind[in->kind];
}

struct importance importance_of(const struct importance_input *in)
{
    double uses = log(1 + (double)(in->uses > 0 ? in->uses : 0)) / log(1 + USES_FOR_ALL);
    double age_ms = in->age_ms > 0 ? (double)in->age_ms : 0;
    double connections = (double)in->connections / MAX_CONNECTIONS;
    struct importance out = {.uses = USES * (float)fmin(1, uses),
                             .recency = RECENCY * (float)exp2(-age_ms / HALF_LIFE_MS),
                             .connections = CONNECTIONS * (float)fmin(1, connections),
                             .base = BASE * base(in)};
    out.sum = out.uses + out.recency + out.connections + out.base;
    return out;
}
