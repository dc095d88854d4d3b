#include "memory/memory_vectors.h"
#include "server/cli_command.h"

#include "memory/models.h"
#include "server/background.h"
#include "server/document_refresh.h"
#include "server/history_index.h"
#include "server/index_request.h"

#include <stdio.h>
#include <unistd.h>

/* Work for the index is done by whoever holds background.lock: a background process, or this
 * command where there is none. */

enum {
    LOOK_MS = 50,              /* how often who waits looks */
    MAX_STANDSTILL_MS = 60000, /* of a holder with something pending, before who waits gives up */
};

static const struct cli_option index_options[] = {
    {"wait", 'w', NULL, "also wait for another process that is at it", NULL, NULL},
    {0},
};

struct indexing {
    struct cli *cli;
    struct memory *memory;
    struct encoder *encoder; /* NULL: off or not installed */
    str directory, root;     /* root empty: ENGRAM_INDEX=off */
    int lock;
    bool shows; /* progress */

    /* What we did ourselves. */
    size_t encoded, answered; /* answered: items that models were asked about */
    bool has_read;
    struct code_index_result code;
    struct code_index_options options; /* of our own reading */
    struct history_feed *ahead;        /* reads the first commits meanwhile; NULL: nobody does */
    struct history_index_result history;
    int64_t code_ms, history_ms;

    /* Last seen. */
    struct vector_counts counts;
    size_t models_pending; /* items for models, */
    bool models_move;      /* some of which are asked about now: no endpoint is away, no cap met */
    bool sources_pending;
    size_t files; /* indexed of root */
};

/* ---- looking ---- */

static void show_progress(const struct indexing *x, const char *what, size_t done, size_t all,
                          const char *things)
{
    if (x->shows && all)
        fprintf(stderr, "\r\033[K%s %3zu %%  %zu of %zu %s ", what, done * 100 / all, done, all,
                things);
}

static void show_reading(void *ctx, size_t done, size_t total)
{
    show_progress(ctx, "reading", done, total, "files");
}

static void begin_history(void *ctx)
{
    struct indexing *x = ctx;
    x->ahead = x->cli->config.history ? history_index_begin(&x->options) : NULL;
}

