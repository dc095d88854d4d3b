#include "memory/commit_rank.h"

#include "memory/best.h"
#include "memory/text.h"

#include <math.h>
#include <stdlib.h>

const char *const commit_feature_name[COMMIT_FEATURE_COUNT] = {
#define X(name, text, help) text,
    COMMIT_FEATURES(X)
#undef X
};

/* Fitted on four repositories of tests/bench/why_questions.json, but for merges, copies, trivial
 * and gone ones, which are too few there: these are set by hand. Subject and files brought nothing
 * where a repository was left out. That of a passage isn't negative (fill_passages). */
static const float weights[COMMIT_FEATURE_COUNT] = {
    [COMMIT_MESSAGE] = 4.25f, [COMMIT_SUBJECT] = 0.0f,  [COMMIT_COVERAGE] = 1.15f,
    [COMMIT_PASSAGE] = 1.35f, [COMMIT_FILES] = 0.0f,    [COMMIT_WALK] = 0.95f,
    [COMMIT_ECHO] = 1.4f,     [COMMIT_MERGE] = -0.3f,   [COMMIT_REASON_ASKED] = 2.7f,
    [COMMIT_COPY] = -6.0f,    [COMMIT_TRIVIAL] = -0.5f, [COMMIT_GONE] = -1.0f,
};

/* The scale of scores, apart from the order. Set by hand. */
static const float STEEPNESS = 6.0f, MIDDLE = 0.62f;
/* Of the question's idf, what some message must cover for the history to speak of it at all; and
 * the score of the first, above the floor, of what is told where a reason is asked for. */
static const float SPOKEN_OF = 0.27f, TOLD = 0.40f, TOLD_STEP = 0.008f;

enum { WINDOW = 40, MAX_MESSAGE = 6000 /* bytes of a text that are looked at */ };

static float share(float x, float of)
{
    return of > 0 ? x / of : 0;
}

/* ---- what a message says ---- */

static bool holds_any(str text, const char *const *phrases, size_t count)
{
    for (size_t at = 0; at < text.len; at++) {
        bool starts = at == 0 || !((text.at[at - 1] | 32) >= 'a' && (text.at[at - 1] | 32) <= 'z');
        for (size_t i = 0; starts && i < count; i++) {
            size_t k = 0;
            while (phrases[i][k] && at + k < text.len &&
                   phrases[i][k] == (text.at[at + k] >= 'A' && text.at[at + k] <= 'Z'
                                         ? text.at[at + k] | 32
                                         : text.at[at + k]))
                k++;
            if (!phrases[i][k])
                return true;
        }
    }
    return false;
}
#define HOLDS_ANY(text, ...)                                                                       \
    holds_any((text), (const char *const[]){__VA_ARGS__},                                          \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

bool text_gives_reason(str text)
{
    return HOLDS_ANY(text, "because", "so that", "instead of", "to avoid", "avoids", "prevent",
                     "otherwise", "in order to", "due to", "since ", "caus", "would ",
                     "rather than", "no longer", "the problem", "the issue", "this fixes",
                     "the reason", "which mean", "therefore", "leads to", "results in", "make sure",
                     "ensure");
}

static bool is_trivial(str subject)
{
    return HOLDS_ANY(subject, "typo", "bump ", "release ", "merge branch", "merge pull request",
                     "changelog", "update readme", "version ", "prepare ");
}

static bool asks_why(str query)
{
    return HOLDS_ANY(query, "why", "reason", "how come", "what for", "rationale", "motivation");
}

/* ---- words ---- */

struct at_word {
    uint32_t word, term;
};

struct reading {
    const struct code_hits *words;
    struct at_word *found;
    uint32_t count, capacity, word;
};

static bool read_token(void *ctx, const struct token *t)
{
    struct reading *r = ctx;
    r->word += !t->colocated;
    for (uint32_t i = 0; i < r->words->term_count && r->count < r->capacity; i++)
        if (!r->words->terms[i].part &&
            str_eq(r->words->terms[i].text, str_from(t->text, t->len))) {
            r->found[r->count++] = (struct at_word){r->word, i};
            break;
        }
    return r->count < r->capacity;
}

/* The greatest sum of idf that WINDOW words, one after the other, hold. */
static float best_passage(const struct commit_rank_input *in, const struct commit_candidate *c)
{
    struct at_word found[400];
    struct reading r = {in->words, found, 0, sizeof found / sizeof *found, 0};
    text_tokens(c->subject, read_token, &r);
    text_tokens(str_cut(c->text, 0, c->text.len < MAX_MESSAGE ? c->text.len : MAX_MESSAGE),
                read_token, &r);
    uint32_t held[MAX_CODE_TERMS] = {0};
    float sum = 0, best = 0;
    for (uint32_t to = 0, from = 0; to < r.count; to++) {
        if (!held[found[to].term]++)
            sum += in->hits->idf[found[to].term];
        for (; found[from].word + WINDOW < found[to].word; from++)
            if (!--held[found[from].term])
                sum -= in->hits->idf[found[from].term];
        best = fmaxf(best, sum);
    }
    return best;
}

/* Reading messages is what ranking costs, and a passage covers no more than its whole message: so
 * the passage of what can't come up to the first `most` any more isn't looked for. */
static void fill_passages(struct arena *a, const struct commit_rank_input *in,
                          struct commit_candidate *c, size_t count)
{
    static const float CARE = 1e-4f; /* sums are rounded */
    struct scored *order = ARENA_ARRAY(a, struct scored, count + 1);
    float least = INFINITY;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct scored){(node)i, c[i].sum};
    size_t best = best_of(order, count, in->most);
    for (size_t i = 0; i < best; i++)
        least = fminf(least, order[i].score);
    for (size_t i = 0; i < count; i++) {
        float *x = c[i].feature;
        if (c[i].sum + weights[COMMIT_PASSAGE] * x[COMMIT_COVERAGE] + CARE < least)
            continue;
        x[COMMIT_PASSAGE] = share(best_passage(in, &c[i]), in->hits->idf_sum);
        c[i].sum += weights[COMMIT_PASSAGE] * x[COMMIT_PASSAGE];
    }
}

