#include "server/code_index.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/source_feed.h"
#include "server/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_PUT_FILES = 64,
    FEW_FILES = 16, /* are read faster by one worker than two are started */
};

/* One run. */
struct indexing {
    struct arena *arena;
    const struct code_index_options *options;
    struct code_index_result *out;
    int root;
    struct worktree_files files;
    struct code_plan plan;
    struct source_order *again; /* whose content has a strike, for a second try */
    size_t again_count, again_capacity;
    size_t done;
};

static bool is_stopped(void *ctx)
{
    const struct code_index_options *o = ((const struct indexing *)ctx)->options;
    return o->stopped && o->stopped(o->ctx);
}

static void tell_progress(struct indexing *x)
{
    if (x->options->progress)
        x->options->progress(x->options->ctx, x->done, x->plan.read_count);
}

/* ---- listing ---- */

static bool read_listing(struct indexing *x, const struct reply_header *header, str reply,
                         struct err *e)
{
    if (header->status >= REPLY_BEGUN)
        return fail(e, ERR_IO, "the parse worker answers what it wasn't asked");
    if (header->status != ERR_NONE)
        return fail(e, (enum err_code)header->status, "%.*s", FMT(utf8_repair(x->arena, reply)));
    return worktree_files_read(x->arena, reply, &x->files, e);
}

/* One attempt. *again: the worker was killed, and not by us. */
static bool try_to_list(struct indexing *x, bool *again, struct err *e)
{
    str root = x->options->root;
    struct worker_process w;
    *again = false;
    if (!worker_start(&w, WORKER_PARSE, e))
        return false;
    struct parse_job job = {PARSE_WORKTREE, root, x->root};
    struct talk talk = {monotonic_ms() + LIST_DEADLINE_MS, MAX_WORKTREE_BYTES, is_stopped, x};
    struct reply_header header;
    str reply;
    bool strike;
    enum talk_outcome outcome = wire_send_job(w.socket, &job)
                                    ? worker_receive(x->arena, &w, &talk, &header, &reply)
                                    : TALK_HUNG_UP;
    struct worker_end end = worker_end(&w, outcome);
    if (outcome == TALK_ANSWERED)
        return read_listing(x, &header, reply, e);
    worker_explain(&end, unicode_visible(x->arena, root), LIST_DEADLINE_MS, &strike, e);
    *again = !strike && e->code == ERR_IO;
    return false;
}

static bool list_files(struct indexing *x, struct err *e)
{
    bool ok = false, again = true;
    for (int tries = 0; again && tries < MAX_BARREN_STARTS; tries++) {
        *e = (struct err){0};
        ok = try_to_list(x, &again, e);
    }
    return ok;
}

/* ---- counting what is left out ---- */

static void count_skip(struct indexing *x, str reason)
{
    struct code_index_result *out = x->out;
    size_t i = 0;
    while (i < out->skip_count && !str_eq(out->skips[i].reason, reason))
        i++;
    if (i == MAX_SKIP_REASONS)
        reason = S("other");
    if (i == out->skip_count)
        out->skips[out->skip_count++].reason = arena_str(x->arena, reason);
    out->skips[i].files++;
}

static int by_reason(const void *left, const void *right)
{
    const struct skip_count *l = left, *r = right;
    return str_cmp(l->reason, r->reason);
}

static void count_listing(struct indexing *x)
{
    for (size_t i = 0; i < x->files.entry_count; i++)
        if (x->files.entries[i].skipped.len)
            count_skip(x, x->files.entries[i].skipped);
}

/* ---- storing ---- */

/* Counts the strike. *again: the content gets another try. */
static bool note_strike(struct indexing *x, const struct source_result *r, bool *again,
                        struct err *e)
{
    struct memory *m = x->options->memory;
    str why = S("");
    bool ok =
        !r->file.blob.len || (memory_quarantine(m, r->file.blob, r->file.path,
                                                str_of(r->fault.text), x->options->now_ms, e) &&
                              memory_code_quarantined(m, x->arena, r->file.blob, &why, e));
    *again = ok && r->file.blob.len && !why.len;
    return ok;
}

static void read_again(struct indexing *x, const struct source_result *r)
{
    ARENA_GROW(x->arena, x->again, x->again_count, x->again_capacity);
    x->again[x->again_count++] = (struct source_order){.path = arena_str(x->arena, r->file.path)};
}

/* A file that gave no facts: what its row in the manifest says. Without times it is read again by
 * the next run, a quarantined one not before it changes. */
static void give_up(struct indexing *x, struct source_result *r)
{
    r->file.skipped = r->strike ? S("quarantined") : S("not readable");
    for (size_t i = 0; r->strike && i < x->files.entry_count; i++) {
        const struct worktree_entry *entry = &x->files.entries[i];
        if (!str_eq(entry->path, r->file.path))
            continue;
        r->file.bytes = entry->bytes;
        r->file.mtime_ns = entry->mtime_ns;
        r->file.ctime_ns = entry->ctime_ns;
    }
}

