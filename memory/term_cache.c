#include "memory/term_cache.h"

#include "memory/base/hash.h"

struct term_cache {
    struct arena keys;
    struct map terms; /* term -> index of lists */
    struct cached_hits *lists;
    size_t count, capacity;
    size_t hits; /* over all lists */
};

struct term_cache *term_cache_new(void)
{
    return heap_alloc(1, sizeof(struct term_cache));
}

void term_cache_drop(struct term_cache *c)
{
    for (size_t i = 0; i < c->count; i++)
        heap_free(c->lists[i].at);
    c->count = c->hits = 0;
    map_free(&c->terms);
    arena_free(&c->keys);
}

void term_cache_free(struct term_cache *c)
{
    if (!c)
        return;
    term_cache_drop(c);
    heap_free(c->lists);
    heap_free(c);
}

void term_cache_bound(struct term_cache *c)
{
    if (c->hits > MAX_CACHED_TERM_HITS)
        term_cache_drop(c);
}

struct gathering {
    struct term_cache *cache;
    struct cached_hits *list;
    const char *ids;
    size_t stride, count;
    int64_t last_id;
    size_t at; /* index of the document with that id, or of the next one */
    bool known;
};

static int64_t id_at(const struct gathering *g, size_t i)
{
    int64_t id;
    memcpy(&id, g->ids + i * g->stride, sizeof id);
    return id;
}

/* Ids come ascending, so the search goes on where it ended. */
static void find_document(struct gathering *g, int64_t id)
{
    size_t low = g->at, high = g->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (id_at(g, mid) < id)
            low = mid + 1;
        else
            high = mid;
    }
    g->last_id = id;
    g->at = low;
    g->known = low < g->count && id_at(g, low) == id;
    if (!g->known)
        return;
    HEAP_GROW(g->list->at, g->list->count, g->list->capacity);
    g->list->at[g->list->count++] = (struct cached_hit){.doc = (uint32_t)low};
    g->cache->hits++;
}

static bool gather(void *ctx, const struct posting *p)
{
    struct gathering *g = ctx;
    if (p->id != g->last_id)
        find_document(g, p->id);
    if (g->known && p->column >= 0 && p->column < MAX_TERM_COLUMNS) {
        uint8_t *n = &g->list->at[g->list->count - 1].in[p->column];
        *n = (uint8_t)(*n + (*n < UINT8_MAX));
    }
    return true;
}

bool term_cache_find(struct term_cache *c, struct store *s, read_postings *read, str term,
                     const int64_t *ids, size_t stride, size_t count,
                     const struct cached_hits **out, struct err *e)
{
    int64_t *index = map_find(&c->terms, term);
    if (index) {
        *out = &c->lists[*index];
        return true;
    }
    HEAP_GROW(c->lists, c->count, c->capacity);
    struct cached_hits *list = &c->lists[c->count];
    *list = (struct cached_hits){0};
    map_put(&c->terms, arena_str(&c->keys, term), (int64_t)c->count++, NULL);
    struct gathering g = {
        .cache = c, .list = list, .ids = (const char *)ids, .stride = stride, .count = count};
    *out = list;
    if (read(s, term, gather, &g, e))
        return true;
    term_cache_drop(c); /* half a list would pass for a whole one */
    return false;
}

const struct cached_hit *term_cache_hit(const struct term_cache *c, str term, uint32_t doc)
{
    int64_t *index = map_find(&c->terms, term);
    const struct cached_hits *list = index ? &c->lists[*index] : NULL;
    size_t low = 0, high = list ? list->count : 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (list->at[mid].doc < doc)
            low = mid + 1;
        else
            high = mid;
    }
    return list && low < list->count && list->at[low].doc == doc ? &list->at[low] : NULL;
}
