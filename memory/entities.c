/* Entities as rows: found by name, made, linked to what mentions them. */
#include "memory/extract.h"
#include "memory/memory_state.h"
#include "memory/text.h"
#include "memory/ties.h"

enum {
    MAX_MERGE_STEPS = 16,   /* a chain of merges is followed no further */
    MAX_NAME_WORDS = 4,     /* known names are looked for in runs of so many words */
    MAX_LOOKED_UP = 2000,   /* runs of one text */
    MAX_TEXT_ENTITIES = 96, /* found in one text, rules and known names together */
};

static bool follow_merges(struct memory *m, struct arena *a, int64_t *id, struct err *e)
{
    for (int step = 0; *id && step < MAX_MERGE_STEPS; step++) {
        struct entity_row row;
        bool found;
        if (!store_get_entity(m->store, a, *id, &row, &found, e))
            return false;
        if (!found || !row.merged_into)
            return true;
        *id = row.merged_into;
    }
    return true;
}

bool entity_find(struct memory *m, struct arena *a, str name, int64_t *id, struct err *e)
{
    str normal = text_normal_name(a, name);
    *id = 0;
    return !normal.len || (store_find_alias(m->store, normal, id, e) && follow_merges(m, a, id, e));
}

bool entity_index(struct memory *m, struct arena *a, int64_t id, struct err *e)
{
    struct alias_row *aliases;
    struct entity_row row;
    size_t count;
    bool found;
    struct buf names = {0};
    if (!store_aliases(m->store, a, id, &aliases, &count, e) ||
        !store_get_entity(m->store, a, id, &row, &found, e))
        return false;
    for (size_t i = 0; i < count; i++)
        buf_printf(&names, "%s%.*s", i ? "\n" : "", FMT(aliases[i].name));
    bool ok =
        store_put_body(m->store, id, found && row.typed ? row.type : S(""), buf_str(&names), e);
    buf_free(&names);
    return ok;
}

str entity_tombstone(struct arena *a, str normal)
{
    return hash128_hex(a, arena_printf(a, "dismissed\x1f%.*s", FMT(normal)));
}

static bool make_entity(struct memory *m, struct arena *a, const struct provenance *from,
                        str normal, str name, str type, bool typed, int64_t at_ms, int64_t *id,
                        struct err *e)
{
    struct node_row row = {.kind = NODE_ENTITY,
                           .key = normal,
                           .name = name,
                           .origin = from->origin,
                           .trust = origin_trust[from->origin],
                           .at_ms = at_ms,
                           .stored_ms = from->now_ms,
                           .branch = from->branch,
                           .head = from->head};
    bool is_dismissed;
    if (!store_find_tombstone(m->store, entity_tombstone(a, normal), &is_dismissed, e))
        return false;
    if (is_dismissed)
        row.state = STATE_DISMISSED;
    return store_put_node(m->store, &row, id, e) &&
           store_put_entity(m->store, &(struct entity_row){.id = *id, .type = type, .typed = typed},
                            e) &&
           store_put_alias(m->store, normal, name, *id, e) &&
           store_put_body(m->store, *id, typed ? type : S(""), name, e) &&
           review_near_names(m, a, *id, name, from->now_ms, e);
}

/* A type that a caller gave beats one that a rule found; the first of a kind stays. */
static bool learn_type(struct memory *m, struct arena *a, int64_t id, str type, bool typed,
                       struct entity_ref *out, struct err *e)
{
    struct entity_row row;
    struct node_row node_of;
    bool found;
    if (!store_get_entity(m->store, a, id, &row, &found, e) ||
        !store_get_node(m->store, a, id, &node_of, &found, e))
        return false;
    if (!found)
        return fail(e, ERR_DB, "entity e%lld has a name but no row", (long long)id);
    if (type.len && !str_eq(type, row.type) && (!row.type.len || (typed && !row.typed))) {
        row.type = type;
        row.typed = typed;
        if (!store_put_entity(m->store, &row, e) || (typed && !entity_index(m, a, id, e)))
            return false;
    }
    *out = (struct entity_ref){.id = id, .name = node_of.name, .type = row.type};
    return true;
}

bool entity_put(struct memory *m, struct arena *a, const struct provenance *from, str name,
                str type, bool typed, int64_t at_ms, struct entity_ref *out, struct err *e)
{
    *out = (struct entity_ref){0};
    name = str_trim(name);
    str normal = text_normal_name(a, name);
    int64_t id;
    if (!normal.len)
        return true;
    if (!store_find_alias(m->store, normal, &id, e) || !follow_merges(m, a, &id, e))
        return false;
    if (id)
        return learn_type(m, a, id, type, typed, out, e);
    if (!make_entity(m, a, from, normal, name, type, typed, at_ms, &id, e) ||
        !ties_put(m->store, a, id, name, type, from->now_ms, e))
        return false;
    *out = (struct entity_ref){
        .id = id, .name = arena_str(a, name), .type = arena_str(a, type), .is_new = true};
    return true;
}

