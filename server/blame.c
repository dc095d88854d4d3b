#include "server/blame.h"

#include "memory/base/unicode.h"
#include "server/blame_notes.h"
#include "server/config.h"
#include "server/file_write.h"
#include "server/log.h"
#include "server/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* A file whose lines are known, as made.head has them, or are being found out. */
struct blamed_file {
    struct arena arena;
    str root, path;
    str head;    /* that was asked about */
    str none_at; /* a head that has no such file, or none that can be read */
    struct wire_blamed made;
    uint64_t used; /* the higher, the later */
};

struct blame {
    struct blamed_file files[MAX_BLAMED_FILES];
    size_t count;
    uint64_t uses;
    struct blamed_file none; /* stands for one of which it is known that no line has a maker */
    /* A worker that was asked who made the lines of `late`, and hasn't answered yet. */
    bool is_running;
    struct worker_process worker;
    struct blamed_file late;
    int64_t until_ms;
};

static bool is_of(const struct blamed_file *f, const struct blame_ask *ask)
{
    return str_eq(f->path, ask->path) && str_eq(f->root, ask->root);
}

/* ---- talking to a worker ---- */

static bool send_question(struct worker_process *w, const struct blame_ask *ask, uint32_t line,
                          int fd)
{
    struct buf name = {.max_bytes = MAX_JOB_LIST_BYTES};
    wire_write_blame(&name, &(struct wire_blame){ask->root, ask->path, line});
    bool ok = fd >= 0 && !name.overflow &&
              wire_send_job(w->socket, &(struct parse_job){PARSE_BLAME, buf_str(&name), fd});
    if (fd >= 0)
        close(fd);
    buf_free(&name);
    return ok;
}

