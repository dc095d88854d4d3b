#include "server/history_index.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/file_write.h"
#include "server/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    MAX_TIPS = 200,
    MAX_TRIES = 3,
    MAX_WATCHED = 1000, /* newest commits that are looked at when a branch lost some */
};

struct reading {
    struct arena *arena;
    const struct code_index_options *options;
    struct history_index_result *out;
    int root;
    int known; /* a file: ids of what stands here, as a reader wants them */
    struct history_tips tips;
    struct history_state state;
    struct history_feed *ahead; /* of the first round; NULL: it wasn't begun */
    struct commit_history rest; /* what the last round left */
};

static bool is_stopped(void *ctx)
{
    const struct code_index_options *o = ((const struct reading *)ctx)->options;
    return o->stopped && o->stopped(o->ctx);
}

/* What was read is worth another try while a writer is slow. */
static bool put(struct reading *x, const struct commit_history *stretch, struct err *e)
{
    const struct code_index_options *o = x->options;
    size_t added;
    bool ok;
    do {
        *e = (struct err){0};
        ok = memory_history_put(o->memory, o->now_ms, stretch->commits, stretch->commit_count,
                                &added, e);
        x->out->added += added;
    } while (!ok && e->code == ERR_BUSY && !is_stopped(x));
    if (ok && o->between)
        o->between(o->ctx);
    return ok;
}

/* Takes stretches until the worker has told what is left. false without *e: it ended before. */
static bool take_all(struct reading *x, struct history_feed *feed, struct err *e)
{
    for (;;) {
        struct history_reply *r = history_feed_take(feed);
        if (!r)
            return false;
        struct commit_history stretch;
        uint32_t status = r->header.status;
        bool more = status == REPLY_MORE, ok;
        if (more)
            ok = commit_history_read(&r->arena, r->bytes, &stretch, e) && put(x, &stretch, e);
        else if (status == ERR_NONE)
            ok = commit_history_read(x->arena, arena_str(x->arena, r->bytes), &x->rest, e);
        else
            ok = fail(e, status < REPLY_BEGUN ? (enum err_code)status : ERR_IO, "%.*s",
                      FMT(utf8_repair(x->arena, r->bytes)));
        history_reply_free(r);
        if (!ok || !more)
            return ok;
    }
}

static struct history_feed *open_feed(const struct code_index_options *o, int known, int niceness,
                                      const struct wire_history *ask, struct err *e)
{
    struct buf text = {.max_bytes = MAX_JOB_LIST_BYTES};
    struct history_feed *feed = NULL;
    wire_write_history(&text, ask);
    if (text.overflow)
        fail(e, ERR_LIMIT, "too many commits to ask for");
    else
        feed = history_feed_open(&(struct history_feed_options){.ask = buf_str(&text),
                                                                .known = known,
                                                                .niceness = niceness,
                                                                .stopped = o->stopped,
                                                                .ctx = o->ctx});
    buf_free(&text);
    return feed;
}

/* One attempt at one round. *again: the worker was killed, and not by us. */
static bool try_round(struct reading *x, const struct wire_history *ask, bool *again, struct err *e)
{
    struct history_feed *feed = x->ahead ? x->ahead : open_feed(x->options, x->known, 0, ask, e);
    struct worker_end end;
    bool strike;
    x->ahead = NULL;
    *again = false;
    if (!feed)
        return false;
    bool ok = take_all(x, feed, e);
    if (!history_feed_close(feed, &end, e) || ok || e->code != ERR_NONE)
        return ok;
    worker_explain(&end, S("the history"), HISTORY_DEADLINE_MS, &strike, e);
    *again = !strike && e->code == ERR_IO;
    return false;
}

static bool run_round(struct reading *x, const struct wire_history *ask, struct err *e)
{
    bool ok = false, again = true;
    for (int tries = 0; again && tries < MAX_TRIES; tries++) {
        *e = (struct err){0};
        ok = try_round(x, ask, &again, e);
    }
    return ok;
}

