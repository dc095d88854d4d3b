/* A document on its way into the store: prepared and written in steps, none of which holds the
 * write lock for long; a short stage shares the transaction of the one before. Nobody sees a
 * passage of it before all are there; then all are seen at once.
 *
 *     claim     a ticket: who attaches the same document now takes our place
 *     clean     secrets out; no lock
 *     prepare   entities found, words told, some passages ahead; no lock (document_prepare.c)
 *     store     passages that are new: hidden by the document where that is pending itself, else
 *               pending on their own; those that stayed are told by their key
 *     show      pending ones become current, dropped ones go out of sight: never in two
 *               transactions
 *     link      NEXT, by the order of the passages
 *     sweep     dropped ones are deleted, the ticket is given back
 *
 * Whatever ends it before `show` leaves the document as it was; what ends it behind that is made up
 * for by whoever tidies up (memory_documents_tidy). */
#include "memory/cues.h"
#include "memory/document_prepare.h"
#include "memory/documents.h"

enum {
    STEP_MS = 20,  /* of cleaning and preparing */
    WRITE_MS = 40, /* under the lock, without the commit; the last EDGES_PUT_AT_ONCE come on top */
    EDGES_PUT_AT_ONCE = 1024,
};

struct document_put {
    struct arena *a;
    struct document_input in; /* as given, then without secrets */
    const struct facts *given;
    struct facts facts;      /* without secrets */
    size_t phase, stage, at; /* at: in the facts */
    struct linking {
        struct passage_row *rows; /* NULL: not read yet */
        size_t count, at;
    } linking;
    int64_t begin_ms, until_ms; /* no stage begins later; none goes on */
    int64_t document, ticket;
    bool is_claimed, was_whole;
    struct known_names known; /* as of the beginning of preparing */
    struct preparing *preparing;
    struct arena scratch;    /* of a step */
    struct map entities;     /* ids as text, over the whole document */
    struct edge_ends *edges; /* of passages of a transaction, not put yet */
    size_t edge_count, edge_capacity;
    uint32_t position; /* of the next passage */
    size_t tokens;
    struct passage_row *old;
    size_t old_count;
    struct passage_row *now; /* beside old: where it stands from now on; id 0: nowhere */
    struct map old_by_key;
    struct document_result result;
};

static bool is_time_up(const struct memory *m, const struct document_put *p)
{
    return m->options.monotonic_ms(m->options.ctx) >= p->until_ms;
}

/* ---- claim ---- */

static bool revive(struct memory *m, struct document_put *p, struct err *e)
{
    return store_delete_tombstone(m->store, memory_document_tombstone(p->a, p->in.source), e) &&
           store_delete_tombstone(m->store, memory_document_tombstone(p->a, p->in.hash), e);
}

static bool note_old(struct memory *m, struct document_put *p, struct err *e)
{
    if (!store_all_passages(m->store, p->a, p->document, &p->old, &p->old_count, e))
        return false;
    p->now = ARENA_ARRAY(p->a, struct passage_row, p->old_count);
    for (size_t i = 0; i < p->old_count; i++)
        map_put(&p->old_by_key, p->old[i].key, (int64_t)i, NULL);
    return true;
}

static bool claim_written(struct memory *m, struct document_put *p, struct err *e)
{
    struct node_row row;
    bool forgotten, found;
    if (!document_was_forgotten(m, p->a, &p->in, &forgotten, e) ||
        (forgotten && !revive(m, p, e)) ||
        !document_find_or_put(m, &p->in, document_provisional_title(&p->in), &p->document, e) ||
        !store_get_node(m->store, p->a, p->document, &row, &found, e) ||
        !store_take_ticket(m->store, p->document, &p->ticket, e))
        return false;
    p->was_whole = row.state != STATE_PENDING;
    return note_old(m, p, e);
}

static bool claim(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    *over = true;
    if (!document_clean_input(m, p->a, &p->in, &p->in, e))
        return false;
    if (m->options.usage)
        usage_log_activity(&m->log, p->in.from.now_ms);
    if (!memory_write(m, e))
        return false;
    p->is_claimed = store_end(m->store, claim_written(m, p, e), e);
    return p->is_claimed;
}

