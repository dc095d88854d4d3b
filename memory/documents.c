/* attach_document: a document's row, its passages, what they mention. */
#include "memory/cues.h"
#include "memory/memory_state.h"
#include "memory/text.h"

enum { MAX_ENTITIES_OF_PASSAGE = 40, QUARANTINE_STRIKES = 2 };

str memory_document_tombstone(struct arena *a, str source_or_hash)
{
    return hash128_hex(a, arena_printf(a, "document\x1f%.*s", FMT(source_or_hash)));
}

str memory_passage_tombstone(struct arena *a, str body)
{
    return hash128_hex(a, arena_printf(a, "passage\x1f%.*s", FMT(body)));
}

/* What was forgotten comes back only by a person's own hand. */
static bool was_forgotten(struct memory *m, struct arena *a, const struct document_input *in,
                          bool *forgotten, struct err *e)
{
    bool by_source, by_hash;
    if (!store_find_tombstone(m->store, memory_document_tombstone(a, in->source), &by_source, e) ||
        !store_find_tombstone(m->store, memory_document_tombstone(a, in->hash), &by_hash, e))
        return false;
    *forgotten = by_source || by_hash;
    if (*forgotten && in->from.origin != ORIGIN_USER)
        return fail(e, ERR_CONFLICT,
                    "this document was forgotten; a person can attach it again by `engram attach`");
    return true;
}

static bool describe(struct memory *m, struct arena *a, int64_t id, struct document_result *out,
                     struct err *e)
{
    struct node_row node_of;
    struct document_row row;
    struct passage_row *passages;
    bool found;
    if (!store_get_node(m->store, a, id, &node_of, &found, e) || !found ||
        !store_get_document(m->store, a, id, &row, &found, e) || !found ||
        !store_passages(m->store, a, id, &passages, &out->passages, e))
        return e->code == ERR_NONE ? fail(e, ERR_DB, "document d%lld has no row", (long long)id)
                                   : false;
    out->id = id;
    out->title = node_of.name;
    out->media_type = row.media_type;
    out->tokens = (size_t)row.tokens;
    out->entities = (size_t)row.entities;
    str rest = row.warnings, line;
    out->warnings = ARENA_ARRAY(a, str, MAX_FACT_WARNINGS);
    while (out->warning_count < MAX_FACT_WARNINGS && str_next_line(&rest, &line))
        out->warnings[out->warning_count++] = line;
    return true;
}

/* A copy of the input in which no name, title or path holds a secret. The same goes in, the same
 * comes out: the source stays what makes it the same document again. */
static bool clean_input(struct memory *m, struct arena *a, const struct document_input *in,
                        struct document_input *out, struct err *e)
{
    *out = *in;
    return memory_redact(m, a, in->source, &out->source, NULL, NULL, e) &&
           memory_redact(m, a, in->path, &out->path, NULL, NULL, e) &&
           memory_redact(m, a, in->title, &out->title, NULL, NULL, e);
}

bool memory_document_known(struct memory *m, struct arena *a, const struct document_input *given,
                           bool *known, struct document_result *out, struct err *e)
{
    struct document_input cleaned, *in = &cleaned;
    int64_t id;
    int strikes;
    str why;
    *known = false;
    *out = (struct document_result){0};
    if (!clean_input(m, a, given, in, e) || !store_read_begin(m->store, e))
        return false;
    bool forgotten;
    bool ok = was_forgotten(m, a, in, &forgotten, e) &&
              store_quarantined(m->store, a, in->hash, &strikes, &why, e) &&
              store_find_key(m->store, NODE_DOCUMENT, in->source, &id, e);
    if (ok && strikes >= QUARANTINE_STRIKES)
        ok = fail(e, ERR_LIMIT, "this content was refused %d times (%.*s) and is not parsed again",
                  strikes, FMT(why));
    if (ok && id) {
        struct document_row row;
        struct node_row node_of;
        bool found;
        ok = store_get_document(m->store, a, id, &row, &found, e) &&
             store_get_node(m->store, a, id, &node_of, &found, e);
        bool retitled = in->title.len && !str_eq(in->title, node_of.name);
        *known = ok && found && str_eq(row.hash, in->hash) && node_of.state == STATE_CURRENT &&
                 !retitled;
        if (*known) {
            out->status = ATTACH_UNCHANGED;
            ok = describe(m, a, id, out, e);
        }
    }
    store_read_end(m->store);
    return ok;
}

