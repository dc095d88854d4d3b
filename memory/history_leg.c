#include "memory/history_leg.h"

#include "memory/store_history.h"
#include "memory/term_cache.h"

#include <math.h>
#include <stdlib.h>

enum { IN_SUBJECT, IN_BODY, IN_PATHS }; /* columns of the index */
enum { NEAREST = 8, VOTERS = 50 };
static const double HALF_LIFE_DAYS = 180, DAY_MS = 86400000.0;

struct history_leg {
    int64_t revision, worktree;
    size_t files; /* of the code leg, when the touches were read */
    struct history_commit *commits;
    size_t count, capacity;
    int64_t newest_ms;
    uint32_t *touches;
    size_t touch_count, touch_capacity;
    size_t at; /* of the commit whose touches come now */
    const struct code_leg *code;
    double words; /* of all commits */
    float *recency, *churn;
    uint32_t *subject_words; /* per file: of all its commits */
    double subject_total;
    struct term_cache *terms;
};

struct history_leg *history_leg_new(void)
{
    struct history_leg *h = heap_alloc(1, sizeof *h);
    h->terms = term_cache_new();
    h->revision = -1;
    return h;
}

void history_leg_free(struct history_leg *h)
{
    if (!h)
        return;
    term_cache_free(h->terms);
    heap_free(h->commits);
    heap_free(h->touches);
    heap_free(h->recency);
    heap_free(h->churn);
    heap_free(h->subject_words);
    heap_free(h);
}

const struct history_commit *history_leg_commits(const struct history_leg *h, size_t *count)
{
    *count = h->count;
    return h->commits;
}

const uint32_t *history_leg_touches(const struct history_leg *h)
{
    return h->touches;
}

bool history_leg_holds(const struct history_leg *h, str term, uint32_t commit)
{
    return term_cache_hit(h->terms, term, commit) != NULL;
}

struct history_counts history_leg_counts(const struct history_leg *h, str term, uint32_t commit)
{
    const struct cached_hit *hit = term_cache_hit(h->terms, term, commit);
    return hit ? (struct history_counts){hit->in[IN_SUBJECT], hit->in[IN_BODY], hit->in[IN_PATHS]}
               : (struct history_counts){0};
}

/* ---- loading ---- */

static bool add_commit(void *ctx, const struct commit_link *c, struct err *e)
{
    (void)e;
    struct history_leg *h = ctx;
    HEAP_GROW(h->commits, h->count, h->capacity);
    h->commits[h->count++] =
        (struct history_commit){.id = c->id,
                                .at_ms = c->at_ms,
                                .words = c->words,
                                .changes = c->changes,
                                .is_merge = c->is_merge,
                                .current = c->reachable && c->state == STATE_CURRENT};
    h->words += c->words;
    return true;
}

static bool add_touch(void *ctx, int64_t commit, int64_t file)
{
    struct history_leg *h = ctx;
    while (h->at < h->count && h->commits[h->at].id < commit)
        h->at++;
    if (h->at == h->count || h->commits[h->at].id != commit)
        return true;
    uint32_t f = code_leg_file_of(h->code, file);
    if (f == NO_CODE_FILE)
        return true;
    struct history_commit *c = &h->commits[h->at];
    if (!c->touch_count++)
        c->first_touch = (uint32_t)h->touch_count;
    HEAP_GROW(h->touches, h->touch_count, h->touch_capacity);
    h->touches[h->touch_count++] = f;
    return true;
}

