#include "memory/tend.h"

#include "memory/review_journal.h"

enum { MAX_TOLD = 20 }; /* ids in the words of an entry; its steps have all */

struct decaying {
    const struct growth_node **falls;
    size_t count, archived;
    size_t in_entry; /* of these */
    struct entry entry;
    int64_t journal;
};

static struct decay_input input_of(const struct growth_node *n, const int64_t *cycles, size_t count)
{
    bool pinned = n->flags & FLAG_PINNED, chatter = n->flags & FLAG_CHATTER;
    return (struct decay_input){.of = decay_class_of(n->memory_kind, pinned, chatter),
                                .centrality = n->centrality,
                                .degree = n->degree,
                                .hub = n->is_hub,
                                .dormant = decay_cycles_since(cycles, count, n->used_ms),
                                .age = decay_cycles_since(cycles, count, n->stored_ms)};
}

static void find_faded(struct tend *t, struct decaying *d, const int64_t *cycles, size_t count)
{
    d->falls = ARENA_ARRAY(t->a, const struct growth_node *, t->node_count + 1);
    for (size_t i = 0; i < t->node_count; i++) {
        if (t->nodes[i].kind != NODE_MEMORY)
            continue;
        struct decay_input in = input_of(&t->nodes[i], cycles, count);
        if (decay_of(&decay_defaults, &in).falls)
            d->falls[d->count++] = &t->nodes[i];
    }
}

/* Each transaction is an entry of its own: what is written can be taken back, wherever a run ends.
 */
static bool put_entry(struct tend *t, struct decaying *d, struct err *e)
{
    if (!d->in_entry)
        return true;
    str ids = arena_str(t->a, buf_str(&d->entry.text));
    buf_clear(&d->entry.text);
    buf_printf(&d->entry.text, "archived %zu memories that faded: %.*s%s", d->in_entry, FMT(ids),
               d->in_entry > MAX_TOLD ? ", ..." : "");
    bool ok = entry_put(&d->entry, S(DECAY), &d->journal, e);
    d->in_entry = 0;
    return ok;
}

static bool archive(struct tend *t, void *ctx, size_t i, struct err *e)
{
    struct decaying *d = ctx;
    struct node_row row;
    bool found;
    if (!store_get_node(t->m->store, t->a, d->falls[i]->id, &row, &found, e))
        return false;
    /* It may have been used while this was computed. */
    if (found && row.state == STATE_CURRENT && row.used_ms <= d->falls[i]->used_ms) {
        if (d->in_entry < MAX_TOLD)
            buf_printf(&d->entry.text, "%sm%lld", d->in_entry ? ", " : "", (long long)row.id);
        step_back(&d->entry, "archived", "%lld", (long long)row.id);
        if (!growth_archive(t->m->store, row.id, e))
            return false;
        d->archived++;
        d->in_entry++;
    }
    bool ends = i + 1 == d->count || (i + 1) % TEND_ROWS == 0;
    return !ends || put_entry(t, d, e);
}

bool tend_decay(struct tend *t, struct tend_report *out, struct err *e)
{
    struct decaying d = {.entry = {.m = t->m, .a = t->a, .now_ms = t->in->from.now_ms}};
    int64_t *cycles;
    size_t count;
    if (!t->m->options.usage) /* nothing says what was used, so nothing can lie unused */
        return true;
    if (!tend_nodes(t, e) || !store_read_begin(t->m->store, e))
        return false;
    bool ok = growth_activity(t->m->store, t->a, &cycles, &count, e);
    store_read_end(t->m->store);
    if (!ok)
        return false;
    find_faded(t, &d, cycles, count);
    ok = tend_write_all(t, d.count, archive, &d, e);
    out->changed = t->in->dry_run ? d.count : d.archived;
    out->journal = d.journal;
    if (out->changed)
        out->text = arena_printf(t->a, "%zu memories faded in %zu cycles", out->changed, count);
    entry_free(&d.entry);
    return ok;
}