static bool put_document_node(struct memory *m, const struct document_input *in,
                              enum node_state state, str title, int64_t *id, bool *is_new,
                              struct err *e)
{
    if (!store_find_key(m->store, NODE_DOCUMENT, in->source, id, e))
        return false;
    *is_new = *id == 0;
    if (*id)
        return store_set_name(m->store, *id, title, e) &&
               store_set_state(m->store, *id, state, in->source, e);
    struct node_row row = {.kind = NODE_DOCUMENT,
                           .state = state,
                           .key = in->source,
                           .name = title,
                           .origin = ORIGIN_DOCUMENT,
                           .trust = origin_trust[ORIGIN_DOCUMENT],
                           .at_ms = in->from.now_ms,
                           .stored_ms = in->from.now_ms,
                           .branch = in->from.branch,
                           .head = in->from.head};
    return store_put_node(m->store, &row, id, e);
}

/* What a document is called before its text is known. */
static str provisional_title(const struct document_input *in)
{
    size_t colon = str_find_char(in->source, ':', 0);
    return in->title.len  ? in->title
           : in->path.len ? in->path
                          : str_cut(in->source, colon + 1, in->source.len);
}

bool memory_document_pending(struct memory *m, struct arena *a, const struct document_input *given,
                             struct document_result *out, struct err *e)
{
    struct document_input cleaned, *in = &cleaned;
    bool is_new;
    int64_t id = 0;
    *out = (struct document_result){.status = ATTACH_PENDING};
    if (!clean_input(m, a, given, in, e) || !memory_write(m, e))
        return false;
    str title = provisional_title(in);
    bool ok = store_find_key(m->store, NODE_DOCUMENT, in->source, &id, e);
    /* A document that is there already keeps its passages until the new ones have come. */
    if (ok && !id)
        ok = put_document_node(m, in, STATE_PENDING, title, &id, &is_new, e) &&
             store_put_document(
                 m->store, &(struct document_row){.id = id, .path = in->path, .hash = S("")}, e);
    if (!store_end(m->store, ok, e))
        return false;
    out->id = id;
    out->title = title;
    return true;
}

/* ---- storing ---- */

struct put {
    struct memory *m;
    struct arena *a;
    const struct document_input *in;
    const struct facts *facts;
    int64_t document;
    struct map entities; /* ids as text, over the whole document */
    int64_t *ids;        /* of the passages, by index in facts (0: no passage) */
    size_t tokens;
    struct passage_row *old;
    size_t old_count;
};

static str passage_key(struct put *p, str key)
{
    return arena_printf(p->a, "d%lld:%.*s", (long long)p->document, FMT(key));
}

static int64_t old_passage(const struct put *p, str key)
{
    for (size_t i = 0; i < p->old_count; i++)
        if (str_eq(p->old[i].key, key))
            return p->old[i].id;
    return 0;
}

static bool mention_all(struct put *p, int64_t passage, const struct entity_input *found,
                        size_t count, struct err *e)
{
    for (size_t i = 0; i < count && i < MAX_ENTITIES_OF_PASSAGE; i++) {
        struct entity_ref ref;
        struct provenance from = p->in->from;
        from.origin = ORIGIN_DOCUMENT;
        if (!entity_put(p->m, p->a, &from, found[i].name, found[i].type, false, p->in->from.now_ms,
                        &ref, e))
            return false;
        if (!ref.id)
            continue;
        map_put(&p->entities, arena_printf(p->a, "%lld", (long long)ref.id), 1, NULL);
        if (!mention_put(p->m, passage, ref.id, 1, p->in->from.now_ms, e))
            return false;
    }
    return true;
}

