/* remember: one transaction from the text to its entities, relations, topic and anchors. */
#include "memory/remember.h"
#include "memory/base/iso8601.h"
#include "memory/base/unicode.h"
#include "memory/cues.h"
#include "memory/extract.h"
#include "memory/lexical.h"
#include "memory/memory_state.h"
#include "memory/text.h"
#include "memory/triage.h"

enum { NEXT_WITHIN_MS = 6 * HOUR_MS };

static const float SPEAKER_MENTION = 1.0f, GIVEN_MENTION = 2.0f, FOUND_MENTION = 1.0f;

struct work {
    struct memory *m;
    struct arena *a;
    const struct remember_input *in; /* redacted copy */
    struct remember_result *out;
    struct entity_input *found;
    size_t found_count;
    struct found_entities by_rule; /* of these */
    struct map listed;             /* entity ids as text: told once in the reply */
    size_t entity_capacity, relation_capacity, superseded_capacity;
    int64_t id, at_ms, session;
};

/* ---- before the transaction ---- */

static bool clean(struct memory *m, struct arena *a, str *text, struct err *e)
{
    return memory_redact(m, a, *text, text, NULL, NULL, e);
}

/* A copy of the input in which no text holds a secret; what was found in the memory's own text is
 * told. */
static bool redact_input(struct memory *m, struct arena *a, const struct remember_input *in,
                         struct remember_input *out, struct remember_result *result, struct err *e)
{
    struct redaction *counts;
    size_t count;
    *out = *in;
    if (!memory_redact(m, a, in->text, &out->text, &counts, &count, e))
        return false;
    result->redacted = ARENA_ARRAY(a, struct redacted, count);
    for (size_t i = 0; i < count; i++)
        result->redacted[i] = (struct redacted){str_of(counts[i].rule), counts[i].count};
    result->redacted_count = count;
    out->entities = ARENA_ARRAY(a, struct entity_input, in->entity_count);
    bool ok = clean(m, a, &out->topic, e) && clean(m, a, &out->speaker, e) &&
              clean(m, a, &out->session, e);
    for (size_t i = 0; ok && i < in->entity_count; i++) {
        struct entity_input *to = &out->entities[i];
        *to = in->entities[i];
        to->props = ARENA_ARRAY(a, struct prop, to->prop_count);
        ok = clean(m, a, &to->name, e) && clean(m, a, &to->type, e);
        to->type = unicode_fold(a, to->type); /* behind the rules, which know the case of a key */
        for (size_t p = 0; ok && p < to->prop_count; p++) {
            to->props[p] = in->entities[i].props[p];
            ok = clean(m, a, &to->props[p].key, e) && clean(m, a, &to->props[p].value, e);
        }
    }
    out->relations = ARENA_ARRAY(a, struct relation_input, in->relation_count);
    for (size_t i = 0; ok && i < in->relation_count; i++) {
        out->relations[i] = in->relations[i];
        ok = clean(m, a, &out->relations[i].from, e) &&
             clean(m, a, &out->relations[i].relation, e) && clean(m, a, &out->relations[i].to, e);
    }
    out->anchors = ARENA_ARRAY(a, struct anchor_input, in->anchor_count);
    for (size_t i = 0; ok && i < in->anchor_count; i++) {
        out->anchors[i] = in->anchors[i];
        ok = clean(m, a, &out->anchors[i].path, e) && clean(m, a, &out->anchors[i].symbol, e);
    }
    return ok;
}

/* What makes a repeat: text, speaker, session and at as given; absent equals absent. */
static str retry_hash(struct arena *a, const struct remember_input *in)
{
    str text = unicode_squeeze(a, unicode_nfc(a, in->text));
    str at = in->has_at ? arena_printf(a, "%lld", (long long)in->at_ms) : S("");
    return hash128_hex(a, arena_printf(a, "%.*s\x1f%.*s\x1f%.*s\x1f%.*s", FMT(text),
                                       FMT(in->speaker), FMT(in->session), FMT(at)));
}

/* What a tombstone remembers of a memory: its text alone, so that no path brings it back under
 * another name. */
