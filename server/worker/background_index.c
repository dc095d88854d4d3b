#include "server/worker/background_index.h"

#include "memory/base/hash.h"
#include "server/document_refresh.h"
#include "server/history_index.h"
#include "server/index_request.h"
#include "server/place.h"
#include "server/worker/background.h"

#include <errno.h>
#include <sys/stat.h>

struct background_index {
    const struct config *config;
    str directory;
    bool (*stopped)(void *);
    void (*between)(void *);
    void *ctx;
    bool has_tidied;
    struct resting {
        uint64_t root; /* its hash */
        int64_t until_ms;
    } resting[MAX_RESTING];
    size_t resting_count;
};

struct background_index *background_index_open(const struct config *config, str directory,
                                               bool (*stopped)(void *), void (*between)(void *),
                                               void *ctx)
{
    struct background_index *b = heap_alloc(1, sizeof *b);
    *b = (struct background_index){.config = config,
                                   .directory = directory,
                                   .stopped = stopped,
                                   .between = between,
                                   .ctx = ctx};
    return b;
}

void background_index_close(struct background_index *b)
{
    heap_free(b);
}

/* ---- when ---- */

static struct resting *find_resting(struct background_index *b, str root)
{
    for (size_t i = 0; i < b->resting_count; i++)
        if (b->resting[i].root == hash64(root))
            return &b->resting[i];
    return NULL;
}

static bool is_due(struct background_index *b, str root)
{
    const struct resting *r = find_resting(b, root);
    return !r || monotonic_ms() >= r->until_ms;
}

static void let_rest(struct background_index *b, str root, int64_t took_ms)
{
    struct resting *r = find_resting(b, root);
    if (!r && b->resting_count == MAX_RESTING)
        return;
    if (!r)
        r = &b->resting[b->resting_count++];
    int64_t rest_ms = took_ms < MAX_REST_MS / REST_FACTOR ? REST_FACTOR * took_ms : MAX_REST_MS;
    *r = (struct resting){hash64(root), monotonic_ms() + rest_ms};
}

/* ---- what ---- */

/* The request may be old: a folder that is now another project's, or inside another one, is not
 * read into this one. */
static bool is_ours(struct arena *a, const struct background_index *b, str root,
                    struct place *place)
{
    struct err ignored = {0};
    struct place_hints hints = {.project = root, .home = b->config->home};
    return place_resolve(a, &hints, place, &ignored) && str_eq(place->root, root) &&
           str_ends(b->directory, arena_printf(a, "-%.*s", FMT(place->id)));
}

static bool is_gone(struct arena *a, str root)
{
    struct stat info;
    return lstat(arena_cstr(a, root), &info) != 0 && errno == ENOENT;
}

/* Linked worktrees come and go; the last one stays: it may lie on a disk that isn't there now. */
static void tidy(struct arena *a, struct memory *m)
{
    struct err ignored = {0};
    struct code_worktree *all;
    size_t count, here = 0;
    if (!memory_code_worktrees(m, a, &all, &count, &ignored))
        return;
    for (size_t i = 0; i < count; i++)
        here += !is_gone(a, all[i].root);
    for (size_t i = 0; here && i < count; i++)
        if (is_gone(a, all[i].root))
            memory_code_drop_worktree(m, all[i].root, &ignored);
}

static bool refresh_documents(struct background_index *b, struct arena *a, struct memory *m,
                              struct place *place, struct err *e)
{
    place_read_head(a, place);
    return document_refresh_run(
        &(struct document_refresh){.memory = m,
                                   .root = place->root,
                                   .branch = place->branch,
                                   .head = place->head,
                                   .now_ms = config_now_ms(b->config),
                                   .deadline_ms = b->config->parse_deadline_ms,
                                   .stopped = b->stopped},
        e);
}

static void run(struct background_index *b, struct arena *a, struct memory *m, str root)
{
    struct err e = {0};
    struct code_index_result done = {0};
    struct code_index_options options = {.memory = m,
                                         .root = root,
                                         .niceness = BACKGROUND_NICENESS,
                                         .now_ms = config_now_ms(b->config),
                                         .stopped = b->stopped,
                                         .between = b->between,
                                         .ctx = b->ctx};
    int64_t began_ms = monotonic_ms();
    index_request_begin(b->directory, root);
    struct history_index_result history = {0};
    struct place place;
    bool ok = is_ours(a, b, root, &place) && code_index_run(a, &options, &done, &e) &&
              refresh_documents(b, a, m, &place, &e) &&
              (!b->config->history || history_index_run(a, &options, &done, NULL, &history, &e));
    /* What can't be done now is left for the next request, unless only its time ran out. */
    if (ok || (e.code != ERR_CANCELLED && e.code != ERR_BUSY))
        index_request_end(b->directory, root);
    let_rest(b, root, monotonic_ms() - began_ms - done.reading_ms);
}

bool background_index_some(struct background_index *b, struct memory *m)
{
    struct arena a = {0};
    str *roots;
    size_t count, i = 0;
    if (!b->has_tidied)
        tidy(&a, m);
    b->has_tidied = true;
    index_request_list(&a, b->directory, &roots, &count);
    while (i < count && !is_due(b, roots[i]))
        i++;
    if (i < count)
        run(b, &a, m, roots[i]);
    arena_free(&a);
    return i < count;
}
