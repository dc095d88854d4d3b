#include "server/projects.h"

#include "memory/base/unicode.h"
#include "memory/memory_vectors.h"
#include "server/background.h"
#include "server/blame.h"
#include "server/confine.h"
#include "server/http_client.h"
#include "server/index_request.h"
#include "server/log.h"
#include "server/model_settings.h"
#include "server/small_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

struct open_memory {
    char id[PLACE_ID_DIGITS + 1];
    struct memory *memory;
    struct background *background; /* NULL but in a server */
    char *directory;               /* heap */
    uint64_t used;                 /* the higher, the later */
    /* A server's calls want the files of their worktree looked at. */
    char *asks_for; /* its root, heap; NULL: none */
    int64_t asked_ms;
    int64_t flush_ms; /* when uses that wait are written down; 0: none wait */
};

struct projects {
    const struct config *config;
    struct arena hints_arena, place_arena;
    struct place_hints hints;
    struct place place; /* of these hints; without root: not resolved yet */
    bool head_was_read;
    int64_t head_read_ms;
    struct open_memory open[MAX_OPEN_PROJECTS];
    size_t open_count;
    uint64_t uses;
    bool serves;
    size_t most_vectors; /* memory_options */
    struct blame *blame; /* opened by the first question on a line */
    struct models models;
    struct transport transport;
    struct http_client *http; /* NULL: no model is set up */
};

/* ---- the caller's place ---- */

static struct place_hints copied_hints(struct arena *a, const struct place_hints *h)
{
    return (struct place_hints){
        .project = arena_str(a, h->project),
        .roots_path = arena_str(a, h->roots_path),
        .claude_dir = arena_str(a, h->claude_dir),
        .cwd = arena_str(a, h->cwd),
        .home = arena_str(a, h->home),
    };
}

static bool same_hints(const struct place_hints *a, const struct place_hints *b)
{
    return str_eq(a->project, b->project) && str_eq(a->roots_path, b->roots_path) &&
           str_eq(a->claude_dir, b->claude_dir) && str_eq(a->cwd, b->cwd) &&
           str_eq(a->home, b->home);
}

static struct place copied_place(struct arena *a, const struct place *p)
{
    return (struct place){
        .root = arena_str(a, p->root),
        .main_root = arena_str(a, p->main_root),
        .identity = arena_str(a, p->identity),
        .id = arena_str(a, p->id),
        .name = arena_str(a, p->name),
        .git_dir = arena_str(a, p->git_dir),
        .common_dir = arena_str(a, p->common_dir),
        .branch = arena_str(a, p->branch),
        .head = arena_str(a, p->head),
        .source = p->source,
    };
}

void projects_set_hints(struct projects *p, const struct place_hints *hints)
{
    if (same_hints(&p->hints, hints))
        return;
    struct arena old = p->hints_arena; /* the new hints may borrow from it */
    p->hints_arena = (struct arena){0};
    p->hints = copied_hints(&p->hints_arena, hints);
    arena_free(&old);
    p->place = (struct place){0};
}

/* Settings that don't hold were told when the command began. */
static void set_up_models(struct projects *p)
{
    struct arena scratch = {0};
    struct err ignored = {0};
    if (model_settings(&scratch, p->config, &p->models, &ignored) &&
        model_settings_any(&p->models)) {
        p->http = http_client_open(p->config->http_proxy);
        p->transport = http_client_transport(p->http);
    }
    arena_free(&scratch);
}

struct projects *projects_open(const struct config *config)
{
    struct projects *p = heap_alloc(1, sizeof *p);
    *p = (struct projects){.config = config};
    set_up_models(p);
    char cwd[PATH_MAX];
    projects_set_hints(p, &(struct place_hints){
                              .project = config->project,
                              .claude_dir = config->claude_project_dir,
                              .cwd = str_of(getcwd(cwd, sizeof cwd)),
                              .home = config->home,
                          });
    return p;
}

static void close_memory(struct open_memory *slot)
{
    memory_close(slot->memory);
    background_close(slot->background);
    heap_free(slot->directory);
    heap_free(slot->asks_for);
}

void projects_close(struct projects *p)
{
    for (size_t i = 0; i < p->open_count; i++)
        close_memory(&p->open[i]);
    blame_close(p->blame);
    http_client_close(p->http);
    arena_free(&p->hints_arena);
    arena_free(&p->place_arena);
    heap_free(p);
}

