#include "memory/code_leg.h"

#include "memory/base/hash.h"
#include "memory/store_code.h"
#include "memory/term_cache.h"
#include "memory/text.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_QUERY_TOKENS = 400 };
enum { IN_NAME, IN_TEXT };      /* columns of the index */
static const float PART = 0.5f; /* weight of an identifier's part beside the whole */

struct place {
    int64_t id; /* of a file or symbol */
    uint32_t file;
};

struct code_leg {
    int64_t worktree, revision, last_chunk;
    struct arena paths;
    struct code_file *files;
    int64_t *contents; /* beside files, ascending */
    size_t file_count, file_capacity, content_capacity;
    struct map by_path;
    struct code_chunk *chunks; /* by id */
    size_t chunk_count, chunk_capacity;
    struct place *places; /* by id */
    size_t place_count, place_capacity;
    uint64_t words; /* of the windows in this worktree */
    size_t present;
    struct term_cache *terms;
};

struct code_leg *code_leg_new(void)
{
    struct code_leg *leg = heap_alloc(1, sizeof *leg);
    leg->terms = term_cache_new();
    return leg;
}

static void drop_files(struct code_leg *leg)
{
    leg->file_count = 0;
    map_free(&leg->by_path);
    arena_free(&leg->paths);
}

void code_leg_free(struct code_leg *leg)
{
    if (!leg)
        return;
    term_cache_free(leg->terms);
    drop_files(leg);
    heap_free(leg->files);
    heap_free(leg->contents);
    heap_free(leg->chunks);
    heap_free(leg->places);
    heap_free(leg);
}

const struct code_file *code_leg_files(const struct code_leg *leg, size_t *count)
{
    *count = leg->file_count;
    return leg->files;
}

const struct code_chunk *code_leg_chunks(const struct code_leg *leg, size_t *count)
{
    *count = leg->chunk_count;
    return leg->chunks;
}

int64_t code_leg_worktree(const struct code_leg *leg)
{
    return leg->worktree;
}

int64_t code_leg_revision(const struct code_leg *leg)
{
    return leg->revision;
}

uint32_t code_leg_file_of(const struct code_leg *leg, int64_t node_id)
{
    size_t low = 0, high = leg->place_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (leg->places[mid].id < node_id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < leg->place_count && leg->places[low].id == node_id ? leg->places[low].file
                                                                    : NO_CODE_FILE;
}

uint32_t code_leg_find(const struct code_leg *leg, str path)
{
    int64_t *index = map_find(&leg->by_path, path);
    return index ? (uint32_t)*index : NO_CODE_FILE;
}

/* ---- what the worktree has ---- */

static bool add_file(void *ctx, int64_t content, int64_t file, str path)
{
    struct code_leg *leg = ctx;
    size_t count = leg->file_count;
    HEAP_GROW(leg->files, leg->file_count, leg->file_capacity);
    HEAP_GROW(leg->contents, count, leg->content_capacity);
    leg->contents[count] = content;
    str kept = arena_str(&leg->paths, path);
    leg->files[leg->file_count++] = (struct code_file){
        .id = file, .path = kept, .kinds = path_kinds(path), .names = path_names(kept)};
    return true;
}

static bool add_chunk(void *ctx, const struct chunk_row *row)
{
    struct code_leg *leg = ctx;
    HEAP_GROW(leg->chunks, leg->chunk_count, leg->chunk_capacity);
    leg->chunks[leg->chunk_count++] = (struct code_chunk){.id = row->id,
                                                          .content = row->content,
                                                          .symbol = row->symbol,
                                                          .file = NO_CODE_FILE,
                                                          .line_start = row->line_start,
                                                          .line_end = row->line_end,
                                                          .words = row->words};
    leg->last_chunk = row->id;
    return true;
}

static uint32_t file_of(const struct code_leg *leg, int64_t content)
{
    size_t low = 0, high = leg->file_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (leg->contents[mid] < content)
            low = mid + 1;
        else
            high = mid;
    }
    return low < leg->file_count && leg->contents[low] == content ? (uint32_t)low : NO_CODE_FILE;
}

