#include "memory/code_rank.h"

#include "memory/base/ascii.h"
#include "memory/base/hash.h"
#include "memory/weights_file.h"

#include <math.h>
#include <stdlib.h>

const char *const code_feature_name[CODE_FEATURE_COUNT] = {
#define X(name, text, help) text,
    CODE_FEATURES(X)
#undef X
};

/* The scale of scores, apart from the order: how much of the query one window covers, and what is
 * named outright. Set by hand. */
static const float STEEPNESS = 6.0f, MIDDLE = 0.62f;

static int feature_named(str name)
{
    int feature = 0;
    while (feature < CODE_FEATURE_COUNT && !str_eq(name, str_of(code_feature_name[feature])))
        feature++;
    return feature;
}

bool code_weights_read(str text, struct code_weights *out, bool *any, struct err *e)
{
    struct weights_file file = {.rest = text, .prefix = S(CODE_WEIGHT_PREFIX)};
    str name;
    float value;
    *out = (struct code_weights){0};
    *any = false;
    while (weights_next(&file, &name, &value, e)) {
        int feature = feature_named(name);
        if (feature == CODE_FEATURE_COUNT)
            return weights_unknown(&file, name, e);
        out->weight[feature] = value;
        *any = true;
    }
    return e->code == ERR_NONE;
}

/* ---- what the query speaks of ---- */

struct asked {
    bool tests, texts, releases;
};

static bool has_stem(const struct code_hits *h, const char *const *stems, size_t count)
{
    for (size_t i = 0; i < h->term_count; i++)
        for (size_t k = 0; k < count; k++)
            if (str_eq(h->terms[i].text, str_of(stems[k])))
                return true;
    return false;
}

static struct asked asked_of(const struct code_hits *h)
{
    static const char *const tests[] = {"test", "spec", "coverag", "flaki", "ci"};
    static const char *const texts[] = {"doc", "docs", "document", "readm", "typo", "comment"};
    static const char *const releases[] = {"releas", "version", "bump",  "changelog",
                                           "deprec", "histori", "prepar"};
    return (struct asked){has_stem(h, tests, sizeof tests / sizeof *tests),
                          has_stem(h, texts, sizeof texts / sizeof *texts),
                          has_stem(h, releases, sizeof releases / sizeof *releases)};
}

/* ---- names of files ---- */

/* Stands `name` in the text, not as a part of a longer word? */
static bool stands_in(str text, str name)
{
    for (size_t at = str_find(text, name, 0); name.len && at < text.len;
         at = str_find(text, name, at + 1)) {
        bool starts = at == 0 || !ascii_is_word(text.at[at - 1]);
        bool ends = at + name.len == text.len || !ascii_is_word(text.at[at + name.len]);
        if (starts && ends)
            return true;
    }
    return false;
}

/* ---- the greatest of each kind, by which features are divided ---- */

struct best {
    float window, subject, whole, whole_subject, path, name, mass, subjects, near, votes;
};

static struct best greatest_of(const struct code_rank_input *in)
{
    struct best b = {0};
    const struct code_hits *h = in->hits;
    for (size_t i = 0; i < h->touched_count; i++) {
        uint32_t f = h->touched[i];
        b.window = fmaxf(b.window, h->best[f]);
        b.subject = fmaxf(b.subject, h->best_subject[f]);
        b.whole = fmaxf(b.whole, h->whole[f]);
        b.whole_subject = fmaxf(b.whole_subject, h->whole_subject[f]);
        b.path = fmaxf(b.path, h->path[f]);
        b.name = fmaxf(b.name, h->name[f]);
    }
    size_t files;
    code_leg_files(in->leg, &files);
    for (size_t i = 0; in->mass && i < files; i++)
        b.mass = fmaxf(b.mass, in->mass[i]);
    for (size_t i = 0; in->history && i < files; i++) {
        b.subjects = fmaxf(b.subjects, in->history->subjects[i]);
        b.near = fmaxf(b.near, in->history->near[i]);
        b.votes = fmaxf(b.votes, in->history->votes[i]);
    }
    return b;
}

