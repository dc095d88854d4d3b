/* How far the history was read, and where reading it goes on. */
#include "memory/history.h"

#include "memory/base/hash.h"
#include "memory/history_symbols.h"
#include "memory/memory_state.h"
#include "memory/store_history.h"

bool memory_history_state(struct memory *m, struct arena *a, str root, struct history_state *out,
                          struct err *e)
{
    struct history_row row;
    *out = (struct history_state){0};
    m->commits.is_known = false;
    symbol_trace_free(m->lines);
    m->lines = NULL;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_get_history(m->store, a, root, &row, e);
    store_read_end(m->store);
    if (!ok)
        return false;
    out->read = row.read;
    out->is_whole = !row.frontier.len;
    out->is_followed = row.followed == row.revision;
    out->commits = (size_t)row.commits;
    return true;
}

/* ---- what stands here ---- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool note_id(void *ctx, str hex)
{
    struct buf *all = ctx;
    char bytes[COMMIT_ID_BYTES];
    if (hex.len != 2 * sizeof bytes)
        return true;
    for (size_t i = 0; i < sizeof bytes; i++) {
        int high = digit(hex.at[2 * i]), low = digit(hex.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return true;
        bytes[i] = (char)(high << 4 | low);
    }
    buf_add(all, str_from(bytes, sizeof bytes));
    return !all->overflow;
}

static size_t told_again(bool again)
{
    return again ? MAX_LINE_COMMITS : 0;
}

bool memory_history_known(struct memory *m, bool again, struct buf *out, struct err *e)
{
    out->max_bytes = (size_t)MAX_KNOWN_COMMITS * COMMIT_ID_BYTES;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_each_commit_id(m->store, told_again(again), note_id, out, e);
    store_read_end(m->store);
    return ok;
}

bool memory_history_newest(struct memory *m, struct arena *a, size_t most, str **out, size_t *count,
                           bool *has_lost, struct err *e)
{
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_newest_commits(m->store, a, most, out, count, e) &&
              store_has_lost_commits(m->store, has_lost, e);
    store_read_end(m->store);
    return ok;
}

/* ---- where it ends ---- */

struct ends {
    struct arena *a;      /* of what was found */
    struct arena scratch; /* ids of all commits are many */
    struct map known;     /* ids that stand, and ends that were found */
    str *list;
    size_t count, capacity;
};

static bool note_commit(void *ctx, str id)
{
    struct ends *x = ctx;
    map_put(&x->known, arena_str(&x->scratch, id), 0, NULL);
    return true;
}

static bool note_unknown(void *ctx, str ids)
{
    struct ends *x = ctx;
    str id;
    while (x->count < MAX_HISTORY_FRONTIER && str_next_word(&ids, &id)) {
        if (map_find(&x->known, id))
            continue;
        str end = arena_str(x->a, id);
        map_put(&x->known, end, 0, NULL);
        ARENA_GROW(x->a, x->list, x->count, x->capacity);
        x->list[x->count++] = end;
    }
    return x->count < MAX_HISTORY_FRONTIER;
}

bool memory_history_ends(struct memory *m, struct arena *a, bool again, str **ends, size_t *count,
                         struct err *e)
{
    struct ends x = {.a = a};
    struct history_row row;
    bool more = true;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_get_history(m->store, a, S(""), &row, e) &&
              store_each_commit_id(m->store, 0, note_commit, &x, e);
    for (size_t i = 0; ok && more && i < *count; i++)
        more = note_unknown(&x, (*ends)[i]);
    ok = ok && (!more || !note_unknown(&x, row.frontier) ||
                store_each_parents(m->store, told_again(again), note_unknown, &x, e));
    store_read_end(m->store);
    map_free(&x.known);
    arena_free(&x.scratch);
    *ends = x.list;
    *count = x.count;
    return ok;
}