static bool finish(struct reading *x, struct err *e)
{
    const struct code_index_options *o = x->options;
    return memory_history_finish(o->memory, x->arena, o->root, &x->tips, &x->rest, o->now_ms, e);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- where commits stand as seen from the head ---- */

static bool ask_ancestry(struct reading *x, str *heads, size_t count, uint8_t *out)
{
    struct worker_process w;
    struct reply_header header = {0};
    struct err ignored = {0};
    struct buf name = {.max_bytes = MAX_JOB_LIST_BYTES};
    str reply = S("");
    wire_write_history(
        &name, &(struct wire_history){.root = x->options->root, .tips = heads, .tip_count = count});
    if (name.overflow || !worker_start(&w, WORKER_PARSE, &ignored)) {
        buf_free(&name);
        return false;
    }
    struct parse_job job = {PARSE_ANCESTRY, buf_str(&name), x->root};
    struct talk talk = {monotonic_ms() + HISTORY_DEADLINE_MS, MAX_JOB_LIST_BYTES, is_stopped, x};
    enum talk_outcome outcome = TALK_HUNG_UP;
    if (wire_send_job(w.socket, &job))
        outcome = worker_receive(x->arena, &w, &talk, &header, &reply);
    buf_free(&name);
    worker_end(&w, outcome);
    return outcome == TALK_ANSWERED && header.status == ERR_NONE &&
           wire_read_ancestry(reply, out, count);
}

/* A head that no branch has any more was left behind by a force-push or a rebase, and so may be the
 * commits before it. In the order of time they are among the newest that stand here. */
static bool follow_branches(struct reading *x, struct err *e)
{
    struct memory *m = x->options->memory;
    str *newest;
    size_t count;
    bool has_lost;
    uint8_t stands = WIRE_BEHIND_HEAD;
    if (x->state.read.head.len && !ask_ancestry(x, &x->state.read.head, 1, &stands))
        return true; /* what can't be asked stays */
    if (!memory_history_newest(m, x->arena, MAX_WATCHED, &newest, &count, &has_lost, e))
        return false;
    if ((stands != WIRE_ABANDONED && !has_lost) || !count)
        return true;
    uint8_t *ancestry = ARENA_ARRAY(x->arena, uint8_t, count);
    bool *reachable = ARENA_ARRAY(x->arena, bool, count);
    if (!ask_ancestry(x, newest, count, ancestry))
        return true;
    for (size_t i = 0; i < count; i++)
        reachable[i] = ancestry[i] != WIRE_ABANDONED;
    return memory_history_reach(m, newest, reachable, count, e);
}

/* ---- rounds ---- */

static void close_known(struct reading *x)
{
    if (x->known >= 0)
        close(x->known);
    x->known = -1;
}

/* Where it goes on, and what needs no reading. again: what a reading that was cut off stored is
 * told again. */
static bool find_ends(struct reading *x, bool again, struct err *e)
{
    struct memory *m = x->options->memory;
    struct buf ids = {0};
    close_known(x);
    bool ok =
        memory_history_ends(m, x->arena, again, &x->rest.frontier, &x->rest.frontier_count, e) &&
        memory_history_known(m, again, &ids, e);
    if (ok)
        x->known = file_write_memory("known commits", buf_str(&ids), e);
    buf_free(&ids);
    return x->known >= 0;
}

static struct wire_history newest_ask(str root)
{
    return (struct wire_history){.root = root,
                                 .from_branches = true,
                                 .most = MAX_ROUND_COMMITS,
                                 .lines_for = MAX_LINE_COMMITS};
}

/* One round from the first of the frontier, and from the branches where they are news. What lies
 * behind a frontier too wide for one round waits. */
static bool read_round(struct reading *x, bool from_branches, struct err *e)
{
    str *frontier = x->rest.frontier;
    size_t count = x->rest.frontier_count, tips = least(count, MAX_TIPS);
    struct wire_history ask =
        from_branches ? newest_ask(x->options->root)
                      : (struct wire_history){.root = x->options->root, .most = MAX_OLDER_COMMITS};
    ask.tips = frontier;
    ask.tip_count = tips;
    if (is_stopped(x))
        return fail(e, ERR_CANCELLED, "reading the history was stopped");
    if (!run_round(x, &ask, e))
        return false;
    str *all = ARENA_ARRAY(x->arena, str, x->rest.frontier_count + count - tips);
    size_t kept = 0;
    for (size_t i = 0; i < x->rest.frontier_count; i++)
        all[kept++] = x->rest.frontier[i];
    for (size_t i = tips; i < count; i++)
        all[kept++] = frontier[i];
    x->rest.frontier = all;
    x->rest.frontier_count = least(kept, MAX_HISTORY_FRONTIER);
    return true;
}

/* What came since the last time, and what is older and isn't here. What is told again may lead
 * elsewhere than it did, so where it ends is looked for behind it, and before the branches count as
 * read: a run that finds no news goes on from what is noted then. */
static bool read_new(struct reading *x, bool again, struct err *e)
{
    return read_round(x, true, e) && follow_branches(x, e) && (!again || find_ends(x, false, e)) &&
           finish(x, e);
}

static bool read_older(struct reading *x, struct err *e)
{
    while (x->rest.frontier_count) {
        if (!read_round(x, false, e))
            return false;
        if (x->rest.frontier_count
                ? !memory_history_progress(x->options->memory, x->arena, &x->rest, e)
                : !finish(x, e))
            return false;
    }
    return true;
}

/* ---- where memories were made ---- */

/* Commits alone don't tell which branches there still are: a reader does. Where it can't, what
 * follows from the commits stays. */
static bool follow_heads(struct reading *x, struct err *e)
{
    static const enum lineage as_lineage[] = {[WIRE_ABANDONED] = LINEAGE_ABANDONED,
                                              [WIRE_ON_OTHERS] = LINEAGE_OTHER,
                                              [WIRE_BEHIND_HEAD] = LINEAGE_ANCESTOR};
    struct memory *m = x->options->memory;
    str *heads;
    size_t count;
    if (!memory_history_heads_aside(m, x->arena, x->options->root, MAX_JOB_COMMITS, &heads, &count,
                                    e))
        return false;
    uint8_t *ancestry = ARENA_ARRAY(x->arena, uint8_t, count);
    enum lineage *relations = ARENA_ARRAY(x->arena, enum lineage, count);
    if (!count || !ask_ancestry(x, heads, count, ancestry))
        return true;
    for (size_t i = 0; i < count; i++)
        relations[i] = as_lineage[ancestry[i]];
    return memory_history_lineage(m, x->arena, x->options->root, heads, relations, count, e);
}

static bool read_all(struct reading *x, bool is_new, struct err *e)
{
    bool again = is_new && !x->state.is_followed;
    return find_ends(x, again, e) && (!is_new || read_new(x, again, e)) && read_older(x, e) &&
           follow_heads(x, e);
}

/* Then what is asked depends on what stands here, and a first reading would be another one. */
static bool has_begun(const struct history_state *s)
{
    return s->commits || s->read.head.len || !s->is_whole;
}

static bool run(struct reading *x, struct err *e)
{
    const struct code_index_options *o = x->options;
    const struct history_tips *read = &x->state.read;
    if (!memory_history_state(o->memory, x->arena, o->root, &x->state, e))
        return false;
    if (has_begun(&x->state)) {
        history_index_drop(x->ahead);
        x->ahead = NULL;
    }
    bool is_new = x->tips.head.len && (!str_eq(x->tips.head, read->head) ||
                                       !str_eq(x->tips.references, read->references));
    return (!is_new && x->state.is_whole) || read_all(x, is_new, e);
}

struct history_feed *history_index_begin(const struct code_index_options *options)
{
    enum { NICENESS = 5 }; /* what is read ahead must not hold up who stores the files */
    struct arena scratch = {0};
    struct history_state state;
    struct err ignored = {0};
    struct history_feed *ahead = NULL;
    bool is_first =
        memory_history_state(options->memory, &scratch, options->root, &state, &ignored) &&
        !has_begun(&state);
    int known = is_first ? file_write_memory("known commits", S(""), &ignored) : -1;
    struct wire_history ask = newest_ask(options->root);
    if (known >= 0)
        ahead = open_feed(options, known, options->niceness + NICENESS, &ask, &ignored);
    arena_free(&scratch);
    if (known >= 0)
        close(known);
    return ahead;
}

void history_index_drop(struct history_feed *ahead)
{
    struct worker_end end;
    if (ahead)
        history_feed_close(ahead, &end, &(struct err){0});
}

bool history_index_run(struct arena *a, const struct code_index_options *options,
                       const struct code_index_result *code, struct history_feed *ahead,
                       struct history_index_result *out, struct err *e)
{
    struct reading x = {.arena = a,
                        .options = options,
                        .out = out,
                        .known = -1,
                        .tips = {code->head, code->references},
                        .ahead = ahead};
    *out = (struct history_index_result){0};
    x.root = open(arena_cstr(a, options->root), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = x.root >= 0 ? run(&x, e)
                          : fail(e, ERR_NOT_FOUND, "%.*s: %s", FMT(options->root), strerror(errno));
    if (x.root >= 0)
        close(x.root);
    close_known(&x);
    history_index_drop(x.ahead);
    out->is_whole = ok;
    out->note = x.rest.note;
    out->commits = x.state.commits + out->added;
    return ok;
}