str memory_tombstone_hash(struct arena *a, str text)
{
    str folded = unicode_squeeze(a, unicode_nfc(a, text));
    return hash128_hex(a, arena_printf(a, "memory\x1f%.*s", FMT(folded)));
}

/* ---- inside the transaction ---- */

static void list_entity(struct work *w, const struct entity_ref *ref)
{
    bool is_new;
    if (!ref->id)
        return;
    map_put(&w->listed, arena_printf(w->a, "%lld", (long long)ref->id), 1, &is_new);
    if (!is_new)
        return;
    ARENA_GROW(w->a, w->out->entities, w->out->entity_count, w->entity_capacity);
    w->out->entities[w->out->entity_count++] = *ref;
}

static bool mention(struct work *w, str name, str type, bool given, float weight,
                    struct entity_ref *ref, struct err *e)
{
    if (!entity_put(w->m, w->a, &w->in->from, name, type, given, w->at_ms, ref, e))
        return false;
    list_entity(w, ref);
    return !ref->id || mention_put(w->m, w->id, ref->id, weight, w->at_ms, e);
}

static bool put_properties(struct work *w, const struct entity_input *in, int64_t entity,
                           struct err *e)
{
    struct prop *known;
    size_t known_count, total;
    if (!in->prop_count || !entity)
        return true;
    if (!store_properties(w->m->store, w->a, entity, &known, &known_count, e))
        return false;
    total = known_count;
    for (size_t i = 0; i < in->prop_count; i++) {
        bool replaces = false;
        for (size_t k = 0; k < known_count; k++)
            replaces |= str_eq(known[k].key, in->props[i].key);
        total += !replaces;
        if (total > MAX_PROPS)
            return fail(e, ERR_LIMIT, "entities.props: '%.*s' would have more than %d properties",
                        FMT(in->name), MAX_PROPS);
        if (!store_put_property(w->m->store, entity, in->props[i].key, in->props[i].value, w->id,
                                e))
            return false;
    }
    return true;
}

static bool put_entities(struct work *w, struct err *e)
{
    struct entity_ref ref;
    for (size_t i = 0; i < w->in->entity_count; i++) {
        const struct entity_input *given = &w->in->entities[i];
        if (!mention(w, given->name, given->type, true, GIVEN_MENTION, &ref, e))
            return false;
        if (!ref.id)
            return fail(e, ERR_INPUT,
                        "entities[%zu].name: '%.*s' has no letter or digit; wanted: a name", i,
                        FMT(given->name));
        if (!put_properties(w, given, ref.id, e))
            return false;
    }
    for (size_t i = 0; i < w->found_count; i++)
        if (!mention(w, w->found[i].name, w->found[i].type, false, FOUND_MENTION, &ref, e))
            return false;
    return true;
}

static bool put_relation(struct work *w, str from, str label, str to, bool given, size_t index,
                         struct err *e)
{
    struct entity_ref a, b;
    int64_t ignored;
    float weight = given ? GIVEN_MENTION : FOUND_MENTION;
    if (!mention(w, from, S(""), false, weight, &a, e) ||
        !mention(w, to, S(""), false, weight, &b, e))
        return false;
    if ((!a.id || !b.id) && given)
        return fail(e, ERR_INPUT,
                    "relations[%zu].%s: '%.*s' has no letter or digit; wanted: a name", index,
                    a.id ? "to" : "from", FMT(a.id ? to : from));
    if (a.id && a.id == b.id && given)
        return fail(e, ERR_INPUT,
                    "relations[%zu].to: '%.*s' is the same entity as from; wanted: another one",
                    index, FMT(to));
    if (!a.id || !b.id || a.id == b.id)
        return true;
    if (!store_put_edge(w->m->store,
                        &(struct edge_full){.src = a.id,
                                            .dst = b.id,
                                            .kind = EDGE_RELATION,
                                            .label = label,
                                            .said_by = w->id,
                                            .weight = 1,
                                            .at_ms = w->at_ms},
                        &ignored, e))
        return false;
    ARENA_GROW(w->a, w->out->relations, w->out->relation_count, w->relation_capacity);
    w->out->relations[w->out->relation_count++] = (struct fact_ref){.from = a.name,
                                                                    .relation = label,
                                                                    .to = b.name,
                                                                    .said_kind = NODE_MEMORY,
                                                                    .said_by = w->id};
    return true;
}