static bool put_passage(struct put *p, const struct fact_node *f, uint32_t position,
                        const struct entity_input *found, size_t found_count, int64_t *id,
                        struct err *e)
{
    str key = passage_key(p, f->key);
    *id = old_passage(p, key);
    bool is_new = *id == 0;
    struct node_row row = {.kind = NODE_PASSAGE,
                           .key = key,
                           .name = f->name,
                           .origin = ORIGIN_DOCUMENT,
                           .trust = origin_trust[ORIGIN_DOCUMENT],
                           .at_ms = p->in->from.now_ms,
                           .stored_ms = p->in->from.now_ms,
                           .branch = p->in->from.branch,
                           .head = p->in->from.head,
                           .flags = (int)(cues_told(f->body) << FLAG_CUES_SHIFT)};
    if (is_new && !store_put_node(p->m->store, &row, id, e))
        return false;
    struct passage_row passage = {.id = *id,
                                  .document = p->document,
                                  .position = position,
                                  .line_start = f->line_start,
                                  .line_end = f->line_end,
                                  .page = f->page};
    int64_t edge;
    struct edge_full part_of = {.src = *id,
                                .dst = p->document,
                                .kind = EDGE_PART_OF,
                                .label = S(""),
                                .weight = 1,
                                .at_ms = p->in->from.now_ms};
    return store_put_passage(p->m->store, &passage, e) &&
           store_put_edge(p->m->store, &part_of, &edge, e) &&
           (!is_new || (store_put_body(p->m->store, *id, f->heading, f->body, e) &&
                        mention_all(p, *id, found, found_count, e)));
}

/* Passages that are no longer in the document go, with their edges. */
static bool drop_old(struct put *p, struct err *e)
{
    for (size_t i = 0; i < p->old_count; i++) {
        bool stays = false;
        for (size_t k = 0; k < p->facts->node_count && !stays; k++)
            stays = p->ids[k] == p->old[i].id;
        if (!stays && !store_delete_node(p->m->store, p->old[i].id, e))
            return false;
    }
    return true;
}

static bool link_passages(struct put *p, struct err *e)
{
    struct edge_full *edges;
    size_t count;
    int64_t ignored;
    /* The order may have changed: what NEXT said before is taken out first. */
    for (size_t i = 0; i < p->old_count; i++) {
        if (!store_edges(p->m->store, p->a, p->old[i].id, EDGE_NEXT, 8, &edges, &count, e))
            return false;
        for (size_t k = 0; k < count; k++)
            if (!store_delete_edge(p->m->store, edges[k].id, e))
                return false;
    }
    for (size_t i = 0; i < p->facts->edge_count; i++) {
        const struct fact_edge *f = &p->facts->edges[i];
        if (f->kind != EDGE_NEXT || !p->ids[f->from] || !p->ids[f->to] ||
            p->ids[f->from] == p->ids[f->to])
            continue;
        struct edge_full edge = {.src = p->ids[f->from],
                                 .dst = p->ids[f->to],
                                 .kind = EDGE_NEXT,
                                 .label = S(""),
                                 .weight = 1,
                                 .at_ms = p->in->from.now_ms};
        if (!store_put_edge(p->m->store, &edge, &ignored, e))
            return false;
    }
    return true;
}

static bool revive(struct put *p, struct err *e)
{
    return store_delete_tombstone(p->m->store, memory_document_tombstone(p->a, p->in->source), e) &&
           store_delete_tombstone(p->m->store, memory_document_tombstone(p->a, p->in->hash), e);
}

