#include "server/import_feed.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/worker_process.h"

enum { BATCH_DEADLINE_MS = 90000, MAX_NAME_SHOWN = 80 };

/* Replies until the last one; false with *outcome, or with *e where `take` failed or the worker
 * says why it can't. */
static bool take_all(struct arena *a, struct worker_process *w, import_take *take, void *ctx,
                     struct import_rest *rest, enum talk_outcome *outcome, struct err *e)
{
    for (;;) {
        struct arena scratch = {0};
        struct talk talk = {monotonic_ms() + BATCH_DEADLINE_MS, MAX_IMPORT_BATCH_BYTES, NULL, NULL};
        struct reply_header header = {0};
        struct import_batch batch;
        str reply;
        *outcome = worker_receive(&scratch, w, &talk, &header, &reply);
        bool answered = *outcome == TALK_ANSWERED, more = header.status == REPLY_MORE, ok = false;
        if (answered && more && import_batch_read(&scratch, reply, &batch))
            ok = take(ctx, &scratch, &batch, e);
        else if (answered && header.status == ERR_NONE &&
                 import_rest_read(a, arena_str(a, reply), rest))
            ok = true;
        else if (answered && header.status > ERR_NONE && header.status < REPLY_BEGUN)
            fail(e, (enum err_code)header.status, "%.*s", FMT(utf8_repair(&scratch, reply)));
        else if (answered)
            *outcome = TALK_GARBLED;
        arena_free(&scratch);
        if (!ok || !more)
            return ok;
    }
}

bool import_file_read(struct arena *a, const struct import_file *file, import_take *take, void *ctx,
                      struct import_rest *rest, struct err *e)
{
    struct worker_process w;
    enum talk_outcome outcome = TALK_HUNG_UP;
    bool strike;
    str name = arena_printf(a, "%.*s\n%.*s", FMT(file->format), FMT(file->path));
    *rest = (struct import_rest){0};
    if (name.len > MAX_JOB_NAME_BYTES)
        return fail(e, ERR_LIMIT, "its path has %zu bytes, at most %d", file->path.len,
                    MAX_JOB_NAME_BYTES - (int)file->format.len - 1);
    if (!worker_start(&w, WORKER_PARSE, e))
        return false;
    struct parse_job job = {PARSE_IMPORT, name, file->folder};
    bool ok = wire_send_job(w.socket, &job) && take_all(a, &w, take, ctx, rest, &outcome, e);
    struct worker_end end = worker_end(&w, outcome);
    if (ok || e->code != ERR_NONE)
        return ok;
    str shown =
        utf8_prefix(unicode_visible(a, utf8_prefix(file->path, MAX_NAME_SHOWN)), MAX_NAME_SHOWN);
    return worker_explain(&end, shown, BATCH_DEADLINE_MS, &strike, e);
}