static bool count_files(struct indexing *x, struct arena *a, struct err *e)
{
    struct code_worktree *all;
    size_t count;
    if (!memory_code_worktrees(x->memory, a, &all, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (str_eq(all[i].root, x->root))
            x->files = all[i].files;
    return true;
}

static bool look(struct indexing *x, struct err *e)
{
    struct arena scratch = {0};
    bool ok = !x->encoder || memory_count_vectors(x->memory, &scratch, &x->counts, e);
    x->sources_pending = x->root.len && index_request_is_open(x->directory, x->root);
    ok = ok && (!x->root.len || count_files(x, &scratch, e)) &&
         model_queue_pending(x->memory, x->cli->request.now_ms, &x->models_pending, &x->models_move,
                             e);
    arena_free(&scratch);
    if (!x->sources_pending)
        show_progress(x, "encoding", x->counts.texts, x->counts.texts + x->counts.pending, "texts");
    return ok;
}

static bool is_pending(const struct indexing *x)
{
    return x->sources_pending || x->counts.pending || x->models_move;
}

/* ---- working; we hold the lock ---- */

static bool read_sources(struct indexing *x, struct err *e)
{
    x->options = (struct code_index_options){.memory = x->memory,
                                             .root = x->root,
                                             .now_ms = x->cli->request.now_ms,
                                             .listed = begin_history,
                                             .progress = show_reading,
                                             .ctx = x};
    int64_t began_ms = monotonic_ms();
    index_request_begin(x->directory, x->root);
    x->has_read = code_index_run(&x->cli->arena, &x->options, &x->code, e);
    x->code_ms = monotonic_ms() - began_ms;
    struct document_refresh documents = {.memory = x->memory,
                                         .root = x->root,
                                         .branch = x->cli->request.branch,
                                         .head = x->cli->request.head,
                                         .now_ms = x->cli->request.now_ms,
                                         .deadline_ms = x->cli->config.parse_deadline_ms};
    x->has_read = x->has_read && document_refresh_run(&documents, e);
    if (x->has_read && x->cli->config.history) {
        began_ms = monotonic_ms();
        x->has_read =
            history_index_run(&x->cli->arena, &x->options, &x->code, x->ahead, &x->history, e);
        x->ahead = NULL;
        x->history_ms = monotonic_ms() - began_ms;
    }
    history_index_drop(x->ahead);
    if (x->has_read)
        index_request_end(x->directory, x->root);
    return x->has_read;
}

static bool encode_all(struct indexing *x, struct err *e)
{
    struct text_batch batch;
    do {
        struct arena a = {0};
        batch = (struct text_batch){0};
        if (memory_pending_texts(x->memory, &a, x->encoder, &batch, e) && batch.text_count) {
            memory_encode_texts(x->encoder, &a, &batch, NULL, NULL);
            memory_put_vectors(x->memory, &batch, e);
        }
        x->encoded += e->code == ERR_NONE ? batch.encoded : 0;
        arena_free(&a);
    } while (batch.text_count && e->code == ERR_NONE && look(x, e));
    return e->code == ERR_NONE;
}

/* Who holds the lock is the only one who asks: leases of a background that is gone are void. */
static bool ask_all(struct indexing *x, struct err *e)
{
    struct model_clock now = {.now_ms = x->cli->request.now_ms, .owner = getpid()};
    struct model_job *job;
    bool more;
    if (!x->models_move)
        return true;
    if (!model_queue_take_over(x->memory, e))
        return false;
    while (model_queue_next(x->memory, &now, &job, &more, e) && (job || more)) {
        size_t done;
        if (!job)
            continue;
        model_job_ask(job, projects_transport(x->cli->projects));
        bool ok = model_queue_finish(x->memory, &now, job, &done, e);
        model_job_free(job);
        if (!ok)
            return false;
        x->answered += done;
        show_progress(x, "asking", x->answered, x->answered + x->models_pending, "items");
    }
    return e->code == ERR_NONE;
}

static bool work(struct indexing *x, struct err *e)
{
    return (!x->root.len || read_sources(x, e)) && (!x->encoder || encode_all(x, e)) &&
           look(x, e) && ask_all(x, e) && look(x, e);
}

/* Until nothing is pending: the holder is at it, or ends, and then it's ours to do. */
static bool work_or_wait(struct indexing *x, bool waits, struct err *e)
{
    int64_t moved_ms = monotonic_ms();
    size_t pending = SIZE_MAX, files = SIZE_MAX, models_pending = SIZE_MAX;
    while (look(x, e) && is_pending(x)) {
        if (background_elect(x->lock))
            return work(x, e);
        if (!waits)
            return true;
        if (x->counts.pending != pending || x->files != files ||
            x->models_pending != models_pending)
            moved_ms = monotonic_ms();
        pending = x->counts.pending;
        files = x->files;
        models_pending = x->models_pending;
        if (monotonic_ms() - moved_ms > MAX_STANDSTILL_MS)
            return fail(e, ERR_BUSY,
                        "another process holds the project's background.lock and has done nothing "
                        "for %d s; %zu texts are pending%s",
                        MAX_STANDSTILL_MS / 1000, pending,
                        x->sources_pending ? ", and the project's files" : "");
        sleep_for_ms(LOOK_MS);
    }
    return e->code == ERR_NONE;
}

static bool find_work(struct indexing *x, bool encodes, struct err *e)
{
    struct cli *c = x->cli;
    struct project_ref ref;
    struct place place;
    if ((encodes && !memory_open_encoder(&x->encoder, e)) || !cli_memory(c, &x->memory, &ref, e) ||
        !projects_directory(c->projects, &c->arena, &x->directory, e) ||
        !projects_place(c->projects, &c->arena, &place, e))
        return false;
    if (c->config.index)
        x->root = place.root;
    return !x->root.len || index_request_put(x->directory, x->root, e);
}

static bool bring_up_to_date(struct indexing *x, bool encodes, struct err *e)
{
    struct cli *c = x->cli;
    if (!find_work(x, encodes, e) ||
        (x->lock = background_open_lock(x->directory, BACKGROUND_LOCK, e)) < 0)
        return false;
    x->shows = !c->json && isatty(STDERR_FILENO);
    bool ok = work_or_wait(x, cli_value(c, "wait"), e);
    if (x->shows)
        fprintf(stderr, "\r\033[K");
    close(x->lock);
    return ok;
}

/* ---- telling ---- */

/* {read, known, unchanged, removed, files, symbols, edges, skipped: {reason: n}, seconds}; where
 * somebody else was at it only the files. */
static json_t *code_json(const struct indexing *x)
{
    const struct code_index_result *r = &x->code;
    if (!x->has_read)
        return json_pack("{s:I, s:b}", "files", (json_int_t)x->files, "pending",
                         x->sources_pending);
    json_t *skipped = json_object();
    for (size_t i = 0; i < r->skip_count; i++)
        json_object_setn_new(skipped, r->skips[i].reason.at, r->skips[i].reason.len,
                             json_integer((json_int_t)r->skips[i].files));
    json_t *json =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:f}", "read", (json_int_t)r->read,
                  "known", (json_int_t)r->known, "unchanged", (json_int_t)r->unchanged, "removed",
                  (json_int_t)r->removed, "files", (json_int_t)r->report.files, "symbols",
                  (json_int_t)r->report.symbols, "edges", (json_int_t)r->report.edges, "skipped",
                  skipped, "seconds", (double)x->code_ms / 1000);
    if (r->note.len)
        json_object_set_new(json, "note", json_stringn(r->note.at, r->note.len));
    return json;
}