static int by_id(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void add_place(struct code_leg *leg, int64_t id, uint32_t file)
{
    HEAP_GROW(leg->places, leg->place_count, leg->place_capacity);
    leg->places[leg->place_count++] = (struct place){id, file};
}

static void list_places(struct code_leg *leg)
{
    leg->place_count = 0;
    for (size_t i = 0; i < leg->file_count; i++)
        add_place(leg, leg->files[i].id, (uint32_t)i);
    for (size_t i = 0; i < leg->chunk_count; i++) {
        const struct code_chunk *c = &leg->chunks[i];
        if (c->symbol && c->file != NO_CODE_FILE &&
            (i == 0 || leg->chunks[i - 1].symbol != c->symbol))
            add_place(leg, c->symbol, c->file);
    }
    if (leg->place_count)
        qsort(leg->places, leg->place_count, sizeof *leg->places, by_id);
}

/* A content's windows were written one after the other, so each file's stand together. */
static void place_chunks(struct code_leg *leg)
{
    int64_t content = 0;
    uint32_t file = NO_CODE_FILE;
    leg->words = 0;
    leg->present = 0;
    for (size_t i = 0; i < leg->chunk_count; i++) {
        struct code_chunk *c = &leg->chunks[i];
        if (c->content != content) {
            content = c->content;
            file = file_of(leg, content);
        }
        c->file = file;
        if (file == NO_CODE_FILE)
            continue;
        struct code_file *f = &leg->files[file];
        if (!f->chunk_count++)
            f->first_chunk = (uint32_t)i;
        f->words += c->words;
        leg->words += c->words;
        leg->present++;
    }
    for (size_t i = 0; i < leg->file_count; i++)
        map_put(&leg->by_path, leg->files[i].path, (int64_t)i, NULL);
    list_places(leg);
}

static bool load(struct code_leg *leg, struct store *s, const struct worktree_row *row,
                 struct err *e)
{
    size_t had = leg->chunk_count;
    drop_files(leg);
    if (leg->chunk_count > 1000 && leg->present < leg->chunk_count / 2)
        leg->chunk_count = leg->last_chunk = 0; /* mostly of what is gone */
    bool ok = store_manifest_contents(s, row->id, add_file, leg, e) &&
              store_chunks_since(s, leg->last_chunk, add_chunk, leg, e);
    if (leg->chunk_count != had)
        term_cache_drop(leg->terms);
    place_chunks(leg);
    leg->worktree = row->id;
    leg->revision = ok ? row->revision : -1;
    return ok;
}

bool code_leg_sync(struct code_leg *leg, struct store *s, str root, bool *any, struct err *e)
{
    struct arena scratch = {0};
    struct worktree_row row;
    bool found = false;
    *any = false;
    bool ok = !root.len || store_find_worktree(s, &scratch, root, &row, &found, e);
    arena_free(&scratch);
    if (!ok || !found)
        return ok;
    term_cache_bound(leg->terms);
    if (leg->worktree != row.id || leg->revision != row.revision)
        ok = load(leg, s, &row, e);
    *any = ok && leg->file_count > 0;
    return ok;
}

/* ---- terms ---- */

static bool has_term(struct code_hits *h, str text, bool subject)
{
    for (size_t i = 0; i < h->term_count; i++)
        if (str_eq(h->terms[i].text, text)) {
            h->terms[i].subject |= subject;
            return true;
        }
    return false;
}

static void choose_terms(struct arena *a, str query, struct code_hits *h)
{
    size_t count, line = str_find_char(query, '\n', 0);
    struct token *tokens = text_token_list(a, query, MAX_QUERY_TOKENS, &count);
    for (size_t i = 0; i < count && h->term_count < MAX_CODE_TERMS; i++) {
        const struct token *t = &tokens[i];
        str text = str_from(t->text, t->len);
        bool subject = t->from < line;
        if (t->stop || !text.len || has_term(h, text, subject))
            continue;
        h->terms[h->term_count++] = (struct code_term){.text = arena_str(a, text),
                                                       .written = str_cut(query, t->from, t->to),
                                                       .weight = t->colocated ? PART : 1.0f,
                                                       .subject = subject,
                                                       .part = t->colocated};
    }
}

bool code_leg_holds(const struct code_leg *leg, str term, uint32_t chunk)
{
    return term_cache_hit(leg->terms, term, chunk) != NULL;
}

/* ---- scores ---- */

struct scoring {
    struct code_leg *leg;
    struct code_hits *h;
    float *subject_chunk;
    uint32_t *touched_chunks;
    size_t touched_chunk_count;
    float *covered_chunk;
    double mean_chunk, mean_file;
};

static size_t files_with(const struct code_leg *leg, const struct cached_hits *list, size_t *chunks)
{
    size_t files = 0;
    uint32_t last = NO_CODE_FILE;
    *chunks = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t file = leg->chunks[list->at[i].doc].file;
        *chunks += file != NO_CODE_FILE;
        files += file != NO_CODE_FILE && file != last;
        last = file;
    }
    return files;
}

/* A file that holds the term `tf` times. */
static void score_file(struct scoring *g, const struct code_term *t, uint32_t file, float idf,
                       uint32_t tf)
{
    const struct code_file *f = &g->leg->files[file];
    struct code_hits *h = g->h;
    if (h->best[file] < 0) {
        h->best[file] = 0;
        h->touched[h->touched_count++] = file;
    }
    float value = t->weight * idf * bm25_tf(tf, f->words, g->mean_file);
    h->whole[file] += value;
    if (t->subject)
        h->whole_subject[file] += value;
    if (!t->part)
        h->covered[file] += idf;
}