/* What doesn't depend on the query. */
static void summarise(struct history_leg *h)
{
    int64_t *last = heap_alloc(h->files + 1, sizeof *last);
    h->recency = heap_resize(h->recency, h->files + 1, sizeof *h->recency);
    h->churn = heap_resize(h->churn, h->files + 1, sizeof *h->churn);
    h->subject_words = heap_resize(h->subject_words, h->files + 1, sizeof *h->subject_words);
    memset(h->churn, 0, h->files * sizeof *h->churn);
    memset(h->subject_words, 0, h->files * sizeof *h->subject_words);
    h->newest_ms = INT64_MIN;
    for (size_t f = 0; f < h->files; f++)
        last[f] = INT64_MIN;
    for (size_t i = 0; i < h->count; i++) {
        const struct history_commit *c = &h->commits[i];
        h->newest_ms = c->at_ms > h->newest_ms ? c->at_ms : h->newest_ms;
        for (uint32_t k = 0; k < c->touch_count; k++) {
            uint32_t f = h->touches[c->first_touch + k];
            h->churn[f]++;
            h->subject_words[f] += c->words;
            last[f] = c->at_ms > last[f] ? c->at_ms : last[f];
        }
    }
    h->subject_total = 0;
    for (size_t f = 0; f < h->files; f++) {
        double days = last[f] == INT64_MIN ? 1e9 : (double)(h->newest_ms - last[f]) / DAY_MS;
        h->recency[f] = (float)exp2(-days / HALF_LIFE_DAYS);
        h->churn[f] = logf(1 + h->churn[f]);
        h->subject_total += h->subject_words[f];
    }
    heap_free(last);
}

static bool load(struct history_leg *h, struct store *s, const struct code_leg *code, struct err *e)
{
    h->count = h->touch_count = h->at = 0;
    h->words = 0;
    h->code = code;
    code_leg_files(code, &h->files);
    term_cache_drop(h->terms);
    bool ok = store_each_commit(s, add_commit, h, e) && store_each_touch(s, add_touch, h, e);
    summarise(h);
    return ok;
}

bool history_leg_sync(struct history_leg *h, struct store *s, const struct code_leg *code,
                      bool *any, struct err *e)
{
    int64_t revision;
    *any = false;
    if (!store_history_revision(s, &revision, e))
        return false;
    revision = revision * 1000003 + code_leg_revision(code);
    term_cache_bound(h->terms);
    if (h->revision != revision || h->worktree != code_leg_worktree(code)) {
        if (!load(h, s, code, e))
            return false;
        h->revision = revision;
        h->worktree = code_leg_worktree(code);
    }
    *any = h->count > 0;
    return true;
}

/* ---- one query ---- */

struct scoring {
    struct arena *a;
    const struct history_leg *h;
    struct history_hits *out;
    float *tf;         /* per file: of the term at hand, over its commits' subjects */
    uint32_t *holding; /* files with any */
    double mean_commit, mean_subjects, file_count;
};

static void score_commit(struct scoring *g, const struct code_term *t, const struct cached_hit *hit,
                         float idf)
{
    struct history_hits *out = g->out;
    float tf = 1.5f * hit->in[IN_SUBJECT] + hit->in[IN_BODY] + 0.5f * hit->in[IN_PATHS];
    if (out->commit[hit->doc] == 0)
        out->touched[out->touched_count++] = hit->doc;
    out->commit[hit->doc] +=
        t->weight * idf * bm25_tf(tf, g->h->commits[hit->doc].words, g->mean_commit);
    if (!t->part)
        out->covered[hit->doc] += idf;
}

/* All subjects of a file's commits as one text. */
static void score_subjects(struct scoring *g, const struct code_term *t,
                           const struct cached_hits *list)
{
    const struct history_leg *h = g->h;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct history_commit *c = &h->commits[list->at[i].doc];
        for (uint32_t k = 0; list->at[i].in[IN_SUBJECT] && k < c->touch_count; k++) {
            uint32_t f = h->touches[c->first_touch + k];
            if (g->tf[f] == 0)
                g->holding[count++] = f;
            g->tf[f] += list->at[i].in[IN_SUBJECT];
        }
    }
    float idf = bm25_idf(g->file_count, (double)count);
    for (size_t i = 0; i < count; i++) {
        uint32_t f = g->holding[i];
        g->out->subjects[f] +=
            t->weight * idf * bm25_tf(g->tf[f], h->subject_words[f], g->mean_subjects);
        g->tf[f] = 0;
    }
}