static bool put_all(struct put *p, str title, struct entity_input **found,
                    const size_t *found_count, bool *replaced, struct err *e)
{
    bool is_new, forgotten;
    uint32_t position = 0;
    struct node_row before = {.state = STATE_CURRENT};
    bool found_row = false;
    if (!store_find_key(p->m->store, NODE_DOCUMENT, p->in->source, &p->document, e) ||
        (p->document && !store_get_node(p->m->store, p->a, p->document, &before, &found_row, e)) ||
        !was_forgotten(p->m, p->a, p->in, &forgotten, e) || (forgotten && !revive(p, e)) ||
        !put_document_node(p->m, p->in, STATE_CURRENT, title, &p->document, &is_new, e) ||
        !store_passages(p->m->store, p->a, p->document, &p->old, &p->old_count, e))
        return false;
    *replaced = !is_new && before.state != STATE_PENDING;
    struct document_row row = {.id = p->document, .path = p->in->path, .hash = p->in->hash};
    if (!store_put_document(p->m->store, &row, e))
        return false;
    for (size_t i = 0; i < p->facts->node_count; i++) {
        const struct fact_node *f = &p->facts->nodes[i];
        bool passage_forgotten;
        if (f->kind != NODE_PASSAGE)
            continue;
        if (!store_find_tombstone(p->m->store, memory_passage_tombstone(p->a, f->body),
                                  &passage_forgotten, e))
            return false;
        if (passage_forgotten && p->in->from.origin != ORIGIN_USER)
            continue;
        if (!put_passage(p, f, position++, found[i], found_count[i], &p->ids[i], e))
            return false;
        p->tokens += text_estimate_tokens(f->body);
    }
    return drop_old(p, e) && link_passages(p, e);
}

static bool finish_row(struct put *p, struct err *e)
{
    struct buf warnings = {0};
    for (size_t i = 0; i < p->facts->warning_count; i++)
        buf_printf(&warnings, "%.*s\n", FMT(p->facts->warnings[i]));
    struct document_row row = {.id = p->document,
                               .path = p->in->path,
                               .hash = p->in->hash,
                               .media_type = p->facts->media_type,
                               .tokens = (int64_t)p->tokens,
                               .entities = (int64_t)p->entities.count,
                               .warnings = buf_str(&warnings)};
    bool ok = store_put_document(p->m->store, &row, e);
    buf_free(&warnings);
    return ok;
}

/* Secrets out, entities found: all that takes time, before the lock. */
static bool prepare(struct memory *m, struct arena *a, const struct facts *in, struct facts *out,
                    struct entity_input **found, size_t *found_count, struct err *e)
{
    *out = *in;
    out->nodes = ARENA_ARRAY(a, struct fact_node, in->node_count);
    for (size_t i = 0; i < in->node_count; i++) {
        out->nodes[i] = in->nodes[i];
        if (!memory_redact(m, a, in->nodes[i].body, &out->nodes[i].body, NULL, NULL, e) ||
            !memory_redact(m, a, in->nodes[i].heading, &out->nodes[i].heading, NULL, NULL, e) ||
            !memory_redact(m, a, in->nodes[i].name, &out->nodes[i].name, NULL, NULL, e) ||
            !entities_in_text(m, a, out->nodes[i].body, &found[i], &found_count[i], e))
            return false;
    }
    return memory_redact(m, a, in->title, &out->title, NULL, NULL, e);
}

bool memory_document_put(struct memory *m, struct arena *a, const struct document_input *given,
                         const struct facts *facts, struct document_result *out, struct err *e)
{
    struct document_input cleaned, *in = &cleaned;
    struct facts clean;
    struct entity_input **found = ARENA_ARRAY(a, struct entity_input *, facts->node_count);
    size_t *found_count = ARENA_ARRAY(a, size_t, facts->node_count);
    bool replaced = false;
    *out = (struct document_result){0};
    if (!clean_input(m, a, given, in, e) || !prepare(m, a, facts, &clean, found, found_count, e) ||
        !memory_write(m, e))
        return false;
    struct put p = {.m = m, .a = a, .in = in, .facts = &clean};
    p.ids = ARENA_ARRAY(a, int64_t, facts->node_count);
    str title = in->title.len ? in->title : clean.title;
    bool ok = put_all(&p, title, found, found_count, &replaced, e) && finish_row(&p, e) &&
              describe(m, a, p.document, out, e);
    map_free(&p.entities);
    out->status = replaced ? ATTACH_REPLACED : ATTACH_NEW;
    return store_end(m->store, ok, e);
}

bool memory_quarantine(struct memory *m, str hash, str name, str why, int64_t now_ms, struct err *e)
{
    return memory_write(m, e) &&
           store_end(m->store, store_strike(m->store, hash, name, why, now_ms, e), e);
}
