#include "memory/brief.h"

#include "memory/memory_state.h"

static const struct {
    enum memory_kind kind;
    size_t most;
} parts[] = {
    {KIND_EPISODE, MAX_BRIEF_EPISODES},
    {KIND_QUESTION, MAX_BRIEF_QUESTIONS},
    {KIND_DECISION, MAX_BRIEF_DECISIONS},
};

static void add_new(int64_t *list, size_t *count, const int64_t *more, size_t more_count)
{
    for (size_t i = 0; i < more_count; i++) {
        bool known = false;
        for (size_t k = 0; k < *count; k++)
            known = known || list[k] == more[i];
        if (!known)
            list[(*count)++] = more[i];
    }
}

bool memory_brief(struct memory *m, struct arena *a, int64_t **out, size_t *count, struct err *e)
{
    int64_t found[MAX_BRIEF];
    size_t found_count;
    *out = ARENA_ARRAY(a, int64_t, MAX_BRIEF);
    *count = 0;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_newest_pinned(m->store, found, MAX_BRIEF_PINNED, &found_count, e);
    if (ok)
        add_new(*out, count, found, found_count);
    for (size_t i = 0; ok && i < sizeof parts / sizeof *parts; i++) {
        ok = store_newest_of_kind(m->store, parts[i].kind, found, parts[i].most, &found_count, e);
        if (ok)
            add_new(*out, count, found, found_count);
    }
    store_read_end(m->store);
    return ok;
}
