#include "memory/tend.h"

/* In this order: what decays depends on the shape, the shape on what is tied and what is
 * dismissed. */
static const struct {
    const char *name;
    tend_pass *run;
} passes[] = {
    {"associations", tend_associations}, {"generic_names", tend_generic_names},
    {"near_names", tend_near_names},     {"shape", tend_shape},
    {"questions", tend_questions},       {"decay", tend_decay},
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

bool tend_nodes(struct tend *t, struct err *e)
{
    if (t->nodes)
        return true;
    if (!store_read_begin(t->m->store, e))
        return false;
    bool ok = growth_nodes(t->m->store, t->a, &t->nodes, &t->node_count, e);
    store_read_end(t->m->store);
    return ok;
}

size_t tend_find(const struct tend *t, int64_t id)
{
    size_t low = 0, high = t->node_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->nodes[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->node_count && t->nodes[low].id == id ? low : SIZE_MAX;
}

bool tend_is_stopped(struct tend *t)
{
    t->is_cut = t->is_cut || (t->in->stopped && t->in->stopped(t->in->ctx));
    return t->is_cut;
}

bool tend_write_all(struct tend *t, size_t count, tend_write *write, void *ctx, struct err *e)
{
    bool ok = true;
    for (size_t from = 0; ok && !t->in->dry_run && from < count; from += TEND_ROWS) {
        size_t to = from + TEND_ROWS < count ? from + TEND_ROWS : count;
        if (tend_is_stopped(t))
            return true;
        if (!memory_write(t->m, e))
            return false;
        int64_t began_ms = memory_clock_ms(t->m);
        for (size_t i = from; ok && i < to; i++)
            ok = write(t, ctx, i, e);
        ok = memory_end_resting(t->m, ok, began_ms, NULL, e);
    }
    return ok;
}

/* ---- when ---- */

static bool write_done(struct tend *t, void *ctx, size_t i, struct err *e)
{
    (void)ctx;
    (void)i;
    return growth_put_tended(t->m->store, e);
}

bool memory_tend_is_due(struct memory *m, struct err *e)
{
    bool due = false;
    if (!store_read_begin(m->store, e))
        return false;
    growth_is_due(m->store, &due, e);
    store_read_end(m->store);
    return due;
}

bool memory_tend(struct memory *m, struct arena *a, const struct tend_input *in,
                 struct tend_report **out, size_t *count, struct err *e)
{
    struct tend t = {.m = m, .a = a, .in = in};
    *out = ARENA_ARRAY(a, struct tend_report, PASS_COUNT);
    *count = 0;
    for (size_t i = 0; i < PASS_COUNT && !tend_is_stopped(&t); i++) {
        struct tend_report *report = &(*out)[*count];
        report->pass = str_of(passes[i].name);
        if (!passes[i].run(&t, report, e))
            return false;
        ++*count;
    }
    return t.is_cut || tend_write_all(&t, 1, write_done, NULL, e);
}