static bool resolve(struct projects *p, struct err *e)
{
    if (p->place.root.len)
        return true;
    struct arena scratch = {0};
    struct place place;
    bool ok = place_resolve(&scratch, &p->hints, &place, e);
    if (ok) {
        arena_free(&p->place_arena);
        p->place = copied_place(&p->place_arena, &place);
        p->head_was_read = false;
    }
    arena_free(&scratch);
    return ok;
}

static void refresh_head(struct projects *p)
{
    int64_t now_ms = monotonic_ms();
    if (!p->config->index || (p->head_was_read && now_ms - p->head_read_ms < HEAD_FRESH_MS))
        return;
    struct arena old = p->place_arena, scratch = {0};
    place_read_head(&scratch, &p->place);
    p->place_arena = (struct arena){0};
    p->place = copied_place(&p->place_arena, &p->place);
    arena_free(&old);
    arena_free(&scratch);
    p->head_was_read = true;
    p->head_read_ms = now_ms;
}

bool projects_place(struct projects *p, struct arena *a, struct place *out, struct err *e)
{
    if (!resolve(p, e))
        return false;
    refresh_head(p);
    *out = copied_place(a, &p->place);
    return true;
}

/* ---- the registry ---- */

bool projects_home(struct projects *p, struct arena *a, str *out, struct err *e)
{
    return registry_home(a, p->config, out, e);
}

bool projects_directory(struct projects *p, struct arena *a, str *out, struct err *e)
{
    str home;
    return resolve(p, e) && projects_home(p, a, &home, e) &&
           registry_folder(a, home, &p->place, out, e);
}

bool projects_list(struct projects *p, struct arena *a, struct project_entry **out, size_t *count,
                   struct err *e)
{
    str home;
    return projects_home(p, a, &home, e) && registry_list(a, home, out, count, e);
}

/* ---- memories ---- */

static int64_t engine_monotonic_ms(void *ctx)
{
    (void)ctx;
    return monotonic_ms();
}

static void engine_sleep_ms(void *ctx, int64_t ms)
{
    (void)ctx;
    sleep_for_ms(ms);
}

static struct memory_options options_of(const struct config *c, str directory)
{
    return (struct memory_options){
        .directory = directory,
        .ppr = c->ppr,
        .neighbours = c->neighbours,
        .ranker = c->ranker,
        .encoder = c->encoder,
        .history = c->history,
        .usage = c->usage,
        .write_deadline_ms = c->write_deadline_ms,
        .monotonic_ms = engine_monotonic_ms,
        .sleep_ms = engine_sleep_ms,
    };
}

static void note_use(struct projects *p, struct open_memory *slot)
{
    slot->used = ++p->uses;
    if (slot->background)
        background_call(slot->background, monotonic_ms());
}

static struct memory *already_open(struct projects *p, str id)
{
    for (size_t i = 0; i < p->open_count; i++)
        if (str_eq(str_of(p->open[i].id), id)) {
            note_use(p, &p->open[i]);
            return p->open[i].memory;
        }
    return NULL;
}

static void close_longest_unused(struct projects *p)
{
    size_t oldest = 0;
    for (size_t i = 1; i < p->open_count; i++)
        if (p->open[i].used < p->open[oldest].used)
            oldest = i;
    close_memory(&p->open[oldest]);
    p->open[oldest] = p->open[--p->open_count];
}

/* ENGRAM_WEIGHTS: the user's own file, by a path from the environment. */
static bool read_weights(struct arena *a, str path, str *out, struct err *e)
{
    enum { MAX_WEIGHTS_BYTES = 64 * 1024 };
    *out = S("");
    return !path.len || small_file_read(a, AT_FDCWD, path, 0, MAX_WEIGHTS_BYTES, NULL, out, e) ||
           fail_context(e, "ENGRAM_WEIGHTS");
}

static bool has_background_work(const struct projects *p)
{
    const struct config *c = p->config;
    return p->http || c->index || c->consolidate || (c->encoder && memory_encoder_is_installed());
}

