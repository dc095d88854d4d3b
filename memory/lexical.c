#include "memory/lexical.h"

#include "memory/base/unicode.h"
#include "memory/text.h"
#include "memory/variants.h"
#include "memory/words.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_QUERY_TOKENS = 256,
    MAX_UNKNOWN = 3, /* words for which something near is looked for, the first ones of a query */
};

static const float K1 = 0.9f, B = 0.4f;
static const float PART_WEIGHT = 0.5f, ASIDE_WEIGHT = 0.3f;

float bm25_idf(double n, double df)
{
    return (float)log(1 + (n - df + 0.5) / (df + 0.5));
}

float bm25_tf(double tf, double length, double mean_length)
{
    double norm = 1 - (double)B + (double)B * length / (mean_length > 0 ? mean_length : 1);
    return (float)(((double)K1 + 1) * tf / (tf + (double)K1 * norm));
}

/* ---- terms of a query ---- */

static bool has_term(const struct lexical *l, str text)
{
    for (size_t i = 0; i < l->term_count; i++)
        if (str_eq(l->terms[i].text, text))
            return true;
    return false;
}

static void add_term(struct arena *a, struct lexical *l, const struct lexical_query *query,
                     const struct token *t)
{
    str text = str_from(t->text, t->len);
    bool aside = t->from >= query->aside_from && t->to <= query->aside_to;
    if (l->term_count < MAX_QUERY_TERMS && text.len && !has_term(l, text))
        l->terms[l->term_count++] = (struct term){.text = arena_str(a, text),
                                                  .written = str_cut(query->text, t->from, t->to),
                                                  .weight = aside          ? ASIDE_WEIGHT
                                                            : t->colocated ? PART_WEIGHT
                                                                           : 1.0f,
                                                  .part = t->colocated,
                                                  .aside = aside};
}

static bool is_stop(str query, const struct token *t)
{
    char word[MAX_TOKEN_BYTES];
    size_t len = t->stop ? 0 : unicode_fold_word(str_cut(query, t->from, t->to), word, sizeof word);
    return t->stop || word_is_german_stop(str_from(word, len));
}

/* Stop words only where nothing else is asked. */
static void choose_terms(struct arena *a, const struct lexical_query *query, struct lexical *l)
{
    size_t count;
    struct token *tokens = text_token_list(a, query->text, MAX_QUERY_TOKENS, &count);
    l->stops_only = true;
    for (size_t i = 0; i < count; i++)
        l->stops_only &= tokens[i].stop = is_stop(query->text, &tokens[i]);
    l->terms = ARENA_ARRAY(a, struct term, MAX_QUERY_TERMS);
    for (size_t i = 0; i < count; i++)
        if (l->stops_only || !tokens[i].stop)
            add_term(a, l, query, &tokens[i]);
}

/* ---- postings ---- */

struct search {
    struct store *store;
    struct postings *postings;
    struct arena *a;
    const struct snapshot *snap;
    const struct lexical_query *query;
    int unknown; /* words so far that nothing holds */
};

static size_t count_bodies(const struct snapshot *snap, const struct term *term)
{
    size_t bodies = 0;
    for (size_t i = 0; i < term->hit_count; i++) {
        uint8_t kind = snap->meta[term->hits[i].at].kind;
        bodies += kind != NODE_ENTITY && kind < NODE_KIND_COUNT;
    }
    return bodies;
}

static bool read_term(struct search *s, struct term *term, struct err *e)
{
    const struct posting_list *list;
    if (!postings_find_rare(s->postings, s->store, s->snap, term->text,
                            s->query->most_hits ? s->query->most_hits : SIZE_MAX, &list, e))
        return false;
    term->unread = list->unread;
    term->hits = list->hits;
    term->hit_count = list->count;
    term->bodies = list->bodies;
    return true;
}

static uint16_t capped_sum(uint16_t a, uint16_t b)
{
    return (uint16_t)(a + b < UINT16_MAX ? a + b : UINT16_MAX);
}

/* Occurrences in nodes of either list, or of both where `together`. Both ascend, and so does the
 * result. */
static void merge(struct arena *a, struct term *into, const struct term_hit *hits, size_t count,
                  bool together)
{
    struct term_hit *out = ARENA_ARRAY(a, struct term_hit, into->hit_count + count + 1);
    size_t n = 0, i = 0, k = 0;
    while (i < into->hit_count || k < count) {
        bool left = k == count || (i < into->hit_count && into->hits[i].at <= hits[k].at);
        bool right = i == into->hit_count || (k < count && hits[k].at <= into->hits[i].at);
        struct term_hit hit = left ? into->hits[i] : hits[k];
        if (left && right) {
            hit.in_name = capped_sum(hit.in_name, hits[k].in_name);
            hit.in_text = capped_sum(hit.in_text, hits[k].in_text);
            hit.first = hit.first < hits[k].first ? hit.first : hits[k].first;
        }
        if (!together || (left && right))
            out[n++] = hit;
        i += left;
        k += right;
    }
    into->hits = out;
    into->hit_count = n;
}