static float share(float part, float whole)
{
    return whole > 0 && part > 0 ? fminf(part / whole, 1) : 0;
}

/* ---- scores of what stands beside a file ---- */

struct beside {
    struct map pairs, folders; /* name -> index of the two best */
    struct two {
        float first, second;
        uint32_t first_file;
    } * best;
    size_t count, capacity;
};

static void note(struct arena *a, struct beside *b, struct map *map, str key, uint32_t file,
                 float score)
{
    bool is_new;
    int64_t *index = map_put(map, key, (int64_t)b->count, &is_new);
    if (is_new) {
        ARENA_GROW(a, b->best, b->count, b->capacity);
        b->best[b->count++] = (struct two){0};
    }
    struct two *t = &b->best[*index];
    if (score > t->first) {
        t->second = t->first;
        t->first = score;
        t->first_file = file;
    } else if (score > t->second)
        t->second = score;
}

static float best_other(const struct beside *b, const struct map *map, str key, uint32_t file)
{
    int64_t *index = map_find(map, key);
    if (!index)
        return 0;
    const struct two *t = &b->best[*index];
    return t->first_file == file ? t->second : t->first;
}

static void look_beside(struct arena *a, const struct code_rank_input *in, struct beside *b)
{
    size_t count;
    const struct code_file *files = code_leg_files(in->leg, &count);
    for (size_t i = 0; i < in->hits->touched_count; i++) {
        uint32_t f = in->hits->touched[i];
        note(a, b, &b->pairs, files[f].names.pair, f, in->hits->best[f]);
        note(a, b, &b->folders, files[f].names.folder, f, in->hits->best[f]);
    }
}

/* ---- features ---- */

static void fill_history(const struct code_rank_input *in, const struct best *b,
                         struct code_candidate *c)
{
    const struct history_hits *history = in->history;
    float *x = c->feature;
    uint32_t f = c->file;
    x[CODE_SUBJECTS] = share(history->subjects[f], b->subjects);
    x[CODE_NEAR] = share(history->near[f], b->near);
    x[CODE_VOTES] = share(history->votes[f], b->votes);
    x[CODE_RECENCY] = history->recency[f];
    x[CODE_CHURN] = history->churn[f] / 6;
    x[CODE_TOGETHER] = in->together ? in->together[f] : 0;
    x[CODE_BEST_HISTORY] = x[CODE_BEST] * x[CODE_SUBJECTS];
}

static void fill(const struct code_rank_input *in, const struct best *b,
                 const struct beside *beside, const struct asked *asked, struct code_candidate *c)
{
    size_t count;
    const struct code_file *file = &code_leg_files(in->leg, &count)[c->file];
    const struct code_hits *h = in->hits;
    float *x = c->feature;
    uint32_t f = c->file;
    bool test = file->kinds & PATH_TEST, text = file->kinds & PATH_TEXT;
    bool is_of_release = file->kinds & (PATH_CHANGE_LOG | PATH_PACKAGE);
    x[CODE_BEST] = share(h->best[f], b->window);
    x[CODE_BEST_RAW] = fminf(fmaxf(h->best[f], 0) / 40, 2);
    x[CODE_BEST_SUBJECT] = share(h->best_subject[f], b->subject);
    x[CODE_WHOLE] = share(h->whole[f], b->whole);
    x[CODE_WHOLE_SUBJECT] = share(h->whole_subject[f], b->whole_subject);
    x[CODE_PATH] = share(h->path[f], b->path);
    x[CODE_FILE_NAME] = stands_in(in->query, file->names.stem);
    x[CODE_PATH_GIVEN] = stands_in(in->query, file->path) || stands_in(in->query, file->names.name);
    x[CODE_NAME] = share(h->name[f], b->name);
    x[CODE_NAMED] = in->named[f];
    x[CODE_COVERAGE] = share(h->covered[f], h->idf_sum);
    x[CODE_COVERAGE_BEST] = share(h->covered_best[f], h->idf_sum);
    x[CODE_PPR] = in->mass ? sqrtf(share(in->mass[f], b->mass)) : 0;
    x[CODE_PAIR] = share(best_other(beside, &beside->pairs, file->names.pair, f), b->window);
    x[CODE_FOLDER] = share(best_other(beside, &beside->folders, file->names.folder, f), b->window);
    x[CODE_SIZE] = logf(1 + (float)file->words) / 10;
    x[CODE_TEST] = test;
    x[CODE_TEST_ASKED] = test && asked->tests;
    x[CODE_TEXT] = text;
    x[CODE_TEXT_ASKED] = text && asked->texts;
    x[CODE_CHANGES] = (file->kinds & PATH_CHANGE_LOG) != 0;
    x[CODE_RELEASE_ASKED] = asked->releases && is_of_release;
    x[CODE_EXAMPLE] = (file->kinds & PATH_EXAMPLE) != 0;
    x[CODE_CONFIG] = (file->kinds & PATH_CONFIGURATION) != 0;
    if (in->history)
        fill_history(in, b, c);
}