static void score_term(struct scoring *g, const struct code_term *t, const struct cached_hits *list,
                       float file_idf)
{
    const struct code_leg *leg = g->leg;
    struct code_hits *h = g->h;
    uint32_t last = NO_CODE_FILE, tf = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct cached_hit *hit = &list->at[i];
        const struct code_chunk *c = &leg->chunks[hit->doc];
        if (c->file == NO_CODE_FILE)
            continue;
        if (c->file != last) {
            if (tf)
                score_file(g, t, last, file_idf, tf);
            last = c->file;
            tf = 0;
        }
        tf += hit->in[IN_TEXT] + hit->in[IN_NAME];
        if (h->chunk[hit->doc] == 0)
            g->touched_chunks[g->touched_chunk_count++] = hit->doc;
        float value = t->weight * t->idf *
                      bm25_tf(hit->in[IN_TEXT] + 2 * hit->in[IN_NAME], c->words, g->mean_chunk);
        h->chunk[hit->doc] += value;
        if (t->subject)
            g->subject_chunk[hit->doc] += value;
        if (!t->part)
            g->covered_chunk[hit->doc] += t->idf;
        bool is_path = hit->in[IN_NAME] && !c->symbol;
        if (is_path)
            h->path[c->file] += t->weight * file_idf;
        else if (hit->in[IN_NAME])
            h->name[c->file] = fmaxf(h->name[c->file], t->weight * t->idf);
    }
    if (tf)
        score_file(g, t, last, file_idf, tf);
}

static void best_windows(struct scoring *g)
{
    struct code_hits *h = g->h;
    for (size_t i = 0; i < g->touched_chunk_count; i++) {
        uint32_t c = g->touched_chunks[i], file = g->leg->chunks[c].file;
        if (h->chunk[c] > h->best[file] ||
            (h->chunk[c] == h->best[file] && c < h->best_chunk[file])) {
            h->best[file] = h->chunk[c];
            h->best_chunk[file] = c;
        }
        h->best_subject[file] = fmaxf(h->best_subject[file], g->subject_chunk[c]);
        h->covered_best[file] = fmaxf(h->covered_best[file], g->covered_chunk[c]);
    }
}

static void make_arrays(struct arena *a, size_t files, size_t chunks, struct scoring *g)
{
    struct code_hits *h = g->h;
    h->chunk = ARENA_ARRAY(a, float, chunks + 1);
    g->subject_chunk = ARENA_ARRAY(a, float, chunks + 1);
    g->covered_chunk = ARENA_ARRAY(a, float, chunks + 1);
    g->touched_chunks = ARENA_ARRAY(a, uint32_t, chunks + 1);
    h->best = ARENA_ARRAY(a, float, files + 1);
    h->best_chunk = ARENA_ARRAY(a, uint32_t, files + 1);
    h->best_subject = ARENA_ARRAY(a, float, files + 1);
    h->whole = ARENA_ARRAY(a, float, files + 1);
    h->whole_subject = ARENA_ARRAY(a, float, files + 1);
    h->path = ARENA_ARRAY(a, float, files + 1);
    h->name = ARENA_ARRAY(a, float, files + 1);
    h->covered = ARENA_ARRAY(a, float, files + 1);
    h->covered_best = ARENA_ARRAY(a, float, files + 1);
    h->touched = ARENA_ARRAY(a, uint32_t, files + 1);
    for (size_t i = 0; i < files; i++)
        h->best[i] = -1; /* not touched yet */
}

bool code_leg_search(struct code_leg *leg, struct store *s, struct arena *a, str query,
                     struct code_hits *out, struct err *e)
{
    *out = (struct code_hits){0};
    struct scoring g = {.leg = leg,
                        .h = out,
                        .mean_chunk = leg->present ? (double)leg->words / (double)leg->present : 1,
                        .mean_file =
                            leg->file_count ? (double)leg->words / (double)leg->file_count : 1};
    choose_terms(a, query, out);
    make_arrays(a, leg->file_count, leg->chunk_count, &g);
    for (size_t i = 0; i < out->term_count; i++) {
        struct code_term *t = &out->terms[i];
        const struct cached_hits *list;
        size_t chunks;
        if (!term_cache_find(leg->terms, s, store_code_postings, t->text, &leg->chunks->id,
                             sizeof *leg->chunks, leg->chunk_count, &list, e))
            return false;
        size_t files = files_with(leg, list, &chunks);
        t->idf = bm25_idf((double)leg->present, (double)chunks);
        float file_idf = bm25_idf((double)leg->file_count, (double)files);
        if (!t->part)
            out->idf_sum += t->idf;
        score_term(&g, t, list, file_idf);
    }
    best_windows(&g);
    return true;
}
