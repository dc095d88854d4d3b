/* What files of the project say, remembered as often as one likes: engram init. */
#include "memory/memory_state.h"
#include "memory/text.h"

/* What became of this text under this topic. */
static bool find_said(struct memory *m, struct arena *a, const struct remember_input *in,
                      int64_t *id, enum node_state *state, struct err *e)
{
    struct node_row row;
    bool found = false;
    str text, key = text_normal_name(a, in->topic);
    *id = 0;
    if (!memory_redact(m, a, in->text, &text, NULL, NULL, e) || !store_read_begin(m->store, e))
        return false;
    bool ok = store_find_written(m->store, key, text, id, e) &&
              (!*id || store_get_node(m->store, a, *id, &row, &found, e));
    store_read_end(m->store);
    *state = found ? row.state : STATE_CURRENT;
    return ok;
}

static bool retire(struct memory *m, int64_t id, struct err *e)
{
    return memory_write(m, e) && store_end(m->store, store_set_retired(m->store, id, e), e);
}

bool memory_put_written(struct memory *m, struct arena *a, const struct remember_input *in,
                        bool current, int64_t *id, enum written_status *status, struct err *e)
{
    struct remember_input automatic = *in;
    struct remember_result out;
    enum node_state state;
    automatic.automatic = true;
    if (!find_said(m, a, in, id, &state, e))
        return false;
    if (*id && (state != STATE_SUPERSEDED) == current) {
        *status = WRITTEN_UNCHANGED;
        return true;
    }
    if (*id && !current) {
        *status = WRITTEN_CHANGED;
        return retire(m, *id, e);
    }
    if (!memory_remember(m, a, &automatic, &out, e)) {
        bool forgotten = e->code == ERR_CONFLICT;
        if (forgotten) {
            *e = (struct err){0};
            *status = WRITTEN_FORGOTTEN;
            *id = 0;
        }
        return forgotten;
    }
    *id = out.id;
    *status = out.superseded_count ? WRITTEN_CHANGED : WRITTEN_NEW;
    return current || retire(m, *id, e);
}

bool memory_put_successor(struct memory *m, struct arena *a, int64_t old, int64_t by, int64_t at_ms,
                          bool *is_new, struct err *e)
{
    struct memory_row row;
    bool found = false;
    *is_new = false;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_get_memory(m->store, a, old, &row, &found, e);
    store_read_end(m->store);
    if (!ok || !found || row.superseded_by == by || old == by)
        return ok;
    *is_new = true;
    return memory_write(m, e) && store_end(m->store, memory_supersede(m, old, by, at_ms, e), e);
}

bool memory_heaviest_names(struct memory *m, struct arena *a, size_t most, str **out, size_t *count,
                           struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_heaviest_names(m->store, a, most, out, count, e);
    store_read_end(m->store);
    return ok;
}

bool memory_is_empty(struct memory *m, bool *empty, struct err *e)
{
    bool any = true;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_holds_any(m->store, &any, e);
    store_read_end(m->store);
    *empty = !any;
    return ok;
}