static bool open_memory(struct projects *p, str id, str directory, struct memory **out,
                        struct err *e)
{
    struct memory_options options = options_of(p->config, directory);
    options.most_vectors = p->most_vectors;
    struct arena scratch = {0};
    options.models = p->http ? &p->models : NULL;
    bool ok = read_weights(&scratch, p->config->weights, &options.weights, e) &&
              memory_open(&options, out, e);
    if (!ok) {
        arena_free(&scratch);
        return false;
    }
    confine_protect(arena_printf(&scratch, "%.*s/memory.db", FMT(directory)));
    if (p->open_count == MAX_OPEN_PROJECTS)
        close_longest_unused(p);
    struct open_memory *slot = &p->open[p->open_count++];
    *slot = (struct open_memory){
        .memory = *out, .directory = heap_text(directory), .asked_ms = INT64_MIN};
    memcpy(slot->id, id.at, PLACE_ID_DIGITS);
    bool works = has_background_work(p);
    if (p->serves)
        slot->background = background_open(directory, works, config_secrets(&scratch, p->config));
    if (p->serves && !works) /* else the background does it, and nobody waits */
        memory_documents_tidy(*out, config_now_ms(p->config), &(struct err){0});
    arena_free(&scratch);
    note_use(p, slot);
    return true;
}

/* The memory that was used last is that of the caller's place. */
static void ask_for_index(struct projects *p)
{
    if (!p->serves || !p->config->index)
        return;
    struct open_memory *slot = &p->open[0];
    for (size_t i = 1; i < p->open_count; i++)
        slot = p->open[i].used > slot->used ? &p->open[i] : slot;
    heap_free(slot->asks_for);
    slot->asks_for = heap_text(p->place.root);
}

static bool own_memory(struct projects *p, struct arena *a, struct memory **out, struct err *e)
{
    *out = already_open(p, p->place.id);
    str home, folder;
    bool ok = *out || (projects_home(p, a, &home, e) &&
                       registry_keep(a, home, &p->place, config_now_ms(p->config), &folder, e) &&
                       open_memory(p, p->place.id, folder, out, e));
    if (ok)
        ask_for_index(p);
    return ok;
}

static bool registered_memory(struct projects *p, struct arena *a, str wanted,
                              struct project_ref *ref, struct memory **out, struct err *e)
{
    str home;
    struct project_entry entry;
    if (!projects_home(p, a, &home, e) || !registry_find(a, home, wanted, &entry, e))
        return false;
    *ref = (struct project_ref){.id = entry.id, .name = entry.name, .root = entry.root};
    *out = already_open(p, entry.id);
    return *out || open_memory(p, entry.id, entry.directory, out, e);
}

/* ---- what a server does beside ---- */

void projects_limit_vectors(struct projects *p, size_t most)
{
    p->most_vectors = most;
}

void projects_serve(struct projects *p)
{
    p->serves = true;
}

/* Passes on what calls asked for, at most every ASK_INDEX_MS. When to come again. */
static int64_t tend_index(struct open_memory *slot, int64_t now_ms)
{
    struct err e = {0};
    if (!slot->asks_for)
        return INT64_MAX;
    if (slot->asked_ms != INT64_MIN && now_ms < slot->asked_ms + ASK_INDEX_MS)
        return slot->asked_ms + ASK_INDEX_MS;
    if (!index_request_put(str_of(slot->directory), str_of(slot->asks_for), &e))
        log_line(LOG_WARN, "%s", e.text);
    heap_free(slot->asks_for);
    slot->asks_for = NULL;
    slot->asked_ms = now_ms;
    return INT64_MAX;
}

/* Recall leaves it to others to write down what was used: here, when nothing else has come for a
 * while. */
static int64_t tend_usage(struct open_memory *slot, int64_t now_ms)
{
    enum { FLUSH_USAGE_MS = 30000, WAIT_MS = 50 };
    struct err ignored = {0};
    if (!memory_has_usage(slot->memory)) {
        slot->flush_ms = 0;
        return INT64_MAX;
    }
    if (!slot->flush_ms)
        slot->flush_ms = now_ms + FLUSH_USAGE_MS;
    if (now_ms < slot->flush_ms)
        return slot->flush_ms;
    bool done = memory_flush_usage(slot->memory, WAIT_MS, &ignored);
    slot->flush_ms = done ? 0 : now_ms + FLUSH_USAGE_MS;
    return done ? INT64_MAX : slot->flush_ms;
}

