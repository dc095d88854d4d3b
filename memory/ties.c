#include "memory/ties.h"

#include "memory/base/unicode.h"
#include "memory/store_tie.h"
#include "memory/words.h"

enum { MIN_COMMIT_DIGITS = 7 };

struct tying {
    struct store *store;
    struct arena *a;
    int64_t entity, now_ms;
    str name, type;
};

static bool put(const struct tying *t, int64_t target, struct err *e)
{
    return !target || store_put_tie(t->store, t->entity, target, t->now_ms, e);
}

/* ---- by what the name is ---- */

static bool tie_commit(const struct tying *t, bool *tied, struct err *e)
{
    int64_t commit = 0;
    *tied = true;
    return t->name.len < MIN_COMMIT_DIGITS ||
           (store_commit_starting(t->store, t->a, t->name, &commit, e) && put(t, commit, e));
}

static bool tie_file(const struct tying *t, bool *tied, struct err *e)
{
    struct name_candidate *files;
    size_t count;
    str path = name_path(t->name);
    if (!path.len)
        return true;
    if (!store_files_to_tie(t->store, t->a, path, MAX_CALLED_SO, &files, &count, e))
        return false;
    size_t meant = name_path_meant(path, files, count);
    if (count >= MAX_CALLED_SO && meant < count && !str_eq(files[meant].path, path))
        meant = count; /* there may be more that end so */
    *tied = meant < count;
    return !*tied || put(t, files[meant].id, e);
}

/* A plain word is a name only where it was written as code, and no word of everyday. */
static bool may_be_symbol(const struct tying *t, const struct written_name *name)
{
    bool marked = str_eq(t->type, S("quoted")) || str_eq(t->type, S("identifier"));
    str word = unicode_fold(t->a, name->parts[0]);
    return name->is_code ||
           (marked && !word_is_common(word) && !word_is_stop(word) && !word_is_generic(word));
}

static bool tie_symbol(const struct tying *t, bool *tied, struct err *e)
{
    struct name_candidate *symbols;
    struct written_name name;
    size_t count;
    if (!name_read(t->name, &name) || !may_be_symbol(t, &name))
        return true;
    if (!store_symbols_to_tie(t->store, t->a, name.parts[name.count - 1], MAX_CALLED_SO, &symbols,
                              &count, e))
        return false;
    size_t meant = count < MAX_CALLED_SO ? name_symbol_meant(&name, symbols, count) : count;
    *tied = meant < count;
    return !*tied || put(t, symbols[meant].id, e);
}

/* What is tried for a type of entity, in this order; no row: file, then symbol. */
static const struct {
    const char *type;
    bool (*tie[2])(const struct tying *t, bool *tied, struct err *e);
} ways[] = {
    {"commit", {tie_commit}},
    {"url", {NULL}},
    {"issue", {NULL}},
    {"version", {NULL}},
    {"email", {NULL}},
    {"mention", {NULL}},
    {"acronym", {NULL}},
    {"identifier", {tie_symbol}},
    {"quoted", {tie_symbol, tie_file}},
    {"", {tie_file, tie_symbol}},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

bool ties_put(struct store *s, struct arena *a, int64_t entity, str name, str type, int64_t now_ms,
              struct err *e)
{
    struct arena mark = *a;
    struct tying t = {s, a, entity, now_ms, name, type};
    size_t way = 0;
    bool ok = true, tied = false;
    while (way + 1 < WAY_COUNT && !str_eq(type, str_of(ways[way].type)))
        way++;
    for (size_t i = 0; ok && !tied && i < 2 && ways[way].tie[i]; i++)
        ok = ways[way].tie[i](&t, &tied, e);
    arena_rewind(a, mark);
    return ok;
}

/* ---- all of them ---- */

/* The only symbol with this body or shape; 0: none, or several. */
static bool only_twin(struct store *s, struct arena *a, const struct tie_row *row, int64_t *twin,
                      struct err *e)
{
    int64_t *ids;
    size_t count = 0;
    *twin = 0;
    for (int shape = 0; shape < 2 && !count; shape++) {
        uint64_t hash = shape ? row->shape_hash : row->body_hash;
        if (hash && !store_symbols_like(s, a, hash, shape, 2, &ids, &count, e))
            return false;
        if (count == 1)
            *twin = ids[0];
    }
    return true;
}

/* All of them in rounds, with a pause behind each. */
struct rounds {
    struct store *s;
    int64_t now_ms, after; /* after: the last name that was looked at */
    size_t count;          /* of this round; fewer than TIES_AT_ONCE: it is the last */
};

/* Each one that is read is taken off, so no round sees it again. */
static bool follow_lost(struct rounds *r, struct arena *a, struct err *e)
{
    struct tie_row *rows;
    bool ok = store_lost_ties(r->s, a, TIES_AT_ONCE, &rows, &r->count, e);
    for (size_t i = 0; ok && i < r->count; i++) {
        int64_t twin;
        ok = only_twin(r->s, a, &rows[i], &twin, e) && store_delete_edge(r->s, rows[i].edge, e) &&
             (!twin || store_put_tie(r->s, rows[i].entity, twin, r->now_ms, e));
    }
    return ok;
}

static bool tie_untied(struct rounds *r, struct arena *a, struct err *e)
{
    struct untied_row *rows;
    bool ok = store_untied(r->s, a, r->after, TIES_AT_ONCE, &rows, &r->count, e);
    for (size_t i = 0; ok && i < r->count; i++) {
        ok = ties_put(r->s, a, rows[i].entity, rows[i].name, rows[i].type, r->now_ms, e);
        r->after = rows[i].entity;
    }
    return ok;
}

bool ties_put_all(struct store *s, struct arena *a, int64_t now_ms, ties_pause *pause, void *ctx,
                  struct err *e)
{
    bool (*const steps[])(struct rounds *, struct arena *, struct err *) = {follow_lost,
                                                                            tie_untied};
    struct rounds r = {.s = s, .now_ms = now_ms};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof steps / sizeof *steps; i++)
        do {
            struct arena mark = *a;
            ok = steps[i](&r, a, e);
            arena_rewind(a, mark);
        } while (ok && r.count == TIES_AT_ONCE && (ok = pause(ctx, e)));
    return ok && store_refresh_ties(s, e);
}
