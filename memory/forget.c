/* forget: gone from rows, full text, edges and the WAL; what stays is a hash that keeps it from
 * coming back by itself. */
#include "memory/history_reverts.h"
#include "memory/review_journal.h"
#include "memory/sleep.h"
#include "memory/store_consolidate.h"
#include "memory/store_growth.h"
#include "memory/store_history.h"

struct forgetting {
    struct memory *m;
    struct arena *a;
    const struct forget_input *in;
    struct forget_result *out;
    size_t capacity;
    struct map seen;    /* node ids as text */
    struct map touched; /* entities that hung on what goes */
    int64_t *entities;
    size_t entity_count, entity_capacity;
    int64_t *wholes; /* consolidated memories that quote what goes */
    size_t whole_count, whole_capacity;
    str reason;
};

/* Looks whether it is still wanted, at the end. */
static void touch_entity(struct forgetting *f, int64_t entity)
{
    bool is_new;
    map_put(&f->touched, arena_printf(f->a, "%lld", (long long)entity), 1, &is_new);
    if (!is_new)
        return;
    ARENA_GROW(f->a, f->entities, f->entity_count, f->entity_capacity);
    f->entities[f->entity_count++] = entity;
}

static bool note_entities(struct forgetting *f, int64_t id, struct err *e)
{
    static const enum edge_kind kinds[] = {EDGE_MENTIONS, EDGE_RELATES_TO};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct edge_full *edges, *said;
        size_t count, said_count;
        if (!store_edges(f->m->store, f->a, id, kinds[k], 100000, &edges, &count, e) ||
            !store_edges_said_by(f->m->store, f->a, id, &said, &said_count, e))
            return false;
        for (size_t i = 0; i < count + 2 * said_count; i++) {
            int64_t entity = i < count         ? edges[i].dst
                             : (i - count) % 2 ? said[(i - count) / 2].dst
                                               : said[(i - count) / 2].src;
            touch_entity(f, entity);
        }
    }
    return true;
}

static bool tombstone(struct forgetting *f, str hash, enum node_kind kind, struct err *e)
{
    bool is_new;
    if (!store_put_tombstone(f->m->store, hash, kind, f->in->from.now_ms, f->reason, &is_new, e))
        return false;
    f->out->tombstones += is_new;
    return true;
}

/* A consolidated memory doesn't come back under another text either. */
static bool note_consolidated(struct forgetting *f, int64_t id, struct err *e)
{
    int64_t whole;
    if (!store_consolidated_of(f->m->store, id, &whole, e) ||
        !sleep_keep_apart(f->m, f->a, id, f->in->from.now_ms, e))
        return false;
    if (!whole)
        return true;
    ARENA_GROW(f->a, f->wholes, f->whole_count, f->whole_capacity);
    f->wholes[f->whole_count++] = whole;
    return true;
}

/* What quoted a forgotten memory is built anew from those that are left. */
static bool rewrite_consolidated(struct forgetting *f, struct err *e)
{
    for (size_t i = 0; i < f->whole_count; i++) {
        struct node_row row;
        bool found;
        if (!store_get_node(f->m->store, f->a, f->wholes[i], &row, &found, e) ||
            (found && !sleep_rewrite(f->m, f->a, f->wholes[i], e)))
            return false;
    }
    return true;
}

str commit_tombstone(struct arena *a, str oid)
{
    return hash128_hex(a, arena_printf(a, "commit\x1f%.*s", FMT(oid)));
}

/* What was read out of a commit's message is forgotten with the message. */
static bool blank_commits(struct forgetting *f, int64_t memory, struct err *e)
{
    struct edge_full *edges;
    struct node_row row;
    struct commit_row commit;
    size_t count;
    bool found, ignored;
    if (!store_get_node(f->m->store, f->a, memory, &row, &found, e) || !found ||
        row.origin != ORIGIN_COMMIT ||
        !store_edges(f->m->store, f->a, memory, EDGE_ANCHORS, MAX_FILES, &edges, &count, e))
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count; i++)
        if (!store_get_node(f->m->store, f->a, edges[i].dst, &row, &found, e) ||
            (found && row.kind == NODE_COMMIT &&
             (!store_put_tombstone(f->m->store, commit_tombstone(f->a, row.key), NODE_COMMIT,
                                   f->in->from.now_ms, S(""), &ignored, e) ||
              !store_get_commit(f->m->store, f->a, row.id, &commit, &ignored, e) ||
              !store_blank_commit(f->m->store, row.id, reverts_ids(commit.reverts), e))))
            return false;
    return true;
}

/* A memory that superseded another leaves it superseded: forgetting the new doesn't make the old
 * true again. */
static bool drop(struct forgetting *f, enum node_kind kind, int64_t id, struct err *e)
{
    bool is_new;
    str name, text;
    map_put(&f->seen, arena_printf(f->a, "%lld", (long long)id), 1, &is_new);
    if (!is_new)
        return true;
    if (!store_get_body(f->m->store, f->a, id, &name, &text, e) || !note_entities(f, id, e))
        return false;
    if (kind == NODE_MEMORY && (!tombstone(f, memory_tombstone_hash(f->a, text), kind, e) ||
                                !note_consolidated(f, id, e) || !blank_commits(f, id, e)))
        return false;
    if (kind == NODE_PASSAGE && !tombstone(f, memory_passage_tombstone(f->a, text), kind, e))
        return false;
    if (!store_delete_node(f->m->store, id, e) || !journal_forget(f->m, f->a, id, e))
        return false;
    ARENA_GROW(f->a, f->out->forgotten, f->out->forgotten_count, f->capacity);
    f->out->forgotten[f->out->forgotten_count++] = (struct node_ref){kind, id};
    return true;
}