static void fill_words(const struct commit_rank_input *in, struct commit_candidate *c)
{
    size_t commits;
    const struct history_commit *commit = &history_leg_commits(in->leg, &commits)[c->commit];
    const struct history_hits *h = in->hits;
    float *x = c->feature;
    for (size_t i = 0; i < in->words->term_count; i++) {
        const struct code_term *t = &in->words->terms[i];
        struct history_counts n = history_leg_counts(in->leg, t->text, c->commit);
        float idf = t->weight * h->idf[i];
        if (n.subject + n.text)
            x[COMMIT_MESSAGE] +=
                idf * bm25_tf(n.subject + n.text, commit->words, (double)h->mean_words);
        if (n.subject)
            x[COMMIT_SUBJECT] += idf * bm25_tf(n.subject, 1, 1);
        if (!t->part && n.subject + n.text)
            x[COMMIT_COVERAGE] += share(h->idf[i], h->idf_sum);
    }
}

/* ---- files ---- */

static float best_window(const struct code_hits *h)
{
    float best = 0;
    for (size_t i = 0; i < h->touched_count; i++)
        best = fmaxf(best, h->best[h->touched[i]]);
    return best;
}

static void fill_files(const struct commit_rank_input *in, float best, struct commit_candidate *c)
{
    size_t commits;
    const struct history_commit *commit = &history_leg_commits(in->leg, &commits)[c->commit];
    const uint32_t *touches = history_leg_touches(in->leg) + commit->first_touch;
    for (uint32_t k = 0; k < commit->touch_count; k++) {
        c->feature[COMMIT_FILES] =
            fmaxf(c->feature[COMMIT_FILES], share(in->words->best[touches[k]], best));
        c->feature[COMMIT_WALK] += in->mass ? in->mass[touches[k]] : 0;
    }
    if (commit->touch_count)
        c->feature[COMMIT_WALK] = sqrtf(c->feature[COMMIT_WALK] / (float)commit->touch_count);
}

/* ---- the order ---- */