int64_t projects_tend(struct projects *p)
{
    int64_t now_ms = monotonic_ms(), due_ms = INT64_MAX;
    for (size_t i = 0; i < p->open_count; i++) {
        struct open_memory *slot = &p->open[i];
        int64_t at_ms = tend_index(slot, now_ms);
        due_ms = at_ms < due_ms ? at_ms : due_ms;
        at_ms = tend_usage(slot, now_ms);
        due_ms = at_ms < due_ms ? at_ms : due_ms;
        at_ms = slot->background ? background_tend(slot->background, now_ms) : INT64_MAX;
        due_ms = at_ms < due_ms ? at_ms : due_ms;
    }
    return due_ms;
}

struct memory *projects_opened(struct projects *p, char id[PLACE_ID_DIGITS + 1])
{
    if (!id[0] && p->place.id.len == PLACE_ID_DIGITS)
        snprintf(id, PLACE_ID_DIGITS + 1, "%.*s", FMT(p->place.id));
    for (size_t i = 0; i < p->open_count; i++)
        if (strcmp(p->open[i].id, id) == 0)
            return p->open[i].memory;
    return NULL;
}

const struct transport *projects_transport(const struct projects *p)
{
    return &p->transport;
}

/* ---- services ---- */

struct service_context {
    struct projects *projects;
    struct arena *arena;
    bool (*cancelled)(void *);
    void *cancel_ctx;
};

static bool service_project(void *ctx, str wanted, struct memory **memory, struct project_ref *ref,
                            struct err *e)
{
    struct service_context *c = ctx;
    struct projects *p = c->projects;
    bool have_place = resolve(p, wanted.len ? &(struct err){0} : e);
    if (!have_place && !wanted.len)
        return false;
    if (!wanted.len ||
        (have_place && (str_eq(wanted, p->place.id) || str_eq(wanted, p->place.name)))) {
        *ref = (struct project_ref){
            .id = arena_str(c->arena, p->place.id),
            .name = arena_str(c->arena, p->place.name),
            .root = arena_str(c->arena, utf8_repair(c->arena, p->place.root)),
        };
        return own_memory(p, c->arena, memory, e);
    }
    return registered_memory(p, c->arena, wanted, ref, memory, e);
}

static bool service_open_file(void *ctx, struct arena *a, str path, int *fd, str *relative,
                              struct err *e)
{
    struct service_context *c = ctx;
    return resolve(c->projects, e) &&
           confine_open(a, c->projects->place.root, path, fd, relative, e);
}

static bool service_cancelled(void *ctx)
{
    struct service_context *c = ctx;
    return c->cancelled(c->cancel_ctx);
}

static void service_blame(void *ctx, struct arena *a, str root, str path, uint32_t line,
                          struct line_origin *out)
{
    struct service_context *c = ctx;
    struct projects *p = c->projects;
    struct place place;
    struct err ignored = {0};
    str directory = S("");
    *out = (struct line_origin){0};
    bool reads = p->config->index && p->config->history;
    if (!reads || !projects_place(p, a, &place, &ignored) || !place.head.len ||
        !str_eq(utf8_repair(a, place.root), root))
        return;
    if (!p->blame)
        p->blame = blame_open();
    projects_directory(p, a, &directory, &ignored);
    struct blame_ask ask = {.directory = directory,
                            .root = place.root,
                            .head = place.head,
                            .path = path,
                            .line = line,
                            .wait_ms = p->serves ? BLAME_WAIT_MS : BLAME_MOST_MS,
                            .cancelled = c->cancelled,
                            .ctx = c->cancel_ctx};
    blame_line(p->blame, a, &ask, out);
}

struct services projects_services(struct projects *p, struct arena *a, bool (*cancelled)(void *),
                                  void *cancel_ctx)
{
    struct service_context *c = ARENA_NEW(a, struct service_context);
    *c = (struct service_context){p, a, cancelled, cancel_ctx};
    return (struct services){
        .ctx = c,
        .project = service_project,
        .open_file = service_open_file,
        .blame = service_blame,
        .cancelled = cancelled ? service_cancelled : NULL,
        .fetches = p->config->urls != URLS_OFF,
    };
}