/* ---- clean ---- */

static bool clean_passage(struct memory *m, struct document_put *p, size_t i, struct err *e)
{
    const struct fact_node *from = &p->given->nodes[i];
    struct fact_node *to = &p->facts.nodes[i];
    *to = *from;
    return memory_redact(m, p->a, from->body, &to->body, NULL, NULL, e) &&
           memory_redact(m, p->a, from->heading, &to->heading, NULL, NULL, e) &&
           memory_redact(m, p->a, from->name, &to->name, NULL, NULL, e);
}

static bool load_names(struct memory *m, struct document_put *p, struct err *e)
{
    enum { RUNS_OF_PASSAGE = 250 }; /* of words that would be looked up one by one */
    if (!store_read_begin_by_writer(m->store, e))
        return false;
    bool ok = known_names_load(m->store, &p->known, p->facts.node_count * RUNS_OF_PASSAGE, e);
    store_read_end(m->store);
    return ok;
}

static bool clean(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    for (; p->at < p->facts.node_count && !is_time_up(m, p); p->at++)
        if (!clean_passage(m, p, p->at, e))
            return false;
    *over = p->at == p->facts.node_count;
    if (!*over)
        return true;
    if (!memory_redact(m, p->a, p->given->title, &p->facts.title, NULL, NULL, e) ||
        !load_names(m, p, e))
        return false;
    p->preparing = preparing_begin(p->facts.nodes, p->facts.node_count, &p->known);
    return true;
}

/* ---- store ---- */

static bool begin_write(struct memory *m, struct document_put *p, struct err *e)
{
    if (!memory_write(m, e))
        return false;
    int64_t now_ms = m->options.monotonic_ms(m->options.ctx);
    p->begin_ms = now_ms + WRITE_MS / 2;
    p->until_ms = now_ms + WRITE_MS;
    return store_keep_ticket(m->store, p->document, p->ticket, e) || store_end(m->store, false, e);
}

static void count_entity(struct document_put *p, int64_t entity)
{
    str key = arena_printf(&p->scratch, "%lld", (long long)entity);
    if (!map_find(&p->entities, key))
        map_put(&p->entities, arena_str(p->a, key), 1, NULL);
}

static void add_edge(struct document_put *p, int64_t src, int64_t dst, enum edge_kind kind)
{
    HEAP_GROW(p->edges, p->edge_count, p->edge_capacity);
    p->edges[p->edge_count++] = (struct edge_ends){src, dst, kind};
}

static bool mention_all(struct memory *m, struct document_put *p, const struct prepared *told,
                        int64_t id, struct err *e)
{
    struct provenance from = p->in.from;
    from.origin = ORIGIN_DOCUMENT;
    for (size_t k = 0; k < told->name_count; k++) {
        int64_t entity;
        if (!entity_put_named(m, &p->scratch, &from, &told->names[k], from.now_ms, &entity, e))
            return false;
        if (!entity)
            continue;
        count_entity(p, entity);
        add_edge(p, id, entity, EDGE_MENTIONS);
    }
    return true;
}

static struct passage_row place_of(const struct document_put *p, size_t i, int64_t id)
{
    const struct fact_node *f = &p->facts.nodes[i];
    return (struct passage_row){.id = id,
                                .document = p->document,
                                .position = p->position,
                                .line_start = f->line_start,
                                .line_end = f->line_end,
                                .page = f->page};
}

static bool put_new(struct memory *m, struct document_put *p, size_t i, const struct prepared *told,
                    str key, struct err *e)
{
    const struct fact_node *f = &p->facts.nodes[i];
    struct node_row row = {.kind = NODE_PASSAGE,
                           .state = p->was_whole ? STATE_PENDING : STATE_CURRENT,
                           .key = key,
                           .name = f->name,
                           .origin = ORIGIN_DOCUMENT,
                           .trust = origin_trust[ORIGIN_DOCUMENT],
                           .at_ms = p->in.from.now_ms,
                           .stored_ms = p->in.from.now_ms,
                           .branch = p->in.from.branch,
                           .head = p->in.from.head,
                           .flags = (int)(told->cues << FLAG_CUES_SHIFT),
                           .words = (int)told->index[1].words};
    int64_t id;
    if (!store_put_node(m->store, &row, &id, e))
        return false;
    struct passage_row passage = place_of(p, i, id);
    add_edge(p, id, p->document, EDGE_PART_OF);
    return store_put_passage(m->store, &passage, e) &&
           store_put_first_body(m->store, id, &row, told->index, e) &&
           mention_all(m, p, told, id, e);
}

