#include "memory/history_reverts.h"

#include <stdlib.h>

enum {
    MIN_ID_DIGITS = 7,
    MAX_ID_DIGITS = 40,
    MAX_REVERTS = 100000, /* pairs; messages may name whatever they like */
    MAX_REVERTED_MERGES = 200,
    MAX_REVERT_STEPS = 64, /* of one chain */
};

/* Places in past.commits. */
struct revert {
    uint32_t reverted, reverting;
};

struct named_commit {
    uint64_t subject;
    int64_t at_ms, id;
    uint32_t at;
};

struct reverting {
    struct store *store;
    struct past *past;
    struct arena *a;
    struct named_commit *by_subject; /* sorted; NULL: not needed yet */
    struct revert *list;
    size_t count, capacity, merges;
    enum holds { UNKNOWN, ASKED, HOLDS, HOLDS_NOT } * holds; /* of each commit */
};

/* ---- what is named ---- */

str reverts_text(struct arena *a, str ids, str subject)
{
    return ids.len && subject.len ? arena_printf(a, "%.*s\n%.*s", FMT(ids), FMT(subject))
           : ids.len              ? ids
                                  : subject;
}

static bool are_ids(str text)
{
    str id;
    while (str_next_word(&text, &id)) {
        for (size_t i = 0; i < id.len; i++)
            if (!memchr("0123456789abcdef", id.at[i], 16))
                return false;
        if (id.len < MIN_ID_DIGITS || id.len > MAX_ID_DIGITS)
            return false;
    }
    return true;
}

static void split(str text, str *ids, str *subject)
{
    size_t end = str_find_char(text, '\n', 0);
    *ids = *subject = S("");
    if (end < text.len) {
        *ids = str_cut(text, 0, end);
        *subject = str_cut(text, end + 1, text.len);
    } else if (are_ids(text))
        *ids = text;
    else
        *subject = text;
}

str reverts_ids(str text)
{
    str ids, subject;
    split(text, &ids, &subject);
    return ids;
}

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

static void sort_subjects(struct reverting *r)
{
    const struct past *p = r->past;
    r->by_subject = ARENA_ARRAY(r->a, struct named_commit, p->count);
    for (size_t i = 0; i < p->count; i++)
        r->by_subject[i] = (struct named_commit){p->commits[i].subject, p->commits[i].at_ms,
                                                 p->commits[i].id, (uint32_t)i};
    if (p->count)
        qsort(r->by_subject, p->count, sizeof *r->by_subject, by_subject);
}