static bool put_relations(struct work *w, struct err *e)
{
    for (size_t i = 0; i < w->in->relation_count; i++) {
        const struct relation_input *r = &w->in->relations[i];
        if (!put_relation(w, r->from, r->relation, r->to, true, i, e))
            return false;
    }
    if (w->in->relation_count)
        return true; /* who states relations states them all: no guess beside them */
    size_t count;
    struct found_relation *found =
        extract_relations(w->a, w->in->text, w->by_rule.at, w->by_rule.count, &count);
    for (size_t i = 0; i < count; i++)
        if (!put_relation(w, found[i].from, found[i].relation, found[i].to, false, i, e))
            return false;
    return true;
}

static bool put_anchors(struct work *w, struct err *e)
{
    struct entity_ref ref;
    for (size_t i = 0; i < w->in->anchor_count; i++) {
        const struct anchor_input *in = &w->in->anchors[i];
        struct anchor_row row = {w->id, in->path, in->symbol, in->file_hash, in->line};
        if (!store_put_anchor(w->m->store, &row, e) ||
            !mention(w, in->path, S("path"), false, GIVEN_MENTION, &ref, e) ||
            (in->symbol.len &&
             !mention(w, in->symbol, S("identifier"), false, GIVEN_MENTION, &ref, e)))
            return false;
    }
    return true;
}

bool memory_supersede(struct memory *m, int64_t old, int64_t by, int64_t at_ms, struct err *e)
{
    int64_t ignored;
    return store_set_superseded(m->store, old, by, e) &&
           store_put_edge(m->store,
                          &(struct edge_full){.src = by,
                                              .dst = old,
                                              .kind = EDGE_SUPERSEDES,
                                              .label = S(""),
                                              .weight = 1,
                                              .at_ms = at_ms},
                          &ignored, e);
}

static void list_superseded(struct work *w, int64_t id)
{
    for (size_t i = 0; i < w->out->superseded_count; i++)
        if (w->out->superseded[i] == id)
            return;
    ARENA_GROW(w->a, w->out->superseded, w->out->superseded_count, w->superseded_capacity);
    w->out->superseded[w->out->superseded_count++] = id;
}

static bool put_supersedes(struct work *w, struct err *e)
{
    for (size_t i = 0; i < w->in->supersedes_count; i++) {
        struct node_row old;
        if (!memory_id(w->m, w->a, "supersedes", w->in->supersedes[i], 1u << NODE_MEMORY, &old, e))
            return false;
        if (old.id == w->id)
            return fail(e, ERR_INPUT, "supersedes: m%lld is this memory itself", (long long)old.id);
        if (!memory_supersede(w->m, old.id, w->id, w->at_ms, e))
            return false;
        list_superseded(w, old.id);
    }
    return true;
}

/* The newest of a topic by at, then id, is current; the others step back. So a memory of older
 * times doesn't hide a newer one. */
static bool settle_topic(struct work *w, str topic_key, struct err *e)
{
    struct topic_row *rows;
    size_t count;
    if (!topic_key.len)
        return true;
    if (!store_topic(w->m->store, w->a, topic_key, &rows, &count, e))
        return false;
    for (size_t i = 1; i < count; i++) {
        if (!memory_supersede(w->m, rows[i].id, rows[0].id, w->at_ms, e))
            return false;
        if (rows[0].id == w->id)
            list_superseded(w, rows[i].id);
    }
    return true;
}

static bool put_session(struct work *w, struct err *e)
{
    const struct remember_input *in = w->in;
    if (!in->session.len)
        return true;
    if (!store_find_key(w->m->store, NODE_SESSION, in->session, &w->session, e))
        return false;
    if (w->session)
        return true;
    struct node_row row = {.kind = NODE_SESSION,
                           .key = in->session,
                           .name = in->session,
                           .origin = in->from.origin,
                           .trust = origin_trust[in->from.origin],
                           .at_ms = w->at_ms,
                           .stored_ms = in->from.now_ms,
                           .branch = in->from.branch,
                           .head = in->from.head};
    return store_put_node(w->m->store, &row, &w->session, e);
}

