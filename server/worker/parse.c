#include "server/worker/parse.h"

#include "parsers/parsers.h"
#include "server/confine.h"
#include "server/parse_wire.h"
#include "server/worker/blame.h"
#include "server/worker/history.h"
#include "server/worker/import.h"
#include "server/worker/limits.h"
#include "server/worker/sources.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- kinds of jobs with one reply ---- */

static bool read_document(struct arena *a, const struct parse_job *job, struct buf *reply,
                          struct err *e)
{
    str bytes;
    struct facts facts = {0};
    bool ok =
        (read_fd(a, job->fd, MAX_DOCUMENT_BYTES, &bytes, e) || fail_context(e, "the document")) &&
        document_facts(a, job->name, bytes, &facts, e);
    if (ok)
        facts_write(reply, &facts);
    return ok;
}

static bool list_worktree(struct arena *a, const struct parse_job *job, struct buf *reply,
                          struct err *e)
{
    struct worktree_files files = {0};
    bool ok = worktree_list(a, job->name, &files, e);
    if (ok)
        worktree_files_write(reply, &files);
    return ok;
}

/* Sends what `run` gives, or its error. */
static bool answer_once(struct arena *a, const struct parse_job *job, size_t max_bytes,
                        bool (*run)(struct arena *a, const struct parse_job *job, struct buf *reply,
                                    struct err *e))
{
    struct buf reply = {.max_bytes = max_bytes};
    struct err e = {0};
    bool ok = run(a, job, &reply, &e);
    close(job->fd);
    if (reply.overflow)
        ok = fail(&e, ERR_LIMIT, "the facts have more than %zu bytes", max_bytes);
    bool sent = wire_send_reply(WORKER_SOCKET, ok ? ERR_NONE : e.code,
                                ok ? buf_str(&reply) : str_of(e.text));
    buf_free(&reply);
    return sent;
}

/* ---- what a worker can be asked: each closes the descriptor; false: the parent is gone ---- */

static bool answer_document(struct arena *a, const struct parse_job *job)
{
    return answer_once(a, job, MAX_REPLY_BYTES, read_document);
}

static bool answer_worktree(struct arena *a, const struct parse_job *job)
{
    return answer_once(a, job, MAX_WORKTREE_BYTES, list_worktree);
}

static bool answer_blame(struct arena *a, const struct parse_job *job)
{
    return answer_once(a, job, MAX_BLAMED_BYTES, blame_file);
}

static bool answer_ancestry(struct arena *a, const struct parse_job *job)
{
    return answer_once(a, job, MAX_BLAMED_BYTES, read_ancestry);
}

static const struct {
    enum parse_kind kind;
    bool (*answer)(struct arena *a, const struct parse_job *job);
} kinds[] = {
    {PARSE_DOCUMENT, answer_document}, {PARSE_WORKTREE, answer_worktree},
    {PARSE_SOURCES, answer_sources},   {PARSE_HISTORY, answer_history},
    {PARSE_BLAME, answer_blame},       {PARSE_ANCESTRY, answer_ancestry},
    {PARSE_IMPORT, answer_import},
};

static bool answer(struct arena *a, const struct parse_job *job)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == job->kind)
            return kinds[i].answer(a, job);
    close(job->fd);
    str text = arena_printf(a, "a parse worker knows no job of kind %u", job->kind);
    return wire_send_reply(WORKER_SOCKET, ERR_INPUT, text);
}

int worker_parse(char **operands)
{
    (void)operands;
    if (!wire_is_socket(WORKER_SOCKET) || fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC) != 0)
        return WORKER_USAGE;
    if (!limits_set())
        return WORKER_SETUP;
    for (;;) {
        struct arena arena = {0};
        struct parse_job job;
        enum wire_result result = wire_receive_job(&arena, WORKER_SOCKET, &job);
        bool sent = false;
        if (result == WIRE_JOB) {
            limits_grant_cpu(MAX_JOB_CPU_SECONDS);
            sent = answer(&arena, &job);
        }
        arena_free(&arena);
        if (!sent)
            return result == WIRE_BAD ? WORKER_PROTOCOL : WORKER_DONE;
    }
}
