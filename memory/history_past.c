#include "memory/history_past.h"

enum { MAX_ROWS_AT_ONCE = 300 };

static bool note_commit(void *ctx, const struct commit_link *c, struct err *e)
{
    (void)e;
    struct past *p = ctx;
    ARENA_GROW(p->a, p->commits, p->count, p->capacity);
    p->commits[p->count++] = (struct past_commit){.id = c->id,
                                                  .at_ms = c->at_ms,
                                                  .oid = arena_str(p->a, c->oid),
                                                  .parents = arena_str(p->a, c->parents),
                                                  .reverts = arena_str(p->a, c->reverts),
                                                  .subject = hash64(c->subject),
                                                  .reachable = c->reachable,
                                                  .state = c->state};
    return true;
}

bool past_load(struct store *s, struct past *p, struct err *e)
{
    if (!store_read_begin(s, e))
        return false;
    bool ok = store_each_commit(s, note_commit, p, e);
    store_read_end(s);
    for (size_t i = 0; i < p->count; i++)
        map_put(&p->by_oid, p->commits[i].oid, (int64_t)i, NULL);
    p->queue = ARENA_ARRAY(p->a, uint32_t, p->count + 1);
    return ok;
}

void past_free(struct past *p)
{
    map_free(&p->by_oid);
}

int64_t *past_find(const struct past *p, str oid)
{
    return map_find(&p->by_oid, oid);
}

void past_clear_marks(struct past *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->commits[i].mark = false;
}

size_t past_mark(struct past *p, str oid)
{
    int64_t *first = past_find(p, oid);
    size_t from = 0, to = 0;
    if (!first || p->commits[*first].mark)
        return 0;
    p->commits[*first].mark = true;
    p->queue[to++] = (uint32_t)*first;
    while (from < to) {
        str rest = p->commits[p->queue[from++]].parents, parent;
        while (str_next_word(&rest, &parent)) {
            int64_t *index = past_find(p, parent);
            if (index && !p->commits[*index].mark) {
                p->commits[*index].mark = true;
                p->queue[to++] = (uint32_t)*index;
            }
        }
    }
    return to;
}

bool past_write(struct past_writes *w, struct err *e)
{
    if (w->open && w->rows >= MAX_ROWS_AT_ONCE) {
        w->open = false;
        if (!store_end(w->store, true, e))
            return false;
    }
    if (!w->open) {
        if (!store_begin_derived(w->store, e))
            return false;
        w->open = true;
        w->rows = 0;
    }
    w->rows++;
    return true;
}

bool past_write_end(struct past_writes *w, bool ok, struct err *e)
{
    bool open = w->open;
    w->open = false;
    return open ? store_end(w->store, ok, e) && ok : ok;
}