static bool link_to_session(struct work *w, struct err *e)
{
    int64_t last, stored_ms, ignored;
    if (!w->session)
        return true;
    if (!store_last_of_session(w->m->store, w->session, w->id, &last, &stored_ms, e))
        return false;
    int64_t apart_ms = w->in->from.now_ms - stored_ms;
    if (!last || apart_ms > NEXT_WITHIN_MS || apart_ms < -NEXT_WITHIN_MS)
        return true;
    return store_put_edge(w->m->store,
                          &(struct edge_full){.src = last,
                                              .dst = w->id,
                                              .kind = EDGE_NEXT,
                                              .label = S(""),
                                              .weight = 1,
                                              .at_ms = w->at_ms},
                          &ignored, e);
}

static bool ends_as_question(str text)
{
    text = str_trim(text);
    while (text.len && strchr("\"')]*_", text.at[text.len - 1]))
        text.len--;
    return text.len && text.at[text.len - 1] == '?';
}

/* What was asked for is never chatter, nor is the reason of a commit. */
static bool is_captured_chatter(const struct remember_input *in)
{
    return in->automatic && in->from.origin != ORIGIN_COMMIT && triage_is_chatter(in->text);
}

/* What is searched beside the text: who said it, and what it settles. */
static str body_name(struct arena *a, str speaker, str topic)
{
    return speaker.len && topic.len ? arena_printf(a, "%.*s\n%.*s", FMT(speaker), FMT(topic))
           : topic.len              ? topic
                                    : speaker;
}

static bool put_rows(struct work *w, str retry, str topic_key, struct err *e)
{
    const struct remember_input *in = w->in;
    struct entity_ref speaker = {0};
    if (!put_session(w, e))
        return false;
    if (in->speaker.len &&
        !entity_put(w->m, w->a, &in->from, in->speaker, S("person"), false, w->at_ms, &speaker, e))
        return false;
    struct node_row row = {.kind = NODE_MEMORY,
                           .key = retry,
                           .origin = in->from.origin,
                           .trust = origin_trust[in->from.origin],
                           .at_ms = w->at_ms,
                           .stored_ms = in->from.now_ms,
                           .session = w->session,
                           .branch = in->from.branch,
                           .head = in->from.head,
                           .flags = (ends_as_question(in->text) ? FLAG_QUESTION : 0) |
                                    (in->pin ? FLAG_PINNED : 0) |
                                    (is_captured_chatter(in) ? FLAG_CHATTER : 0) |
                                    (int)(cues_told(in->text) << FLAG_CUES_SHIFT)};
    if (!store_put_node(w->m->store, &row, &w->id, e))
        return false;
    struct memory_row memory = {.id = w->id,
                                .kind = w->out->kind,
                                .speaker = speaker.id,
                                .topic = in->topic,
                                .topic_key = topic_key,
                                .retry = retry};
    if (!store_put_memory(w->m->store, &memory, e) ||
        !store_put_body(w->m->store, w->id, body_name(w->a, in->speaker, in->topic), in->text, e) ||
        !link_to_session(w, e))
        return false;
    list_entity(w, &speaker);
    return !speaker.id || mention_put(w->m, w->id, speaker.id, SPEAKER_MENTION, w->at_ms, e);
}

static bool put_links(struct work *w, str topic_key, struct err *e)
{
    return put_entities(w, e) && put_relations(w, e) && put_anchors(w, e) && put_supersedes(w, e) &&
           settle_topic(w, topic_key, e);
}

static bool store_new(struct work *w, str retry, str topic_key, struct err *e)
{
    str tombstone = memory_tombstone_hash(w->a, w->in->text);
    if (!store_find_tombstone(w->m->store, tombstone, &w->out->was_forgotten, e))
        return false;
    if (w->out->was_forgotten && w->in->automatic)
        return fail(e, ERR_CONFLICT,
                    "text: this was forgotten; only an explicit remember brings it back");
    if (w->out->was_forgotten && !store_delete_tombstone(w->m->store, tombstone, e))
        return false;
    return put_rows(w, retry, topic_key, e) && put_links(w, topic_key, e);
}

