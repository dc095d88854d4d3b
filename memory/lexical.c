#include "memory/lexical.h"

#include "memory/text.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_QUERY_TOKENS = 256,
    MIN_GUESS_BYTES = 5, /* shorter words are not corrected: too many neighbours */
    MIN_TWO_EDITS_BYTES = 9,
    SHARED_PREFIX_BYTES = 2, /* a correction starts alike */
    MAX_GUESS_TERMS = 3000,
};

static const float K1 = 0.9f, B = 0.4f;
static const float PART_WEIGHT = 0.5f, GUESS_WEIGHT = 0.6f, ASIDE_WEIGHT = 0.3f;

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

/* Stop words only where nothing else is asked: "who are you?" still searches. */
static void choose_terms(struct arena *a, const struct lexical_query *query, struct lexical *l)
{
    size_t count;
    struct token *tokens = text_token_list(a, query->text, MAX_QUERY_TOKENS, &count);
    bool content = false;
    for (size_t i = 0; i < count; i++)
        content |= !tokens[i].stop;
    l->terms = ARENA_ARRAY(a, struct term, MAX_QUERY_TERMS);
    for (size_t i = 0; i < count; i++)
        if (!content || !tokens[i].stop)
            add_term(a, l, query, &tokens[i]);
}

/* ---- postings ---- */

struct search {
    struct store *store;
    struct postings *postings;
    struct arena *a;
    const struct snapshot *snap;
};

static bool read_term(struct search *s, struct term *term, struct err *e)
{
    const struct posting_list *list;
    if (!postings_find(s->postings, s->store, s->snap, term->text, &list, e))
        return false;
    term->hits = list->hits;
    term->hit_count = list->count;
    term->bodies = list->bodies;
    return true;
}

/* A word that nothing holds may be a typing error: the nearest indexed term that starts alike. */
static bool guess_term(struct search *s, struct term *term, struct err *e)
{
    if (term->hit_count || term->part || term->aside || term->text.len < MIN_GUESS_BYTES)
        return true;
    for (size_t i = 0; i < term->text.len; i++)
        if (term->text.at[i] >= '0' && term->text.at[i] <= '9')
            return true; /* a number or version next to it is another one */
    str *candidates, best = S("");
    size_t count;
    int most = term->text.len >= MIN_TWO_EDITS_BYTES ? 2 : 1, best_distance = most + 1;
    if (!store_terms(s->store, s->a, str_cut(term->text, 0, SHARED_PREFIX_BYTES), MAX_GUESS_TERMS,
                     &candidates, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t apart = candidates[i].len > term->text.len ? candidates[i].len - term->text.len
                                                          : term->text.len - candidates[i].len;
        int distance =
            apart > (size_t)most ? most + 1 : text_edit_distance(term->text, candidates[i], most);
        if (distance < best_distance) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    if (!best.len)
        return true;
    term->guessed = true;
    term->text = best;
    term->weight *= GUESS_WEIGHT;
    return read_term(s, term, e);
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

static void leave_out_frequent(struct lexical *l, size_t most_hits)
{
    size_t rare = 0, kept = 0;
    for (size_t i = 0; i < l->term_count; i++)
        rare += l->terms[i].hit_count <= most_hits;
    if (!most_hits || rare < MIN_RARE_TERMS)
        return;
    for (size_t i = 0; i < l->term_count; i++)
        if (l->terms[i].hit_count <= most_hits)
            l->terms[kept++] = l->terms[i];
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
    struct search search = {s, p, a, snap};
    *out = (struct lexical){0};
    choose_terms(a, query, out);
    size_t hits = 0;
    if (!postings_sync(p, s, snap, e))
        return false;
    for (size_t i = 0; i < out->term_count; i++) {
        struct term *term = &out->terms[i];
        if (!read_term(&search, term, e) || !guess_term(&search, term, e))
            return false;
        hits += term->hit_count;
    }
    leave_out_frequent(out, query->most_hits);
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
    rank_touched(a, out);
    return true;
}

const struct scored *lexical_best(const struct lexical *l, size_t most, size_t *count)
{
    *count = most < l->ranked_count ? most : l->ranked_count;
    return l->ranked;
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
