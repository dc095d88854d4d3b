/* A dry run: what the next job of each purpose would send, made by the job's own plan. */
#include "memory/model_queue.h"

struct previewing {
    struct memory *m;
    struct arena *a;
    struct model_preview *at;
    size_t count, capacity;
};

/* A header that holds the key without its value. */
static str without_key(struct arena *a, str header, str key)
{
    if (!key.len || str_find(header, key, 0) == header.len)
        return arena_str(a, header);
    return arena_printf(a, "%.*s: ...", FMT(str_cut(header, 0, str_find_char(header, ':', 0))));
}

static bool name_nodes(struct previewing *p, const struct model_request *r,
                       struct model_preview *out, struct err *e)
{
    str *ids = ARENA_ARRAY(p->a, str, r->node_count);
    for (size_t i = 0; i < r->node_count; i++) {
        struct node_row row;
        bool found;
        if (!store_get_node(p->m->store, p->a, r->nodes[i], &row, &found, e))
            return false;
        ids[i] = node_id_format(p->a, found ? row.kind : NODE_MEMORY, r->nodes[i]);
    }
    out->ids = ids;
    out->id_count = r->node_count;
    return true;
}

static bool add_request(struct previewing *p, enum model_purpose purpose,
                        const struct provider_settings *s, const struct model_request *r,
                        struct err *e)
{
    ARENA_GROW(p->a, p->at, p->count, p->capacity);
    struct model_preview *out = &p->at[p->count++];
    *out = (struct model_preview){.purpose = str_of(model_purpose_name[purpose]),
                                  .host = arena_str(p->a, provider_place(s)),
                                  .url = arena_str(p->a, r->request.url),
                                  .body = arena_str(p->a, r->request.body)};
    for (size_t i = 0; i < r->request.header_count; i++)
        out->headers[out->header_count++] = without_key(p->a, r->request.headers[i], s->key);
    return name_nodes(p, r, out, e);
}

static bool add_job(struct previewing *p, enum model_purpose purpose, int64_t now_ms, struct err *e)
{
    struct model_job *j;
    struct model_request *requests;
    size_t count = 0;
    bool ok = model_job_plan(p->m, now_ms, purpose, &j, e) &&
              (!j || model_job_requests(j, &requests, &count, e));
    for (size_t i = 0; ok && i < count; i++)
        ok = add_request(p, purpose, model_settings_of(p->m->options.models, purpose), &requests[i],
                         e);
    model_job_free(j);
    return ok;
}

bool model_queue_preview(struct memory *m, struct arena *a, int64_t now_ms,
                         struct model_preview **out, size_t *count, struct err *e)
{
    struct previewing p = {.m = m, .a = a};
    if ((m->options.models && !model_queue_gather(m, e)) || !memory_read(m, e))
        return false;
    bool ok = true;
    for (int purpose = 0; ok && purpose < QUEUE_PURPOSES; purpose++)
        ok = add_job(&p, (enum model_purpose)purpose, now_ms, e);
    store_read_end(m->store);
    *out = p.at;
    *count = p.count;
    return ok;
}
