#include "memory/postings.h"

#include "memory/base/hash.h"
#include "memory/text.h"

enum {
    MAX_NEW_NODES = 5000, /* more than these: reading again is cheaper than adding */
    MAX_TERMS = 50000,
};

struct postings {
    struct arena keys;
    struct map terms; /* term -> index of lists */
    struct posting_list *lists;
    size_t count, capacity;
    size_t hits;                     /* over all lists */
    uint32_t nodes;                  /* of the snapshot, taken in */
    uint64_t loads, rewritten, gone; /* of the snapshot, as taken in */
};

struct postings *postings_new(void)
{
    return heap_alloc(1, sizeof(struct postings));
}

static void clear(struct postings *p)
{
    for (size_t i = 0; i < p->count; i++)
        heap_free(p->lists[i].hits);
    p->count = p->hits = 0;
    map_free(&p->terms);
    arena_free(&p->keys);
}

void postings_free(struct postings *p)
{
    if (!p)
        return;
    clear(p);
    heap_free(p->lists);
    heap_free(p);
}

/* Counts one occurrence in the node that comes last so far, or in a new last one. */
static void add_hit(struct postings *p, struct posting_list *list, node at, bool in_text,
                    int position)
{
    if (!list->count || list->hits[list->count - 1].at != at) {
        HEAP_GROW(list->hits, list->count, list->capacity);
        list->hits[list->count++] = (struct term_hit){.at = at};
        p->hits++;
    }
    struct term_hit *hit = &list->hits[list->count - 1];
    uint16_t *n = in_text ? &hit->in_text : &hit->in_name;
    if (in_text && *n == 0)
        hit->first = (uint16_t)(position < UINT16_MAX ? position : UINT16_MAX);
    *n = (uint16_t)(*n + (*n < UINT16_MAX));
}

/* ---- new texts ---- */

struct adding {
    struct postings *p;
    node at;
    bool in_text;
    int position;
};

static bool add_token(void *ctx, const struct token *t)
{
    struct adding *w = ctx;
    w->position += !t->colocated;
    int64_t *index = map_find(&w->p->terms, str_from(t->text, t->len));
    if (index && !w->p->lists[*index].unread)
        add_hit(w->p, &w->p->lists[*index], w->at, w->in_text, w->position);
    return true;
}

static bool add_body(struct postings *p, struct store *s, const struct snapshot *snap, node at,
                     struct err *e)
{
    struct arena scratch = {0};
    str name, text;
    bool ok = store_get_body(s, &scratch, snap->ids[at], &name, &text, e);
    struct adding w = {p, at, false, -1};
    text_tokens(name, add_token, &w);
    w = (struct adding){p, at, true, -1};
    text_tokens(text, add_token, &w);
    arena_free(&scratch);
    return ok;
}

/* What is gone was counted in lists that nobody searches now. */
static void forget_counts(struct postings *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->lists[i].bodies = p->lists[i].counted = 0;
}

bool postings_sync(struct postings *p, struct store *s, const struct snapshot *snap, struct err *e)
{
    bool known = p->loads == snap->loads && p->rewritten == snap->rewritten &&
                 snap->graph.count - p->nodes <= MAX_NEW_NODES && p->hits < MAX_CACHED_HITS &&
                 p->terms.count < MAX_TERMS;
    bool ok = true;
    if (!known)
        clear(p);
    for (node n = p->nodes; known && ok && p->count && n < snap->graph.count; n++)
        ok = snap->meta[n].words == 0 || add_body(p, s, snap, n, e);
    if (!ok)
        clear(p);
    if (p->gone != snap->gone)
        forget_counts(p);
    p->nodes = snap->graph.count;
    p->loads = snap->loads;
    p->rewritten = snap->rewritten;
    p->gone = snap->gone;
    return ok;
}

/* ---- terms not asked for before ---- */

struct gathering {
    struct postings *p;
    const struct snapshot *snap;
    struct posting_list *list;
    size_t most_hits;
    int64_t last_id;
    node last;
};

static bool gather(void *ctx, const struct posting *posting)
{
    struct gathering *g = ctx;
    if (posting->id != g->last_id) {
        g->last_id = posting->id;
        g->last = snapshot_find(g->snap, posting->id);
    }
    if (g->last != NO_NODE)
        add_hit(g->p, g->list, g->last, posting->column == 1, posting->offset);
    return g->list->count <= g->most_hits;
}

static void count_bodies(struct posting_list *list, const struct snapshot *snap)
{
    for (; list->counted < list->count; list->counted++) {
        uint8_t kind = snap->meta[list->hits[list->counted].at].kind;
        list->bodies += kind != NODE_ENTITY && kind < NODE_KIND_COUNT;
    }
}

static void drop_hits(struct postings *p, struct posting_list *list)
{
    p->hits -= list->count;
    heap_free(list->hits);
    *list = (struct posting_list){.unread = true};
}

static struct posting_list *list_of(struct postings *p, str term, bool *is_new)
{
    int64_t *index = map_find(&p->terms, term);
    *is_new = !index;
    if (index)
        return &p->lists[*index];
    HEAP_GROW(p->lists, p->count, p->capacity);
    bool ignored;
    map_put(&p->terms, arena_str(&p->keys, term), (int64_t)p->count, &ignored);
    p->lists[p->count] = (struct posting_list){0};
    return &p->lists[p->count++];
}

bool postings_find_rare(struct postings *p, struct store *s, const struct snapshot *snap, str term,
                        size_t most_hits, const struct posting_list **out, struct err *e)
{
    bool is_new;
    struct posting_list *list = list_of(p, term, &is_new);
    *out = list;
    /* What is unread stays so for who asks for few: it has only grown since. */
    if (is_new || (list->unread && most_hits == SIZE_MAX)) {
        struct gathering g = {
            .p = p, .snap = snap, .list = list, .most_hits = most_hits, .last = NO_NODE};
        *list = (struct posting_list){0};
        if (!store_postings(s, term, gather, &g, e)) {
            clear(p); /* half a list would pass for a whole one */
            return false;
        }
        if (list->count > most_hits)
            drop_hits(p, list);
    }
    count_bodies(list, snap);
    return true;
}

bool postings_find(struct postings *p, struct store *s, const struct snapshot *snap, str term,
                   const struct posting_list **out, struct err *e)
{
    return postings_find_rare(p, s, snap, term, SIZE_MAX, out, e);
}