bool mention_put(struct memory *m, int64_t from, int64_t entity, float weight, int64_t at_ms,
                 struct err *e)
{
    int64_t ignored;
    return store_put_edge(m->store,
                          &(struct edge_full){.src = from,
                                              .dst = entity,
                                              .kind = EDGE_MENTIONS,
                                              .label = S(""),
                                              .weight = weight,
                                              .at_ms = at_ms},
                          &ignored, e);
}

/* ---- what a text names ---- */

struct collected {
    struct arena *a;
    struct entity_input *at;
    size_t count, capacity;
    struct map seen; /* normal forms */
    size_t looked_up;
};

static void collect(struct collected *c, str normal, str name, str type)
{
    bool is_new;
    if (!normal.len || c->count == MAX_TEXT_ENTITIES)
        return;
    map_put(&c->seen, normal, 1, &is_new);
    if (!is_new)
        return;
    ARENA_GROW(c->a, c->at, c->count, c->capacity);
    c->at[c->count++] = (struct entity_input){.name = name, .type = type};
}

/* Whether a run's words name something, by whether the store has them. Generic and stop words alone
 * never count, so that an entity once made of a common word doesn't draw every text to itself.
 * *goes_on: false where no name begins like that. */
static bool collect_run(struct memory *m, struct collected *c, const struct known_names *known,
                        str run, str normal, bool *goes_on, struct err *e)
{
    int64_t id = 0;
    bool is_stop = !normal.len || text_is_stop(normal);
    int about = known ? known_names_about(known, normal) : NAME_IS | NAME_OPENS;
    *goes_on = is_stop || about & NAME_OPENS;
    if (is_stop || !(about & NAME_IS) || text_is_generic(normal))
        return true;
    c->looked_up++;
    if (!store_find_alias(m->store, normal, &id, e))
        return false;
    if (id)
        collect(c, arena_str(c->a, normal), run, S(""));
    return true;
}

struct word {
    size_t from, to;
    bool stop;
};

struct words {
    struct arena *a;
    struct word *at;
    size_t count, capacity, tokens;
};

static bool add_word(void *ctx, const struct token *t)
{
    enum { MAX_TOKENS = 2 * MAX_LOOKED_UP };
    struct words *w = ctx;
    if (!t->colocated) {
        ARENA_GROW(w->a, w->at, w->count, w->capacity);
        w->at[w->count++] = (struct word){t->from, t->to, t->stop};
    }
    return ++w->tokens < MAX_TOKENS;
}

/* Runs of up to MAX_NAME_WORDS words whose normal form is a known name. */
static bool collect_known(struct memory *m, struct collected *c, const struct known_names *known,
                          str text, struct err *e)
{
    struct arena scratch = {0};
    struct words words = {.a = &scratch};
    bool ok = true;
    text_tokens_unstemmed(text, add_word, &words);
    for (size_t i = 0; ok && i < words.count && c->looked_up < MAX_LOOKED_UP; i++) {
        bool goes_on = !words.at[i].stop;
        for (size_t j = i; ok && goes_on && j < words.count && j < i + MAX_NAME_WORDS; j++) {
            str run = str_cut(text, words.at[i].from, words.at[j].to);
            if (run.len > MAX_ENTITY_NAME_BYTES || memchr(run.at, '\n', run.len))
                break;
            if (words.at[j].stop)
                continue;
            struct arena mark = scratch;
            ok = collect_run(m, c, known, run, text_normal_name(&scratch, run), &goes_on, e);
            arena_rewind(&scratch, mark);
        }
    }
    arena_free(&scratch);
    return ok;
}

/* The text with the marks that redaction left blanked out: "aws-access-key" there names nothing.
 * Offsets stay. */
static str without_marks(struct arena *a, str text)
{
    static const str open = {"[REDACTED:", 10};
    if (str_find(text, open, 0) == text.len)
        return text;
    char *copy = arena_cstr(a, text);
    for (size_t at = 0; (at = str_find(text, open, at)) < text.len;) {
        size_t end = str_find_char(text, ']', at);
        end = end < text.len ? end + 1 : end;
        memset(copy + at, ' ', end - at);
        at = end;
    }
    return str_from(copy, text.len);
}

bool entities_in_text(struct memory *m, struct arena *a, str text, const struct known_names *known,
                      struct entity_input **out, size_t *count, struct found_entities *by_rule,
                      struct err *e)
{
    struct collected c = {.a = a};
    struct found_entities found;
    text = without_marks(a, text);
    found.at = extract_entities(a, text, &found.count);
    for (size_t i = 0; i < found.count; i++)
        collect(&c, text_normal_name(a, found.at[i].name), found.at[i].name, found.at[i].type);
    if (by_rule)
        *by_rule = found;
    /* One read for all lookups: each of its own would take the log's locks anew. */
    bool ok = store_read_begin_by_writer(m->store, e);
    if (ok) {
        ok = collect_known(m, &c, known, text, e);
        store_read_end(m->store);
    }
    map_free(&c.seen);
    *out = c.at;
    *count = c.count;
    return ok;
}