/* The files of these results that can be stored now. */
static bool sort_results(struct indexing *x, struct source_result **results, size_t count,
                         bool is_last_try, struct source_file *files, size_t *file_count,
                         struct err *e)
{
    *file_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct source_result *r = results[i];
        bool again = false;
        if (r->strike && !note_strike(x, r, &again, e))
            return false;
        if (again && !is_last_try) {
            read_again(x, r);
            continue;
        }
        if (r->fault.code)
            give_up(x, r);
        files[(*file_count)++] = r->file;
        if (r->file.skipped.len)
            count_skip(x, r->file.skipped);
        x->out->known += r->file.known;
        x->out->read++;
        x->done++;
    }
    return true;
}

/* What was read is worth another try while a writer is slow. */
static bool put(struct indexing *x, const struct source_file *files, size_t count, struct err *e)
{
    const struct code_index_options *o = x->options;
    bool ok;
    do {
        *e = (struct err){0};
        ok = memory_code_put(o->memory, o->root, o->now_ms, files, count, e);
    } while (!ok && e->code == ERR_BUSY && !is_stopped(x));
    return ok;
}

/* ---- reading ---- */

static int lanes_for(size_t count)
{
    cpu_set_t cpus;
    bool one = count <= FEW_FILES ||
               (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1);
    return one ? 1 : MAX_FEED_LANES;
}

static bool take_some(struct indexing *x, struct source_feed *feed, bool is_last_try, bool *more,
                      struct err *e)
{
    struct source_result *results[MAX_PUT_FILES];
    struct source_file files[MAX_PUT_FILES];
    size_t count = source_feed_take(feed, results, MAX_PUT_FILES, e), file_count;
    *more = count > 0;
    bool ok = !e->code &&
              (!count || (sort_results(x, results, count, is_last_try, files, &file_count, e) &&
                          put(x, files, file_count, e)));
    for (size_t i = 0; i < count; i++)
        source_result_free(results[i]);
    tell_progress(x);
    if (ok && x->options->between)
        x->options->between(x->options->ctx);
    return ok;
}

static bool read_files(struct indexing *x, const struct source_order *orders, size_t count,
                       bool is_last_try, struct err *e)
{
    struct source_feed_options options = {.root = x->root,
                                          .lanes = lanes_for(count),
                                          .niceness = x->options->niceness,
                                          .deadline_ms = SOURCE_DEADLINE_MS,
                                          .stopped = is_stopped,
                                          .ctx = x};
    struct source_feed *feed = source_feed_open(&options, orders, count);
    bool ok = true, more = true;
    while (ok && more)
        ok = take_some(x, feed, is_last_try, &more, e);
    source_feed_close(feed);
    return ok;
}

static bool read_plan(struct indexing *x, struct err *e)
{
    size_t count = x->plan.read_count;
    struct source_order *orders = ARENA_ARRAY(x->arena, struct source_order, count);
    for (size_t i = 0; i < count; i++) {
        const struct worktree_entry *entry = &x->files.entries[x->plan.reads[i].entry];
        orders[i] = (struct source_order){entry->path, x->plan.reads[i].known, entry->bytes};
    }
    tell_progress(x);
    return (!count || read_files(x, orders, count, false, e)) &&
           (!x->again_count || read_files(x, x->again, x->again_count, true, e));
}

/* ---- a run ---- */

static bool run(struct indexing *x, struct err *e)
{
    const struct code_index_options *o = x->options;
    if (!list_files(x, e) ||
        !memory_code_plan(o->memory, x->arena, o->root, &x->files, &x->plan, e))
        return false;
    if (o->listed)
        o->listed(o->ctx);
    count_listing(x);
    int64_t began_ms = monotonic_ms();
    bool ok = read_plan(x, e);
    x->out->reading_ms = monotonic_ms() - began_ms;
    if (!ok || !memory_code_finish(o->memory, x->arena, o->root, o->now_ms, &x->files, is_stopped,
                                   x, &x->out->report, e))
        return false;
    x->out->unchanged = x->plan.unchanged;
    x->out->removed = x->plan.removed;
    x->out->note = x->files.note;
    x->out->head = x->files.head;
    x->out->references = x->files.references;
    qsort(x->out->skips, x->out->skip_count, sizeof *x->out->skips, by_reason);
    return true;
}

bool code_index_run(struct arena *a, const struct code_index_options *options,
                    struct code_index_result *out, struct err *e)
{
    struct indexing x = {.arena = a, .options = options, .out = out};
    *out = (struct code_index_result){0};
    x.root = open(arena_cstr(a, options->root), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (x.root < 0)
        return fail(e, ERR_NOT_FOUND, "%.*s: %s", FMT(options->root), strerror(errno));
    bool ok = run(&x, e);
    close(x.root);
    return ok;
}
