/* Items of other tools' memories on their way in. */
#include "memory/base/hash.h"
#include "memory/base/unicode.h"
#include "memory/memory_import.h"
#include "memory/memory_state.h"
#include "memory/redact.h"
#include "memory/remember.h"
#include "memory/store_import.h"
#include "memory/text.h"
#include "memory/worth.h"

enum {
    MAX_LEAD_BYTES = 240, /* of what a session began with, in its episode */
    PIECES_A_WRITE = 100,
};

/* What becomes one memory, or none. */
struct piece {
    struct remember_input in;
    struct imported_row row;
    enum fate { TO_STORE, KNOWN, FORGOTTEN, REFUSED, STORED, REPLACED } fate;
    bool replaces;
    struct remember_result result;
    struct remembering *prepared;
};

struct taking {
    struct memory *m;
    struct arena *a;
    const struct import_from *from;
    struct import_counts *counts;
    struct piece *pieces;
    size_t count, capacity;
};

/* ---- pieces ---- */

/* Counts what it takes out. */
static bool clean(struct taking *t, str *text, struct err *e)
{
    struct redaction *found;
    size_t count;
    if (!memory_redact(t->m, t->a, *text, text, &found, &count, e))
        return false;
    for (size_t i = 0; i < count; i++)
        t->counts->redacted += found[i].count;
    return true;
}

/* A name that an entity can have. */
static bool is_name(struct taking *t, str name)
{
    return name.len <= MAX_ENTITY_NAME_BYTES && text_normal_name(t->a, name).len > 0;
}

static void add_names(struct taking *t, const struct import_item *item, struct remember_input *in)
{
    in->entities = ARENA_ARRAY(t->a, struct entity_input, item->entity_count);
    for (size_t i = 0; i < item->entity_count; i++)
        if (is_name(t, item->entities[i].name))
            in->entities[in->entity_count++] = (struct entity_input){
                .name = unicode_squeeze(t->a, item->entities[i].name),
                .type = utf8_prefix(unicode_squeeze(t->a, item->entities[i].type), MAX_TYPE_BYTES)};
    in->relations = ARENA_ARRAY(t->a, struct relation_input, item->relation_count);
    for (size_t i = 0; i < item->relation_count; i++) {
        const struct import_relation *r = &item->relations[i];
        str label = utf8_prefix(unicode_squeeze(t->a, r->label), MAX_RELATION_BYTES);
        if (label.len && is_name(t, r->from) && is_name(t, r->to) &&
            !str_eq(text_normal_name(t->a, r->from), text_normal_name(t->a, r->to)))
            in->relations[in->relation_count++] = (struct relation_input){
                unicode_squeeze(t->a, r->from), label, unicode_squeeze(t->a, r->to)};
    }
}

static void add_piece(struct taking *t, const struct import_item *item, str key, str text,
                      enum memory_kind kind, bool has_kind)
{
    ARENA_GROW(t->a, t->pieces, t->count, t->capacity);
    struct piece *p = &t->pieces[t->count++];
    str topic = utf8_prefix(unicode_squeeze(t->a, item->topic), MAX_TOPIC_BYTES);
    *p = (struct piece){
        .row = {.key = hash128_hex(
                    t->a, arena_printf(t->a, "%.*s\x1f%.*s", FMT(t->from->format), FMT(key))),
                .hash = hash128_hex(
                    t->a, arena_printf(t->a, "%.*s\x1f%.*s", FMT(text), FMT(item->topic)))},
        .in = {.from = t->from->from,
               .text = text,
               .has_kind = has_kind,
               .kind = kind,
               .topic = text_normal_name(t->a, topic).len ? topic : S(""),
               .session = utf8_prefix(unicode_squeeze(t->a, item->session), MAX_SESSION_BYTES),
               .has_at = item->has_at,
               .at_ms = item->at_ms,
               .automatic = true}};
    add_names(t, item, &p->in);
}

