#include "memory/usage_part.h"

#include "memory/best.h"

#include <math.h>

enum { MAX_SEEDS = 64 }; /* the most used nodes */

static const double DECAY_PER_DAY = 0.05, DAY_MS = 86400000.0;

static bool takes_part(const struct node_meta *m)
{
    return m->uses && m->state == STATE_CURRENT && m->kind < NODE_KIND_COUNT;
}

/* Only ratios count, so the decay is told from the latest use: the clock plays no part. */
static size_t most_used(struct arena *a, const struct snapshot *snap, struct scored **out)
{
    size_t count = 0;
    int64_t latest_ms = 0;
    struct scored *list = *out = ARENA_ARRAY(a, struct scored, snap->used_count + 1);
    for (size_t i = 0; i < snap->used_count; i++) {
        const struct node_meta *m = &snap->meta[snap->used[i]];
        if (takes_part(m) && m->used_ms > latest_ms)
            latest_ms = m->used_ms;
    }
    for (size_t i = 0; i < snap->used_count; i++) {
        const struct node_meta *m = &snap->meta[snap->used[i]];
        double days = (double)(latest_ms - m->used_ms) / DAY_MS;
        if (takes_part(m))
            list[count++] = (struct scored){snap->used[i],
                                            (float)(log1p(m->uses) * exp(-DECAY_PER_DAY * days))};
    }
    return best_first(list, count, MAX_SEEDS);
}

const struct ppr_part *usage_part(struct usage_part *u, const struct snapshot *snap,
                                  const struct ppr_params *params, struct ppr_work *w)
{
    if (u->generation == snap->generation)
        return &u->walk;
    struct arena scratch = {0};
    struct scored *used;
    struct seed seeds[MAX_SEEDS];
    size_t count = most_used(&scratch, snap, &used);
    for (size_t i = 0; i < count; i++)
        seeds[i] = (struct seed){used[i].at, used[i].score};
    arena_free(&scratch);
    ppr_solve(&snap->graph, seeds, count, params, w);
    ppr_keep(w, &u->walk);
    u->generation = snap->generation;
    return &u->walk;
}

void usage_part_free(struct usage_part *u)
{
    ppr_part_free(&u->walk);
    *u = (struct usage_part){0};
}