static bool keep_old(struct memory *m, struct document_put *p, size_t i, size_t at, struct err *e)
{
    struct edge_full *edges;
    size_t count;
    struct passage_row *old = &p->old[at];
    p->now[at] = place_of(p, i, old->id);
    if (!store_edges(m->store, &p->scratch, old->id, EDGE_MENTIONS, MAX_ENTITIES_OF_PASSAGE, &edges,
                     &count, e))
        return false;
    for (size_t k = 0; k < count; k++)
        count_entity(p, edges[k].dst);
    return old->state != STATE_DISMISSED ||
           store_set_state(m->store, old->id, STATE_PENDING, old->key, e);
}

static bool store_passage(struct memory *m, struct document_put *p, size_t i,
                          const struct prepared *told, struct err *e)
{
    const struct fact_node *f = &p->facts.nodes[i];
    bool forgotten;
    if (!store_find_tombstone(m->store, memory_passage_tombstone(&p->scratch, f->body), &forgotten,
                              e))
        return false;
    if (forgotten && p->in.from.origin != ORIGIN_USER)
        return true;
    str key = arena_printf(&p->scratch, "d%lld:%.*s", (long long)p->document, FMT(f->key));
    int64_t *at = map_find(&p->old_by_key, key);
    bool ok = at ? keep_old(m, p, i, (size_t)*at, e) : put_new(m, p, i, told, key, e);
    p->position++;
    p->tokens += told->tokens;
    return ok;
}

static bool put_edges(struct memory *m, struct document_put *p, struct err *e)
{
    size_t count = p->edge_count;
    p->edge_count = 0;
    return store_put_edges(m->store, p->edges, count, p->in.from.now_ms, e);
}

/* As many as there is time for and as are prepared. */
static bool store_some(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    const struct prepared *told;
    size_t first = p->at, count = p->facts.node_count;
    while (p->at < count && (p->at == first || !is_time_up(m, p)) &&
           (told = preparing_front(p->preparing)) != NULL) {
        struct arena mark = p->scratch;
        if (!store_passage(m, p, p->at, told, e))
            return false;
        preparing_pass(p->preparing);
        arena_rewind(&p->scratch, mark);
        p->at++;
        if (p->edge_count >= EDGES_PUT_AT_ONCE && !put_edges(m, p, e))
            return false;
    }
    *over = p->at == count;
    return put_edges(m, p, e);
}

/* ---- show ---- */

/* What is no longer in the document goes out of sight. */
static bool hide_dropped(struct memory *m, struct document_put *p, struct err *e)
{
    for (size_t i = 0; i < p->old_count; i++)
        if (!p->now[i].id && p->old[i].state != STATE_DISMISSED &&
            !store_set_state(m->store, p->old[i].id, STATE_DISMISSED, p->old[i].key, e))
            return false;
    return true;
}

/* Where a passage that stayed is now. */
static bool place_kept(struct memory *m, struct document_put *p, struct err *e)
{
    for (size_t i = 0; i < p->old_count; i++) {
        const struct passage_row *old = &p->old[i], *now = &p->now[i];
        bool moved = old->position != now->position || old->line_start != now->line_start ||
                     old->line_end != now->line_end || old->page != now->page;
        if (now->id && moved && !store_put_passage(m->store, now, e))
            return false;
    }
    return true;
}

