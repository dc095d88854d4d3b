#include "memory/history_follow.h"

#include "memory/base/hash.h"
#include "memory/store_code.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_ROWS_AT_ONCE = 300,
    MAX_TOGETHER = 10, /* a commit of more files joins nothing */
    MIN_SUPPORT = 3,   /* commits that changed both */
    MAX_REVERT_STEPS = 64,
    MAX_TIED = 5000, /* commits to issues that memories name */
};
static const float MIN_CONFIDENCE = 0.25f; /* of the changes of one that changed the other, too */

/* ---- the commits as a graph ---- */

struct past {
    struct arena *a;
    struct commit {
        int64_t id, at_ms;
        str oid, parents, reverts;
        bool reachable, mark;
        uint8_t state;
        uint64_t subject; /* its hash */
    } * commits;
    size_t count, capacity;
    struct map by_oid;
    struct named_commit *by_subject; /* sorted */
    uint32_t *queue;
};

/* Subjects are told apart by hash: two of one hash would be taken for each other by a revert, as
 * two of the same words are. */
struct named_commit {
    uint64_t subject;
    int64_t at_ms, id;
};

static bool note_commit(void *ctx, const struct commit_link *c, struct err *e)
{
    (void)e;
    struct past *p = ctx;
    ARENA_GROW(p->a, p->commits, p->count, p->capacity);
    p->commits[p->count++] = (struct commit){c->id,
                                             c->at_ms,
                                             arena_str(p->a, c->oid),
                                             arena_str(p->a, c->parents),
                                             arena_str(p->a, c->reverts),
                                             c->reachable,
                                             false,
                                             c->state,
                                             hash64(c->subject)};
    return true;
}

static bool load_past(struct store *s, struct past *p, struct err *e)
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

static void clear_marks(struct past *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->commits[i].mark = false;
}

/* Marks a commit and all that it comes from. */
static void mark_from(struct past *p, str oid)
{
    int64_t *first = map_find(&p->by_oid, oid);
    size_t from = 0, to = 0;
    if (!first || p->commits[*first].mark)
        return;
    p->commits[*first].mark = true;
    p->queue[to++] = (uint32_t)*first;
    while (from < to) {
        str rest = p->commits[p->queue[from++]].parents, parent;
        while (str_next_word(&rest, &parent)) {
            int64_t *index = map_find(&p->by_oid, parent);
            if (index && !p->commits[*index].mark) {
                p->commits[*index].mark = true;
                p->queue[to++] = (uint32_t)*index;
            }
        }
    }
}

/* ---- writing ---- */

struct changes {
    struct store *store;
    size_t rows;
    bool open;
};

static bool change(struct changes *w, struct err *e)
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

static bool end_changes(struct changes *w, bool ok, struct err *e)
{
    bool open = w->open;
    w->open = false;
    return open ? store_end(w->store, ok, e) && ok : ok;
}

/* ---- lineage ---- */

static bool follow_lineage(struct changes *w, struct past *p, struct arena *a, int64_t worktree,
                           str head, struct err *e)
{
    str *heads;
    size_t count;
    if (!worktree || !head.len)
        return true;
    if (!end_changes(w, true, e) || !store_read_begin(w->store, e))
        return false;
    bool ok = store_memory_heads(w->store, a, &heads, &count, e);
    store_read_end(w->store);
    clear_marks(p);
    mark_from(p, head);
    for (size_t i = 0; ok && i < count; i++) {
        int64_t *index = map_find(&p->by_oid, heads[i]);
        enum lineage relation = str_eq(heads[i], head)         ? LINEAGE_SAME
                                : !index                       ? LINEAGE_UNKNOWN
                                : p->commits[*index].mark      ? LINEAGE_ANCESTOR
                                : p->commits[*index].reachable ? LINEAGE_OTHER
                                                               : LINEAGE_ABANDONED;
        ok = change(w, e) && store_put_lineage(w->store, worktree, heads[i], relation, e);
    }
    return ok;
}

/* ---- reverts ---- */

