#include "server/worker/import.h"

#include "parsers/parsers.h"
#include "server/confine.h"
#include "server/worker/limits.h"

#include <errno.h>
#include <unistd.h>

enum {
    MAX_BATCH_CPU_SECONDS = 60,
    FULL_BATCH_BYTES =
        1 << 20, /* sent as soon as it has so many: one item has less than the rest */
};

struct telling {
    struct buf items; /* packed, one after the other */
    uint32_t count;
    bool sent; /* false: the parent is gone */
};

static void send_batch(struct telling *t)
{
    struct buf reply = {.max_bytes = MAX_IMPORT_BATCH_BYTES};
    import_batch_write(&reply, buf_str(&t->items), t->count);
    t->sent = t->sent && wire_send_reply(WORKER_SOCKET, REPLY_MORE, buf_str(&reply));
    buf_free(&reply);
    buf_clear(&t->items);
    t->count = 0;
    limits_grant_cpu(MAX_BATCH_CPU_SECONDS);
}

static bool add_item(void *ctx, const struct import_item *item)
{
    struct telling *t = ctx;
    import_item_write(&t->items, item);
    t->count++;
    if (t->count == MAX_IMPORT_BATCH_ITEMS || t->items.len >= FULL_BATCH_BYTES)
        send_batch(t);
    return t->sent;
}

/* The name of a job is the format, a line's end, and the path below the descriptor's folder. */
static bool read_import(struct arena *a, const struct parse_job *job, struct telling *t,
                        struct import_rest *rest, struct err *e)
{
    size_t cut = str_find_char(job->name, '\n', 0);
    str path = str_cut(job->name, cut + 1, job->name.len);
    int fd = confine_open_plain(a, job->fd, path);
    if (fd < 0)
        return fail(e, ERR_IO, "%s", errno == ELOOP ? "it is a link" : strerror(errno));
    int wal = confine_open_plain(a, job->fd, arena_printf(a, "%.*s-wal", FMT(path)));
    limits_grant_cpu(MAX_BATCH_CPU_SECONDS);
    bool ok = import_read(a, str_cut(job->name, 0, cut), path, fd, wal, add_item, t, rest, e);
    close(fd);
    if (wal >= 0)
        close(wal);
    return ok;
}

bool answer_import(struct arena *a, const struct parse_job *job)
{
    struct telling t = {.sent = true};
    struct import_rest rest = {0};
    struct err e = {0};
    bool ok = read_import(a, job, &t, &rest, &e);
    close(job->fd);
    if (t.count)
        send_batch(&t);
    struct buf reply = {.max_bytes = MAX_IMPORT_BATCH_BYTES};
    if (ok)
        import_rest_write(&reply, &rest);
    bool sent = t.sent && wire_send_reply(WORKER_SOCKET, ok ? ERR_NONE : e.code,
                                          ok ? buf_str(&reply) : str_of(e.text));
    buf_free(&reply);
    buf_free(&t.items);
    return sent;
}
