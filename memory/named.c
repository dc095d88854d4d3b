/* Entities that a text names: by rule, and by names that are known already. */
#include "memory/named.h"

#include "memory/text.h"

enum {
    MAX_NAME_WORDS = 4,     /* known names are looked for in runs of so many words */
    MAX_LOOKED_UP = 2000,   /* runs of one text */
    MAX_TEXT_ENTITIES = 96, /* found in one text, rules and known names together */
};

struct collected {
    struct arena *a;
    struct named *at;
    size_t count, capacity;
    struct map seen; /* normal forms */
    size_t looked_up;
};

static bool are_known(const struct known_names *known)
{
    return known && known->known;
}

static void collect(struct collected *c, struct named named)
{
    bool is_new;
    if (!named.normal.len || c->count == MAX_TEXT_ENTITIES)
        return;
    map_put(&c->seen, named.normal, 1, &is_new);
    if (!is_new)
        return;
    ARENA_GROW(c->a, c->at, c->count, c->capacity);
    c->at[c->count++] = named;
}

/* Whether a run's words name something, by whether the store has them or had them. Generic and stop
 * words alone never count, so that an entity once made of a common word doesn't draw every text to
 * itself. *goes_on: false where no name begins like that. */
static bool collect_run(struct memory *m, struct collected *c, const struct known_names *known,
                        str run, str normal, bool *goes_on, struct err *e)
{
    int64_t id = 1;
    bool is_stop = !normal.len || text_is_stop(normal);
    int about = known ? known_names_about(known, normal) : NAME_IS | NAME_OPENS;
    *goes_on = is_stop || about & NAME_OPENS;
    if (is_stop || !(about & NAME_IS) || text_is_generic(normal))
        return true;
    c->looked_up++;
    if (!are_known(known) && !store_find_alias(m->store, normal, &id, e))
        return false;
    if (id)
        collect(c, (struct named){.name = run,
                                  .type = S(""),
                                  .normal = arena_str(c->a, normal),
                                  .is_known = true});
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

bool names_in_text(struct memory *m, struct arena *a, str text, const struct known_names *known,
                   struct named **out, size_t *count, struct found_entities *by_rule, struct err *e)
{
    struct collected c = {.a = a};
    struct found_entities found;
    text = without_marks(a, text);
    found.at = extract_entities(a, text, &found.count);
    for (size_t i = 0; i < found.count; i++)
        collect(&c, (struct named){.name = found.at[i].name,
                                   .type = found.at[i].type,
                                   .normal = text_normal_name(a, found.at[i].name)});
    if (by_rule)
        *by_rule = found;
    /* One read for all lookups: each of its own would take the log's locks anew. */
    bool reads = !are_known(known);
    bool ok = (!reads || store_read_begin_by_writer(m->store, e)) &&
              collect_known(m, &c, known, text, e);
    if (reads)
        store_read_end(m->store);
    map_free(&c.seen);
    *out = c.at;
    *count = c.count;
    return ok;
}

bool entities_in_text(struct memory *m, struct arena *a, str text, struct entity_input **out,
                      size_t *count, struct found_entities *by_rule, struct err *e)
{
    struct named *names;
    if (!names_in_text(m, a, text, NULL, &names, count, by_rule, e))
        return false;
    *out = ARENA_ARRAY(a, struct entity_input, *count);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = (struct entity_input){.name = names[i].name, .type = names[i].type};
    return true;
}
