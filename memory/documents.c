/* attach_document: what is known of a document before its passages are stored (document_put.c), and
 * what is left of one whose storing didn't come to its end. */
#include "memory/documents.h"

enum { QUARANTINE_STRIKES = 2, SWEEP_AT_ONCE = 20 };

str memory_document_tombstone(struct arena *a, str source_or_hash)
{
    return hash128_hex(a, arena_printf(a, "document\x1f%.*s", FMT(source_or_hash)));
}

str memory_passage_tombstone(struct arena *a, str body)
{
    return hash128_hex(a, arena_printf(a, "passage\x1f%.*s", FMT(body)));
}

bool document_was_forgotten(struct memory *m, struct arena *a, const struct document_input *in,
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

bool document_describe(struct memory *m, struct arena *a, int64_t id, struct document_result *out,
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

bool document_clean_input(struct memory *m, struct arena *a, const struct document_input *in,
                          struct document_input *out, struct err *e)
{
    *out = *in;
    if (!memory_redact(m, a, in->source, &out->source, NULL, NULL, e) ||
        !memory_redact(m, a, in->path, &out->path, NULL, NULL, e) ||
        !memory_redact(m, a, in->title, &out->title, NULL, NULL, e))
        return false;
    if (!str_eq(out->path,
                in->path)) /* what it is called can't be kept, so nobody finds it again */
        out->root = S("");
    return true;
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
    if (!document_clean_input(m, a, given, in, e) || !store_read_begin(m->store, e))
        return false;
    bool forgotten;
    bool ok = document_was_forgotten(m, a, in, &forgotten, e) &&
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
            ok = document_describe(m, a, id, out, e);
        }
    }
    store_read_end(m->store);
    return ok;
}

bool memory_document_find(struct memory *m, struct arena *a, const struct document_input *given,
                          int64_t *id, struct err *e)
{
    struct document_input in;
    *id = 0;
    if (!document_clean_input(m, a, given, &in, e) || !store_read_begin(m->store, e))
        return false;
    bool ok = store_find_key(m->store, NODE_DOCUMENT, in.source, id, e);
    store_read_end(m->store);
    return ok;
}

static bool find_page(struct memory *m, struct arena *a, struct document_input *in,
                      struct document_page *out, struct err *e)
{
    struct document_row row;
    struct node_row node_of;
    struct source_row source;
    int64_t id;
    bool found, forgotten;
    in->hash = in->source; /* what will come nobody knows yet */
    if (!document_was_forgotten(m, a, in, &forgotten, e) ||
        !store_find_key(m->store, NODE_DOCUMENT, in->source, &id, e))
        return false;
    if (!id)
        return true;
    if (!store_get_document(m->store, a, id, &row, &found, e) ||
        !store_get_node(m->store, a, id, &node_of, &found, e) ||
        !store_get_source(m->store, a, id, &source, e))
        return false;
    if (found && node_of.state == STATE_CURRENT)
        *out = (struct document_page){row.hash, source.etag, source.modified};
    return true;
}

bool memory_document_page(struct memory *m, struct arena *a, const struct document_input *given,
                          struct document_page *out, struct err *e)
{
    struct document_input in;
    *out = (struct document_page){S(""), S(""), S("")};
    if (!document_clean_input(m, a, given, &in, e) || !store_read_begin(m->store, e))
        return false;
    bool ok = find_page(m, a, &in, out, e);
    store_read_end(m->store);
    return ok;
}

bool document_find_or_put(struct memory *m, const struct document_input *in, str title, int64_t *id,
                          struct err *e)
{
    if (!store_find_key(m->store, NODE_DOCUMENT, in->source, id, e) || *id)
        return e->code == ERR_NONE;
    struct node_row row = {.kind = NODE_DOCUMENT,
                           .state = STATE_PENDING,
                           .key = in->source,
                           .name = title,
                           .origin = ORIGIN_DOCUMENT,
                           .trust = origin_trust[ORIGIN_DOCUMENT],
                           .at_ms = in->from.now_ms,
                           .stored_ms = in->from.now_ms,
                           .branch = in->from.branch,
                           .head = in->from.head};
    return store_put_node(m->store, &row, id, e) &&
           store_put_document(
               m->store, &(struct document_row){.id = *id, .path = in->path, .hash = S("")}, e) &&
           store_put_source(m->store,
                            &(struct source_row){.id = *id, .root = in->root, .mtime_ns = -1}, e);
}