static void vote(const struct history_leg *h, struct history_hits *out, const struct scored *best,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct history_commit *c = &h->commits[best[i].at];
        float share = out->best > 0 ? best[i].score / out->best : 0;
        float each = share * share / sqrtf((float)(c->touch_count ? c->touch_count : 1));
        double days = (double)(h->newest_ms - c->at_ms) / DAY_MS;
        float aged = each * (float)(0.3 + 0.7 * exp2(-days / (4 * HALF_LIFE_DAYS)));
        for (uint32_t k = 0; k < c->touch_count; k++) {
            uint32_t f = h->touches[c->first_touch + k];
            if (i < NEAREST)
                out->near[f] += each;
            out->votes[f] += aged;
        }
    }
}

bool history_leg_search(struct history_leg *h, struct store *s, struct arena *a,
                        const struct code_hits *words, struct history_hits *out, struct err *e)
{
    *out = (struct history_hits){.commit = ARENA_ARRAY(a, float, h->count + 1),
                                 .covered = ARENA_ARRAY(a, float, h->count + 1),
                                 .touched = ARENA_ARRAY(a, uint32_t, h->count + 1),
                                 .subjects = ARENA_ARRAY(a, float, h->files + 1),
                                 .near = ARENA_ARRAY(a, float, h->files + 1),
                                 .votes = ARENA_ARRAY(a, float, h->files + 1),
                                 .recency = h->recency,
                                 .churn = h->churn};
    struct scoring g = {.a = a,
                        .h = h,
                        .out = out,
                        .tf = ARENA_ARRAY(a, float, h->files + 1),
                        .holding = ARENA_ARRAY(a, uint32_t, h->files + 1),
                        .mean_commit = h->count ? h->words / (double)h->count : 1,
                        .mean_subjects = h->files ? h->subject_total / (double)h->files : 1,
                        .file_count = (double)h->files};
    out->mean_words = (float)g.mean_commit;
    for (size_t i = 0; i < words->term_count; i++) {
        const struct code_term *t = &words->terms[i];
        const struct cached_hits *list;
        if (!term_cache_find(h->terms, s, store_commit_postings, t->text, &h->commits->id,
                             sizeof *h->commits, h->count, &list, e))
            return false;
        float idf = bm25_idf((double)h->count, (double)list->count);
        out->idf[i] = idf;
        out->idf_sum += t->part ? 0 : idf;
        for (size_t k = 0; k < list->count; k++)
            score_commit(&g, t, &list->at[k], idf);
        score_subjects(&g, t, list);
    }
    struct scored *best = ARENA_ARRAY(a, struct scored, out->touched_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < out->touched_count; i++) {
        uint32_t c = out->touched[i];
        out->covered[c] = out->idf_sum > 0 ? out->covered[c] / out->idf_sum : 0;
        if (h->commits[c].touch_count)
            best[count++] = (struct scored){c, out->commit[c]};
        out->best = fmaxf(out->best, out->commit[c]);
    }
    count = best_first(best, count, VOTERS);
    vote(h, out, best, count);
    return true;
}

bool history_leg_echo(struct history_leg *h, struct store *s, struct arena *a, const str *words,
                      const float *weights, size_t count, float **out, struct err *e)
{
    double mean = h->count ? h->words / (double)h->count : 1;
    *out = ARENA_ARRAY(a, float, h->count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct cached_hits *list;
        if (!term_cache_find(h->terms, s, store_commit_postings, words[i], &h->commits->id,
                             sizeof *h->commits, h->count, &list, e))
            return false;
        float idf = bm25_idf((double)h->count, (double)list->count);
        for (size_t k = 0; k < list->count; k++) {
            const struct cached_hit *hit = &list->at[k];
            float tf = (float)hit->in[IN_SUBJECT] + (float)hit->in[IN_BODY];
            if (tf > 0)
                (*out)[hit->doc] +=
                    weights[i] * idf * bm25_tf(tf, h->commits[hit->doc].words, mean);
        }
    }
    return true;
}