/* By subject, then newest first. */
static int by_subject(const void *x, const void *y)
{
    const struct named_commit *a = x, *b = y;
    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    if (a->at_ms != b->at_ms)
        return a->at_ms > b->at_ms ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_subjects(struct past *p)
{
    p->by_subject = ARENA_ARRAY(p->a, struct named_commit, p->count);
    for (size_t i = 0; i < p->count; i++)
        p->by_subject[i] =
            (struct named_commit){p->commits[i].subject, p->commits[i].at_ms, p->commits[i].id};
    if (p->count)
        qsort(p->by_subject, p->count, sizeof *p->by_subject, by_subject);
}

/* The newest one of this subject that isn't younger than c; 0: none. */
static int64_t find_by_subject(struct past *p, str subject, const struct commit *c)
{
    if (!p->by_subject)
        sort_subjects(p);
    struct named_commit key = {hash64(subject), c->at_ms, INT64_MIN};
    size_t from = 0, to = p->count; /* the first one that doesn't come before the key */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (by_subject(&p->by_subject[middle], &key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    from += from < p->count && p->by_subject[from].id == c->id;
    return from < p->count && p->by_subject[from].subject == key.subject ? p->by_subject[from].id
                                                                         : 0;
}

static int64_t find_reverted(struct store *s, struct past *p, const struct commit *c, struct err *e)
{
    int64_t id = 0;
    int64_t *index = map_find(&p->by_oid, c->reverts);
    if (index)
        return p->commits[*index].id;
    if (!store_find_commit(s, c->reverts, &id, e))
        return 0;
    return id ? id : find_by_subject(p, c->reverts, c);
}

static int by_id(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return a[0] < b[0] ? -1 : a[0] > b[0];
}

/* What a commit's message gave stands and falls with it. */
static bool follow_reasons(struct store *s, struct arena *a, int64_t commit, enum node_state state,
                           struct err *e)
{
    int64_t *memories;
    size_t count;
    struct node_row row;
    struct memory_row memory;
    bool found, ok = store_memories_of_commit(s, a, commit, &memories, &count, e);
    for (size_t i = 0; ok && i < count; i++) {
        ok = store_get_node(s, a, memories[i], &row, &found, e);
        ok = ok && (!found || store_get_memory(s, a, memories[i], &memory, &found, e));
        if (!ok || !found)
            continue;
        /* Only what is current falls, and only what fell by this stands up again: what a person
         * or decay put away for another reason stays away. */
        if (state == STATE_SUPERSEDED && row.state == STATE_CURRENT)
            ok = store_set_state(s, memories[i], state, S(""), e);
        else if (state == STATE_CURRENT && row.state == STATE_SUPERSEDED && !memory.superseded_by)
            ok = store_set_superseded(s, memories[i], 0, e);
    }
    return ok;
}

/* A commit that was taken back is superseded, unless what took it back was taken back itself: the
 * last of a chain of reverts stands, and every second one before it. */
static bool follow_reverts(struct changes *w, struct past *p, struct arena *a, struct err *e)
{
    int64_t(*pairs)[2] = arena_alloc(a, p->count + 1, sizeof *pairs); /* reverted, reverting */
    size_t count = 0;
    bool ok = store_read_begin(w->store, e);
    for (size_t i = 0; ok && i < p->count; i++) {
        const struct commit *c = &p->commits[i];
        if (!c->reverts.len || !c->reachable)
            continue;
        int64_t reverted = find_reverted(w->store, p, c, e);
        if (reverted && reverted != c->id) {
            pairs[count][0] = reverted;
            pairs[count++][1] = c->id;
        }
    }
    store_read_end(w->store);
    if (count)
        qsort(pairs, count, sizeof *pairs, by_id);
    for (size_t i = 0; ok && i < count; i++) {
        int64_t chain = pairs[i][1];
        size_t steps = 1; /* how many reverts lead on from this commit */
        for (; steps < MAX_REVERT_STEPS; steps++) {
            int64_t key[2] = {chain, 0};
            int64_t(*next)[2] = bsearch(key, pairs, count, sizeof *pairs, by_id);
            if (!next || (*next)[1] == chain)
                break;
            chain = (*next)[1];
        }
        enum node_state state = steps % 2 ? STATE_SUPERSEDED : STATE_CURRENT;
        int64_t ignored;
        ok = change(w, e) &&
             store_put_edge(
                 w->store,
                 &(struct edge_full){
                     .src = pairs[i][1], .dst = pairs[i][0], .kind = EDGE_SUPERSEDES, .weight = 1},
                 &ignored, e) &&
             store_set_commit_state(w->store, pairs[i][0], state, e) &&
             follow_reasons(w->store, a, pairs[i][0], state, e);
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

static bool follow_together(struct changes *w, struct arena *a, int64_t now_ms, struct err *e)
{
    struct together t = {.a = a};
    struct joined *joined = NULL;
    size_t count = 0;
    if (!end_changes(w, true, e) || !store_read_begin(w->store, e))
        return false;
    bool ok = store_each_touch(w->store, note_touch, &t, e);
    count_commit(&t);
    ok = ok && find_joined(w->store, &t, &joined, &count, e);
    store_read_end(w->store);
    for (size_t i = 0; ok && i < count; i++)
        ok = change(w, e) && store_put_together(w->store, joined[i].one, joined[i].other,
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
    struct changes w = {.store = s};
    bool ok = load_past(s, &past, e) && follow_lineage(&w, &past, &scratch, worktree, head, e) &&
              end_changes(&w, true, e) &&
              (!has_grown || (follow_reverts(&w, &past, &scratch, e) &&
                              follow_together(&w, &scratch, now_ms, e))) &&
              change(&w, e) && store_tie_references(s, now_ms, MAX_TIED, e);
    ok = end_changes(&w, ok, e) && ok;
    map_free(&past.by_oid);
    arena_free(&scratch);
    return ok;
}