/* A repeat of a current memory: what the call adds is merged in, a use is counted. */
static bool merge_repeat(struct work *w, str topic_key, struct err *e)
{
    struct memory_row row;
    struct node_row node_of;
    bool found;
    w->out->duplicate = true;
    if (!store_get_memory(w->m->store, w->a, w->id, &row, &found, e) || !found ||
        !store_get_node(w->m->store, w->a, w->id, &node_of, &found, e))
        return e->code != ERR_NONE ? false
                                   : fail(e, ERR_DB, "memory m%lld has no row", (long long)w->id);
    w->at_ms = node_of.at_ms;
    w->out->kind = w->in->has_kind ? w->in->kind : row.kind;
    if (w->in->has_kind && row.kind != w->in->kind &&
        !store_set_memory_kind(w->m->store, w->id, w->in->kind, e))
        return false;
    if (topic_key.len && !str_eq(topic_key, row.topic_key) &&
        (!store_set_topic(w->m->store, w->id, w->in->topic, topic_key, e) ||
         !store_put_body(w->m->store, w->id, body_name(w->a, w->in->speaker, w->in->topic),
                         w->in->text, e)))
        return false;
    if (w->in->pin && !(node_of.flags & FLAG_PINNED) &&
        !store_set_flags(w->m->store, w->id, node_of.flags | FLAG_PINNED, e))
        return false;
    if (w->m->options.usage && !store_add_uses(w->m->store, w->id, 1, w->in->from.now_ms, e))
        return false;
    return put_links(w, topic_key, e);
}

static bool apply(struct work *w, struct err *e)
{
    str retry = retry_hash(w->a, w->in);
    str topic_key = text_normal_name(w->a, w->in->topic);
    if (w->in->topic.len && !topic_key.len)
        return fail(e, ERR_INPUT, "topic: '%.*s' has no letter or digit; wanted: a few words",
                    FMT(w->in->topic));
    if (!store_find_key(w->m->store, NODE_MEMORY, retry, &w->id, e) ||
        (!w->id && topic_key.len &&
         !store_find_outdated(w->m->store, retry, topic_key, w->at_ms, &w->id, e)))
        return false;
    return w->id ? merge_repeat(w, topic_key, e) : store_new(w, retry, topic_key, e);
}

struct remembering {
    struct remember_input in; /* redacted */
    struct work work;
};

bool remember_prepare(struct memory *m, struct arena *a, const struct remember_input *in,
                      struct remember_result *out, struct remembering **r, struct err *e)
{
    struct remembering *made = *r = ARENA_NEW(a, struct remembering);
    *out = (struct remember_result){0};
    if (!redact_input(m, a, in, &made->in, out, e))
        return false;
    made->work = (struct work){.m = m, .a = a, .in = &made->in, .out = out};
    made->work.at_ms = in->has_at ? in->at_ms : in->from.now_ms;
    out->kind = in->has_kind ? in->kind : extract_kind(made->in.text);
    return entities_in_text(m, a, made->in.text, &made->work.found, &made->work.found_count,
                            &made->work.by_rule, e);
}

bool remember_put(struct remembering *r, struct err *e)
{
    bool ok = apply(&r->work, e);
    map_free(&r->work.listed);
    r->work.out->id = r->work.id;
    return ok;
}

bool memory_remember(struct memory *m, struct arena *a, const struct remember_input *in,
                     struct remember_result *out, struct err *e)
{
    struct remembering *r;
    if (!remember_prepare(m, a, in, out, &r, e))
        return false;
    if (m->options.usage)
        usage_log_activity(&m->log, in->from.now_ms);
    if (!memory_write(m, e))
        return false;
    bool ok = store_end(m->store, remember_put(r, e), e);
    /* Told for convenience, after the commit: trouble here must not make a stored memory look
     * refused. */
    if (ok && !out->duplicate)
        memory_compare(m, a, r->in.text, in->from.now_ms, out, &(struct err){0});
    return ok;
}