static json_t *history_json(const struct indexing *x)
{
    const struct history_index_result *r = &x->history;
    json_t *json = json_pack("{s:I, s:I, s:f}", "added", (json_int_t)r->added, "commits",
                             (json_int_t)r->commits, "seconds", (double)x->history_ms / 1000);
    if (r->note.len)
        json_object_set_new(json, "note", json_stringn(r->note.at, r->note.len));
    return json;
}

static void print_json(const struct indexing *x, const char *encoder)
{
    json_t *json = json_pack("{s:I, s:I, s:s}", "pending", (json_int_t)x->counts.pending, "encoded",
                             (json_int_t)x->encoded, "encoder", encoder);
    if (x->models_pending || x->answered)
        json_object_set_new(json, "models",
                            json_pack("{s:I, s:I}", "pending", (json_int_t)x->models_pending,
                                      "answered", (json_int_t)x->answered));
    if (x->root.len)
        json_object_set_new(json, "code", code_json(x));
    if (x->root.len && x->has_read && x->cli->config.history)
        json_object_set_new(json, "history", history_json(x));
    cli_print_json(json);
    json_decref(json);
}

static void print_code(const struct indexing *x)
{
    const struct code_index_result *r = &x->code;
    struct cli *c = x->cli;
    printf("Read %zu file%s in %.1f s (%zu unchanged, %zu gone): %zu files and %zu symbols are "
           "indexed.\n",
           r->read, r->read == 1 ? "" : "s", (double)x->code_ms / 1000, r->unchanged, r->removed,
           r->report.files, r->report.symbols);
    struct buf line = {0};
    for (size_t i = 0; i < r->skip_count; i++)
        buf_printf(&line, "%s%zu %.*s", i ? ", " : "Left out: ", r->skips[i].files,
                   FMT(r->skips[i].reason));
    if (line.len)
        cli_print(c, buf_str(&line));
    if (r->note.len)
        cli_print(c, r->note);
    buf_free(&line);
    if (c->config.history && x->history.commits)
        printf("Read %zu commit%s in %.1f s: %zu are known.\n", x->history.added,
               x->history.added == 1 ? "" : "s", (double)x->history_ms / 1000, x->history.commits);
    if (x->history.note.len)
        cli_print(c, x->history.note);
}

static void print_result(const struct indexing *x, const char *encoder)
{
    if (x->has_read)
        print_code(x);
    if (x->sources_pending)
        puts("A background process is at work on the project's files.");
    if (x->counts.pending)
        printf("%zu texts are pending; a background process is at work on them.\n",
               x->counts.pending);
    if (x->models_pending)
        printf("%zu items wait for models; `engram queue` tells why.\n", x->models_pending);
    if (x->answered)
        printf("Models answered about %zu items.\n", x->answered);
    if (!is_pending(x))
        printf("Nothing is pending. Encoded %zu text%s; the encoder is %s.\n", x->encoded,
               x->encoded == 1 ? "" : "s", encoder);
}

static int run_index(struct cli *c)
{
    struct err e = {0};
    struct indexing x = {.cli = c};
    if (c->word_count)
        return cli_usage(c, "\"%.*s\" is one word too many", FMT(c->words[0]));
    if (!cli_open(c, &e))
        return cli_fail(c, &e);
    bool is_provided = c->config.embed_provider.len > 0;
    bool asks = is_provided || c->config.llm_provider.len > 0;
    bool encodes = c->config.encoder && !is_provided && memory_encoder_is_installed();
    const char *encoder = is_provided          ? "a provider"
                          : !c->config.encoder ? "off"
                          : encodes            ? "on"
                                               : "not installed";
    bool ok = (!encodes && !asks && !c->config.index) || bring_up_to_date(&x, encodes, &e);
    memory_close_encoder(x.encoder);
    if (!ok)
        return cli_fail(c, &e);
    if (c->json)
        print_json(&x, encoder);
    else
        print_result(&x, encoder);
    return CLI_DONE;
}

const struct command command_index = {
    .name = "index",
    .operands = "",
    .summary = "Bring the index up to date.",
    .help = "Reads the project's source files that are new or changed, and encodes the memories "
            "and passages\n"
            "that the sentence encoder hasn't seen yet; servers leave both to a background "
            "process. Where one\n"
            "is at work already, --wait waits until nothing is pending. With ENGRAM_INDEX=off no "
            "file is read,\n"
            "with ENGRAM_ENCODER=off nothing is encoded. Models that you set up are asked, too.\n",
    .options = index_options,
    .run = run_index,
};