static int by_sum(const void *x, const void *y)
{
    const struct code_candidate *a = x, *b = y;
    if (a->sum != b->sum)
        return a->sum < b->sum ? 1 : -1;
    return a->file < b->file ? -1 : a->file > b->file;
}

/* Half the score is how much of the question one place covers; what is named outright needs no
 * words. No score is below that of what stands further down. */
static void set_scores(struct code_candidate *c, size_t count)
{
    float running = 0;
    for (size_t i = count; i-- > 0;) {
        const float *x = c[i].feature;
        float evidence = 0.55f * x[CODE_COVERAGE_BEST] + 0.25f * x[CODE_COVERAGE] +
                         0.15f * x[CODE_BEST] + 0.1f * x[CODE_PATH] + 0.5f * x[CODE_NAMED] +
                         0.5f * x[CODE_PATH_GIVEN];
        float score = 1 / (1 + expf(-STEEPNESS * (evidence - MIDDLE)));
        running = fmaxf(running, score);
        c[i].score = running;
    }
}

struct code_candidate *code_rank(struct arena *a, const struct code_rank_input *in, size_t *count)
{
    const struct code_hits *h = in->hits;
    struct best b = greatest_of(in);
    struct beside beside = {0};
    struct asked asked = asked_of(h);
    size_t files;
    code_leg_files(in->leg, &files);
    struct scored *list = ARENA_ARRAY(a, struct scored, files + 1);
    size_t found = 0;
    for (uint32_t f = 0; f < files; f++) {
        float score = share(h->best[f], b.window) + share(h->whole[f], b.whole) +
                      share(h->whole_subject[f], b.whole_subject) + share(h->path[f], b.path) +
                      2 * in->named[f] + (in->mass ? sqrtf(share(in->mass[f], b.mass)) : 0);
        if (in->history)
            score += share(in->history->subjects[f], b.subjects) +
                     share(in->history->near[f], b.near) + share(in->history->votes[f], b.votes);
        if (score > 0)
            list[found++] = (struct scored){f, score};
    }
    *count = best_first(list, found, MAX_CODE_CANDIDATES);
    struct code_candidate *out = ARENA_ARRAY(a, struct code_candidate, *count + 1);
    look_beside(a, in, &beside);
    for (size_t i = 0; i < *count; i++) {
        out[i].file = list[i].at;
        fill(in, &b, &beside, &asked, &out[i]);
        for (int k = 0; k < CODE_FEATURE_COUNT; k++)
            out[i].sum += in->weights->weight[k] * out[i].feature[k];
    }
    map_free(&beside.pairs);
    map_free(&beside.folders);
    qsort(out, *count, sizeof *out, by_sum);
    set_scores(out, *count);
    return out;
}
