#include "memory/resolve.h"

#include "memory/text.h"

#include <stdlib.h>

enum {
    MAX_RUN_WORDS = 6,
    MAX_LOOKED_UP = 300,
    MAX_PARTIAL = 30, /* entities that share words with the query, looked at by name */
    MAX_NAME_TOKENS = 24,
    MAX_OF_TYPE = 5,    /* a type of more entities says nothing about any of them */
    MAX_MENTIONS = 500, /* an entity with more is no rare name whatever it is called */
};

static const float ENOUGH = 0.6f, EXACT = 1.0f, EXACT_WORD = 0.9f;

struct state {
    struct memory *m;
    struct arena *a;
    const struct lexical *l;
    struct resolved *out;
    size_t *count;
};

static bool add_named(struct state *s, int64_t id, float confidence, size_t from, size_t to,
                      struct err *e)
{
    struct node_row row;
    struct entity_row entity;
    bool found;
    for (int step = 0; step < 16; step++) { /* merges, followed as far as names are (entities.c) */
        if (!store_get_entity(s->m->store, s->a, id, &entity, &found, e))
            return false;
        if (!found || !entity.merged_into)
            break;
        id = entity.merged_into;
    }
    node at = snapshot_find(&s->m->snap, id);
    if (at == NO_NODE || s->m->snap.meta[at].state != STATE_CURRENT)
        return true;
    for (size_t i = 0; i < *s->count; i++)
        if (s->out[i].id == id) {
            if (confidence > s->out[i].confidence)
                s->out[i].confidence = confidence;
            return true;
        }
    if (*s->count == MAX_RESOLVED || !store_get_node(s->m->store, s->a, id, &row, &found, e) ||
        !found)
        return e->code == ERR_NONE;
    s->out[(*s->count)++] = (struct resolved){.at = at,
                                              .id = id,
                                              .name = row.name,
                                              .type = entity.type,
                                              .confidence = confidence,
                                              .from = from,
                                              .to = to};
    return true;
}

static bool add(struct state *s, int64_t id, float confidence, struct err *e)
{
    return add_named(s, id, confidence, 0, 0, e);
}

/* ---- exact names ---- */

static bool is_known_run(struct state *s, str query, size_t from, size_t to, size_t words,
                         bool identifier, struct err *e)
{
    int64_t id;
    str run = str_cut(query, from, to);
    str normal = text_normal_name(s->a, run);
    if (!normal.len || (words == 1 && (text_is_stop(normal) || text_is_generic(normal))))
        return true;
    if (!store_find_alias(s->m->store, normal, &id, e))
        return false;
    return !id || add_named(s, id, words > 1 || identifier ? EXACT : EXACT_WORD, from, to, e);
}

static bool add_exact(struct state *s, str query, struct err *e)
{
    size_t token_count, looked_up = 0;
    struct token *tokens = text_token_list(s->a, query, MAX_LOOKED_UP, &token_count);
    for (size_t i = 0; i < token_count; i++) {
        if (tokens[i].colocated)
            continue;
        size_t words = 0;
        for (size_t j = i; j < token_count && words < MAX_RUN_WORDS; j++) {
            if (tokens[j].colocated)
                continue;
            words++;
            if (looked_up++ >= MAX_LOOKED_UP)
                return true;
            if (!is_known_run(s, query, tokens[i].from, tokens[j].to, words, tokens[i].identifier,
                              e))
                return false;
        }
    }
    return true;
}

/* ---- names that share words ---- */

struct partial {
    node at;
    float idf; /* of the shared terms */
    int terms;
};

static int by_idf(const void *x, const void *y)
{
    const struct partial *a = x, *b = y;
    return a->idf != b->idf ? (a->idf < b->idf) - (a->idf > b->idf)
                            : (a->at > b->at) - (a->at < b->at);
}

/* Entities in the postings of the query's terms, the rarest overlaps first. */
static struct partial *gather_partial(struct state *s, size_t *count)
{
    struct map at = {0};
    struct partial *list = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t t = 0; t < s->l->term_count; t++) {
        const struct term *term = &s->l->terms[t];
        for (size_t h = 0; h < term->hit_count; h++) {
            node n = term->hits[h].at;
            if (s->m->snap.meta[n].kind != NODE_ENTITY || !term->hits[h].in_text)
                continue;
            bool is_new;
            str key = arena_printf(s->a, "%u", n);
            int64_t *slot = map_put(&at, key, (int64_t)*count, &is_new);
            if (is_new) {
                ARENA_GROW(s->a, list, *count, capacity);
                list[(*count)++] = (struct partial){.at = n};
            }
            list[*slot].idf += term->idf * term->weight;
            list[*slot].terms++;
        }
    }
    map_free(&at);
    if (*count)
        qsort(list, *count, sizeof *list, by_idf);
    if (*count > MAX_PARTIAL)
        *count = MAX_PARTIAL;
    return list;
}

/* Sums a name's words that the query has against all of them; a word that no text holds weighs like
 * the rarest. */
static void overlap(struct state *s, str name, double *shared, double *all, int *shared_words)
{
    size_t count;
    struct token *tokens = text_token_list(s->a, name, MAX_NAME_TOKENS, &count);
    double fallback = bm25_idf(s->m->snap.bodies, 1);
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].colocated || tokens[i].stop)
            continue;
        double idf = fallback;
        bool hit = false;
        for (size_t t = 0; t < s->l->term_count && !hit; t++)
            if (term_is(&s->l->terms[t], str_from(tokens[i].text, tokens[i].len))) {
                hit = true;
                idf = s->l->terms[t].idf;
            }
        *all += idf;
        *shared += hit ? idf : 0;
        *shared_words += hit;
    }
}