/* The place of the newest one of this subject that isn't younger than c. */
static bool find_by_subject(struct reverting *r, str subject, const struct past_commit *c,
                            uint32_t *out)
{
    if (!r->by_subject)
        sort_subjects(r);
    struct named_commit key = {hash64(subject), c->at_ms, INT64_MIN, 0};
    size_t from = 0, to = r->past->count; /* the first one that doesn't come before the key */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (by_subject(&r->by_subject[middle], &key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    from += from < r->past->count && r->by_subject[from].id == c->id;
    if (from == r->past->count || r->by_subject[from].subject != key.subject)
        return false;
    *out = r->by_subject[from].at;
    return true;
}

static bool find_by_id(struct reverting *r, str id, uint32_t *out, struct err *e)
{
    int64_t *place = past_find(r->past, id);
    str oid;
    if (!place && id.len < MAX_ID_DIGITS) {
        if (!store_find_commit(r->store, r->a, id, &oid, e))
            return false;
        place = past_find(r->past, oid);
    }
    if (place)
        *out = (uint32_t)*place;
    return place != NULL;
}

/* ---- who takes back what ---- */

static void add(struct reverting *r, uint32_t reverted, uint32_t reverting)
{
    if (reverted == reverting || r->count == MAX_REVERTS)
        return;
    ARENA_GROW(r->a, r->list, r->count, r->capacity);
    r->list[r->count++] = (struct revert){reverted, reverting};
}

/* What only the further parents of a merge lead to. */
static void add_brought(struct reverting *r, uint32_t merge, uint32_t reverting)
{
    struct past *p = r->past;
    str rest = p->commits[merge].parents, parent;
    size_t before = r->count, brought = 0;
    if (!str_next_word(&rest, &parent) || !rest.len || r->merges == MAX_REVERTED_MERGES)
        return;
    r->merges++;
    past_clear_marks(p);
    past_mark(p, parent);
    while (str_next_word(&rest, &parent)) {
        size_t count = past_mark(p, parent);
        brought += count;
        for (size_t i = 0; brought <= MAX_BROUGHT && i < count; i++)
            add(r, p->queue[i], reverting);
    }
    if (brought > MAX_BROUGHT)
        r->count = before;
}

static void add_with_brought(struct reverting *r, uint32_t reverted, uint32_t reverting)
{
    add(r, reverted, reverting);
    add_brought(r, reverted, reverting);
}

static bool find_reverted(struct reverting *r, uint32_t reverting, struct err *e)
{
    const struct past_commit *c = &r->past->commits[reverting];
    str ids, id, subject;
    uint32_t reverted;
    bool found = false;
    split(c->reverts, &ids, &subject);
    while (e->code == ERR_NONE && str_next_word(&ids, &id))
        if (find_by_id(r, id, &reverted, e)) {
            add_with_brought(r, reverted, reverting);
            found = true;
        }
    if (!found && subject.len && find_by_subject(r, subject, c, &reverted))
        add_with_brought(r, reverted, reverting);
    return e->code == ERR_NONE;
}

static int by_reverted(const void *x, const void *y)
{
    const struct revert *a = x, *b = y;
    if (a->reverted != b->reverted)
        return a->reverted < b->reverted ? -1 : 1;
    return a->reverting < b->reverting ? -1 : a->reverting > b->reverting;
}

static bool find_all(struct reverting *r, struct err *e)
{
    bool ok = store_read_begin(r->store, e);
    for (size_t i = 0; ok && i < r->past->count; i++)
        if (r->past->commits[i].reverts.len && r->past->commits[i].reachable)
            ok = find_reverted(r, (uint32_t)i, e);
    store_read_end(r->store);
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, by_reverted);
    return ok;
}

/* ---- what holds ---- */

static const struct revert *first_of(const struct reverting *r, uint32_t reverted)
{
    size_t from = 0, to = r->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (r->list[middle].reverted < reverted)
            from = middle + 1;
        else
            to = middle;
    }
    return r->list + from;
}

/* Where messages name each other in a circle, or in a chain that is too long, what is asked of last
 * is taken to hold. */
static bool does_hold(struct reverting *r, uint32_t at, size_t steps)
{
    enum holds *known = &r->holds[at];
    if (*known != UNKNOWN || steps == MAX_REVERT_STEPS)
        return *known != HOLDS_NOT;
    *known = ASKED;
    const struct revert *end = r->list + r->count;
    bool holds = true;
    for (const struct revert *x = first_of(r, at); holds && x < end && x->reverted == at; x++)
        holds = !does_hold(r, x->reverting, steps + 1);
    *known = holds ? HOLDS : HOLDS_NOT;
    return holds;
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

static bool put_state(struct past_writes *w, struct reverting *r, uint32_t at, struct err *e)
{
    const struct past_commit *c = &r->past->commits[at];
    enum node_state state = does_hold(r, at, 0) ? STATE_CURRENT : STATE_SUPERSEDED;
    return c->state == state ||
           (past_write(w, e) && store_set_commit_state(w->store, c->id, state, e) &&
            follow_reasons(w->store, r->a, c->id, state, e));
}

static bool put_edge(struct past_writes *w, const struct reverting *r, const struct revert *x,
                     struct err *e)
{
    int64_t ignored;
    struct edge_full edge = {.src = r->past->commits[x->reverting].id,
                             .dst = r->past->commits[x->reverted].id,
                             .kind = EDGE_SUPERSEDES,
                             .weight = 1};
    return past_write(w, e) && store_put_edge(w->store, &edge, &ignored, e);
}

bool history_reverts_follow(struct past_writes *w, struct past *p, struct arena *a, struct err *e)
{
    struct reverting r = {.store = w->store, .past = p, .a = a};
    r.holds = ARENA_ARRAY(a, enum holds, p->count);
    bool ok = past_write_end(w, true, e) && find_all(&r, e);
    for (size_t i = 0; ok && i < r.count; i++)
        ok = put_edge(w, &r, &r.list[i], e);
    for (size_t i = 0; ok && i < p->count; i++)
        if (p->commits[i].state == STATE_CURRENT || p->commits[i].state == STATE_SUPERSEDED)
            ok = put_state(w, &r, (uint32_t)i, e);
    return ok;
}