static bool ask_line(struct worker_process *w, const struct blame_ask *ask)
{
    struct arena scratch = {0};
    int root = open(arena_cstr(&scratch, ask->root), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    arena_free(&scratch);
    return send_question(w, ask, ask->line, root);
}

/* `was`: NULL, or what is known of the file under another head. */
static bool ask_file(struct worker_process *w, const struct blame_ask *ask,
                     const struct blamed_file *was)
{
    struct buf known = {.max_bytes = MAX_BLAMED_BYTES};
    struct err ignored = {0};
    if (was)
        wire_write_blamed(&known, &was->made);
    int fd = file_write_memory("known lines", known.overflow ? S("") : buf_str(&known), &ignored);
    buf_free(&known);
    return send_question(w, ask, 0, fd);
}

static enum talk_outcome receive(struct arena *a, struct worker_process *w,
                                 const struct blame_ask *ask, int64_t until_ms,
                                 struct wire_blamed *out)
{
    struct talk talk = {until_ms, MAX_BLAMED_BYTES, ask->cancelled, ask->ctx};
    struct reply_header header;
    str reply;
    enum talk_outcome outcome = worker_receive(a, w, &talk, &header, &reply);
    if (outcome == TALK_ANSWERED && header.status != ERR_NONE) {
        log_line(LOG_DEBUG, "blame: %.*s", FMT(unicode_visible(a, utf8_repair(a, reply))));
        *out = (struct wire_blamed){0};
    } else if (outcome == TALK_ANSWERED && !wire_read_blamed(a, reply, out))
        outcome = TALK_GARBLED;
    return outcome;
}

static void end_worker(struct blame *b, enum talk_outcome outcome)
{
    struct worker_end end = worker_end(&b->worker, outcome);
    struct err why = {0};
    bool strike;
    if (outcome != TALK_ANSWERED) {
        worker_explain(&end, b->late.path, BLAME_MOST_MS, &strike, &why);
        log_line(LOG_DEBUG, "blame: %s", why.text);
    }
    b->is_running = false;
}

/* ---- the lines of a file ---- */

static void drop_late(struct blame *b, enum talk_outcome outcome)
{
    if (b->is_running)
        end_worker(b, outcome);
    arena_free(&b->late.arena);
    b->late = (struct blamed_file){0};
}

/* Takes *f over, in the place of what was known of the file, else of what wasn't used for longest.
 */
static struct blamed_file *keep(struct blame *b, struct blamed_file *f)
{
    size_t at = 0;
    while (at < b->count &&
           !(str_eq(b->files[at].path, f->path) && str_eq(b->files[at].root, f->root)))
        at++;
    if (at == MAX_BLAMED_FILES) {
        at = 0;
        for (size_t i = 1; i < b->count; i++)
            if (b->files[i].used < b->files[at].used)
                at = i;
    }
    if (at == b->count)
        b->count++;
    else
        arena_free(&b->files[at].arena);
    b->files[at] = *f;
    *f = (struct blamed_file){0};
    return &b->files[at];
}

static struct blamed_file *find_noted(struct blame *b, const struct blame_ask *ask)
{
    struct blamed_file f = {0};
    if (!ask->directory.len ||
        !blame_notes_find(&f.arena, ask->directory, ask->root, ask->path, &f.made)) {
        arena_free(&f.arena);
        return NULL;
    }
    f.root = arena_str(&f.arena, ask->root);
    f.path = arena_str(&f.arena, ask->path);
    return keep(b, &f);
}

/* What is known of the file, under whatever head; NULL: nothing. Where no lines are, a note may
 * have come since. */
static struct blamed_file *find_kept(struct blame *b, const struct blame_ask *ask)
{
    for (size_t i = 0; i < b->count; i++) {
        struct blamed_file *f = &b->files[i];
        if (is_of(f, ask) && (f->made.head.len || str_eq(f->none_at, ask->head)))
            return f;
    }
    return find_noted(b, ask);
}

static bool start_late(struct blame *b, const struct blame_ask *ask, const struct blamed_file *was)
{
    struct err why = {0};
    drop_late(b, TALK_TAKEN_BACK);
    struct arena *a = &b->late.arena;
    b->late.root = arena_str(a, ask->root);
    b->late.head = arena_str(a, ask->head);
    b->late.path = arena_str(a, ask->path);
    b->until_ms = monotonic_ms() + BLAME_MOST_MS;
    if (!worker_start(&b->worker, WORKER_PARSE, &why)) {
        log_line(LOG_DEBUG, "blame: %s", why.text);
        return false;
    }
    b->is_running = true;
    if (!ask_file(&b->worker, ask, was))
        drop_late(b, TALK_HUNG_UP);
    return b->is_running;
}

/* Until the worker says something, or nobody waits any more. */
static bool wait_for_word(struct blame *b, const struct blame_ask *ask, int64_t until_ms)
{
    enum { ASK_MS = 100 };
    until_ms = until_ms < b->until_ms ? until_ms : b->until_ms;
    for (;;) {
        int64_t left = until_ms - monotonic_ms();
        if (left < 0 || (ask->cancelled && ask->cancelled(ask->ctx)))
            return false;
        struct pollfd ready = {.fd = b->worker.socket, .events = POLLIN};
        if (poll(&ready, 1, left < ASK_MS ? (int)left : ASK_MS) > 0)
            return true;
    }
}

/* What was found of the file under an earlier head stays, for a later one that has it again. */
static struct blamed_file *keep_none(struct blame *b, const struct blame_ask *ask,
                                     struct blamed_file *was)
{
    if (!was)
        was = keep(b, &b->late);
    was->none_at = arena_str(&was->arena, ask->head);
    was->used = ++b->uses;
    return &b->none;
}

/* Does history end before all makers are found? Somebody may fetch the rest of it: no note is made
 * then, and the answer holds in this process until HEAD moves. */
static bool is_cut(const struct wire_blamed *made)
{
    for (size_t i = 0; i < made->maker_count; i++)
        if (made->makers[i].is_cut)
            return true;
    return false;
}

/* NULL where it isn't known in time. */
static struct blamed_file *find_file(struct blame *b, const struct blame_ask *ask, int64_t until_ms)
{
    struct blamed_file *was = find_kept(b, ask);
    if (was && str_eq(was->made.head, ask->head))
        return was;
    if (was && str_eq(was->none_at, ask->head))
        return &b->none;
    bool is_asked = b->is_running && is_of(&b->late, ask) && str_eq(b->late.head, ask->head);
    if (!is_asked && !start_late(b, ask, was))
        return NULL;
    if (!wait_for_word(b, ask, until_ms)) {
        if (monotonic_ms() >= b->until_ms)
            drop_late(b, TALK_TOO_LATE);
        return NULL;
    }
    enum talk_outcome outcome =
        receive(&b->late.arena, &b->worker, ask, until_ms + BLAME_SLACK_MS, &b->late.made);
    end_worker(b, outcome);
    if (outcome != TALK_ANSWERED)
        return NULL;
    if (!b->late.made.head.len)
        return keep_none(b, ask, was);
    if (ask->directory.len && !is_cut(&b->late.made))
        blame_notes_put(ask->directory, ask->root, ask->path, &b->late.made);
    return keep(b, &b->late);
}

/* ---- one line ---- */

/* Which line of HEAD's the line is; 0: of none. */
static uint32_t match_line(struct arena *a, const struct blame_ask *ask, int64_t until_ms)
{
    struct worker_process w;
    struct wire_blamed answer = {0};
    struct err why = {0};
    enum talk_outcome outcome = TALK_HUNG_UP;
    if (!worker_start(&w, WORKER_PARSE, &why)) {
        log_line(LOG_DEBUG, "blame: %s", why.text);
        return 0;
    }
    if (ask_line(&w, ask))
        outcome = receive(a, &w, ask, until_ms, &answer);
    worker_end(&w, outcome);
    return outcome == TALK_ANSWERED ? answer.line_at_head : 0;
}

void blame_line(struct blame *b, struct arena *a, const struct blame_ask *ask,
                struct line_origin *out)
{
    *out = (struct line_origin){0};
    int64_t until_ms = monotonic_ms() + ask->wait_ms; /* for all that follows */
    struct blamed_file *f = find_file(b, ask, until_ms);
    out->is_late = !f && b->is_running;
    if (!f)
        return;
    f->used = ++b->uses;
    if (!f->made.line_count)
        return;
    uint32_t line = match_line(a, ask, until_ms + BLAME_SLACK_MS);
    if (!line || line > f->made.line_count || f->made.lines[line - 1].maker == NO_MAKER)
        return;
    const struct wire_made *made = &f->made.lines[line - 1];
    const struct wire_maker *maker = &f->made.makers[made->maker];
    *out = (struct line_origin){.commit = arena_str(a, maker->id),
                                .path = utf8_repair(a, arena_str(a, maker->path)),
                                .line = made->line,
                                .is_cut = maker->is_cut};
}

struct blame *blame_open(void)
{
    return heap_alloc(1, sizeof(struct blame));
}

void blame_close(struct blame *b)
{
    if (!b)
        return;
    drop_late(b, TALK_TAKEN_BACK);
    for (size_t i = 0; i < b->count; i++)
        arena_free(&b->files[i].arena);
    heap_free(b);
}