static void fill_rest(const struct commit_rank_input *in, bool why, struct commit_candidate *c)
{
    size_t commits;
    const struct history_commit *commit = &history_leg_commits(in->leg, &commits)[c->commit];
    float *x = c->feature;
    x[COMMIT_ECHO] = in->echo ? in->echo[c->commit] : 0;
    x[COMMIT_REASON_ASKED] = why && (text_gives_reason(c->text) || text_gives_reason(c->subject));
    x[COMMIT_MERGE] = commit->is_merge;
    x[COMMIT_TRIVIAL] = is_trivial(c->subject);
    x[COMMIT_GONE] = !commit->current;
}

static void find_copies(const struct commit_rank_input *in, struct commit_candidate *c,
                        size_t count)
{
    size_t commits;
    const struct history_commit *commit = history_leg_commits(in->leg, &commits);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count && c[i].feature[COMMIT_COPY] == 0; k++) {
            const struct history_commit *one = &commit[c[i].commit], *other = &commit[c[k].commit];
            bool older = other->at_ms < one->at_ms || (other->at_ms == one->at_ms && k < i);
            c[i].feature[COMMIT_COPY] =
                k != i && older && other->current && str_eq(c[i].subject, c[k].subject);
        }
}

static int by_sum(const void *x, const void *y)
{
    const struct commit_candidate *a = x, *b = y;
    if (a->sum != b->sum)
        return a->sum < b->sum ? 1 : -1;
    return a->commit < b->commit ? -1 : a->commit > b->commit;
}

/* A score is how much of the question the message covers and how it stands against the best; no
 * score is below that of what stands further down. Where no message covers much, the history
 * doesn't speak of it. Who asks why in words of their own is told the first, though they cover
 * little. */
static void set_scores(struct commit_candidate *c, size_t count, bool why)
{
    float running = 0, most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, c[i].feature[COMMIT_COVERAGE]);
    for (size_t i = count; i-- > 0;) {
        const float *x = c[i].feature;
        float evidence = 0.65f * x[COMMIT_COVERAGE] + 0.35f * x[COMMIT_MESSAGE];
        float score = 1 / (1 + expf(-STEEPNESS * (evidence - MIDDLE)));
        if (most < SPOKEN_OF || x[COMMIT_GONE] > 0)
            score /= 2;
        if (most >= SPOKEN_OF && why && i < MAX_COMMITS_TOLD)
            score = fmaxf(score, TOLD - TOLD_STEP * (float)i);
        running = fmaxf(running, score);
        c[i].score = running;
    }
}

struct commit_candidate *commit_candidates(struct arena *a, const struct commit_rank_input *in,
                                           size_t *count)
{
    const struct history_hits *h = in->hits;
    struct scored *best = ARENA_ARRAY(a, struct scored, h->touched_count + 1);
    for (size_t i = 0; i < h->touched_count; i++)
        best[i] = (struct scored){h->touched[i], h->commit[h->touched[i]]};
    *count = best_first(best, h->touched_count, MAX_COMMIT_CANDIDATES);
    struct commit_candidate *out = ARENA_ARRAY(a, struct commit_candidate, *count + 1);
    for (size_t i = 0; i < *count; i++)
        out[i] = (struct commit_candidate){.commit = best[i].at};
    return out;
}

void commit_rank(struct arena *a, const struct commit_rank_input *in, struct commit_candidate *c,
                 size_t count)
{
    static const enum commit_feature relative[] = {COMMIT_MESSAGE, COMMIT_SUBJECT, COMMIT_WALK,
                                                   COMMIT_ECHO};
    float window = best_window(in->words);
    bool why = asks_why(in->query);
    for (size_t i = 0; i < count; i++) {
        fill_words(in, &c[i]);
        fill_files(in, window, &c[i]);
        fill_rest(in, why, &c[i]);
    }
    find_copies(in, c, count);
    for (size_t r = 0; r < sizeof relative / sizeof *relative; r++) {
        float best = 0;
        for (size_t i = 0; i < count; i++)
            best = fmaxf(best, c[i].feature[relative[r]]);
        for (size_t i = 0; i < count; i++)
            c[i].feature[relative[r]] = share(c[i].feature[relative[r]], best);
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < COMMIT_FEATURE_COUNT; k++)
            c[i].sum += weights[k] * c[i].feature[k];
    fill_passages(a, in, c, count);
    qsort(c, count, sizeof *c, by_sum);
    set_scores(c, count, why);
}