static bool read_variants(struct search *s, struct term *term, const struct variants *v,
                          struct err *e)
{
    str *others = ARENA_ARRAY(s->a, str, v->count + 1);
    memcpy(others, v->texts, v->count * sizeof *others);
    term->others = others;
    term->other_count = v->count;
    for (size_t i = 0; i < v->count; i++) {
        struct term other = {.text = v->texts[i]};
        if (!read_term(s, &other, e))
            return false;
        term->unread |= other.unread;
        bool first_of_parts = v->together && i == 0;
        merge(s->a, term, other.hits, other.hit_count, v->together && !first_of_parts);
    }
    term->bodies = count_bodies(s->snap, term);
    return true;
}

/* The nodes that speak by another name of what the term's place in the query names. */
static void read_names(struct search *s, struct term *term)
{
    size_t at = (size_t)(term->written.at - s->query->text.at);
    for (size_t i = 0; i < s->query->name_count; i++) {
        const struct lexical_name *name = &s->query->names[i];
        if (at < name->from || at >= name->to)
            continue;
        struct term_hit *hits = ARENA_ARRAY(s->a, struct term_hit, name->count + 1);
        size_t count = 0;
        for (size_t k = 0; k < name->count; k++) {
            node n = name->at[k];
            bool is_new = !count || hits[count - 1].at != n;
            if (is_new && !term_find(term, n))
                hits[count++] = (struct term_hit){.at = n, .in_text = 1, .first = BY_OTHER_NAME};
        }
        if (!count)
            continue;
        merge(s->a, term, hits, count, false);
        term->bodies = count_bodies(s->snap, term);
    }
}

/* The term as it stands, in its other forms, and where nothing holds it as what it may stand for.
 */
static bool find_term(struct search *s, struct term *term, struct err *e)
{
    struct variant_source source = {s->store, s->postings, s->snap};
    struct variants v;
    if (!read_term(s, term, e))
        return false;
    if (term->unread)
        return true;
    if (variants_is_hash(term->text))
        return variants_of_hash(&source, s->a, term->text, &v, e) && read_variants(s, term, &v, e);
    variants_of_form(term->text, &v);
    if (v.count && !read_variants(s, term, &v, e))
        return false;
    read_names(s, term);
    if (term->hit_count || term->part || term->aside || s->unknown++ >= MAX_UNKNOWN)
        return true;
    if (!variants_of_unknown(&source, s->a, term->written, term->text, &v, e))
        return false;
    if (v.guessed)
        term->text = v.texts[0];
    term->guessed = v.guessed;
    term->weight *= v.weight;
    return read_variants(s, term, &v, e);
}

/* ---- scores ---- */

static void score_hit(const struct snapshot *snap, const struct term *term,
                      const struct term_hit *hit, double mean, struct lexical *l)
{
    const struct node_meta *m = &snap->meta[hit->at];
    if (m->kind == NODE_ENTITY || m->kind >= NODE_KIND_COUNT)
        return;
    if (l->score[hit->at] == 0)
        l->touched[l->touched_count++] = hit->at;
    float unit = term->weight * term->idf;
    l->score[hit->at] += unit * bm25_tf(hit->in_name + hit->in_text, m->words, mean);
    if (hit->in_text)
        l->text_score[hit->at] += unit * bm25_tf(hit->in_text, m->words, mean);
    if (!term->part && !term->aside)
        l->covered[hit->at] += unit;
}

/* The newest hits alone where there are very many. */
static size_t first_scored(const struct term *term)
{
    return term->hit_count > MAX_SCORED_HITS ? term->hit_count - MAX_SCORED_HITS : 0;
}

static void score_old_hit(const struct snapshot *snap, const struct term *term, node n, double mean,
                          struct lexical *l)
{
    const struct term_hit *hit = n == NO_NODE ? NULL : term_find(term, n);
    if (hit && (size_t)(hit - term->hits) < first_scored(term))
        score_hit(snap, term, hit, mean, l);
}

/* The frequent terms' older hits in the best of what is touched so far and in its neighbours. */
static void score_old_hits(struct arena *a, const struct snapshot *snap, double mean,
                           struct lexical *l)
{
    enum { MOST_LOOKED_UP = 1000, REACH = 3 };
    bool any = false;
    for (size_t i = 0; i < l->term_count; i++)
        any |= first_scored(&l->terms[i]) > 0;
    if (!any)
        return;
    struct scored *best = ARENA_ARRAY(a, struct scored, l->touched_count + 1);
    uint8_t *seen = ARENA_ARRAY(a, uint8_t, snap->graph.count + 1);
    for (size_t i = 0; i < l->touched_count; i++)
        best[i] = (struct scored){l->touched[i], l->score[l->touched[i]]};
    size_t count = best_first(best, l->touched_count, MOST_LOOKED_UP);
    for (size_t i = 0; i < count; i++) {
        node around[2 * REACH + 1] = {best[i].at};
        for (int step = 0; step < REACH; step++) {
            node b = step ? around[2 * step - 1] : best[i].at;
            node f = step ? around[2 * step] : best[i].at;
            around[2 * step + 1] = b == NO_NODE ? NO_NODE : snap->meta[b].before;
            around[2 * step + 2] = f == NO_NODE ? NO_NODE : snap->meta[f].after;
        }
        for (int k = 0; k < 2 * REACH + 1; k++) {
            if (around[k] == NO_NODE || seen[around[k]]++)
                continue;
            for (size_t t = 0; t < l->term_count; t++)
                if (first_scored(&l->terms[t]))
                    score_old_hit(snap, &l->terms[t], around[k], mean, l);
        }
    }
}