str document_provisional_title(const struct document_input *in)
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
    *out = (struct document_result){.status = ATTACH_PENDING};
    if (!document_clean_input(m, a, given, in, e) || !memory_write(m, e))
        return false;
    /* A document that is there already keeps its passages until the new ones have come. */
    out->title = document_provisional_title(in);
    bool ok = document_find_or_put(m, in, out->title, &out->id, e) &&
              store_take_ticket(m->store, out->id, &out->ticket, e);
    return store_end(m->store, ok, e);
}

bool memory_document_set_replaced(struct memory *m, struct arena *a, int64_t document,
                                  bool replaced, bool *changed, struct err *e)
{
    struct node_row row;
    bool found;
    *changed = false;
    if (!store_read_begin(m->store, e))
        return false;
    bool ok = store_get_node(m->store, a, document, &row, &found, e);
    store_read_end(m->store);
    if (!ok || !found)
        return ok;
    int flags = replaced ? row.flags | FLAG_REPLACED : row.flags & ~FLAG_REPLACED;
    if (flags == row.flags)
        return true;
    *changed =
        memory_write(m, e) && store_end(m->store, store_set_flags(m->store, document, flags, e), e);
    return *changed;
}

/* ---- what didn't come to its end ---- */

/* Why there is nothing of a document; one that was whole before still is, and is only read again.
 */
static bool note_why(struct memory *m, struct arena *a, int64_t document, str why, struct err *e)
{
    struct node_row node_of;
    struct document_row row;
    struct source_row source;
    bool found;
    if (!store_get_node(m->store, a, document, &node_of, &found, e) || !found ||
        !store_get_document(m->store, a, document, &row, &found, e) || !found ||
        !store_get_source(m->store, a, document, &source, e))
        return e->code == ERR_NONE;
    source.mtime_ns = -1;
    row.warnings = node_of.state == STATE_PENDING ? why : row.warnings;
    return store_put_document(m->store, &row, e) && store_put_source(m->store, &source, e);
}

bool document_sweep(struct memory *m, struct arena *a, int64_t document, bool *over, struct err *e)
{
    int64_t *ids;
    size_t count;
    if (!store_hidden_passages(m->store, a, document, SWEEP_AT_ONCE, &ids, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!store_delete_node(m->store, ids[i], e))
            return false;
    *over = count < SWEEP_AT_ONCE;
    return !*over || store_drop_ticket(m->store, document, e);
}

bool memory_document_abandon(struct memory *m, int64_t document, int64_t ticket, str why,
                             bool *over, struct err *e)
{
    struct arena scratch = {0};
    str clean;
    *over = false;
    bool ok = memory_redact(m, &scratch, why, &clean, NULL, NULL, e) && memory_write(m, e);
    if (ok)
        ok = store_end(m->store,
                       store_keep_ticket(m->store, document, ticket, e) &&
                           note_why(m, &scratch, document, clean, e) &&
                           document_sweep(m, &scratch, document, over, e),
                       e);
    if (!ok || *over)
        store_let_ticket(m->store, ticket);
    arena_free(&scratch);
    return ok;
}

/* An orphan becomes ours first, so that two who tidy up don't do it twice. */
static bool tidy_one(struct memory *m, struct ticket_row row, int64_t now_ms, struct err *e)
{
    int64_t ticket;
    if (!memory_write(m, e))
        return false;
    bool taken = store_keep_ticket(m->store, row.document, row.ticket, e) &&
                 store_take_ticket(m->store, row.document, &ticket, e) &&
                 (!row.is_shown || store_mark_shown(m->store, row.document, e));
    if (!store_end(m->store, taken, e))
        return false;
    const str why = S("the process that read it was ended; attach it again");
    bool over = false, ok = !row.is_shown || document_link_all(m, row.document, ticket, now_ms, e);
    while (ok && !over)
        ok = memory_document_abandon(m, row.document, ticket, why, &over, e);
    return ok;
}

bool memory_documents_tidy(struct memory *m, int64_t now_ms, struct err *e)
{
    struct arena a = {0};
    struct ticket_row *rows;
    size_t count = 0;
    bool ok = store_read_begin(m->store, e);
    if (ok) {
        ok = store_orphan_tickets(m->store, &a, &rows, &count, e);
        store_read_end(m->store);
    }
    for (size_t i = 0; ok && i < count; i++) {
        struct err trouble = {0};
        ok = tidy_one(m, rows[i], now_ms, &trouble) || trouble.code == ERR_CONFLICT;
        if (!ok) /* else somebody else is at that one meanwhile */
            *e = trouble;
    }
    arena_free(&a);
    return ok;
}

bool memory_quarantine(struct memory *m, str hash, str name, str why, int64_t now_ms, struct err *e)
{
    return memory_write(m, e) &&
           store_end(m->store, store_strike(m->store, hash, name, why, now_ms, e), e);
}