static bool put_rows(struct memory *m, struct document_put *p, struct err *e)
{
    struct buf warnings = {0};
    const struct document_input *in = &p->in;
    for (size_t i = 0; i < p->facts.warning_count; i++)
        buf_printf(&warnings, "%.*s\n", FMT(p->facts.warnings[i]));
    struct document_row row = {.id = p->document,
                               .path = in->path,
                               .hash = in->hash,
                               .media_type = p->facts.media_type,
                               .tokens = (int64_t)p->tokens,
                               .entities = (int64_t)p->entities.count,
                               .warnings = buf_str(&warnings)};
    struct source_row source = {.id = p->document,
                                .root = in->root,
                                .bytes = in->bytes,
                                .mtime_ns = in->mtime_ns,
                                .title = in->title,
                                .etag = in->etag,
                                .modified = in->modified};
    str title = in->title.len ? in->title : p->facts.title;
    bool ok = store_put_document(m->store, &row, e) && store_put_source(m->store, &source, e) &&
              store_set_name(m->store, p->document, title, e) &&
              store_set_state(m->store, p->document, STATE_CURRENT, in->source, e);
    buf_free(&warnings);
    return ok;
}

static bool show(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    *over = true;
    return hide_dropped(m, p, e) && place_kept(m, p, e) && put_rows(m, p, e) &&
           store_show_passages(m->store, p->document, e);
}

/* ---- link ---- */

/* One passage's NEXT: from the one before and from nothing else. */
static bool link_one(struct memory *m, struct arena *a, int64_t before, int64_t id, int64_t now_ms,
                     struct err *e)
{
    struct edge_full *edges;
    size_t count;
    int64_t ignored;
    bool stands = false;
    if (!store_edges(m->store, a, id, EDGE_NEXT, 8, &edges, &count, e))
        return false;
    for (size_t k = 0; k < count; k++) {
        bool is_right = edges[k].dst == id && edges[k].src == before;
        stands |= is_right;
        if (edges[k].dst == id && !is_right && !store_delete_edge(m->store, edges[k].id, e))
            return false;
    }
    return stands || !before ||
           store_put_edge(m->store,
                          &(struct edge_full){.src = before,
                                              .dst = id,
                                              .kind = EDGE_NEXT,
                                              .label = S(""),
                                              .weight = 1,
                                              .at_ms = now_ms},
                          &ignored, e);
}

/* As many as there is time for. Inside a write. */
static bool link_more(struct memory *m, struct arena *a, struct linking *l, int64_t document,
                      int64_t now_ms, int64_t until_ms, bool *over, struct err *e)
{
    struct arena scratch = {0};
    bool ok = l->rows || store_passages(m->store, a, document, &l->rows, &l->count, e);
    while (ok && l->at < l->count && m->options.monotonic_ms(m->options.ctx) < until_ms) {
        int64_t before = l->at ? l->rows[l->at - 1].id : 0;
        ok = link_one(m, &scratch, before, l->rows[l->at].id, now_ms, e);
        l->at++;
    }
    *over = l->at >= l->count;
    arena_free(&scratch);
    return ok;
}

static bool link_some(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    return link_more(m, p->a, &p->linking, p->document, p->in.from.now_ms, p->until_ms, over, e);
}

bool document_link_all(struct memory *m, int64_t document, int64_t ticket, int64_t now_ms,
                       struct err *e)
{
    struct arena a = {0};
    struct linking l = {0};
    bool over = false, ok = true;
    while (ok && !over) {
        ok = memory_write(m, e);
        if (ok)
            ok = store_end(m->store,
                           store_keep_ticket(m->store, document, ticket, e) &&
                               link_more(m, &a, &l, document, now_ms,
                                         m->options.monotonic_ms(m->options.ctx) + WRITE_MS, &over,
                                         e),
                           e);
    }
    arena_free(&a);
    return ok;
}

/* ---- all that is written behind the claim ---- */

static bool sweep(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    do {
        if (!document_sweep(m, &p->scratch, p->document, over, e))
            return false;
    } while (!*over && !is_time_up(m, p));
    return true;
}

/* Inside a write, each as much as there is time for. */
static bool (*const stages[])(struct memory *m, struct document_put *p, bool *over,
                              struct err *e) = {store_some, show, link_some, sweep};
enum { STAGE_COUNT = sizeof stages / sizeof *stages };