/* Redacted as a whole, so that no secret or private block is torn apart, then sentence by
 * sentence. */
static bool add_turn(struct taking *t, const struct import_item *item, struct err *e)
{
    str rest = item->text, sentence;
    if (!clean(t, &rest, e))
        return false;
    rest = worth_prose(t->a, rest);
    t->counts->turns++;
    for (size_t found = 0; found < MAX_WORTH_OF_TURN && text_next_sentence(&rest, &sentence);) {
        enum memory_kind kind;
        sentence = unicode_squeeze(t->a, sentence);
        if (!worth_keeping(sentence, item->by_user, &kind))
            continue;
        str key = arena_printf(t->a, "%.*s#%zu", FMT(item->key), found++);
        add_piece(t, item, key, sentence, kind, true);
    }
    return true;
}

/* "What the session began with (what the reader counted)." */
static bool add_episode(struct taking *t, const struct import_item *item, struct err *e)
{
    str lead = item->lead, first = S("");
    if (!memory_redact(t->m, t->a, lead, &lead, NULL, NULL, e)) /* counted as a turn */
        return false;
    lead = worth_prose(t->a, lead);
    if (text_next_sentence(&lead, &first))
        first = unicode_squeeze(t->a, first);
    str cut = utf8_prefix(first, MAX_LEAD_BYTES);
    str text = !first.len ? item->text
                          : arena_printf(t->a, "%.*s%s (%.*s)", FMT(cut),
                                         cut.len < first.len ? "..." : "", FMT(item->text));
    add_piece(t, item, item->key, text, KIND_EPISODE, true);
    return true;
}

static bool add_item(struct taking *t, const struct import_item *item, struct err *e)
{
    str text = item->text;
    switch (item->what) {
    case IMPORT_TURN:
        return add_turn(t, item, e);
    case IMPORT_EPISODE:
        return add_episode(t, item, e);
    default:
        if (!str_trim(text).len || !clean(t, &text, e))
            return e->code == ERR_NONE;
        add_piece(t, item, item->key, utf8_prefix(text, MAX_TEXT_BYTES), item->kind,
                  item->has_kind);
        return true;
    }
}

/* ---- what is known already ---- */

static bool look_up(struct taking *t, struct piece *p, struct err *e)
{
    struct imported_row row;
    bool found;
    if (!store_find_imported(t->m->store, t->a, p->row.key, &row, &found, e))
        return false;
    if (!found)
        return true;
    if (!row.memory)
        p->fate = FORGOTTEN;
    else if (str_eq(row.hash, p->row.hash))
        p->fate = KNOWN;
    else if (row.state == STATE_CURRENT) {
        p->replaces = true;
        p->in.supersedes = ARENA_NEW(t->a, str);
        p->in.supersedes[p->in.supersedes_count++] = node_id_format(t->a, NODE_MEMORY, row.memory);
    }
    return true;
}

/* A key that stands twice in one batch counts once. */
static bool look_all_up(struct taking *t, struct err *e)
{
    struct map seen = {0};
    bool is_new, ok = store_read_begin(t->m->store, e);
    if (!ok)
        return false;
    for (size_t i = 0; ok && i < t->count; i++) {
        map_put(&seen, t->pieces[i].row.key, 1, &is_new);
        if (!is_new)
            t->pieces[i].fate = KNOWN;
        else
            ok = look_up(t, &t->pieces[i], e);
    }
    store_read_end(t->m->store);
    map_free(&seen);
    return ok;
}

/* ---- storing ---- */

static void refuse(struct taking *t, struct piece *p, const struct err *why)
{
    p->fate = REFUSED;
    if (!t->counts->first_refused.len)
        t->counts->first_refused = arena_str(t->a, str_of(why->text));
}

static bool prepare(struct taking *t, struct piece *p, struct err *e)
{
    return remember_prepare(t->m, t->a, &p->in, &p->result, &p->prepared, e);
}