static bool drop_children(struct forgetting *f, int64_t id, enum node_kind kind, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!store_children(f->m->store, f->a, id, kind, &ids, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!drop(f, kind, ids[i], e))
            return false;
    return true;
}

static bool drop_document(struct forgetting *f, const struct node_row *row, struct err *e)
{
    struct document_row document;
    bool found;
    if (!store_get_document(f->m->store, f->a, row->id, &document, &found, e))
        return false;
    return tombstone(f, memory_document_tombstone(f->a, row->key), NODE_DOCUMENT, e) &&
           (!found || !document.hash.len ||
            tombstone(f, memory_document_tombstone(f->a, document.hash), NODE_DOCUMENT, e)) &&
           drop_children(f, row->id, NODE_PASSAGE, e) && drop(f, NODE_DOCUMENT, row->id, e);
}

/* A session goes with its last memory: its name may say as much as they did. */
static bool drop_empty_session(struct forgetting *f, int64_t session, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!session || !store_children(f->m->store, f->a, session, NODE_MEMORY, &ids, &count, e))
        return e->code == ERR_NONE;
    return count > 0 || store_delete_node(f->m->store, session, e);
}

static bool forget_one(struct forgetting *f, str id, struct err *e)
{
    const uint32_t kinds =
        1u << NODE_MEMORY | 1u << NODE_DOCUMENT | 1u << NODE_PASSAGE | 1u << NODE_SESSION;
    struct node_row row;
    if (!memory_id(f->m, f->a, "ids", id, kinds, &row, e)) {
        enum node_kind kind;
        int64_t number;
        bool repeated = node_id_parse(id, &kind, &number) &&
                        map_find(&f->seen, arena_printf(f->a, "%lld", (long long)number));
        if (e->code == ERR_NOT_FOUND && repeated) { /* went with another id of this call */
            *e = (struct err){0};
            return true;
        }
        return false;
    }
    switch (row.kind) {
    case NODE_DOCUMENT:
        return drop_document(f, &row, e);
    case NODE_SESSION:
        return drop_children(f, row.id, NODE_MEMORY, e) && drop(f, NODE_SESSION, row.id, e);
    default:
        return drop(f, row.kind, row.id, e) && drop_empty_session(f, row.session, e);
    }
}

/* What was dismissed stays so when it is named again: a hash of each name tells. */
static bool keep_dismissed(struct forgetting *f, int64_t id, struct err *e)
{
    struct node_row row;
    struct alias_row *names;
    size_t count;
    bool found, ignored;
    if (!store_get_node(f->m->store, f->a, id, &row, &found, e) || !found ||
        row.state != STATE_DISMISSED || !store_aliases(f->m->store, f->a, id, &names, &count, e))
        return e->code == ERR_NONE;
    for (size_t i = 0; i < count; i++)
        if (!store_put_tombstone(f->m->store, entity_tombstone(f->a, names[i].normal), NODE_ENTITY,
                                 f->in->from.now_ms, S(""), &ignored, e))
            return false;
    return true;
}

static bool drop_entity(struct forgetting *f, int64_t id, struct err *e)
{
    struct alias_row *names;
    size_t count;
    if (!store_aliases(f->m->store, f->a, id, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!growth_unlabel(f->m->store, names[i].name, e))
            return false;
    return store_delete_node(f->m->store, id, e) && journal_forget(f->m, f->a, id, e);
}

/* An entity that nothing mentions or relates any more goes, with what was merged into it, and what
 * was split off is looked at in turn. */
static bool collect_entity(struct forgetting *f, int64_t id, struct err *e)
{
    int64_t *alone, *split_off;
    size_t count, split_count;
    if (!keep_dismissed(f, id, e) || !store_alone_entity(f->m->store, f->a, id, &alone, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!journal_split_off(f->m, f->a, alone[i], &split_off, &split_count, e) ||
            !drop_entity(f, alone[i], e))
            return false;
        for (size_t k = 0; k < split_count; k++)
            touch_entity(f, split_off[k]);
    }
    f->out->entities_collected += count > 0;
    return true;
}

static bool apply(struct forgetting *f, struct err *e)
{
    for (size_t i = 0; i < f->in->id_count; i++)
        if (!forget_one(f, f->in->ids[i], e))
            return false;
    if (!rewrite_consolidated(f, e))
        return false;
    for (size_t i = 0; i < f->entity_count; i++)
        if (!collect_entity(f, f->entities[i], e))
            return false;
    return true;
}

bool memory_forget(struct memory *m, struct arena *a, const struct forget_input *in,
                   struct forget_result *out, struct err *e)
{
    struct forgetting f = {.m = m, .a = a, .in = in, .out = out};
    *out = (struct forget_result){0};
    if (!memory_redact(m, a, in->reason, &f.reason, NULL, NULL, e) || !memory_write(m, e))
        return false;
    bool ok = apply(&f, e);
    map_free(&f.seen);
    map_free(&f.touched);
    if (in->dry_run) {
        store_end(m->store, false, &(struct err){0});
        return ok;
    }
    if (!store_end(m->store, ok, e))
        return false;
    return store_purge(m->store, e);
}