/* A commit waits for the disk, so a short stage follows in the transaction of the one before. */
static bool write_stages(struct memory *m, struct document_put *p, struct err *e)
{
    bool over = true;
    do {
        if (!stages[p->stage](m, p, &over, e))
            return false;
        p->stage += over;
    } while (over && p->stage < STAGE_COUNT &&
             m->options.monotonic_ms(m->options.ctx) < p->begin_ms);
    return true;
}

/* *over: enough for a transaction. Where only the thread could go on, other calls may: all that a
 * step sleeps is that they don't spin when there are none. */
static bool prepare_some(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    enum preparing_next next;
    do {
        if (!preparing_some(p->preparing, m, &next, e))
            return false;
    } while (next == PREPARING_MORE && !is_time_up(m, p));
    if (next == PREPARING_WAITS)
        m->options.sleep_ms(m->options.ctx, 1);
    *over = next == PREPARING_ENOUGH;
    return true;
}

static bool finish(struct memory *m, struct document_put *p, struct err *e)
{
    store_let_ticket(m->store, p->ticket);
    p->is_claimed = false;
    p->result.status = p->was_whole ? ATTACH_REPLACED : ATTACH_NEW;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = document_describe(m, p->a, p->document, &p->result, e);
    store_read_end(m->store);
    return ok;
}

static bool write_some(struct memory *m, struct document_put *p, bool *over, struct err *e)
{
    bool enough = true;
    if (p->stage == 0 && !prepare_some(m, p, &enough, e))
        return false;
    if (!enough)
        return true;
    if (!begin_write(m, p, e) || !store_end(m->store, write_stages(m, p, e), e))
        return false;
    *over = p->stage == STAGE_COUNT;
    return !*over || finish(m, p, e);
}

/* ---- all of it ---- */

static bool (*const phases[])(struct memory *m, struct document_put *p, bool *over,
                              struct err *e) = {claim, clean, write_some};
enum { PHASE_COUNT = sizeof phases / sizeof *phases };

struct document_put *memory_document_begin(struct arena *a, const struct document_input *in,
                                           const struct facts *facts)
{
    struct document_put *p = ARENA_NEW(a, struct document_put);
    *p = (struct document_put){.a = a, .in = *in, .given = facts, .facts = *facts};
    p->facts.nodes = ARENA_ARRAY(a, struct fact_node, facts->node_count);
    return p;
}

bool memory_document_step(struct memory *m, struct document_put *p, bool *done,
                          struct document_result *out, struct err *e)
{
    bool over = false;
    *done = false;
    p->until_ms = m->options.monotonic_ms(m->options.ctx) + STEP_MS;
    if (!phases[p->phase](m, p, &over, e))
        return false;
    if (over) {
        p->phase++;
        p->at = 0;
    }
    *done = p->phase == PHASE_COUNT;
    if (*done)
        *out = p->result;
    return true;
}

void memory_document_pend(const struct document_put *p, struct document_result *out)
{
    *out = (struct document_result){
        .id = p->document, .status = ATTACH_PENDING, .title = document_provisional_title(&p->in)};
}

void memory_document_drop(struct document_put *p)
{
    preparing_end(p->preparing); /* it reads the names */
    p->preparing = NULL;
    known_names_free(&p->known);
    heap_free(p->edges);
    p->edges = NULL;
    arena_free(&p->scratch);
    map_free(&p->entities);
    map_free(&p->old_by_key);
}

bool memory_document_end(struct memory *m, struct document_put *p, str why)
{
    struct err ignored = {0};
    bool over = true;
    preparing_stop(p->preparing); /* meanwhile the thread ends */
    if (p->is_claimed && memory_document_abandon(m, p->document, p->ticket, why, &over, &ignored) &&
        !over)
        return false;
    p->is_claimed = false;
    memory_document_drop(p);
    return true;
}

bool memory_document_put(struct memory *m, struct arena *a, const struct document_input *in,
                         const struct facts *facts, struct document_result *out, struct err *e)
{
    struct document_put *p = memory_document_begin(a, in, facts);
    bool done = false;
    while (!done && memory_document_step(m, p, &done, out, e))
        continue;
    while (!memory_document_end(m, p, str_of(e->text)))
        continue;
    return done;
}