/* Two words of a name that cover two fifths of it say as much as one that covers three. */
static float partial_confidence(double shared, double all, int words)
{
    double share = all > 0 ? shared / all : 0;
    double confidence = words >= 2 ? 0.5 + 0.45 * share : 0.95 * share;
    return (float)(words >= 2 && share < 0.25 ? share : confidence);
}

static bool add_partial(struct state *s, struct err *e)
{
    size_t count, alias_count;
    struct partial *list = gather_partial(s, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t id = s->m->snap.ids[list[i].at];
        struct alias_row *aliases;
        struct entity_row entity;
        bool found;
        float best = 0;
        if (!store_aliases(s->m->store, s->a, id, &aliases, &alias_count, e) ||
            !store_get_entity(s->m->store, s->a, id, &entity, &found, e))
            return false;
        for (size_t k = 0; k < alias_count; k++) {
            double shared = 0, all = 0, type_shared = 0, type_all = 0;
            int words = 0, type_words = 0;
            overlap(s, aliases[k].name, &shared, &all, &words);
            if (found && entity.typed)
                overlap(s, entity.type, &type_shared, &type_all, &type_words);
            if (words && type_words) {
                shared += type_shared;
                all += type_shared;
                words += type_words;
            }
            float confidence = partial_confidence(shared, all, words);
            best = confidence > best ? confidence : best;
        }
        if (best >= ENOUGH && !add(s, id, best, e))
            return false;
    }
    return true;
}

/* ---- types ---- */

/* Entities whose type the term stands in, at most one more than are of use. */
static size_t of_type(const struct state *s, const struct term *t, node *out)
{
    size_t count = 0;
    for (size_t h = 0; h < t->hit_count && count <= MAX_OF_TYPE; h++)
        if (t->hits[h].in_name && s->m->snap.meta[t->hits[h].at].kind == NODE_ENTITY)
            out[count++] = t->hits[h].at;
    return count;
}

static bool add_of_type(struct state *s, node at, float confidence, struct err *e)
{
    double shared = 0, all = 0;
    int words = 0;
    struct entity_row entity;
    bool found;
    int64_t id = s->m->snap.ids[at];
    if (!store_get_entity(s->m->store, s->a, id, &entity, &found, e))
        return false;
    if (found)
        overlap(s, entity.type, &shared, &all, &words);
    bool is_named = words > 0 && shared >= all * 0.999; /* each word of the type */
    return !is_named || add(s, id, confidence, e);
}

static bool add_types(struct state *s, struct err *e)
{
    const float only_one = 0.2f; /* more than ENOUGH, shared by those of the type */
    for (size_t t = 0; t < s->l->term_count; t++) {
        node at[MAX_OF_TYPE + 1];
        size_t count = s->l->terms[t].aside ? 0 : of_type(s, &s->l->terms[t], at);
        for (size_t i = 0; count <= MAX_OF_TYPE && i < count; i++)
            if (!add_of_type(s, at[i], ENOUGH + only_one / (float)count, e))
                return false;
    }
    return true;
}

/* ---- the whole ---- */

static int by_confidence(const void *x, const void *y)
{
    const struct resolved *a = x, *b = y;
    return a->confidence != b->confidence
               ? (a->confidence < b->confidence) - (a->confidence > b->confidence)
               : (a->id > b->id) - (a->id < b->id);
}

bool resolve_names(struct memory *m, struct arena *a, str query, struct resolved *out,
                   size_t *count, struct err *e)
{
    struct state s = {m, a, NULL, out, count};
    *count = 0;
    return add_exact(&s, query, e);
}

bool resolve_more(struct memory *m, struct arena *a, const struct lexical *l, struct resolved *out,
                  size_t *count, struct err *e)
{
    struct state s = {m, a, l, out, count};
    bool named = *count > 0;
    if (!add_partial(&s, e) || (!named && !add_types(&s, e)))
        return false;
    if (*count)
        qsort(out, *count, sizeof *out, by_confidence);
    return true;
}

static int ascending(const void *x, const void *y)
{
    node a = *(const node *)x, b = *(const node *)y;
    return (a > b) - (a < b);
}

bool resolve_mentions(struct memory *m, struct arena *a, const struct resolved *resolved,
                      size_t count, struct lexical_name *out, size_t *out_count, struct err *e)
{
    const struct graph *g = &m->snap.graph;
    const struct half_edge *edge;
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct resolved *r = &resolved[i];
        struct alias_row *aliases;
        size_t alias_count, found = 0;
        if (r->from == r->to || m->snap.meta[r->at].degree > MAX_MENTIONS)
            continue;
        if (!store_aliases(m->store, a, r->id, &aliases, &alias_count, e))
            return false;
        if (alias_count < 2)
            continue;
        node *at = ARENA_ARRAY(a, node, g->edges[r->at] + 1);
        for (struct row_walk w = graph_row(g, r->at); (edge = row_next(g, &w));)
            if (edge->kind == EDGE_MENTIONS && edge->reverse && edge->weight > 0 &&
                m->snap.meta[edge->to].kind != NODE_ENTITY)
                at[found++] = edge->to;
        if (found)
            qsort(at, found, sizeof *at, ascending);
        out[(*out_count)++] = (struct lexical_name){r->from, r->to, at, found};
    }
    return true;
}
