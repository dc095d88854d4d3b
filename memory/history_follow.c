#include "memory/history_follow.h"

#include "memory/history_past.h"
#include "memory/history_reverts.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_TOGETHER = 10, /* a commit of more files joins nothing */
    MIN_SUPPORT = 3,   /* commits that changed both */
    MAX_TIED = 5000,   /* commits to issues that memories name */
};
static const float MIN_CONFIDENCE = 0.25f; /* of the changes of one that changed the other, too */

/* ---- lineage ---- */

static bool follow_lineage(struct past_writes *w, struct past *p, struct arena *a, int64_t worktree,
                           str head, struct err *e)
{
    str *heads;
    size_t count;
    if (!worktree || !head.len)
        return true;
    if (!past_write_end(w, true, e) || !store_read_begin(w->store, e))
        return false;
    bool ok = store_memory_heads(w->store, a, &heads, &count, e);
    store_read_end(w->store);
    past_clear_marks(p);
    past_mark(p, head);
    for (size_t i = 0; ok && i < count; i++) {
        int64_t *index = map_find(&p->by_oid, heads[i]);
        enum lineage relation = str_eq(heads[i], head)         ? LINEAGE_SAME
                                : !index                       ? LINEAGE_UNKNOWN
                                : p->commits[*index].mark      ? LINEAGE_ANCESTOR
                                : p->commits[*index].reachable ? LINEAGE_OTHER
                                                               : LINEAGE_ABANDONED;
        ok = past_write(w, e) && store_put_lineage(w->store, worktree, heads[i], relation, e);
    }
    return ok;
}

/* ---- files that change together ---- */

struct together {
    struct arena *a;
    int64_t commit, files[MAX_TOGETHER + 1];
    size_t count; /* of the commit at hand */
    struct map pairs, single;
    struct pair {
        int64_t one, other;
        uint32_t support;
    } * list;
    size_t pair_count, pair_capacity;
};

static str key_of(struct together *t, int64_t one, int64_t other)
{
    char bytes[16];
    memcpy(bytes, &one, 8);
    memcpy(bytes + 8, &other, 8);
    return arena_str(t->a, str_from(bytes, sizeof bytes));
}

static void count_commit(struct together *t)
{
    if (t->count > MAX_TOGETHER)
        return;
    for (size_t i = 0; i < t->count; i++) {
        ++*map_put(&t->single, key_of(t, t->files[i], 0), 0, NULL);
        for (size_t k = i + 1; k < t->count; k++) {
            bool is_new;
            struct arena mark = *t->a;
            int64_t *index = map_put(&t->pairs, key_of(t, t->files[i], t->files[k]),
                                     (int64_t)t->pair_count, &is_new);
            if (!is_new) {
                t->list[*index].support++;
                arena_rewind(t->a, mark);
                continue;
            }
            ARENA_GROW(t->a, t->list, t->pair_count, t->pair_capacity);
            t->list[t->pair_count++] = (struct pair){t->files[i], t->files[k], 1};
        }
    }
}

static bool note_touch(void *ctx, int64_t commit, int64_t file)
{
    struct together *t = ctx;
    if (commit != t->commit) {
        count_commit(t);
        t->commit = commit;
        t->count = 0;
    }
    if (t->count <= MAX_TOGETHER) /* one more tells that there are too many */
        t->files[t->count++] = file;
    return true;
}

static float confidence(const struct together *t, const struct pair *p)
{
    int64_t *one = map_find(&t->single, key_of((struct together *)t, p->one, 0));
    int64_t *other = map_find(&t->single, key_of((struct together *)t, p->other, 0));
    int64_t fewer = *one < *other ? *one : *other;
    return fewer > 0 ? (float)p->support / (float)fewer : 0;
}

struct joined {
    int64_t one, other;
    float sure;
};

/* What is to be written: most pairs of a run stand already, and these take no lock. */
static bool find_joined(struct store *s, struct together *t, struct joined **out, size_t *count,
                        struct err *e)
{
    *out = ARENA_ARRAY(t->a, struct joined, t->pair_count);
    *count = 0;
    for (size_t i = 0; i < t->pair_count; i++) {
        const struct pair *p = &t->list[i];
        float sure = p->support >= MIN_SUPPORT ? confidence(t, p) : 0;
        bool stands = false;
        if (sure < MIN_CONFIDENCE)
            continue;
        if (!store_stand_together(s, p->one, p->other, sure, &stands, e))
            return false;
        if (!stands)
            (*out)[(*count)++] = (struct joined){p->one, p->other, sure};
    }
    return true;
}

static bool follow_together(struct past_writes *w, struct arena *a, int64_t now_ms, struct err *e)
{
    struct together t = {.a = a};
    struct joined *joined = NULL;
    size_t count = 0;
    if (!past_write_end(w, true, e) || !store_read_begin(w->store, e))
        return false;
    bool ok = store_each_touch(w->store, note_touch, &t, e);
    count_commit(&t);
    ok = ok && find_joined(w->store, &t, &joined, &count, e);
    store_read_end(w->store);
    for (size_t i = 0; ok && i < count; i++)
        ok = past_write(w, e) && store_put_together(w->store, joined[i].one, joined[i].other,
                                                    joined[i].sure, now_ms, e);
    map_free(&t.pairs);
    map_free(&t.single);
    return ok;
}

bool history_follow(struct store *s, int64_t worktree, str head, bool has_grown, int64_t now_ms,
                    struct err *e)
{
    struct arena scratch = {0};
    struct past past = {.a = &scratch};
    struct past_writes w = {.store = s};
    bool ok = past_load(s, &past, e) && follow_lineage(&w, &past, &scratch, worktree, head, e) &&
              past_write_end(&w, true, e) &&
              (!has_grown || (history_reverts_follow(&w, &past, &scratch, e) &&
                              follow_together(&w, &scratch, now_ms, e))) &&
              past_write(&w, e) && store_tie_references(s, now_ms, MAX_TIED, e);
    ok = past_write_end(&w, ok, e) && ok;
    past_free(&past);
    arena_free(&scratch);
    return ok;
}
