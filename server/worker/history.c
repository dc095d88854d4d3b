#include "server/worker/history.h"

#include "parsers/parsers.h"
#include "server/confine.h"
#include "server/worker/limits.h"

#include <unistd.h>

enum {
    MAX_STRETCH_COMMITS = 200,
    MAX_STRETCH_BYTES = 4 << 20, /* of packed commits, before they are sent */
    MAX_STRETCH_CPU_SECONDS = 20,
};

struct telling {
    struct buf commits; /* packed, one after the other */
    uint32_t count;
    bool sent; /* false: the parent is gone */
};

static void send_stretch(struct telling *t)
{
    struct buf reply = {.max_bytes = MAX_HISTORY_BYTES};
    commit_stretch_write(&reply, buf_str(&t->commits), t->count);
    t->sent = t->sent && wire_send_reply(WORKER_SOCKET, REPLY_MORE, buf_str(&reply));
    buf_free(&reply);
    buf_clear(&t->commits);
    t->count = 0;
    limits_grant_cpu(MAX_STRETCH_CPU_SECONDS);
}

static bool add_commit(void *ctx, const struct commit_record *c)
{
    struct telling *t = ctx;
    commit_stretch_add(&t->commits, c);
    t->count++;
    if (t->count == MAX_STRETCH_COMMITS || t->commits.len >= MAX_STRETCH_BYTES)
        send_stretch(t);
    return t->sent;
}

bool answer_history(struct arena *a, const struct parse_job *job)
{
    struct wire_history asked;
    struct commit_history rest = {0};
    struct telling t = {.sent = true};
    struct err e = {0};
    str known;
    bool is_asked = wire_read_history(a, job->name, &asked) &&
                    read_fd(a, job->fd, (size_t)MAX_KNOWN_COMMITS * COMMIT_ID_BYTES, &known, &e);
    close(job->fd);
    if (!is_asked)
        return wire_send_reply(WORKER_SOCKET, ERR_INPUT, S("this asks for no history"));
    struct commits_ask ask = {.tips = asked.tips,
                              .tip_count = asked.tip_count,
                              .from_head = asked.from_branches,
                              .all_branches = asked.from_branches,
                              .known = known,
                              .most = asked.most,
                              .lines_for = asked.lines_for};
    limits_grant_cpu(MAX_STRETCH_CPU_SECONDS);
    bool ok = commits_read(a, asked.root, &ask, add_commit, &t, &rest, &e);
    if (t.count)
        send_stretch(&t);
    struct buf reply = {.max_bytes = MAX_HISTORY_BYTES};
    if (ok)
        commit_history_write(&reply, &rest);
    bool sent = t.sent && wire_send_reply(WORKER_SOCKET, ok ? ERR_NONE : e.code,
                                          ok ? buf_str(&reply) : str_of(e.text));
    buf_free(&reply);
    buf_free(&t.commits);
    return sent;
}

_Static_assert((int)WIRE_ABANDONED == (int)ANCESTRY_NONE &&
                   (int)WIRE_ON_OTHERS == (int)ANCESTRY_OTHER &&
                   (int)WIRE_BEHIND_HEAD == (int)ANCESTRY_HEAD,
               "the numbers are sent");

bool read_ancestry(struct arena *a, const struct parse_job *job, struct buf *reply, struct err *e)
{
    struct wire_history asked;
    str note = S("");
    if (!wire_read_history(a, job->name, &asked))
        return fail(e, ERR_INPUT, "this asks for no commits");
    enum commit_ancestry *found = ARENA_ARRAY(a, enum commit_ancestry, asked.tip_count);
    uint8_t *out = ARENA_ARRAY(a, uint8_t, asked.tip_count);
    if (!commits_ancestry(a, asked.root, asked.tips, asked.tip_count, found, &note, e))
        return false;
    if (note.len)
        return fail(e, ERR_IO, "%.*s", FMT(note));
    for (size_t i = 0; i < asked.tip_count; i++)
        out[i] = (uint8_t)found[i];
    wire_write_ancestry(reply, out, asked.tip_count);
    return true;
}