/* Inside a write. */
static bool put(struct taking *t, struct piece *p, int64_t source, struct err *e)
{
    struct err why = {0};
    p->fate = p->replaces ? REPLACED : STORED;
    if (remember_put(p->prepared, &why)) {
        p->row.memory = p->result.id;
        if (p->result.duplicate)
            p->fate = KNOWN;
    } else if (why.code == ERR_CONFLICT && p->result.was_forgotten) {
        p->fate = FORGOTTEN;
        p->row.memory = 0;
    } else {
        *e = why;
        return false;
    }
    return store_put_imported(t->m->store, &p->row, source, e);
}

/* The pieces of [from, to) that are to be stored, in one transaction. */
static bool put_range(struct taking *t, size_t from, size_t to, struct err *e)
{
    int64_t source;
    if (!memory_write(t->m, e))
        return false;
    bool ok = store_import_source(t->m->store, t->from->format, t->from->path, t->from->from.now_ms,
                                  &source, e);
    for (size_t i = from; ok && i < to; i++)
        if (t->pieces[i].fate == TO_STORE)
            ok = put(t, &t->pieces[i], source, e);
    bool kept = store_end(t->m->store, ok && !t->from->dry_run, e);
    return kept || (ok && t->from->dry_run);
}

static bool is_of_item(const struct err *e)
{
    return e->code == ERR_INPUT || e->code == ERR_LIMIT || e->code == ERR_NOT_FOUND ||
           e->code == ERR_CONFLICT;
}

/* Something in the range is refused: each alone, so that the others are stored. */
static bool put_singly(struct taking *t, size_t from, size_t to, struct err *e)
{
    for (size_t i = from; i < to; i++) {
        struct piece *p = &t->pieces[i];
        struct err why = {0};
        if (p->fate == KNOWN || p->fate == REFUSED || !p->prepared)
            continue;
        p->fate = TO_STORE;
        if (prepare(t, p, &why) && put_range(t, i, i + 1, &why))
            continue;
        if (!is_of_item(&why)) {
            *e = why;
            return false;
        }
        refuse(t, p, &why);
    }
    return true;
}

static bool store_range(struct taking *t, size_t from, size_t to, struct err *e)
{
    size_t waiting = 0;
    for (size_t i = from; i < to; i++) {
        struct err why = {0};
        if (t->pieces[i].fate != TO_STORE)
            continue;
        if (prepare(t, &t->pieces[i], &why))
            waiting++;
        else if (is_of_item(&why))
            refuse(t, &t->pieces[i], &why);
        else {
            *e = why;
            return false;
        }
    }
    if (!waiting)
        return true;
    struct err trouble = {0};
    if (put_range(t, from, to, &trouble))
        return true;
    if (is_of_item(&trouble))
        return put_singly(t, from, to, e);
    *e = trouble;
    return false;
}

static void count(struct taking *t)
{
    for (size_t i = 0; i < t->count; i++) {
        size_t *const of_fate[] = {
            [TO_STORE] = &t->counts->refused,    [KNOWN] = &t->counts->known,
            [FORGOTTEN] = &t->counts->forgotten, [REFUSED] = &t->counts->refused,
            [STORED] = &t->counts->stored,       [REPLACED] = &t->counts->replaced};
        ++*of_fate[t->pieces[i].fate];
    }
}

bool memory_take_items(struct memory *m, struct arena *a, const struct import_from *from,
                       const struct import_batch *batch, struct import_counts *counts,
                       struct err *e)
{
    struct taking t = {.m = m, .a = a, .from = from, .counts = counts};
    for (size_t i = 0; i < batch->count; i++)
        if (!add_item(&t, &batch->items[i], e))
            return false;
    if (!look_all_up(&t, e))
        return false;
    for (size_t i = 0; i < t.count; i += PIECES_A_WRITE)
        if (!store_range(&t, i, i + PIECES_A_WRITE < t.count ? i + PIECES_A_WRITE : t.count, e))
            return false;
    count(&t);
    return true;
}
