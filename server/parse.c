#include "server/parse.h"

#include "memory/base/unicode.h"
#include "server/config.h"
#include "server/worker_process.h"

enum { MAX_NAME_SHOWN = 80 };

static bool is_passage(const struct fact_node *n)
{
    return n->kind == NODE_PASSAGE && n->key.len && n->body.len && n->line_start <= n->line_end &&
           utf8_valid(n->key) && utf8_valid(n->name) && utf8_valid(n->heading) &&
           utf8_valid(n->body);
}

/* What a document can't have given shows a worker that has been taken over or is broken. */
static bool check_facts(const struct facts *f, struct err *e)
{
    bool sound = utf8_valid(f->title) && utf8_valid(f->media_type);
    for (size_t i = 0; sound && i < f->node_count; i++)
        sound = is_passage(&f->nodes[i]);
    for (size_t i = 0; sound && i < f->edge_count; i++)
        sound = f->edges[i].kind == EDGE_NEXT;
    for (size_t i = 0; sound && i < f->warning_count; i++)
        sound = utf8_valid(f->warnings[i]);
    return sound || fail(e, ERR_IO, "the parse worker's facts aren't those of a document");
}

static bool read_answer(struct arena *a, const struct reply_header *header, str reply,
                        struct facts *out, bool *strike, struct err *e)
{
    struct err bad = {0};
    if (header->status >= REPLY_BEGUN)
        fail(&bad, ERR_IO, "the parse worker answers what it wasn't asked");
    else if (header->status != ERR_NONE)
        return fail(e, (enum err_code)header->status, "%.*s", FMT(utf8_repair(a, reply)));
    if (!bad.code && facts_read(a, reply, out, &bad) && check_facts(out, &bad))
        return true;
    *strike = true;
    return fail(e, ERR_IO, "%s", bad.text);
}

static enum talk_outcome converse(struct arena *a, struct worker_process *w, const struct talk *t,
                                  const struct parse_job *job, struct reply_header *header,
                                  str *reply)
{
    return wire_send_job(w->socket, job) ? worker_receive(a, w, t, header, reply) : TALK_HUNG_UP;
}

bool parse_document(struct arena *a, int fd, str name, int64_t deadline_ms,
                    bool (*cancelled)(void *), void *ctx, struct facts *out, bool *strike,
                    struct err *e)
{
    struct worker_process w;
    *out = (struct facts){0};
    *strike = false;
    struct parse_job job = {PARSE_DOCUMENT, utf8_prefix(name, MAX_JOB_NAME_BYTES), fd};
    str shown = utf8_prefix(unicode_visible(a, utf8_prefix(name, MAX_NAME_SHOWN)), MAX_NAME_SHOWN);
    if (!worker_start(&w, WORKER_PARSE, e))
        return false;

    struct talk talk = {monotonic_ms() + deadline_ms, MAX_REPLY_BYTES, cancelled, ctx};
    struct reply_header header = {0};
    str reply = S("");
    struct worker_end end = worker_end(&w, converse(a, &w, &talk, &job, &header, &reply));
    return end.outcome == TALK_ANSWERED ? read_answer(a, &header, reply, out, strike, e)
                                        : worker_explain(&end, shown, deadline_ms, strike, e);
}