/* "What about it?" asks for nothing, but "to be or not to be" for the text that says so. */
static void keep_whole_phrases(struct lexical *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->touched_count; i++) {
        node n = l->touched[i];
        if (l->covered[n] >= 0.999f * l->idf_sum)
            l->touched[kept++] = n;
        else
            l->score[n] = l->text_score[n] = l->covered[n] = 0;
    }
    l->touched_count = kept;
}

static int by_hits(const void *x, const void *y)
{
    const struct term *a = x, *b = y;
    return a->unread != b->unread ? (a->unread > b->unread) - (a->unread < b->unread)
                                  : (a->hit_count > b->hit_count) - (a->hit_count < b->hit_count);
}

/* Keeps the rarest terms, in no order of the query any more. */
static void keep_rarest(struct lexical *l, size_t most_hits)
{
    size_t kept = 0, hits = 0;
    if (!l->term_count)
        return;
    qsort(l->terms, l->term_count, sizeof *l->terms, by_hits);
    while (kept < l->term_count && !l->terms[kept].unread &&
           ((hits += l->terms[kept].hit_count) <= most_hits || kept < MIN_RARE_TERMS))
        kept++;
    l->term_count = kept;
}

static void rank_touched(struct arena *a, struct lexical *l)
{
    l->ranked = ARENA_ARRAY(a, struct scored, l->touched_count + 1);
    for (size_t i = 0; i < l->touched_count; i++)
        l->ranked[i] = (struct scored){l->touched[i], l->score[l->touched[i]]};
    l->ranked_count = best_of(l->ranked, l->touched_count, MAX_RANKED);
    best_first(l->ranked, l->ranked_count, MAX_SORTED);
    l->best = l->ranked_count ? l->ranked[0].score : 0;
}

bool lexical_search(struct store *s, struct postings *p, struct arena *a,
                    const struct snapshot *snap, const struct lexical_query *query,
                    struct lexical *out, struct err *e)
{
    struct search search = {s, p, a, snap, query, 0};
    *out = (struct lexical){0};
    choose_terms(a, query, out);
    size_t hits = 0;
    if (!postings_sync(p, s, snap, e))
        return false;
    for (size_t i = 0; i < out->term_count; i++) {
        struct term *term = &out->terms[i];
        if (!find_term(&search, term, e))
            return false;
        hits += term->hit_count;
    }
    if (query->most_hits)
        keep_rarest(out, query->most_hits);
    size_t nodes = snap->graph.count;
    double mean = snap->bodies ? (double)snap->words / snap->bodies : 1;
    out->score = ARENA_ARRAY(a, float, nodes + 1);
    out->text_score = ARENA_ARRAY(a, float, nodes + 1);
    out->covered = ARENA_ARRAY(a, float, nodes + 1);
    out->touched = ARENA_ARRAY(a, node, (hits < nodes ? hits : nodes) + 1);
    for (size_t i = 0; i < out->term_count; i++) {
        struct term *term = &out->terms[i];
        term->idf = bm25_idf(snap->bodies, (double)term->bodies);
        /* A part counts for coverage only through its whole. */
        if (!term->part && !term->aside)
            out->idf_sum += term->idf * (term->guessed ? 1 : term->weight);
        for (size_t h = first_scored(term); h < term->hit_count; h++)
            score_hit(snap, term, &term->hits[h], mean, out);
    }
    score_old_hits(a, snap, mean, out);
    if (out->stops_only)
        keep_whole_phrases(out);
    rank_touched(a, out);
    return true;
}

const struct scored *lexical_best(const struct lexical *l, size_t most, size_t *count)
{
    *count = most < l->ranked_count ? most : l->ranked_count;
    return l->ranked;
}

bool term_is(const struct term *t, str text)
{
    bool same = str_eq(t->text, text);
    for (size_t i = 0; i < t->other_count && !same; i++)
        same = str_eq(t->others[i], text);
    return same;
}

const struct term_hit *term_find(const struct term *t, node n)
{
    size_t low = 0, high = t->hit_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (t->hits[mid].at < n)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->hit_count && t->hits[low].at == n ? &t->hits[low] : NULL;
}
