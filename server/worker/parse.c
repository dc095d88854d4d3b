#include "server/worker/parse.h"

#include "parsers/parsers.h"
#include "server/confine.h"
#include "server/parse_wire.h"
#include "server/worker/limits.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool read_document(struct arena *a, const struct parse_job *job, struct facts *out,
                          struct err *e)
{
    str bytes;
    return (read_fd(a, job->fd, MAX_DOCUMENT_BYTES, &bytes, e) ||
            fail_context(e, "the document")) &&
           document_facts(a, job->name, bytes, out, e);
}

/* What a worker can be asked. */
static const struct {
    enum parse_kind kind;
    bool (*run)(struct arena *a, const struct parse_job *job, struct facts *out, struct err *e);
} kinds[] = {
    {PARSE_DOCUMENT, read_document},
};

static bool run(struct arena *a, const struct parse_job *job, struct facts *out, struct err *e)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == job->kind)
            return kinds[i].run(a, job, out, e);
    return fail(e, ERR_INPUT, "a parse worker knows no job of kind %u", job->kind);
}

static bool answer(const struct facts *facts, bool ok, struct err *e)
{
    struct buf bytes = {.max_bytes = MAX_REPLY_BYTES};
    if (ok) {
        facts_write(&bytes, facts);
        ok = !bytes.overflow ||
             fail(e, ERR_LIMIT, "the document gives more than %d bytes of facts", MAX_REPLY_BYTES);
    }
    str reply = ok ? buf_str(&bytes) : str_of(e->text);
    bool sent = wire_send_reply(WORKER_SOCKET, ok ? ERR_NONE : e->code, reply);
    buf_free(&bytes);
    return sent;
}

static bool is_socket(int fd)
{
    int type;
    socklen_t length = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

int worker_parse(char **operands)
{
    (void)operands;
    if (!is_socket(WORKER_SOCKET) || fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC) != 0)
        return WORKER_USAGE;
    if (!limits_set())
        return WORKER_SETUP;
    for (;;) {
        struct arena arena = {0};
        struct facts facts = {0};
        struct err e = {0};
        struct parse_job job;
        enum wire_result result = wire_receive_job(&arena, WORKER_SOCKET, &job);
        bool sent = false;
        if (result == WIRE_JOB) {
            limits_grant_cpu();
            bool ok = run(&arena, &job, &facts, &e);
            close(job.fd);
            sent = answer(&facts, ok, &e);
        }
        arena_free(&arena);
        if (!sent)
            return result == WIRE_BAD ? WORKER_PROTOCOL : WORKER_DONE;
    }
}
